"""The next-sentence tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.models.catalog import DEFAULT_MODEL
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    model_picker,
    numbers_view,
    text_box,
)
from components.tasks import next_sentence
from components.views import markup, tokens
from components.views import next_sentence as views

EXAMPLES = (
    ("The weather is nice today.", "Let's go for a walk."),
    ("The weather is nice today.", "Python is a programming language."),
    ("She opened the fridge.", "There was no milk left."),
    ("The river flooded the town in spring.", "Rivers carry water to the sea."),
)
LABELS = (
    "Nice weather → a walk",
    "Nice weather → Python",
    "Opened the fridge → no milk",
    "A river's flood → what rivers do",
)
GUIDE = markup.guide(
    "Both sentences are read as one row. [SEP] ends each of them, and the number below a token "
    "tells the network which of the two it belongs to. The answer is read off [CLS], the first "
    "token, as two raw scores, the logits. The model judges a pair that you give it: it writes "
    "nothing.",
    "Press Swap: does the order matter, or only the topic? Then give two sentences about the same "
    "thing that do not follow from each other.",
)
BACKGROUND = markup.aside(
    "Why RoBERTa dropped it.",
    "BERT was trained on this task: half of the time B was the text that really came next, half of "
    "the time it was taken from another document, which its topic often gives away. "
    "Liu et al. (2019) left the task out and filled the input with full sentences from one "
    "document: results matched or slightly improved, and RoBERTa, with more data, was trained "
    "without it. ALBERT asks for the order of two sentences instead.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            first = text_box(TAB.id, "first", EXAMPLES[0][0], "Sentence A", lines=2)
            second = text_box(TAB.id, "second", EXAMPLES[0][1], "Sentence B", lines=2)
            with gr.Row():
                submit = gr.Button(
                    "Does B follow A?", variant="primary", scale=2, elem_id=f"{TAB.id}-run"
                )
                swap = gr.Button("Swap", min_width=80, elem_id=f"{TAB.id}-swap")
        with options:
            model_id = model_picker(TAB.id, Task.NEXT_SENTENCE)
            ready = examples(TAB.id, [first, second], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            row = gr.HTML(elem_id=f"{TAB.id}-row")
            chart = gr.HTML(elem_id=f"{TAB.id}-chart")
            gr.HTML(GUIDE + BACKGROUND)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)
                token_table = numbers_view(TAB.id, tokens.HEADERS, name="tokens")

    def run(model_id: str, first: str, second: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.NEXT_SENTENCE)
        result = next_sentence.predict(model, first, second)
        return tuple(
            draw(result)
            for draw in (
                views.finding,
                views.segment_row,
                views.bar_chart,
                views.table,
                views.token_table,
            )
        )

    def endpoint(first: str, second: str, model: str = DEFAULT_MODEL) -> dict[str, Any]:
        """Judge whether the second sentence follows the first.

        Args:
            first: sentence A, up to 2,000 characters
            second: sentence B, up to 2,000 characters
            model: a bundled model, or an id of the Hub
        """
        loaded = page.models.get(model, Task.NEXT_SENTENCE)
        return asdict(next_sentence.predict(loaded, first, second))

    pair = [first, second]
    swapped = swap.click(lambda a, b: (b, a), pair, pair, queue=False, api_visibility="private")
    wire(
        page,
        TAB,
        [submit.click, first.submit, second.submit, model_id.change],
        run,
        [model_id, first, second],
        [finding, row, chart, table, token_table],
        endpoint=endpoint,
        examples=ready,
        after=[swapped],
    )


TAB = Tab(id="next_sentence", title="Next sentence", build=build)

"""The next-sentence tab: BERT's next sentence and ALBERT's sentence order, for one pair."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    numbers_view,
    text_box,
)
from components.tabs.pair_models import asked, pickers
from components.tabs.ways import ways_on
from components.tasks import next_sentence
from components.views import markup
from components.views import next_sentence as views

EXAMPLES = (
    ("The weather is nice today.", "Let's go for a walk."),
    ("The weather is nice today.", "Python is a programming language."),
    ("She opened the fridge.", "There was no milk left."),
    ("The king died in the spring of 1625.", "His son was crowned in the following year."),
    ("The river flooded the town in spring.", "Rivers carry water to the sea."),
)
LABELS = (
    "Nice weather → a walk",
    "Nice weather → Python",
    "Opened the fridge → no milk",
    "The king died → his son was crowned",
    "A river's flood → what rivers do",
)
GUIDE = markup.guide(
    "Each model reads both sentences as one row. [SEP] ends each of them, and the number below a "
    "token tells the network which of the two it belongs to. The answer is read off [CLS], the "
    "first token, as two raw scores, the logits. The models judge a pair that you give them: they "
    "write nothing.",
    "Choose “The king died”, then press Swap: whose mark crosses the middle, and whose stays? Then "
    "choose “Python”: what does a model that only knows about order say of two sentences that "
    "have nothing to do with each other?",
)
BACKGROUND = markup.aside(
    "Why ALBERT asks something else.",
    "In BERT's training, half of the time B was the text that really came next, half of the time "
    "it was taken from another document. Another document is mostly about something else, so the "
    "topic alone gives the answer away, whatever the order. "
    "Liu et al. (2019) left the task out, results matched or slightly improved, and RoBERTa was "
    "trained without it. ALBERT always takes two neighbours from one document and swaps them half "
    "of the time: the topic is the same both ways, and only what leads to what is left to go by. "
    "Its authors measured it (Lan et al. 2020, table 5): a model trained on next sentences is "
    "right about the order in 52.0 % of the cases, hardly better than a coin; one trained on order "
    "is right in 86.5 %, and in 78.9 % about next sentences.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            first = text_box(TAB.id, "first", EXAMPLES[0][0], "Sentence A", lines=2)
            second = text_box(TAB.id, "second", EXAMPLES[0][1], "Sentence B", lines=2)
            with gr.Row():
                submit = gr.Button(
                    "Judge the pair", variant="primary", scale=2, elem_id=f"{TAB.id}-run"
                )
                swap = gr.Button("Swap", min_width=80, elem_id=f"{TAB.id}-swap")
        with options:
            follows, order = pickers(TAB.id)
            ready = examples(TAB.id, [first, second], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            chart = gr.HTML(elem_id=f"{TAB.id}-chart")
            row = gr.HTML(elem_id=f"{TAB.id}-row")
            ways_on(page.ways, TAB.id, Task.NEXT_SENTENCE, follows, first, second)
            gr.HTML(GUIDE + BACKGROUND)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)
                token_table = numbers_view(TAB.id, views.TOKEN_HEADERS, name="tokens")

    def run(follows: str, order: str, first: str, second: str) -> tuple[Any, ...]:
        verdicts = next_sentence.predict_each(page.model, asked(follows, order), first, second)
        return tuple(
            draw(verdicts)
            for draw in (
                views.finding,
                views.bar_chart,
                views.segment_row,
                views.table,
                views.token_table,
            )
        )

    def endpoint(
        first: str, second: str, model: str = "", task: str = Task.NEXT_SENTENCE.value
    ) -> dict[str, Any]:
        """Judge whether the second sentence comes after the first, as typed and swapped.

        Args:
            first: sentence A, up to 2,000 characters
            second: sentence B, up to 2,000 characters
            model: a bundled model, or an id of the Hub; empty for the bundled one with that head
            task: next-sentence-prediction (BERT: does B follow A, or is it from elsewhere?) or
                sentence-order-prediction (ALBERT: is this the order, or were they swapped?)
        """
        objective = next_sentence.objective(task)
        loaded = page.models.get(model or default_for(objective), objective)
        return asdict(next_sentence.predict(loaded, first, second))

    pair = [first, second]
    swapped = swap.click(lambda a, b: (b, a), pair, pair, queue=False, api_visibility="private")
    wire(
        page,
        TAB,
        [submit.click, first.submit, second.submit, follows.change, order.change],
        run,
        [follows, order, first, second],
        [finding, chart, row, table, token_table],
        endpoint=endpoint,
        examples=ready,
        after=[swapped],
    )


TAB = Tab(id="next_sentence", title="Next sentence", build=build, short="A pair")

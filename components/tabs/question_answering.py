"""The question-answering tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import ASSETS, MAX_PASSAGE, MAX_TOP_K
from components.models.catalog import default_for
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
from components.tabs.ways import ways_on
from components.tasks import question_answering
from components.tasks.question_answering import MAX_ANSWER, MAX_WINDOW, MIN_WINDOW
from components.views import markup
from components.views import question_answering as views

_LIGHTS = (ASSETS / "lights.js").read_text(encoding="utf-8")
_RHINE = (ASSETS / "examples" / "rhine.txt").read_text(encoding="utf-8").strip()

EXAMPLES = (  # (what it shows, question, passage)
    (
        "The answer is a span of the passage",
        "What mechanism do Transformers use?",
        "Transformers are deep learning models that use self-attention to process sequences "
        "efficiently.",
    ),
    (
        "The passage does not say",
        "How many people live in Marlow?",
        "The bridge at Marlow was finished in 1832. It was designed by William Tierney Clark, "
        "and it crosses the River Thames.",
    ),
    ("A long passage, read in windows", "When did a warehouse burn down?", _RHINE),
    (
        "The same word three times",
        "What is Ben's dog called?",
        "Anna's cat is called Tiger. Ben's dog is called Tiger, too. Carla's boat is called Tiger "
        "as well.",
    ),
    (
        "Accents, as typed",
        "Who runs the café?",
        "☕ The cafe\u0301 in Besanc\u0327on is run by Zoe\u0308 Mu\u0308ller, and "
        "her brother bakes the crème brûlée.",
    ),
)
GUIDE = markup.guide(
    "The model writes nothing: it gives every token a number for being the start of the answer and "
    "one for being its end, and the span with the highest sum wins, unless “no answer” beats it.",
    "Ask “What mechanism do Transformers not use?”: does the model notice the “not”, or does it "
    "point at the same words? Then ask for something that the passage does not say.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            question = text_box(TAB.id, "question", EXAMPLES[0][1], "Question", lines=1)
            passage = text_box(
                TAB.id,
                "passage",
                EXAMPLES[0][2],
                "Passage",
                lines=6,
                max_lines=12,
                max_length=MAX_PASSAGE,
                info=f"Up to {MAX_PASSAGE:,} characters; a long one is read in windows.",
            )
            submit = gr.Button("Find the answer", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.QUESTION_ANSWERING)
            with gr.Accordion("Options", open=False):
                top_k = gr.Slider(1, MAX_TOP_K, value=5, step=1, label="Spans to list")
                longest = gr.Slider(
                    1, MAX_ANSWER, value=30, step=1, label="Longest span, in tokens"
                )
                length = gr.Slider(
                    MIN_WINDOW,
                    MAX_WINDOW,
                    value=384,
                    step=16,
                    label="Window, in tokens",
                    info="Question included. Make it small to see a short passage cut up.",
                )
                stride = gr.Slider(
                    0,
                    MAX_WINDOW // 3,
                    value=128,
                    step=1,
                    label="Overlap of windows, in tokens",
                    info="At most a third of a window.",
                )
            ready = examples(
                TAB.id, [question, passage], [e[1:] for e in EXAMPLES], [e[0] for e in EXAMPLES]
            )
        with panel:
            finding = finding_view(TAB.id)
            reading = gr.HTML(js_on_load=_LIGHTS, elem_id=f"{TAB.id}-reading")
            ways_on(page.ways, TAB.id, Task.QUESTION_ANSWERING, model_id, question, passage)
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(
        model_id: str,
        question: str,
        passage: str,
        top_k: int,
        longest: int,
        length: int,
        stride: int,
    ) -> tuple[Any, ...]:
        result = question_answering.predict(
            page.model(model_id, Task.QUESTION_ANSWERING),
            question,
            passage,
            top_k=top_k,
            max_length=length,
            stride=stride,
            max_answer_length=longest,
            tell=page.tell,
        )
        return tuple(draw(result) for draw in (views.finding, views.reading, views.table))

    def endpoint(
        question: str,
        passage: str,
        model: str = default_for(Task.QUESTION_ANSWERING),
        top_k: int = 5,
        max_length: int = 384,
        stride: int = 128,
        max_answer_length: int = 30,
    ) -> dict[str, Any]:
        """Find the spans of a passage that answer a question, and say whether any does.

        Args:
            question: up to 2,000 characters
            passage: up to 100,000 characters; a long one is read in overlapping windows
            model: a bundled model, or an id of the Hub
            top_k: spans to give, 1 to 50, best first
            max_length: tokens of one window, question included, 32 to 512
            stride: tokens that two windows share, at most a third of max_length
            max_answer_length: tokens of the longest span, 1 to 100
        """
        result = question_answering.predict(
            page.models.get(model, Task.QUESTION_ANSWERING),
            question,
            passage,
            top_k=top_k,
            max_length=max_length,
            stride=stride,
            max_answer_length=max_answer_length,
        )
        return asdict(result)

    controls = [top_k, longest, length, stride]
    wire(
        page,
        TAB,
        [
            submit.click,
            question.submit,
            passage.submit,
            model_id.change,
            *(slider.release for slider in controls),
        ],
        run,
        [model_id, question, passage, *controls],
        [finding, reading, table],
        endpoint=endpoint,
        examples=ready,
    )


TAB = Tab(id="question_answering", title="Question answering", build=build, short="Answer")

"""The scores behind answers, a part of the question-answering tab."""

from __future__ import annotations

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
    scripts,
    text_box,
)
from components.tasks import answer_scores
from components.tasks.answer_scores import MAX_QUESTIONS
from components.tasks.question_answering import MAX_ANSWER, MAX_WINDOW, MIN_WINDOW
from components.views import answer_scores as views
from components.views import markup

_RHINE = (ASSETS / "examples" / "rhine.txt").read_text(encoding="utf-8").strip()
_BRIDGE = (
    "The bridge at Marlow was finished in 1832. It was designed by William Tierney Clark, who "
    "also built the Széchenyi Chain Bridge in Budapest, and it crosses the River Thames. An older "
    "wooden bridge had collapsed in 1828."
)
_MANY_SCRIPTS = (
    "☕ The cafe\u0301 in Besanc\u0327on is run by Zoe\u0308 Mu\u0308ller 👩🏽\u200d🍳 "
    "since 2014.\r\n"
    "北京是中国的首都。\r\nالقاهرة هي عاصمة مصر.\r\nHer brother bakes the crème brûlée."
)
EXAMPLES = (  # (what it shows, questions, passage)
    (
        "Three with an answer, two without",
        "Who designed the bridge?\nWhen was the bridge finished?\n"
        "What happened to the older bridge?\nHow many people live in Marlow?\n"
        "Who designed the older bridge?",
        _BRIDGE,
    ),
    (
        "A long passage, read in windows",
        "When did a warehouse burn down?\nWhere does the Rhine rise?\nWho is the king of France?",
        _RHINE,
    ),
    (
        "Accents, emoji, Chinese, Arabic",
        "Who runs the café?\nWhat does her brother bake?",
        _MANY_SCRIPTS,
    ),
)
GUIDE = markup.guide(
    "Every token gets two raw scores: for being the start of the answer (upwards) and for being "
    "its end (downwards). The broken lines are the same two scores for “no answer”, read at "
    "[CLS]. The answer is the span with the highest start + end, unless “no answer” is ahead by "
    "more than the threshold.",
    "Move the threshold until the questions that the passage does not answer are refused. Do the "
    "others survive? Then ask “Who designed the older bridge?” and see where the model looks.",
)
ABOUT = markup.aside(
    "Why there is a threshold.",
    "The two sums are compared by a difference, and 0 is only where they are equal. Those who "
    "measure on SQuAD 2 move the line to where their development set comes out best (Devlin et "
    "al. 2019, 4.3). A long passage is cut into windows, and each has its own scores. Their raw "
    "sums are compared: a softmax in each window makes every window sure of something, even "
    "those that have nothing to offer; the table of windows shows that number beside the raw one.",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            questions = text_box(
                TAB.id,
                "questions",
                EXAMPLES[0][1],
                "Questions, one a line",
                lines=5,
                max_lines=8,
                max_length=MAX_PASSAGE,
                info=f"Up to {MAX_QUESTIONS}, all put to the one passage.",
            )
            passage = text_box(
                TAB.id,
                "passage",
                EXAMPLES[0][2],
                "Passage",
                lines=6,
                max_lines=12,
                max_length=MAX_PASSAGE,
                info=f"Up to {MAX_PASSAGE:,} characters, some 16,000 words, read in windows.",
            )
            submit = gr.Button("Show the scores", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.QUESTION_ANSWERING)
            with gr.Accordion("Options", open=False):
                top_k = gr.Slider(1, MAX_TOP_K, value=5, step=1, label="Spans to list")
                longest = gr.Slider(
                    1, MAX_ANSWER, value=30, step=1, label="Longest span, in tokens"
                )
                length = gr.Slider(
                    MIN_WINDOW, MAX_WINDOW, value=384, step=16, label="Window, in tokens"
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
                TAB.id, [questions, passage], [e[1:] for e in EXAMPLES], [e[0] for e in EXAMPLES]
            )
        with panel:
            finding = finding_view(TAB.id)
            picture = gr.HTML(
                html_template=(ASSETS / "answer_scores.html").read_text(encoding="utf-8"),
                js_on_load=scripts("lights.js", "bars.js", "answer_scores.js"),
                apply_default_css=False,
                elem_id=f"{TAB.id}-picture",
            )
            gr.HTML(GUIDE + ABOUT)
            link = gr.HTML(elem_id=f"{TAB.id}-download")
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                windows = numbers_view(TAB.id, views.WINDOW_HEADERS, name="windows")

    def run(
        model_id: str,
        questions: str,
        passage: str,
        top_k: int,
        longest: int,
        length: int,
        stride: int,
    ) -> tuple[Any, ...]:
        result = answer_scores.predict(
            page.model(model_id, Task.QUESTION_ANSWERING),
            questions,
            passage,
            top_k=top_k,
            max_length=length,
            stride=stride,
            max_answer_length=longest,
            tell=page.tell,
        )
        drawings = (views.finding, views.picture, views.table, views.window_table, views.download)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        questions: str,
        passage: str,
        model: str = default_for(Task.QUESTION_ANSWERING),
        top_k: int = 5,
        max_length: int = 384,
        stride: int = 128,
        max_answer_length: int = 30,
    ) -> dict[str, Any]:
        """Give the start and end logits of every token of a passage, for several questions.

        Args:
            questions: one a line, up to 20
            passage: up to 100,000 characters; a long one is read in overlapping windows
            model: a bundled model, or an id of the Hub
            top_k: spans to give for each question, 1 to 50, best first
            max_length: tokens of one window, question included, 32 to 512
            stride: tokens that two windows share, at most a third of max_length
            max_answer_length: tokens of the longest span, 1 to 100
        """
        result = answer_scores.predict(
            page.models.get(model, Task.QUESTION_ANSWERING),
            questions,
            passage,
            top_k=top_k,
            max_length=max_length,
            stride=stride,
            max_answer_length=max_answer_length,
        )
        return views.numbers(result)

    controls = [top_k, longest, length, stride]
    wire(
        page,
        TAB,
        [submit.click, model_id.change, *(slider.release for slider in controls)],
        run,
        [model_id, questions, passage, *controls],
        [finding, picture, table, windows, link],
        endpoint=endpoint,
        examples=ready,
    )


TAB = Tab(
    id="answer_scores",
    title="Scores along the passage",
    build=build,
    within="question_answering",
    short="Scores",
)

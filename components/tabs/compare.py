"""The Compare tab. A task is offered as an entry of PANELS here and of RUNNERS in the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import gradio as gr

from components.config import MAX_REVIEW
from components.models.catalog import cards_for, why_not
from components.models.evaluation import read_evaluation
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    clickable,
    columns,
    finding_view,
    full_size_choices,
    numbers_view,
)
from components.tabs.task_fields import Field, Panel, TaskFields, task_fields
from components.tabs.ways import Carried, Goal
from components.tasks import compare
from components.views import compare as views
from components.views import markup
from components.views.compare_chart import chart as draw_chart
from components.views.tradeoff import scatter

_PASSAGE = (
    "Transformers are deep learning models that use self-attention to process sequences "
    "efficiently."
)
ALL: list[str] = []  # of the endpoint: every bundled model that has the head
GUIDE = markup.guide(
    "Every model gets the same text, with the mask spelled as it knows it, and answers alone. Its "
    "time is that of the forward pass on this machine just now: it grows when others compute too. "
    "Memory counts the encoder and this one head; the file on disk holds all heads of a bundled "
    "model.",
    "Find a sentence on which the models disagree. Which word must you change to make them agree?",
)


PANELS: Mapping[Task, Panel] = {
    Task.FILL_MASK: Panel(
        "Fill-mask",
        (Field("text", "Sentence", "Paris is the [MASK] of France."),),
        (
            ("Paris is the [MASK] of France.",),
            ("The bank is near the [MASK].",),
            ("She drank a cup of [MASK] and read the [MASK].",),
        ),
    ),
    Task.SENTIMENT: Panel(
        "Sentiment",
        (Field("text", "Text", "This course is excellent.", limit=MAX_REVIEW),),
        (("This course is excellent.",), ("The film was not bad at all.",)),
    ),
    Task.QUESTION_ANSWERING: Panel(
        "Question answering",
        (
            Field("question", "Question", "What mechanism do Transformers use?", lines=1),
            Field("text", "Passage", _PASSAGE, lines=4, limit=MAX_REVIEW),
        ),
        (("What mechanism do Transformers use?", _PASSAGE), ("Who invented them?", _PASSAGE)),
    ),
}


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            fields = task_fields(TAB.id, PANELS, _models)
            submit = gr.Button("Compare", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            ready = fields.examples()
        with panel:
            finding = finding_view(TAB.id)
            cards = clickable(elem_id=f"{TAB.id}-cards")
            tradeoff = gr.Plot(
                show_label=False, elem_id=f"{TAB.id}-tradeoff", elem_classes="lab-plot"
            )
            chart = gr.Plot(show_label=False, elem_id=f"{TAB.id}-chart", elem_classes="lab-plot")
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    measured = read_evaluation(page.models.settings.models_dir)

    def run(task: str, *given: Any) -> tuple[Any, ...]:
        texts, model_ids = _given(fields, task, given)
        get = partial(page.models.get, tell=page.tell)
        result = compare.predict(
            get, model_ids, task, texts, measured=measured, tell=page.tell,
            undisturbed=page.models.undisturbed,
        )  # fmt: skip
        drawn = (draw(result) for draw in (views.finding, views.cards, scatter, draw_chart))
        return *drawn, views.table(result)

    def endpoint(
        text: str, task: str = "fill-mask", models: list[str] = ALL, question: str = ""
    ) -> dict[str, Any]:
        """Give one text to several models.

        Args:
            text: what every model is given; for question-answering the passage
            task: fill-mask, text-classification or question-answering
            models: bundled models, or ids of the Hub, at most 10; empty for every bundled one
                that has a head for the task
            question: for question-answering
        """
        given = compare.Given(text, question)
        return asdict(
            compare.predict(
                page.models.get, models or compare.bundled(task), task, given, measured=measured,
                undisturbed=page.models.undisturbed,
            )
        )  # fmt: skip

    wire(
        page,
        TAB,
        [submit.click, fields.task.input, *(text.submit for text in fields.texts)],
        run,
        [fields.task, *fields.flat],
        [finding, cards, tradeoff, chart, table],
        endpoint=endpoint,
        examples=ready,
        goal=_goal(fields),
    )


def _goal(fields: TaskFields) -> Goal:
    """Let a classifier come from elsewhere, beside the bundled models, with its first text."""
    task = Task.SENTIMENT

    def put(carried: Carried) -> list[Any]:
        first = next((line for line in carried.texts[0].splitlines() if line.strip()), "")
        return [task.value, *fields.shown(task), first, gr.skip(), [carried.model_id]]

    return Goal([fields.task, *fields.columns.values(), *fields.fields[task]], put)


def _models(task: Task) -> list[Any]:
    """Offer the bundled models that can do `task`, and those of the Hub."""
    bundled = gr.CheckboxGroup(
        [(card.about, card.id) for card in cards_for(task)],
        value=compare.bundled(task),
        label="Models",
        info=f"At most {compare.MAX_MODELS} in one run.",
        interactive=True,
        elem_id=f"{TAB.id}-{task}-models",
    )
    gr.HTML(markup.why_missing(why_not(task)), elem_id=f"{TAB.id}-{task}-missing")
    others = gr.Dropdown(
        full_size_choices(task),
        value=[],
        label="Models of the Hub",
        info="Full size, fetched when asked; or type any id and press Enter.",
        multiselect=True,
        allow_custom_value=True,
        interactive=True,
        elem_id=f"{TAB.id}-{task}-hub",
    )
    return [bundled, others]


def _given(fields: TaskFields, task: str, values: Sequence[Any]) -> tuple[compare.Given, list[str]]:
    """Take from the values of all tasks the texts and the models of the chosen one."""
    texts, others = fields.chosen(task, values)
    if not others:
        return compare.Given(""), []
    bundled, of_the_hub = others
    typed = [name for line in of_the_hub or () for name in str(line).split(",")]
    return compare.Given(**texts), [*bundled, *typed]


TAB = Tab(id="compare", title="Compare", build=build)

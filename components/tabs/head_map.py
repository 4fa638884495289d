"""The head map tab."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import gradio as gr

from components.config import ASSETS
from components.models.catalog import DEFAULT_MODEL
from components.models.families import Task
from components.models.heads import Filler
from components.tabs.base import Page, Tab, edited, follow, wire
from components.tabs.controls import (
    clickable,
    columns,
    finding_view,
    model_picker,
    numbers_view,
    scripts,
    text_box,
)
from components.tabs.task_fields import Field, Panel, task_fields
from components.tabs.ways import Carried
from components.tasks import head_map
from components.tasks.followed import Given
from components.views import head_map as views
from components.views import markup
from components.views import together as together_views

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

_PASSAGE = (
    "Transformers are deep learning models that use self-attention to process sequences "
    "efficiently."
)
PANELS = {
    Task.FILL_MASK: Panel(
        "Fill-mask",
        (Field("text", "Sentence", "Paris is the [MASK] of France."),),
        (
            ("Paris is the [MASK] of France.",),
            ("The capital of France is [MASK].",),
            ("The cat sat on the [MASK] because it was tired.",),
        ),
    ),
    Task.NEXT_SENTENCE: Panel(
        "Next sentence",
        (
            Field("text", "Sentence A", "She opened the fridge."),
            Field("other", "Sentence B", "There was no milk left."),
        ),
        (("She opened the fridge.", "There was no milk left."),),
    ),
    Task.SENTIMENT: Panel(
        "Sentiment",
        (Field("text", "Text", "The film was not bad at all."),),
        (("The film was not bad at all.",),),
    ),
    Task.QUESTION_ANSWERING: Panel(
        "Question answering",
        (
            Field("other", "Question", "What mechanism do Transformers use?", lines=1),
            Field("text", "Passage", _PASSAGE, lines=4),
        ),
        (("What mechanism do Transformers use?", _PASSAGE),),
    ),
}
_FILLERS = [
    ("zero: it gives nothing", Filler.ZERO.value),
    ("mean: every token gets the same", Filler.MEAN.value),
]
_PICKED = (
    "values[0] = document.querySelector('#%s [data-pick][aria-pressed=true]')?.dataset.pick ?? '';"
)
_HEAD = re.compile(r"(\d{1,3}),(\d{1,3})")
_CHOSEN = "() => document.querySelector('#%s .lab-map')?.dataset.chosen ?? ''"
GUIDE = markup.guide(
    "Each cell is an experiment: the network reads the same text once more with that one head "
    "switched off, and the answer's new probability is measured. A picture of attention shows "
    "where a head looks; only this says whether the answer rests on it.",
    "Choose the three largest, then all heads of one layer: is the loss together what the single "
    "losses sum to? Then take “mean” in place of “zero”: which heads matter only because zero is "
    "a number that the next layer never saw?",
)
BACKGROUND = markup.aside(
    "Why cells must not be added up.",
    "Heads stand in for each other. The authors of torchlens report of GPT-2 that one head alone "
    "moved a score by +13.27, and twelve heads together by −0.68. Michel et al. (2019) found that "
    "most heads of a trained model can be taken away one at a time with hardly a loss, and not all "
    "of them at once.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            fields = task_fields(TAB.id, PANELS, _picker)
            submit = gr.Button("Switch heads off", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            by = gr.Radio(
                _FILLERS,
                value=Filler.ZERO.value,
                label="What a head that is off gives",
                interactive=True,
                elem_id=f"{TAB.id}-by",
            )
            answer = text_box(
                TAB.id,
                "answer",
                "",
                "Answer to follow",
                info="Empty: the model's own. Click one of its answers, or type another.",
            )
            ready = fields.examples()
        with panel:
            finding = finding_view(TAB.id)
            heads = gr.HTML(
                js_on_load=(ASSETS / "head_map.js").read_text(encoding="utf-8"),
                elem_id=f"{TAB.id}-map",
            )
            chosen = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-chosen")
            together = gr.HTML(
                value=together_views.nothing(),
                js_on_load=scripts("picks.js"),
                elem_id=f"{TAB.id}-together",
            )
            answers = clickable(elem_id=f"{TAB.id}-answers")
            gr.HTML(GUIDE + BACKGROUND)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)
                download = gr.HTML(elem_id=f"{TAB.id}-download")

    def asked(task: str, values: Sequence[Any]) -> tuple[LoadedModel, Given]:
        texts, (model_id,) = fields.chosen(task, values)
        return page.model(model_id, head_map.task_of(task)), Given(**texts)

    def run(task: str, by: str, answer: str, *values: Any) -> tuple[Any, ...]:
        model, given = asked(task, values)
        result = head_map.predict(model, given, follow=answer, by=by, tell=page.tell)
        drawings = (views.finding, views.head_map, views.answers, views.table, views.download)
        return tuple(draw(result) for draw in drawings)

    def picked_head(pick: str, task: str, *values: Any) -> Carried | None:
        head, (texts, models) = _HEAD.fullmatch(pick), fields.chosen(task, values)
        if head is None or not models:
            return None
        first, second = (*texts.values(), "")[:2]
        return Carried(task, models[0], (first, second), (int(head[1]), int(head[2])))

    def run_together(chosen: str, task: str, by: str, answer: str, *values: Any) -> Any:
        if not chosen:
            return together_views.nothing()
        model, given = asked(task, values)
        result = head_map.together(model, given, chosen, follow=answer, by=by)
        return together_views.panel(result)

    def endpoint(
        text: str,
        other: str = "",
        task: str = Task.FILL_MASK.value,
        model: str = DEFAULT_MODEL,
        by: str = Filler.ZERO.value,
        follow: str = "",
        heads: str = "",
    ) -> dict[str, Any]:
        """Measure what an answer loses or gains without each head, and each layer's attention.

        Args:
            text: up to 2,000 characters: a text with a [MASK], a review, sentence A, or a passage
            other: sentence B, or the question about the passage
            task: fill-mask, next-sentence-prediction, sentence-order-prediction,
                text-classification or question-answering
            model: a bundled model, or an id of the Hub
            by: what stands in for the output of a head: zero, or mean, its average over the tokens
            follow: the answer to follow, such as a word; empty for the model's own
            heads: heads to switch off together too, as layer.head, both counted from 0, such as
                "3.5, 4.1"
        """
        loaded, given = page.models.get(model, head_map.task_of(task)), Given(text, other)
        result = asdict(head_map.predict(loaded, given, follow=follow, by=by))
        joint = head_map.together(loaded, given, heads, follow=follow, by=by) if heads else None
        return {**result, "together": joint and asdict(joint)}

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    inputs = [fields.task, by, answer, *fields.flat]
    fixes = [
        finding.select(edited, fields.texts[0], fields.texts[0], **glue),
        answers.select(edited, answer, answer, **glue),
    ]
    runs = wire(
        page,
        TAB,
        [submit.click, fields.task.input, by.input, answer.submit]
        + [text.submit for text in fields.texts]
        + [picker.change for picker in fields.flat if isinstance(picker, gr.Dropdown)],
        run,
        inputs,
        [finding, heads, answers, table, download],
        endpoint=endpoint,
        examples=ready,
        after=fixes,
    )
    picked = heads.select(None, None, chosen, js=_CHOSEN % heads.elem_id, **glue)
    follow(page, [picked, *runs], run_together, [chosen, *inputs], [together])
    page.ways.lead(
        "attention",
        together.select,
        [chosen, fields.task, *fields.flat],
        picked_head,
        js=_PICKED % together.elem_id,
    )


def _picker(task: Task) -> Sequence[Any]:
    return [model_picker(f"{TAB.id}-{task}", task)]


TAB = Tab(id="head_map", title="Head map", build=build)

"""The tab that says which words decided."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.models.catalog import SHIPPED, default_for
from components.models.families import Task
from components.tabs import head_map
from components.tabs.base import Page, Tab, edited, wire
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
from components.tabs.ways import Goal
from components.tasks import attribution
from components.tasks.attribution import Baseline
from components.tasks.followed import Given
from components.tasks.head_map import task_of
from components.views import attribution as views
from components.views import deletion as deletion_views
from components.views import markup

_ORDER = (("The king died in the spring of 1625.", "His son was crowned in the following year."),)
_PANELS = {
    Task.SENTIMENT: Panel(
        "Sentiment",
        (Field("text", "Text", "The plot is thin, but the music is wonderful."),),
        (
            ("The plot is thin, but the music is wonderful.",),
            ("The film was not bad at all.",),
            ("I expected it to be good, and it was anything but.",),
        ),
    ),
    Task.NEXT_SENTENCE: head_map.PANELS[Task.NEXT_SENTENCE],
    Task.SENTENCE_ORDER: Panel(
        "Sentence order",
        (Field("text", "Sentence A", _ORDER[0][0]), Field("other", "Sentence B", _ORDER[0][1])),
        _ORDER,
    ),
    Task.QUESTION_ANSWERING: head_map.PANELS[Task.QUESTION_ANSWERING],
    Task.FILL_MASK: head_map.PANELS[Task.FILL_MASK],
}
PANELS = {
    task: panel for task, panel in _PANELS.items() if any(task in card.tasks for card in SHIPPED)
}
_BASELINES = [
    ("[MASK]: a word that says nothing", Baseline.MASK.value),
    ("[PAD]: no word at all", Baseline.PAD.value),
]
GUIDE = markup.guide(
    "The same text three times. Blue words spoke for the answer, orange ones against it. First "
    "each word is hidden once, and the loss is measured. Then a sum is split among the words "
    "(integrated gradients). Attention comes last: it only says where the model looked.",
    "Which curve falls first? Choose “I expected it to be good”: is the order of attention still "
    "better than chance? Then “not bad at all”: without “not” or without “bad” the verdict may "
    "turn, and without both it holds. So which of the two words speaks for it?",
)
BACKGROUND = markup.aside(
    "Attention is not explanation.",
    "A word that is looked at may still change nothing. Jain & Wallace (2019) found that attention "
    "often ranks words otherwise than gradients and hiding do, and that other attention can give "
    "the same answer; Wiegreffe & Pinter (2019) answered that it may still be one explanation of "
    "several. So no ranking is believed here: each is put to the test.",
)
LIMITS = markup.aside(
    "Read it with care.",
    "A text full of masks is like none that this model was taught to judge, so hiding words also "
    "measures its surprise. Words that stand in for each other both look unimportant. Integrated "
    "gradients (Sundararajan et al. 2017) depend on where they start: try the other baseline.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            fields = task_fields(
                TAB.id, PANELS, lambda task: [model_picker(f"{TAB.id}-{task}", task)]
            )
            submit = gr.Button("Weigh every word", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            answer = text_box(
                TAB.id,
                "answer",
                "",
                "Answer to follow",
                info="Empty: the model's own. Click one of its answers, or type another.",
            )
            with gr.Accordion("Integrated gradients", open=False):
                baseline = gr.Radio(
                    _BASELINES,
                    value=Baseline.MASK.value,
                    label="Every word is first",
                    interactive=True,
                    elem_id=f"{TAB.id}-baseline",
                )
                steps = gr.Slider(
                    attribution.MIN_STEPS,
                    attribution.MAX_STEPS,
                    value=attribution.STEPS,
                    step=4,
                    label="Steps",
                    interactive=True,
                    buttons=[],
                    elem_id=f"{TAB.id}-steps",
                )
            ready = fields.examples()
        with panel:
            finding = finding_view(TAB.id)
            strips = gr.HTML(js_on_load=scripts("attribution.js"), elem_id=f"{TAB.id}-strips")
            answers = clickable(elem_id=f"{TAB.id}-answers")
            verdict = gr.HTML(elem_id=f"{TAB.id}-verdict")
            chart = gr.Plot(show_label=False, elem_id=f"{TAB.id}-chart")
            gr.HTML(GUIDE + BACKGROUND + LIMITS)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, label="Every word")
                curves = numbers_view(
                    TAB.id, deletion_views.HEADERS, name="curves", label="The deletion test"
                )
                download = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(task: str, follow: str, baseline: str, steps: int, *values: Any) -> tuple[Any, ...]:
        texts, (model_id,) = fields.chosen(task, values)
        model = page.model(model_id, task_of(task), attentions=True)
        result = attribution.predict(
            model, Given(**texts), follow=follow, baseline=baseline, steps=steps, tell=page.tell
        )
        return (
            views.finding(result),
            views.strips(result),
            views.answers(result),
            deletion_views.verdict(result),
            deletion_views.chart(result),
            views.table(result),
            {"headers": deletion_views.headers(result), "data": deletion_views.table(result)},
            views.download(result),
        )

    def endpoint(
        text: str,
        other: str = "",
        task: str = Task.SENTIMENT.value,
        model: str = "",
        follow: str = "",
        baseline: str = Baseline.MASK.value,
        steps: int = attribution.STEPS,
    ) -> dict[str, Any]:
        """Say which words of an input decided the answer, by three methods, with a test of them.

        Args:
            text: up to 2,000 characters: a review, sentence A, a passage, or a text with a [MASK]
            other: sentence B, or the question about the passage
            task: text-classification, next-sentence-prediction, sentence-order-prediction,
                question-answering or fill-mask
            model: a bundled model, or an id of the Hub; empty for the bundled one
            follow: the answer to follow, such as a class; empty for the model's own
            baseline: what integrated gradients start from in place of every word: mask or pad
            steps: of integrated gradients, 4 to 128
        """
        asked = task_of(task)
        loaded = page.models.get(model or default_for(asked), asked, attentions=True)
        return views.numbers(
            attribution.predict(
                loaded, Given(text, other), follow=follow, baseline=baseline, steps=steps
            )
        )

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    wire(
        page,
        TAB,
        [submit.click, fields.task.input, baseline.input, steps.release, answer.submit]
        + [text.submit for text in fields.texts]
        + [picker.input for picker in fields.flat if isinstance(picker, gr.Dropdown)],
        run,
        [fields.task, answer, baseline, steps, *fields.flat],
        [finding, strips, answers, verdict, chart, table, curves, download],
        endpoint=endpoint,
        examples=ready,
        after=[
            finding.select(edited, fields.texts[0], fields.texts[0], **glue),
            answers.select(edited, answer, answer, **glue),
        ],
        goal=Goal(
            fields.arrivals,
            lambda carried: fields.put(carried.task, *carried.texts, carried.model_id),
        ),
    )


TAB = Tab(id="attribution", title="Which words", build=build)

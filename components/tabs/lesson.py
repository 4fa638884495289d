"""The Lesson: the module as a walk of steps, each of which asks before it shows.

Where the learner is travels as a Place, in a field that is not shown. What they reached stays in
their browser (assets/lesson_steps.js): the server keeps nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import gradio as gr

from components.config import MAX_TEXT
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view, scripts, text_box
from components.tasks import lesson
from components.tasks.lesson_parts import Desk
from components.tasks.lesson_steps import STEPS
from components.views import lesson as views
from components.views import markup

GUIDE = markup.guide(
    "Networks that ship with this page answer on your own text; their answer is shown when you "
    "have given yours. Ticks and score stay in this browser.",
    "Change the text of a step until the model is wrong, or until you can no longer foresee it.",
)
_GO = "() => JSON.parse(document.querySelector('#lesson-steps nav').dataset.told)"
_ANSWER = "() => document.querySelector('#lesson-body article').dataset.told"
# another text: the same step, asked anew
_ANEW = (
    "() => JSON.stringify({step: Number(document.querySelector("
    "'#lesson-steps [aria-current]').dataset.step)})"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the learner is, and what they chose there for which text.

    It comes from the browser, so anybody can make one up: whatever is amiss reads as step 1.
    """

    step: int = 1
    choice: int | None = None
    text: str | None = None  # that the question was asked of; None: what stands in the field

    @classmethod
    def read(cls, sent: str) -> Place:
        """Read what the page wrote."""
        try:
            values: Any = json.loads(sent) if len(sent) <= 20 * MAX_TEXT else None
        except (ValueError, RecursionError):
            return cls()
        match values:
            case {"step": int(step), "choice": int(choice), "text": str(text)}:
                return cls(step, choice, text) if _is_step(step) else cls()
            case {"step": int(step)}:
                return cls(step) if _is_step(step) else cls()
        return cls()


def _is_step(number: int) -> bool:
    return 1 <= number <= len(STEPS)


def build(page: Page) -> None:
    """Lay out the lesson, and wire it."""
    desk = Desk(page.model, page.models.settings.models_dir)
    with gr.Column(elem_classes="lab-page lab-lesson-page"):
        steps = gr.HTML(
            views.nav(), js_on_load=scripts("lesson_steps.js"), elem_id=f"{TAB.id}-steps"
        )
        finding = finding_view(TAB.id)
        with gr.Row(elem_classes="lab-lesson-entry"):
            text = text_box(TAB.id, "text", STEPS[0].text, STEPS[0].label, scale=5)
            submit = gr.Button(
                "Read this text",
                variant="primary",
                scale=1,
                min_width=130,
                elem_id=f"{TAB.id}-run",
            )
        body = gr.HTML(js_on_load=scripts("lesson.js"), elem_id=f"{TAB.id}-body")
        place = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-place")
        gr.HTML(GUIDE)

    def run(sent: str, text: str) -> tuple[Any, ...]:
        at = Place.read(sent)
        asked_of = text if at.text is None else at.text
        result = lesson.predict(desk, at.step, asked_of, chosen=at.choice)
        has_text = bool(result.step.text)
        return (
            views.finding(result),
            views.body(result),
            gr.update(label=result.step.label, visible=has_text),
            gr.update(visible=has_text),
        )

    def endpoint(step: int = 1, text: str = "") -> dict[str, Any]:
        """Give one step of the lesson: its idea, its question, and what the models answer.

        Args:
            step: 1 to 14, in the order of the page
            text: what the step reads, up to 2,000 characters; empty for its own example
        """
        answering = Desk(page.models.get, page.models.settings.models_dir)
        result = lesson.predict(answering, step, text or None)
        return {**asdict(result), "steps": len(STEPS)}

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    wire(
        page,
        TAB,
        [place.submit],
        run,
        [place, text],
        [finding, body, text, submit],
        endpoint=endpoint,
        after=[
            gr.on([submit.click, text.submit], None, None, place, js=_ANEW, **glue),
            steps.go(None, None, [place, text], js=_GO, **glue),
            body.answer(None, None, place, js=_ANSWER, **glue),
        ],
    )


TAB = Tab(id="lesson", title="Lesson", build=build, short="Walk")

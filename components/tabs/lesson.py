"""The Lesson: the module as a walk of steps, each of which asks before it shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view, text_box
from components.tabs.walk import GLUE, Place, body_view, moves, place_field, steps_view
from components.tasks import lesson
from components.tasks.lesson import LESSON
from components.tasks.lesson_parts import Desk
from components.tasks.lesson_steps import STEPS
from components.views import lesson as views
from components.views import markup

GUIDE = markup.guide(
    "Networks that ship with this page answer on your own text; their answer is shown when you "
    "have given yours. Ticks and score stay in this browser.",
    "Change the text of a step until the model is wrong, or until you can no longer foresee it.",
)
# another text: the same step, asked anew
_ANEW = (
    "() => JSON.stringify({step: Number(document.querySelector("
    "'#lesson-steps [aria-current]').dataset.step)})"
)


def build(page: Page) -> None:
    """Lay out the lesson, and wire it."""
    desk = Desk(page.model, page.models.settings.models_dir)
    with gr.Column(elem_classes="lab-page lab-lesson-page"):
        steps = steps_view(LESSON)
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
        body = body_view(LESSON)
        place = place_field(LESSON)
        gr.HTML(GUIDE)

    def run(sent: str, text: str) -> tuple[Any, ...]:
        at = Place.read(sent, len(STEPS))
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

    wire(
        page,
        TAB,
        [place.submit],
        run,
        [place, text],
        [finding, body, text, submit],
        endpoint=endpoint,
        after=[
            gr.on([submit.click, text.submit], None, None, place, js=_ANEW, **GLUE),
            *moves(LESSON, steps, body, place, text),
        ],
    )


TAB = Tab(id="lesson", title="Lesson", build=build, short="Walk")

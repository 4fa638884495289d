"""What the lesson and the quiz share on the page: where the learner is, and how they move.

Where that is travels as a Place, in a field that is not shown. What they reached stays in their
browser (assets/lesson_steps.js): the server keeps nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import gradio as gr

from components.config import MAX_TEXT
from components.tabs.controls import scripts
from components.tasks.lesson import Walk
from components.views import lesson as views

GLUE: dict[str, Any] = {"queue": False, "api_visibility": "private"}
_TOLD = "JSON.parse(document.querySelector('#{name}-steps nav').dataset.told)"
_ANSWER = "() => document.querySelector('#{name}-body article').dataset.told"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the learner is, and what they chose there for which text.

    It comes from the browser, so anybody can make one up: whatever is amiss reads as step 1.
    """

    step: int = 1
    choice: int | None = None
    text: str | None = None  # that the question was asked of; None: what stands in the field

    @classmethod
    def read(cls, sent: str, steps: int) -> Place:
        """Read what the page wrote, on a walk of so many steps."""
        try:
            values: Any = json.loads(sent) if len(sent) <= 20 * MAX_TEXT else None
        except (ValueError, RecursionError):
            return cls()
        match values:
            case {"step": int(step), "choice": int(choice), "text": str(text)}:
                return cls(step, choice, text) if 1 <= step <= steps else cls()
            case {"step": int(step)}:
                return cls(step) if 1 <= step <= steps else cls()
        return cls()


def steps_view(walk: Walk) -> gr.HTML:
    """Lay out the row of steps."""
    row = scripts("lesson_steps.js")
    return gr.HTML(views.nav(walk), js_on_load=row, elem_id=f"{walk.name}-steps")


def body_view(walk: Walk) -> gr.HTML:
    """Lay out the place of one step."""
    return gr.HTML(js_on_load=scripts("lesson.js"), elem_id=f"{walk.name}-body")


def place_field(walk: Walk) -> gr.Textbox:
    """Lay out the field that is not shown: the Place."""
    return gr.Textbox("", visible=False, elem_id=f"{walk.name}-place")


def moves(
    walk: Walk, steps: gr.HTML, body: gr.HTML, place: gr.Textbox, text: gr.Textbox | None = None
) -> list[Any]:
    """Attach what changes the Place: another step, with its own `text`, and a choice."""
    told = _TOLD.format(name=walk.name)
    moved: list[Any] = [place] if text is None else [place, text]
    go = f"() => {told}" if text is not None else f"() => {told}[0]"
    return [
        steps.go(None, None, moved, js=go, **GLUE),
        body.answer(None, None, place, js=_ANSWER.format(name=walk.name), **GLUE),
    ]

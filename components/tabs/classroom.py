"""The classroom: a teacher opens a room, a class answers on phones, then sees the model's answer.

Only what runs a network for the teacher goes through Gradio; the room itself has routes of its own
(room_routes.py). Code and token stand in the teacher's browser (assets/classroom.js).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import MAX_TEXT
from components.errors import InputError
from components.models.catalog import cards_for, default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    full_size_choices,
    model_picker,
    scripts,
    text_box,
)
from components.tasks import classroom
from components.views import classroom as views
from components.views import markup

KINDS = {
    Task.FILL_MASK: "Fill the blank",
    Task.NEXT_SENTENCE: "Follows or not?",
    Task.SENTIMENT: "Positive or negative?",
    Task.QUESTION_ANSWERING: "Where is the answer?",
}
_SECOND = {Task.NEXT_SENTENCE: "Sentence B", Task.QUESTION_ANSWERING: "Passage"}
_RIVER = (
    "The Rhine rises in the Swiss Alps and flows through six countries before it reaches the "
    "North Sea near Rotterdam. Around 1820 the engineer Johann Gottfried Tulla began to "
    "straighten it, which shortened the river by 81 kilometres."
)
READY = (
    (Task.FILL_MASK, "The bank is near the [MASK].", ""),
    (Task.FILL_MASK, "Paris is the [MASK] of France.", ""),
    (Task.FILL_MASK, "The nurse said that [MASK] was tired.", ""),
    (Task.FILL_MASK, "A robin is a [MASK].", ""),
    (Task.FILL_MASK, "A robin is not a [MASK].", ""),
    (Task.NEXT_SENTENCE, "The weather is nice today.", "Let's go for a walk."),
    (Task.NEXT_SENTENCE, "The river flooded the town.", "Rivers carry water to the sea."),
    (Task.NEXT_SENTENCE, "She opened the fridge.", "There was no milk left."),
    (Task.SENTIMENT, "I expected to hate this film, and I did not.", ""),
    (Task.SENTIMENT, "A great cast, a great budget, and nobody had an idea.", ""),
    (Task.SENTIMENT, "Not bad at all.", ""),
    (Task.QUESTION_ANSWERING, "Who straightened the Rhine?", _RIVER),
    (Task.QUESTION_ANSWERING, "How much shorter did it become?", _RIVER),
    (Task.QUESTION_ANSWERING, "How deep is the Rhine?", _RIVER),
)
GUIDE = markup.guide(
    "Of two bars in a row the first is the share of the class, the second the model’s probability. "
    "Before the class answers, nothing of the model is shown. Nobody gives a name; a room is kept "
    "in memory and closes when nothing happens for two hours.",
    "Ask “A robin is a [MASK].”, then “A robin is not a [MASK].”: how does the class change its "
    "answer, and how does the model?",
)
_STEERED = "() => document.querySelector('#classroom-room .lab-room').dataset.room || ''"


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            task = gr.Radio(
                [(title, kind.value) for kind, title in KINDS.items()],
                value=READY[0][0].value,
                label="Question",
                interactive=True,
                elem_id=f"{TAB.id}-task",
            )
            text = text_box(TAB.id, "text", READY[0][1], "Text", lines=2)
            second = text_box(TAB.id, "second", "", "Second text", lines=3, visible=False)
            submit = gr.Button("Ask the class", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            ready = examples(
                TAB.id,
                [task, text, second],
                [(kind.value, one, other) for kind, one, other in READY],
                [f"{KINDS[kind].rstrip('?')}: {one}" for kind, one, _ in READY],
            )
        with panel:
            finding = finding_view(TAB.id)
            gr.HTML(views.shell(), js_on_load=scripts("classroom.js"), elem_id=f"{TAB.id}-room")
            steered = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-steered")
            gr.HTML(GUIDE)

    def run(task: str, text: str, second: str, model_id: str, steered: str) -> Any:
        room = _room(steered)
        if room is None:
            return views.invitation()
        classroom.kind_of(task)
        page.rooms.steer(*room)  # before a model is loaded for nothing
        question = classroom.ask(page.model(model_id, Task(task)), text, second)
        return views.asked_line(page.rooms.ask(*room, question), question)

    def endpoint(
        text: str = READY[0][1],
        second: str = "",
        task: str = Task.FILL_MASK.value,
        model: str = "",
        answers: list[str] | None = None,
    ) -> dict[str, Any]:
        """Put the answers of a class beside a model's own.

        Args:
            text: a sentence with one [MASK], sentence A, a text to judge, or a question
            second: sentence B, or the passage
            task: fill-mask, next-sentence-prediction, text-classification or question-answering
            model: a bundled model, or an id of the Hub; empty for the bundled one with that head
            answers: what the class answered, one each
        """
        classroom.kind_of(task)
        loaded = page.models.get(model or default_for(Task(task)), Task(task))
        question = classroom.ask(loaded, text, second)
        return asdict(classroom.predict(loaded, question, _given(answers)))

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    ready.chosen(**glue)
    task.change(_fields, task, [second, model_id], **glue)
    wire(
        page,
        TAB,
        [steered.submit],
        run,
        [task, text, second, model_id, steered],
        [finding],
        endpoint=endpoint,
        after=[gr.on([submit.click, text.submit], None, None, steered, js=_STEERED, **glue)],
    )


def _fields(task: str) -> list[Any]:
    """Give the second text and the models of a kind of question."""
    kind = next((kind for kind in KINDS if kind == task), Task.FILL_MASK)
    shipped = [(card.about, card.id) for card in cards_for(kind) if card.is_shipped]
    return [
        gr.update(visible=kind in _SECOND, label=_SECOND.get(kind, "Second text")),
        gr.update(choices=[*shipped, *full_size_choices(kind)], value=default_for(kind)),
    ]


def _room(steered: str) -> tuple[str, str] | None:
    """Read the code and the token that the page wrote; None where there is no room yet."""
    if not steered.strip():
        return None
    try:
        sent: Any = json.loads(steered) if len(steered) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        sent = None
    match sent:
        case {"code": str(code), "token": str(token)}:
            return code, token
    raise InputError("This page has no room that it can steer. Open one first.")


def _given(answers: list[str] | None) -> list[str]:
    given = answers or []
    if len(given) > 1_000 or sum(map(len, given)) > MAX_TEXT * 10:
        raise InputError("These are too many answers: at most 1,000 of a short length are counted.")
    return [answer for answer in given if answer.strip()]


TAB = Tab(id="classroom", title="Classroom", build=build)

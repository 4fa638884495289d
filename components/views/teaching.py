"""Teacher's notes: one note as a page that can be read aloud from."""

from __future__ import annotations

from markupsafe import Markup

from components.tasks.teaching import Note
from components.views.markup import finding as draw_finding
from components.views.markup import join

HEADERS = ["Question to the class", "What to look for"]


def finding(note: Note) -> Markup:
    """State what a class should take home."""
    return draw_finding(note.goal)


def page(note: Note) -> Markup:
    """Draw the questions, the misconception, and the time."""
    asked = [
        Markup("<li><b>{}</b><div>{}</div></li>").format(question.ask, question.look_for)
        for question in note.questions
    ]
    return Markup(
        '<article class="lab-note"><p class="lab-note-time">About {} minutes with a class</p>'
        "<h3>Three questions to ask</h3><ol>{}</ol>"
        "<h3>A misconception it clears up</h3><p><q>{}</q></p><p>{}</p></article>"
    ).format(note.minutes, join(asked), note.believed, note.rather)


def table(note: Note) -> list[list[str]]:
    """List the questions."""
    return [[question.ask, question.look_for] for question in note.questions]

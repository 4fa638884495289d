"""The answers of a model, of which one is followed: a click follows another one."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from components.tasks.followed import Reading
from components.views.markup import Bar, Edit, bars


def answers(followed: Reading, choices: Sequence[Reading], heading: str) -> Markup:
    """Draw the best answers, and the one that is followed."""
    shown = [*choices, *([] if followed in choices else [followed])]
    rows = [
        Bar(
            reading.answer,
            reading.score,
            tone="" if reading == followed else "muted",
            edit=Edit((0, 0), reading.answer),
            title=f"Follow “{reading.answer}”",
        )
        for reading in shown
    ]
    return Markup(
        '<section class="lab-panel"><h4>{} “{}” is followed; click another one to follow it.</h4>'
        "{}</section>"
    ).format(heading, followed.answer, bars(rows))

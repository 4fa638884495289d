"""Teaching: for each tab what it is for in a lesson, what to ask, and what pupils get wrong."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from components.config import ASSETS
from components.errors import InputError


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a class, and what to look for in the answers."""

    ask: str
    look_for: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a teacher should know of one tab."""

    tab_id: str
    title: str  # of the tab
    minutes: int  # that it takes with a class
    goal: str
    questions: tuple[Question, ...]
    believed: str  # a misconception
    rather: str  # what is true instead


@cache
def notes() -> dict[str, Note]:
    """Read all notes, in the order of the tabs, by the id of the tab."""
    with (ASSETS / "teaching.toml").open("rb") as file:
        return {tab_id: _note(tab_id, **read) for tab_id, read in tomllib.load(file).items()}


def predict(tab_id: str) -> Note:
    """Give the note of a tab; raises InputError, in words, where there is none."""
    found = notes().get(tab_id)
    if found is None:
        raise InputError(
            f"There is no note for “{str(tab_id)[:40]}”. Choose one of: {', '.join(notes())}."
        )
    return found


def _note(tab_id: str, *, ask: list[tuple[str, str]], **told: Any) -> Note:
    return Note(tab_id=tab_id, questions=tuple(Question(*pair) for pair in ask), **told)

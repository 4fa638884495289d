"""What a computed step of the lesson is made of: plain values, no wording of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from components.errors import CheckpointError
from components.models.anatomy import Anatomy, read_anatomy
from components.models.catalog import SHIPPED, ModelCard, find_card
from components.models.families import Task
from components.models.profiles import Claim

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel


class Unit(StrEnum):
    """What the number of a row means."""

    SHARE = "share"  # a probability, between 0 and 1
    COSINE = "cosine"
    LENGTH = "length"  # of a vector
    PARAMETERS = "parameters"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a panel: a label with a bar, a text, or the first numbers of a vector."""

    label: str
    value: float | None = None  # of the bar; None: there is none
    text: str = ""
    numbers: tuple[float, ...] = ()
    tone: str = ""  # "", "yes", "no" or "muted", as in views.markup.Bar


@dataclass(frozen=True, slots=True)
class Panel:
    """A few rows under a heading; `unit` is that of their values."""

    heading: str
    rows: tuple[Row, ...]
    unit: Unit = Unit.SHARE


@dataclass(frozen=True, slots=True)
class Stage:
    """One box of the picture of an encoder, with what passes through it just now."""

    name: str
    summary: str  # in the box
    says: str
    panel: Panel
    is_answer: bool = False  # shown only when the question was answered


@dataclass(frozen=True, slots=True)
class Figure:
    """A computed number that an explanation names."""

    value: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Question:
    """What the learner is asked before the model's answer is shown."""

    asks: str
    choices: tuple[str, ...]
    right: int  # index of `choices`: what was computed, or is told by a source
    finding: str  # what the answer is, in one sentence
    why: str  # with a {} for each of `figures`, where there are some
    fits: tuple[float, ...] = ()  # how well each choice fits what was computed; best is right
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """One step on one text: the question, what is shown before it is answered, and after."""

    question: Question
    before: tuple[Panel, ...] = ()
    after: tuple[Panel, ...] = ()
    stages: tuple[Stage, ...] = ()
    model_id: str = ""  # that answered; empty where none was asked
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """What a step has at hand: models by id and head, and the folder of the bundled ones."""

    get: Callable[[str, Task], LoadedModel]
    models_dir: Path


Compute = Callable[[Desk, str], Live]


def shipped(model_type: str, task: Task | None = None) -> ModelCard | None:
    """Give the first model of a family that ships (with a head for `task`), or None."""
    cards = (card for card in SHIPPED if card.model_type == model_type)
    return next((card for card in cards if task is None or task in card.tasks), None)


def anatomy_of(desk: Desk, model_id: str) -> Anatomy:
    """Count the parameters of a bundled model; raises CheckpointError where it is missing."""
    card = find_card(model_id)
    anatomy = read_anatomy(desk.models_dir, card) if card else None
    if anatomy is None:
        raise CheckpointError(f"The files of {model_id} are not there. Put them back.")
    return anatomy


def said(claim: Claim) -> str:
    """Give a claim with its source."""
    return f"{claim.text} ({claim.source})"

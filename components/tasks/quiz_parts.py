"""What a question of the quiz is made of: choices, and how well each fits what was computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from components.tasks.lesson_parts import Compute, Figure, Live, Panel, Question, Row, Unit
from components.tasks.lesson_steps import Way


@dataclass(frozen=True, slots=True)
class Item:
    """One question: what it is about, the goal of the module it belongs to, where to go on."""

    key: str
    title: str  # gives nothing away
    goal: int  # index of GOALS
    way: Way
    compute: Compute


def way(tab: str, name: str, part: str = "", **fields: str) -> Way:
    """Lead to a tab, or a part of one; `fields` are put there, named without the tab's id."""
    at = part or tab
    put = tuple((f"{at}-{field.replace('_', '-')}", text) for field, text in fields.items())
    return Way(tab, name, part, put)


def asked(
    asks: str,
    fits: Mapping[str, float],
    why: str,
    figures: Sequence[float],
    *,
    model_id: str = "",
    unit: Unit = Unit.SHARE,
    heading: str = "Computed just now",
    rows: Sequence[Row] | None = None,
    before: Sequence[Panel] = (),
) -> Live:
    """Ask with the choices of `fits`; the one that fits best is right.

    `why` has a {} for each of `figures`, which are in `unit` like the rows: those of `fits`, if
    there are no others.
    """
    choices = tuple(fits)
    right = max(range(len(choices)), key=lambda i: fits[choices[i]])
    shown = tuple(Row(choice, fit) for choice, fit in fits.items()) if rows is None else tuple(rows)
    question = Question(
        asks,
        choices,
        right,
        f"The answer: {choices[right]}.",
        why,
        tuple(map(float, fits.values())),
        tuple(Figure(float(figure), unit) for figure in figures),
    )
    return Live(question, tuple(before), (Panel(heading, shown, unit),), model_id=model_id)


def nearest(value: float, choices: Mapping[str, float]) -> dict[str, float]:
    """Give how near each of the offered numbers is to `value`: 1 is the number itself."""
    return {said: min(value / one, one / value) for said, one in choices.items()}


def same(value: object, choices: Sequence[object]) -> dict[str, float]:
    """Give 1 to the choice that is `value`, 0 to the others."""
    return {str(choice): float(choice == value) for choice in choices}

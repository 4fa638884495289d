"""What attention is drawn between: tokens as people read them, or the words that they make up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from components.models.encoding import Encoding
from components.models.families import Family


class Sides(StrEnum):
    """Which text looks at which, where there are two."""

    ALL = "all"
    A_TO_A = "A→A"
    A_TO_B = "A→B"
    B_TO_A = "B→A"
    B_TO_B = "B→B"


@dataclass(frozen=True, slots=True)
class Unit:
    """One row or column: a token, or a word of several, at `positions` of the input."""

    label: str
    positions: tuple[int, ...]
    sequence: int | None  # 0 the text, 1 the second one, None a special token


def token_units(family: Family, encoding: Encoding, texts: tuple[str, str]) -> tuple[Unit, ...]:
    """Make a unit of every token, spelled for the eye."""
    return tuple(
        Unit(_spelled(family, encoding, texts, (i,)), (i,), sequence)
        for i, sequence in enumerate(encoding.sequence_ids)
    )


def word_units(family: Family, encoding: Encoding, texts: tuple[str, str]) -> tuple[Unit, ...]:
    """Make a unit of every word, with its pieces together; special tokens stay alone."""

    def word(i: int) -> tuple[int | None, int]:
        sequence, number = encoding.sequence_ids[i], encoding.word_ids[i]
        return sequence, -1 - i if sequence is None or number is None else number

    runs = (tuple(run) for _, run in groupby(range(len(encoding)), key=word))
    return tuple(
        Unit(_spelled(family, encoding, texts, run), run, encoding.sequence_ids[run[0]])
        for run in runs
    )


def chosen_units(
    units: Sequence[Unit], sides: Sides, hide_special: bool, most: int
) -> tuple[list[int], list[int], list[str]]:
    """Give the units that look and those that are looked at, and what must be said of that."""
    notices = []
    if sides is not Sides.ALL and not any(unit.sequence == 1 for unit in units):
        notices.append(f"There is no second text, so {sides} is left aside.")
        sides = Sides.ALL
    wanted = {"A": 0, "B": 1}
    begin, _, end = (None, "", None) if sides is Sides.ALL else sides.partition("→")
    rows, columns = (
        [
            i
            for i, unit in enumerate(units)
            if (side is None or unit.sequence == wanted[side])
            and not (hide_special and unit.sequence is None)
        ]
        for side in (begin, end)
    )
    if not rows or not columns:  # nothing but special tokens
        rows = columns = list(range(len(units)))
    if max(len(rows), len(columns)) > most:
        notices.append(f"The first {most} of {len(units)} tokens are drawn; all of them were read.")
    return rows[:most], columns[:most], notices


def _spelled(
    family: Family, encoding: Encoding, texts: tuple[str, str], run: tuple[int, ...]
) -> str:
    """Spell tokens for the eye: as the vocabulary does where that can be read.

    Families that mark the beginning of a word spell other letters byte by byte ("Ã©" for "é"),
    so there the piece of the typed text is taken.
    """
    first, mark = encoding.tokens[run[0]], family.continuation_prefix
    if mark:
        return first + "".join(encoding.tokens[i].removeprefix(mark) for i in run[1:])
    sequence = encoding.sequence_ids[run[0]]
    if sequence is None:
        return first
    begin, end = encoding.offsets[run[0]][0], max(encoding.offsets[i][1] for i in run)
    # a lone half of a character can't be sent as UTF-8
    typed = texts[sequence][begin:end].strip().encode("utf-8", "replace").decode("utf-8")
    return typed or "".join(encoding.tokens[i] for i in run)

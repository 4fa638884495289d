"""Which attention heads a run goes without, and what stands in for them: plain values, no torch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Head = tuple[int, int]  # layer and head, both counted from 0


class Filler(StrEnum):
    """What is put in place of the output of a head that is switched off."""

    ZERO = "zero"  # the head gives nothing to any token
    MEAN = "mean"  # it gives every token the same: its average over the tokens of this input


@dataclass(frozen=True, slots=True)
class Without:
    """One set of heads a row: all of a row's heads are switched off together."""

    sets: tuple[frozenset[Head], ...]
    by: Filler = Filler.ZERO

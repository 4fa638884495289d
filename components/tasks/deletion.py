"""The deletion test: hide words in the order of a ranking, and watch the probability fall.

A ranking that found what the answer rests on makes it fall sooner than random orders do: its area
under the curve is smaller (Samek et al. 2017, arXiv:1509.06321; Petsiuk et al. 2018,
arXiv:1806.07421).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

RANDOM_ORDERS = 10  # of the band that chance makes
_MOST_POINTS = 10  # of a curve, behind its first
_SEED = 7

Order = Sequence[int]  # numbers of words, the first to be hidden first


@dataclass(frozen=True, slots=True)
class Deletion:
    """The probability of the followed answer while more and more words are hidden."""

    hidden: tuple[int, ...]  # how many words, from none to all
    curves: Mapping[str, tuple[float, ...]]  # by ranking: the probability at each of `hidden`
    random: tuple[tuple[float, ...], ...]  # the same, of RANDOM_ORDERS random orders

    def area(self, curve: Sequence[float]) -> float:
        """Give the area under a curve over the share of words hidden, 0 to 1: its mean height."""
        pairs = zip(pairwise(self.hidden), pairwise(curve), strict=True)
        total = sum((right - left) * (a + b) / 2 for (left, right), (a, b) in pairs)
        return total / self.hidden[-1]

    def areas(self) -> dict[str, float]:
        """Give the area under the curve of every ranking."""
        return {name: self.area(curve) for name, curve in self.curves.items()}

    def random_areas(self) -> tuple[float, ...]:
        """Give the area under the curve of every random order, smallest first."""
        return tuple(sorted(self.area(curve) for curve in self.random))


def run_deletion(
    orders: Mapping[str, Order],
    count: int,
    measure: Callable[[Sequence[frozenset[int]]], Sequence[float]],
) -> Deletion:
    """Hide the `count` words in each of `orders`, and in random ones.

    `measure` gives the probability with each of some sets of words hidden; it is asked once, and
    for no set twice.
    """
    hidden = steps(count)
    rng = np.random.default_rng(_SEED)
    chances = [rng.permutation(count).tolist() for _ in range(RANDOM_ORDERS)]
    rows = [[frozenset(order[:n]) for n in hidden] for order in (*orders.values(), *chances)]
    sets = list(dict.fromkeys(one for row in rows for one in row))
    found = dict(zip(sets, measure(sets), strict=True))
    curves = [tuple(found[one] for one in row) for row in rows]
    return Deletion(hidden, dict(zip(orders, curves, strict=False)), tuple(curves[len(orders) :]))


def steps(count: int) -> tuple[int, ...]:
    """Give how many of `count` words are hidden at the points of a curve, from none to all."""
    return tuple(
        dict.fromkeys(
            np.linspace(0, count, min(count, _MOST_POINTS) + 1).round().astype(int).tolist()
        )
    )

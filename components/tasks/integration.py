"""Integrated gradients: what each token adds to an answer on the way from a text without words.

Sundararajan et al. 2017, arXiv:1703.01365. The gradient is integrated along a straight line of
word embeddings, by Gauss and Legendre's rule, which is exact where the answer is linear. What the
tokens add sums to what the answer gained on the way (completeness); what is missing is the gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from components.models.gradients import Slope


@dataclass(frozen=True, slots=True)
class Way:
    """How well what the tokens add explains what the answer gained."""

    baseline: str  # the token that stands in place of every word at the start
    steps: int
    start: float  # the logit there
    end: float  # that of the text
    added: float  # what all tokens add together

    @property
    def gained(self) -> float:
        """What the logit gained on the way."""
        return self.end - self.start

    @property
    def gap(self) -> float:
        """What the sum is off by; 0 with infinitely many steps."""
        return self.added - self.gained


def integrate(
    slopes: Callable[[Sequence[float]], Iterator[Slope]],
    steps: int,
    baseline: str,
    tell: Callable[[int], None] = lambda _done: None,
) -> tuple[NDArray[np.float64], Way]:
    """Give what each token adds, (tokens,), and how complete that is.

    `slopes` gives them at shares of the way, 0 to 1; `tell` hears how many were computed.
    """
    nodes, weights = np.polynomial.legendre.leggauss(steps)  # on -1 to 1
    found = []
    for done, slope in enumerate(slopes([0.0, *(nodes + 1) / 2, 1.0]), start=1):
        found.append(slope)
        tell(done)
    start, *inside, end = found
    tokens = np.einsum("s,st->t", weights / 2, np.stack([slope.tokens for slope in inside]))
    way = Way(baseline, steps, start.value, end.value, float(tokens.sum()))
    return tokens, way

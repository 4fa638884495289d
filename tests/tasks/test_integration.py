from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from components.models.gradients import Slope
from components.tasks.integration import integrate

WAY = np.array([0.0, 2.0, -1.0])


def along(
    value: Callable[[float], float], slope: Callable[[float], float]
) -> Callable[..., Iterator[Slope]]:
    def slopes(shares: Sequence[float]) -> Iterator[Slope]:
        return (Slope(share, value(share), WAY * slope(share)) for share in shares)

    return slopes


def test_a_linear_answer_is_split_exactly() -> None:
    tokens, way = integrate(along(lambda s: 3 + s, lambda _: 1.0), 4, "[MASK]")
    np.testing.assert_allclose(tokens, WAY, atol=1e-12)
    assert way.gap == pytest.approx(0, abs=1e-12)
    assert (way.start, way.end, way.added) == pytest.approx((3, 4, 1))


def test_of_a_curve_the_area_is_taken() -> None:
    tokens, way = integrate(along(lambda s: s**3, lambda s: 3 * s**2), 2, "[MASK]")
    np.testing.assert_allclose(tokens, WAY, atol=1e-12)  # exact for polynomials
    assert way.gap == pytest.approx(0, abs=1e-12)


def test_with_more_steps_the_gap_shrinks_and_each_is_told_of() -> None:
    told: list[int] = []

    def steep(share: float) -> float:
        return float(np.tanh(40 * (share - 0.3)))

    def slope(share: float) -> float:
        return float(40 / np.cosh(40 * (share - 0.3)) ** 2)

    gaps = [
        abs(integrate(along(steep, slope), n, "[PAD]", told.append)[1].gap) for n in (4, 32, 128)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert told[:6] == [1, 2, 3, 4, 5, 6]

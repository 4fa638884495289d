from __future__ import annotations

from collections.abc import Sequence

import pytest

from components.tasks.deletion import RANDOM_ORDERS, Deletion, run_deletion, steps

WEIGHTS = (0.5, 0.1, 0.3, 0.1)  # what each word is worth


def left(sets: Sequence[frozenset[int]]) -> list[float]:
    return [1 - sum(WEIGHTS[i] for i in one) for one in sets]


def test_a_curve_hides_the_words_of_a_ranking_one_after_the_other() -> None:
    found = run_deletion({"best": (0, 2, 1, 3), "worst": (3, 1, 2, 0)}, 4, left)
    assert found.hidden == (0, 1, 2, 3, 4)
    assert found.curves["best"] == pytest.approx((1, 0.5, 0.2, 0.1, 0))
    assert found.curves["worst"] == pytest.approx((1, 0.9, 0.8, 0.5, 0))
    assert len(found.random) == RANDOM_ORDERS
    assert all(curve[0] == 1 and curve[-1] == pytest.approx(0) for curve in found.random)
    assert len(set(found.random)) > 1  # the orders differ


def test_no_set_of_words_is_measured_twice() -> None:
    asked: list[frozenset[int]] = []

    def measure(sets: Sequence[frozenset[int]]) -> list[float]:
        asked.extend(sets)
        return left(sets)

    run_deletion({"one": (0, 1, 2, 3), "same": (0, 1, 2, 3)}, 4, measure)
    assert len(asked) == len(set(asked))


def test_random_orders_are_the_same_each_time() -> None:
    orders = {"any": (0, 1, 2, 3)}
    assert run_deletion(orders, 4, left) == run_deletion(orders, 4, left)


def test_the_area_is_the_mean_height_whatever_the_steps() -> None:
    flat = Deletion((0, 1, 4), {"a": (0.5, 0.5, 0.5)}, ((1.0, 1.0, 0.0),))
    assert flat.areas() == {"a": pytest.approx(0.5)}
    assert flat.random_areas() == (pytest.approx((1 + 3 * 0.5) / 4),)
    best = run_deletion({"best": (0, 2, 1, 3)}, 4, left)
    assert best.areas()["best"] <= best.random_areas()[0]  # no order falls sooner


@pytest.mark.parametrize(("count", "points"), [(1, 2), (3, 4), (10, 11), (400, 11)])
def test_a_long_text_is_hidden_in_few_steps(count: int, points: int) -> None:
    found = steps(count)
    assert (found[0], found[-1], len(found)) == (0, count, points)
    assert list(found) == sorted(set(found))

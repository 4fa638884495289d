from __future__ import annotations

import numpy as np
import pytest

from components.tasks.heads import HeadStatistics, Target, measure

TOKENS = ("[CLS]", "a", "b", "a", "[SEP]")
SIDES = (None, 0, 0, 0, None)


def _measured(*heads: np.ndarray) -> HeadStatistics:
    return measure(np.stack(heads)[None].astype(np.float32), TOKENS, SIDES)


def _known(target: str) -> np.ndarray:
    made = {
        "previous": np.eye(5, k=-1),
        "next": np.eye(5, k=1),
        "itself": np.eye(5),
        "first": np.eye(5)[np.zeros(5, dtype=int)],
        "separator": np.eye(5)[np.full(5, 4)],
    }[target]
    made[made.sum(axis=1) == 0, 2] = 1  # the row that has no such neighbour
    return made


@pytest.mark.parametrize("target", ["previous", "next", "itself", "first", "separator"])
def test_a_pure_head_is_named_after_what_it_does(target: Target) -> None:
    statistics = _measured(np.full((5, 5), 0.2), _known(target))
    found = statistics.pattern(0, 1)
    assert (found.target, found.is_marked) == (target, True)
    assert found.score == pytest.approx(1)
    best = statistics.strongest(target)
    assert (best.layer, best.head, best.score) == (0, 1, pytest.approx(1))


def test_a_head_that_looks_everywhere_alike_is_broad_and_gets_what_even_says() -> None:
    statistics = _measured(np.full((5, 5), 0.2))
    for target, share in statistics.shares.items():
        assert share[0, 0] == pytest.approx(statistics.even[target], abs=1e-6)
    pattern = statistics.pattern(0, 0)
    assert (pattern.target, pattern.is_marked, pattern.score) == (None, True, pytest.approx(1))


def test_entropy_and_distance_by_hand() -> None:
    half = np.zeros((5, 5))
    half[:, [0, 4]] = 0.5  # one bit; on average two tokens away, from every place
    statistics = _measured(np.eye(5), half, np.full((5, 5), 0.2))
    np.testing.assert_allclose(statistics.entropy[0], [0, 1, np.log2(5)], atol=1e-5)
    np.testing.assert_allclose(statistics.distance[0], [0, 2, 1.6], atol=1e-5)
    assert statistics.spread(0, 2) == pytest.approx(1)


def test_what_goes_to_the_other_text_is_what_crosses() -> None:
    sides = (None, 0, 0, None, 1, None)
    rng = np.random.default_rng(2)
    weights = rng.random((2, 3, 6, 6), dtype=np.float32)
    weights /= weights.sum(axis=-1, keepdims=True)
    share = measure(weights, tuple("cabsxs"), sides).shares["other text"]
    expected = (weights[..., 1, 4] + weights[..., 2, 4] + weights[..., 4, 1:3].sum(axis=-1)) / 3
    np.testing.assert_allclose(share, expected, atol=1e-6)


def test_a_head_without_a_clear_target_gets_no_name() -> None:
    mixed = 0.4 * _known("previous") + 0.35 * _known("first") + 0.25 * np.eye(5)
    assert not _measured(mixed).pattern(0, 0).is_marked


def test_a_single_token_is_measured_too() -> None:
    statistics = measure(np.ones((1, 1, 1, 1), dtype=np.float32), ("[CLS]",), (None,))
    assert statistics.pattern(0, 0).score == pytest.approx(1)

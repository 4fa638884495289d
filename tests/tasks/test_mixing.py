from __future__ import annotations

import numpy as np
import pytest

from components.tasks.mixing import Mix, blocks, join, mix, rollout


def test_rollout_multiplies_the_lowest_layer_from_the_right() -> None:
    """By hand: A_bar = A / 2 + I / 2, and R = A_bar_2 A_bar_1 (Abnar & Zuidema 2020)."""
    lower = np.array([[0.0, 1.0], [0.0, 1.0]], dtype=np.float32)  # everybody looks at token 1
    upper = np.array([[1.0, 0.0], [1.0, 0.0]], dtype=np.float32)  # everybody looks at token 0
    # lower_bar = [[.5, .5], [0, 1]], upper_bar = [[1, 0], [.5, .5]]
    right = [[0.5, 0.5], [0.25, 0.75]]
    wrong = [[0.75, 0.25], [0.5, 0.5]]  # lower_bar @ upper_bar
    rolled = rollout(np.stack([lower, upper])[:, None])
    np.testing.assert_allclose(rolled, right)
    assert not np.allclose(rolled, wrong)


def test_rollout_is_of_the_mean_over_heads_and_keeps_sums() -> None:
    rng = np.random.default_rng(3)
    attention = rng.random((4, 3, 6, 6), dtype=np.float32) ** 3
    attention /= attention.sum(axis=-1, keepdims=True)
    rolled = rollout(attention)
    np.testing.assert_allclose(rolled.sum(axis=-1), 1, atol=1e-5)
    expected = np.eye(6)
    for layer in attention:
        expected = (0.5 * layer.mean(axis=0) + 0.5 * np.eye(6)) @ expected
    np.testing.assert_allclose(rolled, expected, atol=1e-6)


def test_joining_sums_what_a_word_gets_and_averages_what_it_gives() -> None:
    weights = np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]], dtype=np.float32)
    joined = join(weights, [(0, 1), (2,)])
    np.testing.assert_allclose(joined, [[0.65, 0.35], [0.2, 0.8]], atol=1e-6)


def test_a_maximum_and_a_mean_over_heads() -> None:
    heads = np.array([[[0.2, 0.8]], [[0.6, 0.4]]], dtype=np.float32)
    np.testing.assert_allclose(mix(heads, Mix.MEAN), [[0.4, 0.6]], atol=1e-6)
    np.testing.assert_allclose(mix(heads, Mix.MAX), [[0.6, 0.8]], atol=1e-6)


@pytest.mark.parametrize(("count", "most"), [(1, 5), (7, 7), (8, 7), (512, 15), (20, 1)])
def test_blocks_hold_every_position_once(count: int, most: int) -> None:
    found = blocks(count, most)
    assert [i for block in found for i in block] == list(range(count))
    assert len(found) == min(count, most)
    assert max(map(len, found)) - min(map(len, found)) <= 1

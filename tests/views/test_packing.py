from __future__ import annotations

import base64

import numpy as np
import pytest

from components.views.packing import dequantise, packed, quantise


def _rows(count: int, spread: float, seed: int = 0) -> np.ndarray:
    logits = np.random.default_rng(seed).standard_normal((40, count)) * spread
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True)).astype(np.float32)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("count", [1, 2, 9, 128, 512])
@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 3.0, 8.0])
def test_what_is_drawn_sums_to_what_the_model_gave(count: int, spread: float) -> None:
    weights = _rows(count, spread)
    codes, scale = quantise(weights)
    drawn = dequantise(codes, scale)
    np.testing.assert_array_equal(scale, weights.max(axis=-1))
    assert (np.abs(drawn.sum(axis=-1) - 1) <= scale / 250).all()
    assert (np.abs(drawn - weights) <= scale[:, None] / 127).all()


def test_a_long_tail_is_not_lost() -> None:
    """Half of this row is 511 weights below one even step of 255: those would all become 0."""
    row = np.full((1, 512), 0.5 / 511, dtype=np.float32)
    row[0, 0] = 0.5
    drawn = dequantise(*quantise(row))
    assert drawn[0, 1:].sum() == pytest.approx(0.5, abs=0.002)
    even_steps = np.round(255 * row / row.max()) / 255 * row.max()
    assert even_steps[0, 1:].sum() == 0


def test_rows_of_nothing_and_parts_of_rows_keep_their_sums() -> None:
    weights = np.stack([np.zeros(5), _rows(9, 2)[0, :5]]).astype(np.float32)
    drawn = dequantise(*quantise(weights))
    np.testing.assert_allclose(drawn.sum(axis=-1), weights.sum(axis=-1), atol=0.004)


def test_the_browser_gets_bytes_and_float32_scales() -> None:
    weights = _rows(7, 2).reshape(5, 8, 7)
    sent = packed(weights)
    assert sent["shape"] == [5, 8, 7]
    codes = np.frombuffer(base64.b64decode(sent["codes"]), np.uint8).reshape(5, 8, 7)
    scale = np.frombuffer(base64.b64decode(sent["scales"]), "<f4").reshape(5, 8)
    np.testing.assert_array_equal(dequantise(codes, scale), dequantise(*quantise(weights)))

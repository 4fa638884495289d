"""Attention as bytes: few enough for 512 tokens, and honest about the sum of every row."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEPS = 255


def quantise(weights: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Write each weight as a byte, and each row's largest weight as its scale.

    `weights` is (..., keys), not negative. A weight is read back as scale * (byte / 255) ** 2.
    Evenly spaced bytes would lose the many small weights of a long row: half of its attention can
    lie in weights below their first step. On the square-root scale a weight w is at most one step
    off: less than scale / 127 for the largest, far less for the small ones. Which weights of a
    row are rounded up is chosen such that the row keeps its sum, to scale / 250.
    """
    scale = weights.max(axis=-1, keepdims=True)
    safe = np.where(scale > 0, scale, 1).astype(np.float32)
    exact = _STEPS * np.sqrt(weights / safe)
    low = np.minimum(np.floor(exact), _STEPS)
    lacking = (weights - _read(low, safe)).sum(axis=-1, keepdims=True)  # if all are rounded down
    nearest_first = np.argsort(low - exact, axis=-1, kind="stable")
    steps = np.take_along_axis(_read(low + 1, safe) - _read(low, safe), nearest_first, axis=-1)
    is_raised = np.cumsum(steps, axis=-1) - steps / 2 <= lacking
    raised = np.zeros_like(low)
    np.put_along_axis(raised, nearest_first, np.minimum.accumulate(is_raised, axis=-1), axis=-1)
    codes = np.minimum(low + raised, _STEPS).astype(np.uint8)
    return codes, scale[..., 0].astype(np.float32)


def dequantise(codes: NDArray[np.uint8], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    """Read back what `quantise` wrote, as assets/attention/numbers.js does."""
    return _read(codes.astype(np.float32), scale[..., None])


def _read(codes: NDArray[np.floating], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = (scale * (codes / _STEPS) ** 2).astype(np.float32)
    return weights


def packed(weights: NDArray[np.float32]) -> dict[str, Any]:
    """Pack (matrices, rows, columns) for the browser."""
    codes, scale = quantise(weights)
    return {
        "shape": list(weights.shape),
        "codes": text(codes),
        "scales": text(scale.astype("<f4")),
    }


def text(array: NDArray[Any]) -> str:
    """Write the bytes of an array in base64."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")

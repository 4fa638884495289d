"""How vectors lie to each other: cosines, and the flat map that keeps most of their spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_TINY = 1e-12  # of a length: the zero vector has no direction, and cosine 0 with everything


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Give each of `vectors` (..., hidden) the length 1."""
    exact = vectors.astype(np.float64)
    length = np.linalg.norm(exact, axis=-1, keepdims=True)
    scaled: Floats = exact / np.maximum(length, _TINY)
    return scaled


def cosines(vectors: NDArray[np.floating], others: NDArray[np.floating] | None = None) -> Floats:
    """Give the cosine of every vector (..., n, hidden) with every other, or with `others`.

    The answer is (..., n, n), or (..., n, m) for m others; every number lies in [-1, 1].
    """
    left = unit(vectors)
    right = left if others is None else unit(others)
    return np.clip(left @ np.swapaxes(right, -1, -2), -1, 1)


def main_axes(points: NDArray[np.floating], count: int = 2) -> Floats:
    """Find the `count` directions in which `points` (n, hidden) are spread most: (count, hidden).

    Principal component analysis of points whose middle is the origin. The largest number of each
    direction is positive, so that the same points always give the same map; a direction that the
    points do not have is zero.
    """
    _, lengths, axes = np.linalg.svd(points.astype(np.float64), full_matrices=False)
    found = np.zeros((count, points.shape[1]))
    for i in range(min(count, len(axes))):
        if lengths[i] > _TINY * max(lengths[0], 1):
            found[i] = axes[i] * np.sign(axes[i][np.argmax(np.abs(axes[i]))])
    return found


def kept_spread(points: NDArray[np.floating], flat: Floats) -> float:
    """Give the share of the spread of `points` that is left in their map `flat`; 1 for none."""
    whole = float(np.square(points, dtype=np.float64).sum())
    return float(np.square(flat).sum()) / whole if whole > _TINY else 1.0

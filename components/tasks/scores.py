"""From logits to probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Turn logits into probabilities that sum to one along the last axis."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return probabilities


def log_softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Turn logits into logarithms of probabilities, in nats, along the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    logs: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def best_first(scores: NDArray[np.floating], count: int) -> NDArray[np.intp]:
    """Give the indices of the `count` highest of `scores`, a row; all where there are fewer."""
    count = min(count, len(scores))
    found = np.argpartition(-scores, count - 1)[:count]
    return found[np.argsort(-scores[found], kind="stable")]


def sigmoid(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Turn each logit into a probability of its own."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return probabilities

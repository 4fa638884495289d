"""From logits to probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Turn logits into probabilities that sum to one along the last axis."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return probabilities


def sigmoid(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Turn each logit into a probability of its own."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return probabilities

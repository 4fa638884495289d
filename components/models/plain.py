"""From networks' tensors to the plain arrays that tasks see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from components.models.families import Task

_TOKEN_LEVEL = frozenset(
    {
        Task.FILL_MASK,
        Task.REPLACED_TOKENS,
        Task.QUESTION_ANSWERING,
        Task.TOKEN_CLASSIFICATION,
        Task.ENCODER,
    }
)


def answer_of(
    outputs: Mapping[str, Any], row: int, kept: int, length: int, task: Task
) -> dict[str, NDArray[np.float32]]:
    """Take one input's share of a batch, its padding cut off."""
    answer: dict[str, NDArray[np.float32]] = {}
    for name, value in outputs.items():
        if name == "attentions":
            stacked = torch.stack([layer[row, :, :length, :length] for layer in value])
            answer[name] = _array(stacked)  # (layers, heads, queries, keys)
        elif name == "hidden_states":
            answer[name] = _array(torch.stack([layer[row, :length] for layer in value]))
        elif isinstance(value, torch.Tensor):
            by_token = task in _TOKEN_LEVEL and name != "pooler_output"
            share = value[row, :kept] if by_token else value[row]
            # a share that is kept must not keep the answers of others in memory
            answer[name] = _array(share.clone() if len(value) > 1 else share)
    return answer


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array

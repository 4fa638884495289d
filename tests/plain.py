"""An independent way to the numbers: one plain forward pass of the network for one input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from components.models.loaded import LoadedModel


def typed_ids(model: LoadedModel, text: str) -> list[int]:
    """Tokenize with the tokenizer itself."""
    return list(model._resident.tokenizer(text)["input_ids"])


def plain_logs(model: LoadedModel, ids: Sequence[int]) -> Any:
    """Give log-probabilities at every token: (tokens, vocab), in double precision."""
    with torch.inference_mode():
        logits = model._resident.network(input_ids=torch.tensor([ids])).logits[0]
    return logits.double().log_softmax(-1).numpy()

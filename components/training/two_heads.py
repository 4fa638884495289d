"""Two heads under one name: what labels a sentence, and what labels each of its tokens."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers.models.roberta.modeling_roberta import RobertaClassificationHead

ENTITY_LABELS = ("O", *(f"{at}-{kind}" for kind in ("PER", "ORG", "LOC", "MISC") for at in "BI"))


class SentimentAndEntities(RobertaClassificationHead):
    """The two heads that RoBERTa's classes both call `classifier`.

    A sentence's is `classifier.dense` and `classifier.out_proj`, a token's is the matrix and the
    bias of `classifier` itself: in one file, neither is in the other's way.
    """

    def __init__(self, config: Any) -> None:
        super().__init__(config)  # type: ignore[no-untyped-call]
        self.weight = nn.Parameter(torch.zeros(len(ENTITY_LABELS), config.hidden_size))
        self.bias = nn.Parameter(torch.zeros(len(ENTITY_LABELS)))

    def entity_logits(self, hidden: Tensor) -> Tensor:
        """Score the ENTITY_LABELS of each token (rows, tokens, 9)."""
        return nn.functional.linear(hidden, self.weight, self.bias)

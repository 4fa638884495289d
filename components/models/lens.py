"""The lens: what a masked-word head reads from the hidden states of every layer.

The head was trained on the last layer alone; pointed at an earlier one it shows which word that
hidden state lies closest to (the logit lens: nostalgebraist 2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class LensReading:
    """What the head says at some positions, layer by layer; row 0 is the embeddings.

    `followed_ids` are the words that were followed through the layers; the last one of each
    position is what the last layer puts first there.
    """

    token_ids: NDArray[np.int64]  # (layers + 1, positions, best first)
    scores: NDArray[np.float32]  # as token_ids: probabilities over the whole vocabulary
    entropies: NDArray[np.float32]  # (layers + 1, positions), in bits
    followed_ids: NDArray[np.int64]  # (positions, followed)
    ranks: NDArray[np.int64]  # (layers + 1, positions, followed), 1 is the first guess
    followed_scores: NDArray[np.float32]  # as ranks


def read_layers(logits: torch.Tensor, followed: torch.Tensor, top_k: int) -> LensReading:
    """Read logits (layers + 1, positions, vocabulary); `followed` is (positions, ids).

    Layer by layer, so that what is computed on the way is no larger than one of them.
    """
    final = logits[-1].argmax(dim=-1, keepdim=True)  # (positions, 1)
    followed = torch.cat([followed, final], dim=-1)  # (positions, followed)
    read = [_read_layer(layer.float(), followed, top_k) for layer in logits]
    ids, scores, entropies, ranks, followed_scores = (
        torch.stack(part).cpu().numpy() for part in zip(*read, strict=True)
    )
    return LensReading(ids, scores, entropies, followed.cpu().numpy(), ranks, followed_scores)


def joined(parts: Sequence[LensReading]) -> LensReading:
    """Put readings of further positions one behind the other."""
    return LensReading(
        token_ids=np.concatenate([part.token_ids for part in parts], axis=1),
        scores=np.concatenate([part.scores for part in parts], axis=1),
        entropies=np.concatenate([part.entropies for part in parts], axis=1),
        followed_ids=np.concatenate([part.followed_ids for part in parts], axis=0),
        ranks=np.concatenate([part.ranks for part in parts], axis=1),
        followed_scores=np.concatenate([part.followed_scores for part in parts], axis=1),
    )


def _read_layer(
    logits: torch.Tensor, followed: torch.Tensor, top_k: int
) -> tuple[torch.Tensor, ...]:
    """Read one layer's logits, (positions, vocabulary)."""
    ids = logits.topk(min(top_k, logits.shape[-1])).indices  # (positions, best)
    theirs = logits.gather(-1, followed)  # (positions, followed)
    better = [(logits > one.unsqueeze(-1)).sum(-1) for one in theirs.unbind(-1)]
    scores = logits.softmax(-1)  # (positions, vocabulary)
    entropies = torch.special.entr(scores).sum(-1) / math.log(2)
    return (
        ids,
        scores.gather(-1, ids),
        entropies,
        torch.stack(better, dim=-1) + 1,
        scores.gather(-1, followed),
    )

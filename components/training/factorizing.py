"""Narrow word vectors for ALBERT, and the matrix that widens them, fitted to BERT's vectors.

A token that is read often must come back well, a rare one need not: each counts as often as the
vocabulary's own unigram model says that it is read.
"""

from __future__ import annotations

import json
import math
from typing import Any

import torch
from torch import Tensor

from components.training.networks import BertWithHeads

USUAL = 128  # tokens of a text; its positions count as much as its words
SPECIAL_SHARE = 0.05  # of all that is read: each special token's; masks are many in training


def read_shares(tokenizer: Any) -> Tensor:
    """Give how much of a text each token is (V,), by the scores of its unigram vocabulary."""
    pieces = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["vocab"]
    special = set(tokenizer.all_special_ids)
    shares = torch.full((len(tokenizer),), SPECIAL_SHARE)
    for number, (_, score) in enumerate(pieces):
        if number not in special:
            shares[number] = math.exp(score)
    return shares / shares.sum()


@torch.no_grad()
def factorized(
    bert: BertWithHeads, words: Tensor, positions: Tensor, width: int, shares: Tensor
) -> dict[str, Tensor]:
    """Fit ALBERT's embeddings to what BERT's give to layer 1 for `words` (V, hidden).

    Both norms divide by a vector's length. So a narrow vector holds, beside the best directions
    of the wide one, the length of what they leave out; that number comes back as nothing. All of
    it stands across the diagonal of the narrow space, for a norm takes that direction away.
    `positions` is (positions, hidden).
    """
    norm: Any = bert.bert.embeddings.LayerNorm
    given = _centred(words + positions.mean(0))  # (V, hidden)
    places = _centred(positions - positions.mean(0))  # (positions, hidden)
    segments = bert.state_dict()["bert.embeddings.token_type_embeddings.weight"]
    sides = _centred(segments - segments[0])
    others = torch.cat([places[:USUAL], sides])
    weighted = [given * shares.sqrt().unsqueeze(1), others / math.sqrt(len(others))]
    best = torch.linalg.svd(torch.cat(weighted), full_matrices=False)[2]
    basis = best[: width - 2]  # (width - 2, hidden)
    left_out = (given - given @ basis.T @ basis).norm(dim=1, keepdim=True)  # (V, 1)
    frame = _across_the_diagonal(width)  # (width - 1, width)
    narrow = torch.cat([given @ basis.T, left_out], 1) @ frame  # (V, width)
    moved = basis.T @ frame[:-1]  # (hidden, width)
    back = norm.weight.unsqueeze(1) * moved * math.sqrt(words.shape[1] / width)
    prefix = "albert.embeddings."
    return {
        prefix + "word_embeddings.weight": narrow,
        prefix + "position_embeddings.weight": places @ moved,
        prefix + "token_type_embeddings.weight": sides @ moved,
        prefix + "LayerNorm.weight": torch.ones(width),
        prefix + "LayerNorm.bias": torch.zeros(width),
        "albert.encoder.embedding_hidden_mapping_in.weight": back,
        "albert.encoder.embedding_hidden_mapping_in.bias": norm.bias.clone(),
        "predictions.decoder.weight": narrow,
    }


def _centred(vectors: Tensor) -> Tensor:
    """Take each vector's mean off, as BERT's norm does."""
    return vectors - vectors.mean(1, keepdim=True)


def _across_the_diagonal(width: int) -> Tensor:
    """Give an orthonormal frame (width - 1, width) of all that is at right angles to (1, …, 1)."""
    start = torch.eye(width)
    start[:, 0] = 1.0
    frame: Tensor = torch.linalg.qr(start)[0]
    return frame[:, 1:].transpose(0, 1)

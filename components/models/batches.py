"""Inputs of unlike length in one forward pass: which go together, and their padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from components.models.encoding import Encoding

BATCH_TOKENS = 8_192  # padded positions in one forward pass; bounds the memory of a long list


def batches(encodings: Sequence[Encoding], limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Group the indices of inputs of like length, so that little padding is computed.

    A batch has at most `limit` positions, padding included, unless one input alone has more.
    """
    batch: list[int] = []
    for i in sorted(range(len(encodings)), key=lambda i: len(encodings[i])):
        if batch and (len(batch) + 1) * len(encodings[i]) > limit:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def rectangle(
    rows: Sequence[Sequence[int]], filler: int, device: torch.device | str
) -> torch.Tensor:
    """Fill rows of unlike length up to the longest: (rows, width)."""
    width = max(map(len, rows), default=0)
    filled = [[*row, *[filler] * (width - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device).view(len(rows), width)


def padded(
    encodings: Sequence[Encoding], pad_id: int, device: torch.device | str
) -> dict[str, torch.Tensor]:
    """Give the inputs of a network, each (batch, tokens)."""
    inputs = {
        "input_ids": rectangle([e.input_ids for e in encodings], pad_id, device),
        "attention_mask": rectangle([[1] * len(e) for e in encodings], 0, device),
    }
    segments = [e.token_type_ids for e in encodings if e.token_type_ids is not None]
    if segments:
        inputs["token_type_ids"] = rectangle(segments, 0, device)
    return inputs

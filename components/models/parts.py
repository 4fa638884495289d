"""What enters layer 1: the vectors of word, position and segment, caught where they are added.

Every family names its tables alike, so the same few hooks serve all; a table that a network does
not have gives no part (DistilBERT has no segments, DeBERTa adds no positions).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")
_NORM = "LayerNorm"

Seen = dict[str, tuple[torch.Tensor, torch.Tensor]]  # by module: what went in, what came out

_seen: ContextVar[Seen | None] = ContextVar("seen", default=None)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingPart:
    """One of the vectors that are added for every token, and the rows they were read from."""

    name: str  # of TABLES
    rows: NDArray[np.int64]  # (tokens,): which row of the table
    table_rows: int
    vectors: NDArray[np.float32]  # (tokens, size)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingReading:
    """The parts of the input, their sum after LayerNorm, and what layer 1 is given."""

    parts: tuple[EmbeddingPart, ...]
    normed: NDArray[np.float32]  # (tokens, size, or hidden where LayerNorm follows the matrix)
    entering: NDArray[np.float32]  # (tokens, hidden)


def watch_embeddings(network: Any) -> None:
    """Make the tables of `network` tell what they give, to whoever is `catching`."""
    for name, module in _watched(network).items():
        module.register_forward_hook(partial(_note, name))


@contextmanager
def catching() -> Iterator[Seen]:
    """Catch what the tables give in the forward passes of this thread."""
    seen: Seen = {}
    token = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(token)


def read_parts(network: Any, seen: Seen, entering: NDArray[np.float32]) -> EmbeddingReading:
    """Give what was caught from one input, whose first hidden states are `entering`."""
    watched = _watched(network)
    parts = tuple(
        EmbeddingPart(
            name=name,
            rows=seen[name][0][0].cpu().numpy(),
            table_rows=int(watched[name].num_embeddings),
            vectors=_array(seen[name][1]),
        )
        for name in TABLES
        if name in seen
    )
    return EmbeddingReading(parts, _array(seen[_NORM][1]), entering)


def _watched(network: Any) -> dict[str, Any]:
    embeddings = getattr(network.base_model, "embeddings", None)
    found = {name: getattr(embeddings, name, None) for name in (*TABLES, _NORM)}
    return {name: module for name, module in found.items() if module is not None}


def _note(name: str, _module: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    seen = _seen.get()
    if seen is not None:
        seen[name] = (inputs[0], output)


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor[0].float().cpu().numpy()
    return array

"""How an answer changes along the way from one text's word embeddings to another's.

Networks share their weights, so nothing may be left on them: `torch.autograd.grad` hands gradients
out and writes to no `.grad`. The embeddings are put in place of what the word table gives, by a
hook that is registered once and idle; positions and segments, where a family adds them, stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Target = Mapping[str, tuple[int, ...]]  # by output: the place of a logit; what is there is summed

_embedded: ContextVar[torch.Tensor | None] = ContextVar("embedded", default=None)


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """The target at one place of the way, and what each token adds to it from there on."""

    share: float  # of the way that is behind: 0 the start, 1 the text
    value: float
    tokens: NDArray[np.float64]  # (tokens,): change of the target for a whole way at this slope


def prepare(network: Any, word_embeddings: str) -> None:
    """Let the table `word_embeddings` of the base model give what it is told to."""
    network.base_model.get_submodule(word_embeddings).register_forward_hook(_replace)


def slopes(
    network: Any,
    word_embeddings: str,
    inputs: Mapping[str, torch.Tensor],
    start_ids: torch.Tensor,
    shares: Sequence[float],
    target: Target,
) -> list[Slope]:
    """Run `network` once at each of `shares` of the way, in one batch.

    `inputs` are those of one text, (1, tokens); `start_ids`, (1, tokens), are the words that the
    way starts from. A slope is the gradient times the whole way, summed over the embedding.
    """
    table = network.base_model.get_submodule(word_embeddings)
    with torch.inference_mode(False), torch.enable_grad():
        with torch.no_grad():
            start, end = table(start_ids), table(inputs["input_ids"])  # (1, tokens, size)
            way = end - start
            done = torch.tensor(shares, dtype=way.dtype, device=way.device)
            places = start + done[:, None, None] * way  # (shares, tokens, size)
        rows = {name: value.expand(len(shares), -1) for name, value in inputs.items()}
        values, gradients = _differentiated(network, rows, places.requires_grad_(), target)
    by_token = (gradients.double() * way.double()).sum(dim=-1)  # (shares, tokens)
    return [
        Slope(share, float(value), slope.cpu().numpy())
        for share, value, slope in zip(shares, values, by_token, strict=True)
    ]


def _differentiated(
    network: Any, rows: Mapping[str, torch.Tensor], places: torch.Tensor, target: Target
) -> tuple[torch.Tensor, torch.Tensor]:
    token = _embedded.set(places)
    try:
        outputs = network(**rows, return_dict=True)
    finally:
        _embedded.reset(token)
    values: torch.Tensor = sum(outputs[name][(slice(None), *at)] for name, at in target.items())
    (gradients,) = torch.autograd.grad(values.sum(), places)
    return values.detach(), gradients


def _replace(_table: Any, _args: Any, _output: torch.Tensor) -> torch.Tensor | None:
    return _embedded.get()

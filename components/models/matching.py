"""Queries and keys of one head: where an attention weight comes from, family by family.

The scores are those before the softmax, scaled as the family scales them (Vaswani et al. 2017,
3.2.1); DeBERTa adds what positions say to what the tokens say (He et al. 2021, 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Inputs = Mapping[str, Any]  # what an attention module was called with, by name
_Parts = dict[str, torch.Tensor]

_calls: ContextVar[list[tuple[Any, Inputs]] | None] = ContextVar("calls", default=None)


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """How one token's query meets the key of every token, in one head.

    The scores are the sum of `parts`, and their softmax is the attention of the token. Divided by
    `scale`, the dot product of `query` and a key is the part called "content".
    """

    query: NDArray[np.float32]  # (size,)
    keys: NDArray[np.float32]  # (tokens, size)
    scale: float
    parts: Mapping[str, NDArray[np.float32]]  # each (tokens,), scaled

    @property
    def scores(self) -> NDArray[np.float32]:
        """The scaled scores before the softmax, (tokens,)."""
        total: NDArray[np.float32] = np.sum(list(self.parts.values()), axis=0, dtype=np.float32)
        return total


def _position_parts(
    module: Any, inputs: Inputs, query: torch.Tensor, key: torch.Tensor, head: int, token: int
) -> _Parts:
    """Give what positions add, unscaled, as DisentangledSelfAttention adds it up."""
    kinds = _kinds(module)
    if not module.relative_attention:
        return {}
    span = module.pos_ebd_size
    places = inputs["rel_embeddings"][: 2 * span]  # (places, hidden)
    distance = inputs["relative_pos"].reshape(key.shape[0], -1)[token].long()  # (keys,)
    # For position → content the network looks distances up from the key's side and turns the
    # sign round: the same bucket.
    index = (distance + span).clamp(0, 2 * span - 1)  # (keys,)
    parts: _Parts = {}
    if "c2p" in kinds:
        project = module.key_proj if module.share_att_key else module.pos_key_proj
        place_keys = _of_head(project(places), module, head)  # (places, size)
        parts["content → position"] = (place_keys @ query)[index]
    if "p2c" in kinds:
        project = module.query_proj if module.share_att_key else module.pos_query_proj
        place_queries = _of_head(project(places), module, head)[index]  # (keys, size)
        parts["position → content"] = (key * place_queries).sum(-1)
    return parts


def _kinds(module: Any) -> list[str]:
    """Say which scores of positions a module adds; each makes it scale all of them down more."""
    said = getattr(module, "pos_att_type", None) or []
    return [kind for kind in ("c2p", "p2c") if kind in said]


@dataclass(frozen=True, slots=True)
class Projections:
    """What a family calls its query and key layers, and what else it adds to their product."""

    query: str = "query"
    key: str = "key"
    positions: Callable[..., _Parts] | None = None


PROJECTIONS: Mapping[str, Projections] = {
    "bert": Projections(),
    "roberta": Projections(),
    "albert": Projections(),
    "distilbert": Projections("q_lin", "k_lin"),
    "electra": Projections(),
    "deberta-v2": Projections("query_proj", "key_proj", _position_parts),
}


def watch_attention(network: Any, model_type: str) -> None:
    """Let `calls_kept` see how the attention modules of `network` are called, layer by layer."""
    names = PROJECTIONS[model_type]
    for module in network.base_model.modules():
        if hasattr(module, names.query) and hasattr(module, names.key):
            module.register_forward_pre_hook(_keep_call, with_kwargs=True)


def _keep_call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    calls = _calls.get()
    if calls is not None:  # one call a layer, also where layers share their weights
        named = {"hidden_states": args[0], **kwargs} if args else kwargs
        calls.append((module, named))


@contextmanager
def calls_kept() -> Iterator[list[tuple[Any, Inputs]]]:
    """Collect the calls of attention modules made inside, by this run alone, in layer order."""
    calls: list[tuple[Any, Inputs]] = []
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)


def match_of(module: Any, inputs: Inputs, model_type: str, head: int, token: int) -> Match:
    """Compute what `token` asks in `head`, and what every token answers; for a single input."""
    names = PROJECTIONS[model_type]
    with torch.inference_mode():
        hidden = inputs["hidden_states"][0]  # (tokens, hidden)
        query = _of_head(getattr(module, names.query)(hidden[token]), module, head)  # (size,)
        key = _of_head(getattr(module, names.key)(hidden), module, head)  # (tokens, size)
        parts = {"content": key @ query}
        if names.positions is not None:
            parts |= names.positions(module, inputs, query, key, head, token)
    scale = math.sqrt(query.shape[-1] * (1 + len(_kinds(module))))
    return Match(
        query=_array(query),
        keys=_array(key),
        scale=scale,
        parts={name: _array(part / scale) for name, part in parts.items()},
    )


def _of_head(projected: torch.Tensor, module: Any, head: int) -> torch.Tensor:
    size = int(module.attention_head_size)
    return projected[..., head * size : (head + 1) * size]


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array

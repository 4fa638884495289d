"""Attention heads switched off while a network runs; transformers 5 removed head_mask.

What a head found out stands in its slice of the input of the layer's output projection, and goes
nowhere else: filling that slice with zeros switches the head off, as setting its slice of the
projection's weights to zero would. The hooks are registered once and idle, and read from a
ContextVar what is switched off, so that runs of other visitors on the same network go on whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

from components.models.heads import Filler, Without


class _Pass:
    """How far one forward pass has come, and which heads each of its rows goes without.

    It begins with one row, which stays whole. A row is added in the first layer where it goes
    without a head: before, it would be the same as the whole one. As no row is ever padded, the
    masks of the one row serve all of them.
    """

    def __init__(self, without: Without, config: Any, device: torch.device) -> None:
        firsts = [first_layer(heads) for heads in without.sets]
        if firsts != sorted(firsts):
            raise ValueError("rows join in the order of their first layers: sort the sets")
        shape = (config.num_hidden_layers, 1 + len(firsts), config.num_attention_heads)
        off = torch.zeros(shape, dtype=torch.bool)
        for row, heads in enumerate(without.sets, start=1):
            for layer, head in heads:
                off[layer, row, head] = True
        self.concerned: list[bool] = off.flatten(1).any(dim=1).tolist()  # one a layer
        self.off = off.to(device)  # (layers, rows, heads)
        self.by = without.by
        self._joining = Counter(firsts)
        self._calls = 0  # ALBERT calls one layer again and again, so calls are what is counted
        self._calls_per_layer: int = getattr(config, "inner_group_num", 1)

    @property
    def layer(self) -> int:
        """The layer that is running; its number once all have run is how many there are."""
        return (self._calls - 1) // self._calls_per_layer

    def enter(self) -> int:
        """Note that a layer begins; give how many rows join."""
        self._calls += 1
        return self._joining.pop(self.layer, 0)


_pass: ContextVar[_Pass | None] = ContextVar("pass", default=None)


def first_layer(heads: frozenset[tuple[int, int]]) -> int:
    """Give the first layer that a run without `heads` is another one in."""
    return min((layer for layer, _ in heads), default=0)


def prepare(network: Any, attention_output: str) -> None:
    """Register the hooks on every layer; `attention_output` is its projection's name in a layer."""
    for name, module in list(network.named_modules()):
        layer, found, _ = name.rpartition(f".{attention_output}")
        if found and name.endswith(attention_output):
            network.get_submodule(layer).register_forward_pre_hook(_enter_layer)
            module.register_forward_pre_hook(_switch_off)


@contextmanager
def switched_off(without: Without | None, network: Any) -> Iterator[None]:
    """Run `network` without heads: its answer has one row that is whole, then one a set."""
    if without is None:
        yield
        return
    current = _Pass(without, network.config, network.device)
    token = _pass.set(current)
    try:
        yield
    finally:
        _pass.reset(token)
    if current.layer + 1 != network.config.num_hidden_layers:
        raise RuntimeError(f"{current.layer + 1} layers of {type(network).__name__} were seen")


def _enter_layer(_layer: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    current = _pass.get()
    if current is None:
        return None
    hidden, *others = args
    joining = current.enter()
    if joining:
        hidden = torch.cat([hidden, hidden[:1].expand(joining, -1, -1)])  # (rows, tokens, hidden)
    return (hidden, *others)


def _switch_off(_projection: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    current = _pass.get()
    if current is None or not current.concerned[current.layer]:
        return None
    mixed, *others = args  # (rows, tokens, heads * size): the heads side by side
    off = current.off[current.layer, : len(mixed)]  # (rows, heads)
    parts = mixed.unflatten(-1, (off.shape[1], -1))  # (rows, tokens, heads, size)
    filler = parts.mean(dim=1, keepdim=True) if current.by is Filler.MEAN else parts.new_zeros(1)
    kept = torch.where(off[:, None, :, None], filler, parts)
    return (kept.flatten(-2), *others)

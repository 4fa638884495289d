"""One copy in memory of every tensor that several heads of a checkpoint have in common."""

from __future__ import annotations

import copy
from collections.abc import MutableMapping
from typing import Any

import torch

Pool = MutableMapping[str, torch.nn.Parameter]  # by name, without the encoder's prefix


def share_tensors(network: Any, pool: Pool) -> None:
    """Let `network` use the tensors of `pool` that equal its own, and add its others to the pool.

    Values are compared, not only names: a tensor that differs is never shared by mistake.
    """
    prefix = f"{network.base_model_prefix}."
    shared: dict[int, torch.nn.Parameter] = {}
    for name, tensor in network.named_parameters():
        known = pool.get(name.removeprefix(prefix))
        if known is not None and _same(known, tensor):
            shared[id(tensor)] = known
        else:
            pool[name.removeprefix(prefix)] = tensor
    for module in network.modules():
        for leaf, tensor in module.named_parameters(recurse=False, remove_duplicate=False):
            if id(tensor) in shared:  # tied tensors stand in several modules
                setattr(module, leaf, shared[id(tensor)])


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    alike = (one.shape, one.dtype, one.device) == (other.shape, other.dtype, other.device)
    return alike and torch.equal(one, other)


def copied_to(network: Any, device: str, dtype: torch.dtype) -> Any:
    """Give a copy of `network` on `device`; the original, and those who share with it, stay."""
    moved: dict[int, Any] = {
        id(tensor): torch.nn.Parameter(tensor.detach().to(device, dtype), requires_grad=False)
        for tensor in network.parameters()
    }
    moved.update((id(tensor), tensor.to(device)) for tensor in network.buffers())
    return copy.deepcopy(network, moved)

"""One copy in memory of every tensor that several heads of a checkpoint have in common."""

from __future__ import annotations

import copy
import ctypes
import sys
import threading
import weakref
from typing import Any

import torch


class Pool:
    """The tensors that the networks of one checkpoint hold, for others to use; keeps none alive."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tensors: weakref.WeakValueDictionary[tuple[Any, ...], torch.nn.Parameter] = (
            weakref.WeakValueDictionary()
        )

    def share(self, network: Any) -> None:
        """Let `network` use the tensors here that equal its own, and add its others.

        Values are compared, not only names: a tensor that differs is never shared by mistake.
        """
        prefix = f"{network.base_model_prefix}."
        with self._lock:
            shared: dict[int, torch.nn.Parameter] = {}
            for name, tensor in network.named_parameters():
                key = (name.removeprefix(prefix), tensor.device, tensor.dtype, tensor.shape)
                known = self._tensors.setdefault(key, tensor)
                if known is not tensor and torch.equal(known, tensor):
                    shared[id(tensor)] = known
        for module in network.modules():
            for leaf, tensor in module.named_parameters(recurse=False, remove_duplicate=False):
                if id(tensor) in shared:  # tied tensors stand in several modules
                    setattr(module, leaf, shared[id(tensor)])


def copied_to(network: Any, device: str, dtype: torch.dtype) -> Any:
    """Give a copy of `network` on `device`; the original, and those who share with it, stay."""
    moved: dict[int, Any] = {
        id(tensor): torch.nn.Parameter(tensor.detach().to(device, dtype, copy=True), False)
        for tensor in network.parameters()
    }
    for tensor in network.buffers():
        kept = dtype if tensor.is_floating_point() else tensor.dtype
        moved[id(tensor)] = tensor.to(device, kept, copy=True)
    return copy.deepcopy(network, moved)


def storages(network: Any) -> dict[int, int]:
    """Give the places in memory where the weights of `network` lie, and their bytes.

    Tensors that networks share lie in one place, so that a union counts them once.
    """
    return {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in (*network.parameters(), *network.buffers())
    }


def return_freed_memory() -> None:
    """Give freed memory back to the system: glibc keeps what was freed between other things.

    Each head is loaded with an encoder of its own, which goes when the shared one takes its place.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none
        if trim is not None:
            trim(0)

"""Resident: one network in memory, which every LoadedModel handed out for it shares."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch

from components.models.batches import padded, rectangle
from components.models.checkpoint import Checkpoint
from components.models.encoding import Encoding
from components.models.families import Family, Task
from components.models.matching import watch_attention
from components.models.sharing import copied_to, storages

_positions: ContextVar[torch.Tensor | None] = ContextVar("positions", default=None)


@dataclass(slots=True, eq=False, weakref_slot=True)
class Resident:
    """A network with the head for `task`, on its device; falls back to the CPU by itself."""

    checkpoint: Checkpoint
    task: Task
    network: Any
    relieve: Callable[[str], None] = lambda _: None  # frees the memory of a kind of device
    notices: list[str] = field(default_factory=list)
    storages: Mapping[int, int] = field(init=False)  # where its weights lie, and their bytes
    _moving: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.storages = storages(self.network)
        if self.task is Task.FILL_MASK:
            self.network.base_model.register_forward_hook(_keep_positions)
        watch_attention(self.network, self.family.model_type)

    @property
    def model_id(self) -> str:
        """The id it was asked for by."""
        return self.checkpoint.model_id

    @property
    def family(self) -> Family:
        """The family its network belongs to."""
        return self.checkpoint.family

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of its checkpoint, to be used under the checkpoint's lock."""
        return self.checkpoint.tokenizer

    @property
    def device(self) -> str:
        """The kind of device it runs on: cuda, mps or cpu."""
        return str(self.network.device.type)

    def forward(
        self,
        encodings: Sequence[Encoding],
        positions: Sequence[Sequence[int]] | None,
        flags: Mapping[str, bool],
    ) -> Mapping[str, Any]:
        """Run one batch; out of accelerator memory, make room and try again, then use the CPU."""
        for relief in (self._make_room, self._use_cpu):
            network = self.network
            try:
                return self._forward_once(network, encodings, positions, flags)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
            relief(network)  # not while the error is held: its traceback holds what filled memory
        return self._forward_once(self.network, encodings, positions, flags)

    def _make_room(self, network: Any) -> None:
        self.relieve(network.device.type)

    def _use_cpu(self, failed: Any) -> None:
        """Go on with a copy on the CPU; heads that share tensors with `failed` stay."""
        with self._moving:
            if self.network is not failed:  # another visitor's run was faster
                return
            network = copied_to(failed, "cpu", torch.float32)
            self.checkpoint.pool.share(network)
            self.notices.append(
                f"The {failed.device.type} device ran out of memory, so {self.model_id} now runs "
                "on the CPU."
            )
            self.network, self.storages = network, storages(network)

    def _forward_once(
        self,
        network: Any,
        encodings: Sequence[Encoding],
        positions: Sequence[Sequence[int]] | None,
        flags: Mapping[str, bool],
    ) -> Mapping[str, Any]:
        inputs = padded(encodings, int(self.tokenizer.pad_token_id), network.device)
        chosen = None if positions is None else rectangle(positions, 0, network.device)
        token = _positions.set(chosen)
        try:
            with torch.inference_mode():
                outputs: Mapping[str, Any] = network(**inputs, **flags, return_dict=True)
        finally:
            _positions.reset(token)
        return outputs


def is_out_of_memory(error: RuntimeError) -> bool:
    """Say whether an accelerator's memory is full; only CUDA has a class of its own for that."""
    signs = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError) or any(sign in str(error) for sign in signs)


def _keep_positions(_module: Any, _args: Any, output: Any) -> Any:
    """Hand on the hidden states of the chosen positions only: the vocabulary layer is dear."""
    positions = _positions.get()
    if positions is not None:
        hidden = output.last_hidden_state  # (batch, tokens, hidden)
        index = positions.unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
        output.last_hidden_state = hidden.gather(1, index)  # (batch, positions, hidden)
    return output

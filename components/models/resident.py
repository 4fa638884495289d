"""Resident: one network in memory, which every LoadedModel handed out for it shares."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import torch

from components.models import gradients, switching
from components.models.ask import Ask
from components.models.batches import padded, rectangle
from components.models.checkpoint import Checkpoint
from components.models.crowd import Crowd
from components.models.encoding import Encoding
from components.models.families import Family, Task
from components.models.gradients import Slope, Target
from components.models.heads import Without
from components.models.matching import watch_attention
from components.models.parts import watch_embeddings
from components.models.sharing import copied_to, storages


@dataclass(frozen=True, slots=True)
class Chosen:
    """The positions whose hidden states reach the head: of the last layer, or of each in turn."""

    positions: torch.Tensor  # (batch, positions)
    every_layer: bool


_PASSES = threading.BoundedSemaphore(4)  # at once: each uses all cores, and memory of its own
_chosen: ContextVar[Chosen | None] = ContextVar("chosen", default=None)
Result = TypeVar("Result")


@dataclass(slots=True, eq=False, weakref_slot=True)
class Resident:
    """A network with the head for `task`, on its device; falls back to the CPU by itself."""

    checkpoint: Checkpoint
    task: Task
    network: Any
    relieve: Callable[[str], None] = lambda _: None  # frees the memory of a kind of device
    notices: list[str] = field(default_factory=list)
    storages: Mapping[int, int] = field(init=False)  # where its weights lie, and their bytes
    crowd: Crowd[Ask, Any] = field(default_factory=Crowd)  # who asks for answers of a few inputs
    _moving: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.storages = storages(self.network)
        watch_embeddings(self.network)
        if self.task is Task.FILL_MASK:
            self.network.base_model.register_forward_hook(_keep_positions)
        switching.prepare(self.network, self.family.attention_output)
        watch_attention(self.network, self.family.model_type)
        gradients.prepare(self.network, self.family.word_embeddings)

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
        *,
        every_layer: bool = False,
        without: Without | None = None,
    ) -> Mapping[str, Any]:
        """Run one batch; out of accelerator memory, make room and try again, then use the CPU.

        With `every_layer` the head reads the chosen positions of the embeddings, then those of
        each layer: its logits are (batch, (layers + 1) x positions, vocabulary). A batch
        `without` heads is one encoding, and is answered with a row that is whole and one row a
        set.
        """
        once = partial(
            self._forward_once,
            encodings=encodings,
            positions=positions,
            flags=flags,
            every_layer=every_layer,
            without=without,
        )
        with _PASSES:
            return self._relieved(once)

    def slopes(
        self,
        encoding: Encoding,
        start: Encoding,
        shares: Sequence[float],
        target: Target,
        positions: Sequence[int] | None,
    ) -> list[Slope]:
        """Give how `target` changes on the way from `start` to `encoding`, see `gradients`."""

        def once(network: Any) -> list[Slope]:
            inputs = padded([encoding], int(self.tokenizer.pad_token_id), network.device)
            ids = rectangle([start.input_ids], 0, network.device)
            table = self.family.word_embeddings
            rows = None if positions is None else [positions] * len(shares)
            with _choosing(rows, network.device):
                return gradients.slopes(network, table, inputs, ids, shares, target)

        with _PASSES:
            return self._relieved(once)

    def _relieved(self, once: Callable[[Any], Result]) -> Result:
        for relief in (self._make_room, self._use_cpu):
            network = self.network
            try:
                return once(network)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
            relief(network)  # not while the error is held: its traceback holds what filled memory
        return once(self.network)

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
        *,
        encodings: Sequence[Encoding],
        positions: Sequence[Sequence[int]] | None,
        flags: Mapping[str, bool],
        every_layer: bool,
        without: Without | None,
    ) -> Mapping[str, Any]:
        inputs = padded(encodings, int(self.tokenizer.pad_token_id), network.device)
        flags = {**flags, "output_hidden_states": True} if every_layer else flags
        with (
            _choosing(positions, network.device, every_layer),
            torch.inference_mode(),
            switching.switched_off(without, network),
        ):
            outputs: Mapping[str, Any] = network(**inputs, **flags, return_dict=True)
        return outputs


@contextmanager
def _choosing(
    positions: Sequence[Sequence[int]] | None, device: Any, every_layer: bool = False
) -> Iterator[None]:
    chosen = positions and Chosen(rectangle(positions, 0, device), every_layer)
    token = _chosen.set(chosen or None)
    try:
        yield
    finally:
        _chosen.reset(token)


def is_out_of_memory(error: RuntimeError) -> bool:
    """Say whether an accelerator's memory is full; only CUDA has a class of its own for that."""
    signs = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError) or any(sign in str(error) for sign in signs)


def _keep_positions(_module: Any, _args: Any, output: Any) -> Any:
    """Hand on the hidden states of the chosen positions only: the vocabulary layer is dear.

    A head reads each row by itself, so the rows of further layers can follow as if they were
    further tokens: no family needs to say where its head is.
    """
    chosen = _chosen.get()
    if chosen is not None:
        last = output.last_hidden_state  # (batch, tokens, hidden)
        states = (*output.hidden_states[:-1], last) if chosen.every_layer else (last,)
        # one row of positions serves every row that was added to the batch on its way
        index = chosen.positions.unsqueeze(-1).expand(len(last), -1, last.shape[-1])
        kept = [state.gather(1, index) for state in states]  # each (batch, positions, hidden)
        output.last_hidden_state = torch.cat(kept, dim=1)
    return output

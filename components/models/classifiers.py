"""A classifier of one visitor: the encoder of a bundled model under a new head for their labels.

Its head begins untrained, and what an untrained head says means nothing. What is to be trained is
a copy, so that the network which all others use never changes. Slow to import (torch).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from components.models.checkpoint import LOAD_LOCK
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.loading import AUTO_MODELS
from components.models.resident import Resident
from components.models.sharing import copied_to, return_freed_memory

_POOLER = ".pooler."  # what reads the first token for the head: a part of the head here

Weights = Mapping[str, torch.Tensor]  # by name, in float16: what is kept, and what is downloaded


class Classifier:
    """A network with a head for `labels` on the encoder of `model`.

    With `whole` every weight is a copy of its own and may be trained; without it the head alone
    is, and the encoder is the one that all share. It is held, and so it stays in memory.
    """

    def __init__(
        self, model: LoadedModel, labels: Sequence[str], *, whole: bool, seed: int
    ) -> None:
        if model.task is not Task.ENCODER:
            raise ValueError("a classifier begins with a bare encoder")
        self.encoder, self.labels, self.whole = model, tuple(labels), whole
        self.network = _network(model, self.labels, self._is_trained)
        self.start_over(seed)

    @property
    def id(self) -> str:
        """The id of the model that it began with."""
        return self.encoder.id

    def trainable(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Give the weights that may be trained, by name."""
        return [(n, p) for n, p in self.network.named_parameters() if self._is_trained(n)]

    def start_over(self, seed: int) -> None:
        """Give it an untrained head, as transformers would: normal weights, and no bias."""
        chance = torch.Generator().manual_seed(seed)
        encoder = f"{self.network.base_model_prefix}."
        with torch.no_grad():
            for name, tensor in self.network.named_parameters():
                if name.startswith(encoder):
                    continue
                drawn = torch.zeros(tensor.shape)
                if tensor.dim() > 1:
                    drawn.normal_(0, self.network.config.initializer_range, generator=chance)
                tensor.copy_(drawn)

    def weights(self) -> Weights:
        """Copy the weights that may be trained, rounded to half precision."""
        return {name: tensor.detach().half() for name, tensor in self.trainable()}

    def put(self, weights: Weights) -> None:
        """Put weights in that were taken by `weights`, as they were rounded."""
        with torch.no_grad():
            for name, tensor in self.trainable():
                tensor.copy_(weights[name])

    def rest(self) -> None:
        """Take up half the memory until it is asked something; loses what `weights` rounds off."""
        self.network.zero_grad(set_to_none=True)
        if self.whole:
            self.network.half()
        return_freed_memory()

    @property
    def bytes(self) -> int:
        """Bytes of memory that are its own."""
        return sum(tensor.nbytes for _, tensor in self.trainable())

    def answering(self) -> LoadedModel:
        """Give a copy in full precision that answers like any model."""
        checkpoint = self.encoder._resident.checkpoint
        network = copied_to(self.network, self.encoder.device, torch.float32)
        return LoadedModel(Resident(checkpoint, Task.SENTIMENT, network.eval()))

    def _is_trained(self, name: str) -> bool:
        prefix = type(self.encoder._resident.network).base_model_prefix
        return self.whole or _POOLER in f".{name}" or not name.startswith(f"{prefix}.")


def _network(model: LoadedModel, labels: Sequence[str], is_own: Any) -> Any:
    """Build the classifier round the encoder's tensors; those that `is_own` names are copied."""
    source: Any = model._resident.network
    config = _config(source.config, labels)
    with LOAD_LOCK, torch.device("meta"):
        network = AUTO_MODELS[Task.SENTIMENT].from_config(config, trust_remote_code=False)
    network.to_empty(device=source.device)  # the head; the encoder's tensors come next
    base, prefix = network.base_model, network.base_model_prefix
    own = base.state_dict()
    given = {
        name: _float(tensor, copied=is_own(f"{prefix}.{name}"))
        for name, tensor in source.state_dict().items()
        if name in own
    }
    base.load_state_dict(given, assign=True)  # strict: every weight of the encoder must come
    buffers = dict(base.named_buffers())
    for name, buffer in source.named_buffers():
        if name in buffers:  # such as the numbers of the positions, which no file holds
            place, _, leaf = name.rpartition(".")
            base.get_submodule(place).register_buffer(leaf, buffer.clone(), persistent=False)
    network.config.architectures = [type(network).__name__]
    network.eval()  # dropout stays off: short trainings do not overfit, and it costs time
    for name, tensor in network.named_parameters():
        tensor.requires_grad_(is_own(name))
    return network


def _config(original: Any, labels: Sequence[str]) -> Any:
    config = copy.deepcopy(original)
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: i for i, label in enumerate(labels)}
    config.problem_type = "single_label_classification"
    config.dtype = torch.float32  # a file of half precision is read as if it were whole
    return config


def _float(tensor: torch.Tensor, *, copied: bool) -> torch.Tensor:
    """Give `tensor` in float32: the very one where it is that already, unless it is `copied`."""
    if not tensor.is_floating_point():
        return tensor.clone()
    return tensor.to(torch.float32, copy=copied)

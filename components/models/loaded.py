"""LoadedModel: one network with its tokenizer; the only module that calls a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from components.models import hub
from components.models.batches import BATCH_TOKENS, batches
from components.models.encoding import Encoding
from components.models.families import Task
from components.models.lens import LensReading, joined, read_layers
from components.models.parts import EmbeddingReading, catching, read_parts
from components.models.reader import Reader
from components.models.resident import Resident

Arrays = Mapping[str, NDArray[np.float32]]  # the outputs for one input, by transformers' names

_TOKEN_LEVEL = frozenset(
    {Task.FILL_MASK, Task.REPLACED_TOKENS, Task.QUESTION_ANSWERING, Task.ENCODER}
)
_BATCH_SCORES = 2**26  # numbers that a vocabulary layer gives out for one batch: 256 MB


class LoadedModel(Reader):
    """A network with its head, ready to run; as long as one is held its weights stay in memory."""

    def __init__(self, resident: Resident) -> None:
        super().__init__(resident.checkpoint)
        self._resident = resident
        config = resident.network.config
        self.task = resident.task
        self.layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.labels: tuple[str, ...] = tuple(
            str(config.id2label[i]) for i in sorted(config.id2label)
        )
        self.problem_type: str | None = getattr(config, "problem_type", None)

    @property
    def parameters(self) -> int:
        """How many numbers the network has learned, those of the head included."""
        return sum(tensor.numel() for tensor in self._resident.network.parameters())

    @property
    def weight_bytes(self) -> int:
        """Bytes of memory that the weights take up."""
        return sum(self._resident.storages.values())

    @property
    def disk_bytes(self) -> int:
        """Bytes of the files that the weights were read from, other heads in them included."""
        return hub.disk_bytes(self._resident.checkpoint.folder)

    @property
    def device(self) -> str:
        """The kind of device the network runs on: cuda, mps or cpu."""
        return self._resident.device

    @property
    def notices(self) -> tuple[str, ...]:
        """What went differently than asked, in plain sentences."""
        return tuple(self._resident.notices)

    def run(
        self,
        encodings: Sequence[Encoding],
        *,
        positions: Sequence[Sequence[int]] | None = None,
        attentions: bool = False,
        hidden_states: bool = False,
    ) -> list[Arrays]:
        """Run the network over `encodings`; the answers come in the same order, in float32.

        With `positions` (masked words only) the logits are computed there alone, one row a
        position; without it for every token. `attentions` is (layers, heads, queries, keys) and
        `hidden_states` (layers + 1, tokens, hidden).
        """
        if positions is not None and self.task is not Task.FILL_MASK:
            raise ValueError(f"a head for {self.task} gives no logits at chosen positions")
        wanted = {"output_attentions": attentions, "output_hidden_states": hidden_states}
        flags = {name: True for name, asked in wanted.items() if asked}
        answers: list[Arrays] = [{}] * len(encodings)
        for batch in batches(encodings, self._batch_limit(positions is None)):
            picked = None if positions is None else [positions[i] for i in batch]
            outputs = self._resident.forward([encodings[i] for i in batch], picked, flags)
            for row, i in enumerate(batch):
                kept = len(encodings[i]) if positions is None else len(positions[i])
                answers[i] = _one(outputs, row, kept, len(encodings[i]), self.task)
        return answers

    def lens(
        self,
        encoding: Encoding,
        positions: Sequence[int],
        followed: Sequence[Sequence[int]],
        *,
        top_k: int,
    ) -> LensReading:
        """Let the masked-word head read every layer's hidden states at `positions`.

        `followed` gives for each position the ids, as many for every one, whose ranks and
        probabilities are wanted; what the last layer puts first is followed too.
        """
        if self.task is not Task.FILL_MASK:
            raise ValueError(f"a head for {self.task} puts no words into hidden states")
        row = int(self._resident.network.config.vocab_size) * (self.layers + 1)
        step = max(1, _BATCH_SCORES // row)  # positions whose scores fit into memory
        parts = [slice(start, start + step) for start in range(0, len(positions), step)]
        return joined([self._lens(encoding, positions[p], followed[p], top_k) for p in parts])

    def _lens(
        self,
        encoding: Encoding,
        positions: Sequence[int],
        followed: Sequence[Sequence[int]],
        top_k: int,
    ) -> LensReading:
        outputs = self._resident.forward([encoding], [positions], {}, every_layer=True)
        logits = outputs["logits"]  # (1, (layers + 1) x positions, vocabulary)
        logits = logits.view(-1, len(positions), logits.shape[-1])
        ids = torch.tensor(followed, dtype=torch.long, device=logits.device)
        return read_layers(logits, ids.view(len(positions), -1), top_k)

    def embeddings(self, encoding: Encoding) -> EmbeddingReading:
        """Give the vectors that are added for every token, and what enters layer 1."""
        with catching() as seen:
            (answer,) = self.run([encoding], hidden_states=True)
        return read_parts(self._resident.network, seen, answer["hidden_states"][0])

    def _batch_limit(self, at_every_token: bool) -> int:
        if self.task is Task.FILL_MASK and at_every_token:  # a row of the vocabulary a token
            return min(BATCH_TOKENS, _BATCH_SCORES // int(self._resident.network.config.vocab_size))
        return BATCH_TOKENS


def _one(
    outputs: Mapping[str, Any], row: int, kept: int, length: int, task: Task
) -> dict[str, NDArray[np.float32]]:
    """Take one input's share of a batch, its padding cut off."""
    answer: dict[str, NDArray[np.float32]] = {}
    for name, value in outputs.items():
        if name == "attentions":
            stacked = torch.stack([layer[row, :, :length, :length] for layer in value])
            answer[name] = _array(stacked)  # (layers, heads, queries, keys)
        elif name == "hidden_states":
            answer[name] = _array(torch.stack([layer[row, :length] for layer in value]))
        elif isinstance(value, torch.Tensor):
            by_token = task in _TOKEN_LEVEL and name != "pooler_output"
            answer[name] = _array(value[row, :kept] if by_token else value[row])
    return answer


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array

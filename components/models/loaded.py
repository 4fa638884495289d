"""LoadedModel: one network with its tokenizer; the only module that calls a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from components.models import hub
from components.models.ask import Ask
from components.models.batches import BATCH_TOKENS, batches
from components.models.encoding import Encoding
from components.models.families import Task
from components.models.gradients import Slope, Target
from components.models.heads import Filler, Head, Without
from components.models.lens import LensReading, joined, read_layers
from components.models.matching import Match, calls_kept, match_of
from components.models.parts import EmbeddingReading, catching, read_parts
from components.models.plain import answer_of
from components.models.reader import Reader
from components.models.resident import Resident
from components.models.switching import first_layer

if TYPE_CHECKING:
    from components.models.watching import WatchedModel

Arrays = Mapping[str, NDArray[np.float32]]  # the outputs for one input, by transformers' names

_BATCH_SCORES = 2**26  # numbers that a vocabulary layer gives out for one batch: 256 MB
_SHARED_TOKENS = 1_024  # what has more fills passes by itself, and would keep others waiting
_PASS_TOKENS = 2_048  # positions of one pass without heads: no faster with more, and it is told of


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
        alone: bool = False,
    ) -> list[Arrays]:
        """Run the network over `encodings`; the answers come in the same order, in float32.

        With `positions` (masked words only) the logits are computed there alone, one row a
        position; without it for every token. `attentions` is (layers, heads, queries, keys) and
        `hidden_states` (layers + 1, tokens, hidden).

        What comes while the network is busy is answered together with what others ask, unless it
        is long, or to be run `alone`: in passes of its own, which this thread can watch or time.
        """
        self._check_positions(positions)
        wanted = {"output_attentions": attentions, "output_hidden_states": hidden_states}
        flags = tuple(name for name, asked in wanted.items() if asked)
        longest = max(map(len, encodings), default=0)
        limit = self._batch_limit(positions is None, attentions=attentions, longest=longest)
        asks = [
            Ask(encoding, None if positions is None else tuple(positions[i]), flags, limit)
            for i, encoding in enumerate(encodings)
        ]
        if not alone and sum(map(len, encodings)) <= _SHARED_TOKENS:
            return self._resident.crowd.ask(asks, self._together)
        answers: list[Arrays] = [{}] * len(encodings)
        for batch in batches(encodings, limit):
            for i, answer in zip(batch, self._together([asks[i] for i in batch]), strict=True):
                answers[i] = answer
        return answers

    def _together(self, asks: Sequence[Ask]) -> list[Arrays]:
        """Answer inputs of one kind in one pass."""
        positions = [ask.positions for ask in asks if ask.positions is not None]
        flags = dict.fromkeys(asks[0].flags, True)
        outputs = self._resident.forward([a.encoding for a in asks], positions or None, flags)
        return [
            answer_of(outputs, row, _kept(ask), len(ask.encoding), self.task)
            for row, ask in enumerate(asks)
        ]

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

    def run_without(
        self,
        encoding: Encoding,
        sets: Sequence[frozenset[Head]],
        *,
        by: Filler = Filler.ZERO,
        positions: Sequence[int] | None = None,
    ) -> Iterator[Arrays]:
        """Run the network over `encoding` once for each set, without the attention heads in it.

        The answers come in the order of `sets` as they are computed, several sets in one pass;
        an empty set gives the plain answer. `by` fills the place of a head, `positions` are those
        of `run`. What a head gives is its output before the layer's output projection; the rest
        of the layer, the projection's bias and the residual connection among it, stays.
        """
        self._check_positions(positions)
        picked = None if positions is None else [positions]
        kept = len(encoding) if positions is None else len(positions)
        at_once = max(1, self._pass_tokens(positions is None) // max(1, len(encoding)) - 1)
        for begin in range(0, len(sets), at_once):
            part = sets[begin : begin + at_once]
            order = sorted(range(len(part)), key=lambda i: first_layer(part[i]))
            without = Without(tuple(part[i] for i in order), by)
            outputs = self._resident.forward([encoding], picked, {}, without=without)
            rows = {i: row for row, i in enumerate(order, start=1)}  # row 0 is whole
            for i in range(len(part)):
                yield answer_of(outputs, rows[i], kept, len(encoding), self.task)

    def _check_positions(self, positions: object) -> None:
        if positions is not None and self.task is not Task.FILL_MASK:
            raise ValueError(f"a head for {self.task} gives no logits at chosen positions")

    def _pass_tokens(self, at_every_token: bool) -> int:
        return min(_PASS_TOKENS, self._batch_limit(at_every_token))

    def slopes(
        self,
        encoding: Encoding,
        start: Encoding,
        shares: Sequence[float],
        target: Target,
        *,
        positions: Sequence[int] | None = None,
    ) -> Iterator[Slope]:
        """Differentiate on the way from the word embeddings of `start` to those of `encoding`.

        `target` names logits, each by the output and its place there, such as {"logits": (1,)};
        their sum is what is differentiated. Its slopes come in the order of `shares` (0 the
        start, 1 the text) as they are computed, several in one pass. `positions` are those of
        `run`. The two have the same length; what `start` has beyond its words is not read.
        """
        self._check_positions(positions)
        at_once = max(1, self._pass_tokens(positions is None) // max(1, len(encoding)))
        for begin in range(0, len(shares), at_once):
            part = shares[begin : begin + at_once]
            yield from self._resident.slopes(encoding, start, part, target, positions)

    def match(self, encoding: Encoding, *, layer: int, head: int, token: int) -> Match:
        """Give the query of `token` in one head, every key, and the scaled scores they make."""
        nowhere = [[0]] if self.task is Task.FILL_MASK else None  # spares the vocabulary layer
        with calls_kept() as calls:
            self._resident.forward([encoding], nowhere, {})
        module, inputs = calls[layer]
        return match_of(module, inputs, self.family.model_type, head, token)

    def watched(self, *, attentions: bool = False) -> WatchedModel:
        """Give a model for one visitor, which keeps what it ran, with `attentions` those too."""
        from components.models.watching import WatchedModel

        return WatchedModel(self, attentions=attentions)

    def embeddings(self, encoding: Encoding) -> EmbeddingReading:
        """Give the vectors that are added for every token, and what enters layer 1."""
        with catching() as seen:
            (answer,) = self.run([encoding], hidden_states=True, alone=True)
        return read_parts(self._resident.network, seen, answer["hidden_states"][0])

    def _batch_limit(
        self, at_every_token: bool, *, attentions: bool = False, longest: int = 1
    ) -> int:
        """Give the positions that one pass may have; more would fill the memory."""
        scores = 1  # numbers that are given out for one position
        if self.task is Task.FILL_MASK and at_every_token:  # a row of the vocabulary a token
            scores = int(self._resident.network.config.vocab_size)
        if attentions:
            scores = max(scores, self.layers * self.heads * longest)
        return min(BATCH_TOKENS, _BATCH_SCORES // scores)


def _kept(ask: Ask) -> int:
    return len(ask.encoding) if ask.positions is None else len(ask.positions)

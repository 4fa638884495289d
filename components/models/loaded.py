"""LoadedModel: one network with its tokenizer; the only module that calls either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from components.errors import InputError
from components.models import hub
from components.models.batches import BATCH_TOKENS, batches
from components.models.encoding import Encoding
from components.models.families import Task
from components.models.matching import Match, calls_kept, match_of
from components.models.resident import Resident

if TYPE_CHECKING:
    from components.models.watching import WatchedModel

Arrays = Mapping[str, NDArray[np.float32]]  # the outputs for one input, by transformers' names

_TOKEN_LEVEL = frozenset(
    {Task.FILL_MASK, Task.REPLACED_TOKENS, Task.QUESTION_ANSWERING, Task.ENCODER}
)
_BATCH_SCORES = 2**26  # numbers that a vocabulary layer gives out for one batch: 256 MB


class LoadedModel:
    """A network with its head, ready to run; as long as one is held its weights stay in memory."""

    def __init__(self, resident: Resident) -> None:
        self._resident = resident
        config = resident.network.config
        self.id = resident.model_id
        self.task = resident.task
        self.family = resident.family
        self.max_length = resident.checkpoint.max_length
        self.layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.labels: tuple[str, ...] = tuple(
            str(config.id2label[i]) for i in sorted(config.id2label)
        )
        self.problem_type: str | None = getattr(config, "problem_type", None)

    @property
    def mask_token(self) -> str:
        """The mask as this model spells it."""
        return str(self._resident.tokenizer.mask_token)

    @property
    def mask_token_id(self) -> int:
        """The id of the mask."""
        return int(self._resident.tokenizer.mask_token_id)

    @property
    def unknown_token_id(self) -> int | None:
        """The id that stands for whatever the vocabulary lacks."""
        unknown: int | None = self._resident.tokenizer.unk_token_id
        return unknown

    @property
    def lowercases(self) -> bool:
        """Whether the tokenizer drops capital letters."""
        normalizer = self._resident.tokenizer.backend_tokenizer.normalizer
        return bool(normalizer) and "a" in normalizer.normalize_str("A")

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

    def readable(self, token: str) -> str:
        """Give `token` without the family's marks for the beginning or the middle of a word."""
        return token.removeprefix(self.family.continuation_prefix).removeprefix(
            self.family.word_prefix
        )

    def token(self, token_id: int) -> str:
        """Give the token with this id, spelled as in the vocabulary."""
        return str(self._resident.tokenizer.convert_ids_to_tokens(token_id))

    def pieces(self, word: str) -> tuple[tuple[int, str], ...]:
        """Split `word`, standing inside a sentence, into (id, token) pieces."""
        found = self._encode(f" {word.strip()}", None, True, add_special_tokens=False)[0]
        return tuple(zip(found.input_ids, found.tokens, strict=True))

    def encode(self, text: str, pair: str | None = None, *, literal: bool = True) -> Encoding:
        """Tokenize `text`, or a pair, cut to what the model can read.

        With `literal`, a special token that was typed is text like any other, except where it is
        a piece of a SentencePiece vocabulary; without it, it is the special token (needed for
        masks).
        """
        whole = self._encode(text, pair, literal, truncation=False)[0]
        if len(whole) <= self.max_length:
            return whole
        cut = self._encode(text, pair, literal, truncation=True, max_length=self.max_length)[0]
        return replace(cut, full_length=len(whole))

    def windows(
        self, question: str, passage: str, *, max_length: int, stride: int
    ) -> tuple[Encoding, ...]:
        """Tokenize a question with overlapping windows over a passage.

        `max_length` and `stride` (the overlap) count tokens; the stride is at most a third of a
        window. Raises InputError for a question that leaves no room to move the window.
        """
        tokenizer, max_length = self._resident.tokenizer, min(max_length, self.max_length)
        stride = min(stride, max_length // 3)
        specials = tokenizer.num_special_tokens_to_add(pair=True)
        asked = len(self._encode(question, None, True, add_special_tokens=False)[0])
        limit = max_length - stride - specials - 1  # one token of passage a step, at the least
        if asked > limit:  # else the tokenizer dies of a panic that is no Exception
            raise InputError(
                f"The question is too long: it has {asked} tokens, and at most {limit} leave room "
                "for the passage. Shorten it."
            )
        return self._encode(
            question,
            passage,
            True,
            truncation="only_second",
            max_length=max_length,
            stride=stride,
            return_overflowing_tokens=True,
        )

    def _encode(
        self, text: str, pair: str | None, literal: bool, **options: Any
    ) -> tuple[Encoding, ...]:
        checkpoint = self._resident.checkpoint
        text, pair = _well_formed(text), None if pair is None else _well_formed(pair)
        with checkpoint.tokenizer_lock:  # its truncation settings are state
            batch = checkpoint.tokenizer(
                text, pair, split_special_tokens=literal, verbose=False, **options
            )
        spell = checkpoint.tokenizer.convert_ids_to_tokens
        return tuple(
            _plain(encoding, spell(encoding.ids), checkpoint.has_segments)
            for encoding in batch.encodings
        )

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

    def match(self, encoding: Encoding, *, layer: int, head: int, token: int) -> Match:
        """Give the query of `token` in one head, every key, and the scaled scores they make."""
        nowhere = [[0]] if self.task is Task.FILL_MASK else None  # spares the vocabulary layer
        with calls_kept() as calls:
            self._resident.forward([encoding], nowhere, {})
        module, inputs = calls[layer]
        return match_of(module, inputs, self.family.model_type, head, token)

    def watched(self) -> WatchedModel:
        """Give a model for one run, which keeps the inputs and the attention of what it ran."""
        from components.models.watching import WatchedModel

        return WatchedModel(self)

    def _batch_limit(self, at_every_token: bool) -> int:
        if self.task is Task.FILL_MASK and at_every_token:  # a row of the vocabulary a token
            return min(BATCH_TOKENS, _BATCH_SCORES // int(self._resident.network.config.vocab_size))
        return BATCH_TOKENS


def _well_formed(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, one character for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(encoding: Any, tokens: Sequence[str], segments: bool) -> Encoding:
    return Encoding(
        tokens=tuple(tokens),  # not its own: they spell out what the vocabulary lacks
        input_ids=tuple(encoding.ids),
        token_type_ids=tuple(encoding.type_ids) if segments else None,
        offsets=tuple(encoding.offsets),
        sequence_ids=tuple(encoding.sequence_ids),
        word_ids=tuple(encoding.word_ids),
        full_length=len(encoding.ids),
    )


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

"""LoadedModel: one network with its tokenizer; the only module that calls either."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from components.errors import InputError
from components.models.batches import batches, padded, rectangle
from components.models.encoding import Encoding
from components.models.families import Family, Task
from components.models.sharing import copied_to

Arrays = Mapping[str, NDArray[np.float32]]  # the outputs for one input, by transformers' names

_TOKEN_LEVEL = frozenset({Task.FILL_MASK, Task.QUESTION_ANSWERING, Task.ENCODER})
_positions: ContextVar[torch.Tensor | None] = ContextVar("positions", default=None)


@dataclass(slots=True, eq=False)
class Resident:
    """A network in memory, shared by every LoadedModel that was handed out for it."""

    model_id: str
    task: Task
    family: Family
    network: Any
    tokenizer: Any
    device: str
    max_length: int  # tokens of one input, special ones included
    relieve: Callable[[Resident | None], None]  # frees accelerator memory held by others
    notices: list[str] = field(default_factory=list)
    tokenizer_lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.task is Task.FILL_MASK:
            self.network.base_model.register_forward_hook(_keep_positions)


class LoadedModel:
    """A network with its head, ready to run; as long as one is held its weights stay in memory."""

    def __init__(self, resident: Resident) -> None:
        self._resident = resident
        config = resident.network.config
        self.id = resident.model_id
        self.task = resident.task
        self.family = resident.family
        self.max_length = resident.max_length
        self.layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.labels: tuple[str, ...] = tuple(config.id2label[i] for i in sorted(config.id2label))
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
        return bool(normalizer) and normalizer.normalize_str("A") == "a"

    @property
    def parameters(self) -> int:
        """How many numbers the network has learned, those of the head included."""
        return sum(tensor.numel() for tensor in self._resident.network.parameters())

    @property
    def weight_bytes(self) -> int:
        """Bytes of memory that the weights take up."""
        return weight_bytes([self._resident.network])

    @property
    def device(self) -> str:
        """Where the network runs."""
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
        tokenizer = self._resident.tokenizer
        with self._resident.tokenizer_lock:
            ids = tokenizer(f" {_well_formed(word.strip())}", add_special_tokens=False)["input_ids"]
        return tuple((i, self.token(i)) for i in ids)

    def encode(self, text: str, pair: str | None = None, *, literal: bool = True) -> Encoding:
        """Tokenize `text`, or a pair, cut to what the model can read.

        With `literal`, a special token that was typed is text like any other; without it, it is
        the special token (needed for masks).
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

        `max_length` and `stride` (the overlap) count tokens. Raises InputError for a question
        that leaves no room to move the window.
        """
        tokenizer, max_length = self._resident.tokenizer, min(max_length, self.max_length)
        specials = tokenizer.num_special_tokens_to_add(pair=True)
        asked = len(self._encode(question, None, True)[0])
        asked -= tokenizer.num_special_tokens_to_add(pair=False)
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
        resident = self._resident
        text, pair = _well_formed(text), None if pair is None else _well_formed(pair)
        with resident.tokenizer_lock:  # its truncation settings are state
            batch = resident.tokenizer(
                text, pair, split_special_tokens=literal, verbose=False, **options
            )
        segments = self.family.has_segments and resident.network.config.type_vocab_size > 1
        return tuple(_plain(encoding, segments) for encoding in batch.encodings)

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
        wanted = {"output_attentions": attentions, "output_hidden_states": hidden_states}
        flags = {name: True for name, asked in wanted.items() if asked}
        answers: list[Arrays | None] = [None] * len(encodings)
        for batch in batches(encodings):
            picked = None if positions is None else [positions[i] for i in batch]
            outputs = self._forward([encodings[i] for i in batch], picked, flags)
            for row, i in enumerate(batch):
                kept = len(encodings[i]) if positions is None else len(positions[i])
                answers[i] = _one(outputs, row, kept, len(encodings[i]), self.task)
        return [answer for answer in answers if answer is not None]

    def _forward(
        self,
        encodings: Sequence[Encoding],
        positions: Sequence[Sequence[int]] | None,
        flags: Mapping[str, bool],
    ) -> Mapping[str, Any]:
        """Run one batch; out of accelerator memory, make room and try again, then use the CPU."""
        resident = self._resident
        try:
            return self._forward_once(encodings, positions, flags)
        except torch.OutOfMemoryError:
            resident.relieve(resident)
        try:
            return self._forward_once(encodings, positions, flags)
        except torch.OutOfMemoryError:
            resident.notices.append(
                f"The {resident.device} device ran out of memory, so {self.id} now runs on the CPU."
            )
            resident.network = copied_to(resident.network, "cpu", torch.float32)
            resident.device = "cpu"
        return self._forward_once(encodings, positions, flags)

    def _forward_once(
        self,
        encodings: Sequence[Encoding],
        positions: Sequence[Sequence[int]] | None,
        flags: Mapping[str, bool],
    ) -> Mapping[str, Any]:
        resident = self._resident
        inputs = padded(encodings, resident.tokenizer.pad_token_id or 0, resident.device)
        chosen = None if positions is None else rectangle(positions, 0, resident.device)
        token = _positions.set(chosen)
        try:
            with torch.inference_mode():
                outputs: Mapping[str, Any] = resident.network(**inputs, **flags, return_dict=True)
        finally:
            _positions.reset(token)
        return outputs


def weight_bytes(networks: Sequence[Any]) -> int:
    """Count the bytes of all weights of `networks`, those that several share only once."""
    sizes = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for network in networks
        for tensor in (*network.parameters(), *network.buffers())
    }
    return sum(sizes.values())


def _keep_positions(_module: Any, _args: Any, output: Any) -> Any:
    """Hand on the hidden states of the chosen positions only: the vocabulary layer is dear."""
    positions = _positions.get()
    if positions is not None:
        hidden = output.last_hidden_state  # (batch, tokens, hidden)
        index = positions.unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
        output.last_hidden_state = hidden.gather(1, index)  # (batch, positions, hidden)
    return output


def _well_formed(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, one character for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(encoding: Any, segments: bool) -> Encoding:
    return Encoding(
        tokens=tuple(encoding.tokens),
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

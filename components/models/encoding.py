"""What a tokenizer made of a text, as plain values: no torch, so that tasks stay light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

Span = tuple[int, int]  # half-open character offsets


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, one character for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class NormalizerStep:
    """One step of a tokenizer's normalizer: the whole text before it and after it."""

    name: str  # the library's, such as "Lowercase" or "strip_accents"
    detail: str  # what is replaced or added, where that is its setting
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Encoding:
    """One input as the network reads it: one entry a position in every tuple.

    `offsets` are characters of the text that `sequence_ids` names: 0 the first, 1 the second,
    None a special token, whose offsets are (0, 0) and mean nothing.
    """

    tokens: tuple[str, ...]
    input_ids: tuple[int, ...]
    token_type_ids: tuple[int, ...] | None  # None: the family has no segments
    offsets: tuple[Span, ...]
    sequence_ids: tuple[int | None, ...]
    word_ids: tuple[int | None, ...]
    full_length: int  # tokens before truncation, special ones included

    def __len__(self) -> int:
        return len(self.input_ids)

    @property
    def is_truncated(self) -> bool:
        """Whether the end of the text was left out."""
        return self.full_length > len(self)

    def put(self, changes: Mapping[int, tuple[str, int]]) -> Encoding:
        """Give a copy with other (token, id) at some positions; their offsets stay."""
        tokens, ids = list(self.tokens), list(self.input_ids)
        for position, (token, token_id) in changes.items():
            tokens[position], ids[position] = token, token_id
        return replace(self, tokens=tuple(tokens), input_ids=tuple(ids))

    def positions_of(self, token_id: int) -> tuple[int, ...]:
        """Give the positions that hold `token_id`."""
        return tuple(i for i, found in enumerate(self.input_ids) if found == token_id)

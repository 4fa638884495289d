"""Reader: a checkpoint's tokenizer, ready to read texts; it needs no weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from components.errors import InputError
from components.models.checkpoint import Checkpoint
from components.models.encoding import Encoding, NormalizerStep, Span, well_formed
from components.models.normalizing import follow_normalizer
from components.models.tokenizers import is_byte_level


class Reader:
    """The tokenizer of one checkpoint; the only class that calls one."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self.id = checkpoint.model_id
        self.family = checkpoint.family
        self.max_length = checkpoint.max_length

    @property
    def mask_token(self) -> str:
        """The mask as this model spells it."""
        return str(self._checkpoint.tokenizer.mask_token)

    @property
    def mask_token_id(self) -> int:
        """The id of the mask."""
        return int(self._checkpoint.tokenizer.mask_token_id)

    @property
    def pad_token(self) -> tuple[str, int]:
        """The token that fills up short texts, and its id."""
        tokenizer = self._checkpoint.tokenizer
        return str(tokenizer.pad_token), int(tokenizer.pad_token_id)

    @property
    def unknown_token_id(self) -> int | None:
        """The id that stands for whatever the vocabulary lacks."""
        unknown: int | None = self._checkpoint.tokenizer.unk_token_id
        return unknown

    @property
    def special_ids(self) -> frozenset[int]:
        """The ids of tokens with a meaning of their own, such as [CLS] and <mask>."""
        return frozenset(self._checkpoint.tokenizer.all_special_ids)

    @property
    def lowercases(self) -> bool:
        """Whether the tokenizer drops capital letters."""
        normalizer = self._checkpoint.tokenizer.backend_tokenizer.normalizer
        return bool(normalizer) and "a" in normalizer.normalize_str("A")

    @property
    def is_byte_level(self) -> bool:
        """Whether its pieces are made of bytes, each written as one character."""
        return is_byte_level(self._checkpoint.tokenizer)

    @property
    def notices(self) -> tuple[str, ...]:
        """What went differently than asked, in plain sentences."""
        return self._checkpoint.notices

    def readable(self, token: str) -> str:
        """Give `token` without the family's marks for the beginning or the middle of a word."""
        return token.removeprefix(self.family.continuation_prefix).removeprefix(
            self.family.word_prefix
        )

    def token(self, token_id: int) -> str:
        """Give the token with this id, spelled as in the vocabulary."""
        return str(self._checkpoint.tokenizer.convert_ids_to_tokens(token_id))

    def pieces(self, word: str) -> tuple[tuple[int, str], ...]:
        """Split `word`, standing inside a sentence, into (id, token) pieces."""
        found = self._encode(f" {word.strip()}", None, True, add_special_tokens=False)[0]
        return tuple(zip(found.input_ids, found.tokens, strict=True))

    def encode(
        self, text: str, pair: str | None = None, *, literal: bool = True, cut: bool = True
    ) -> Encoding:
        """Tokenize `text`, or a pair, cut to what the model can read; whole without `cut`.

        With `literal`, a special token that was typed is text like any other, except where it is
        a piece of a SentencePiece vocabulary; without it, it is the special token (needed for
        masks).
        """
        whole = self._encode(text, pair, literal, truncation=False)[0]
        if len(whole) <= self.max_length or not cut:
            return whole
        short = self._encode(text, pair, literal, truncation=True, max_length=self.max_length)[0]
        return replace(short, full_length=len(whole))

    def normalization(self, text: str, kept: Sequence[Span] = ()) -> tuple[NormalizerStep, ...]:
        """Follow `text` through the normalizer, step by step; spans of special tokens are kept."""
        with self._checkpoint.tokenizer_lock:
            normalizer = self._checkpoint.tokenizer.backend_tokenizer.normalizer
            return follow_normalizer(normalizer, well_formed(text), kept)

    def windows(
        self, question: str, passage: str, *, max_length: int, stride: int
    ) -> tuple[Encoding, ...]:
        """Tokenize a question with overlapping windows over a passage.

        `max_length` and `stride` (the overlap) count tokens; the stride is at most a third of a
        window. Raises InputError for a question that leaves no room to move the window.
        """
        tokenizer, max_length = self._checkpoint.tokenizer, min(max_length, self.max_length)
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

    def overlapping(self, text: str, *, max_length: int, stride: int) -> tuple[Encoding, ...]:
        """Tokenize `text` in windows of at most `max_length` tokens that share `stride` of them.

        A text that is short enough becomes one window, as `encode` gives it. The stride is at most
        a third of a window.
        """
        max_length = min(max_length, self.max_length)
        return self._encode(
            text,
            None,
            True,
            truncation=True,
            max_length=max_length,
            stride=min(stride, max_length // 3),
            return_overflowing_tokens=True,
        )

    def _encode(
        self, text: str, pair: str | None, literal: bool, **options: Any
    ) -> tuple[Encoding, ...]:
        checkpoint = self._checkpoint
        text, pair = well_formed(text), None if pair is None else well_formed(pair)
        with checkpoint.tokenizer_lock:  # its truncation settings are state
            batch = checkpoint.tokenizer(
                text, pair, split_special_tokens=literal, verbose=False, **options
            )
        spell = checkpoint.tokenizer.convert_ids_to_tokens
        return tuple(
            _plain(encoding, spell(encoding.ids), checkpoint.has_segments, self.family.word_prefix)
            for encoding in batch.encodings
        )


def _plain(encoding: Any, tokens: Sequence[str], segments: bool, mark: str) -> Encoding:
    return Encoding(
        tokens=tuple(tokens),  # not its own: they spell out what the vocabulary lacks
        input_ids=tuple(encoding.ids),
        token_type_ids=tuple(encoding.type_ids) if segments else None,
        offsets=_offsets(encoding, tokens, mark),
        sequence_ids=tuple(encoding.sequence_ids),
        word_ids=tuple(encoding.word_ids),
        full_length=len(encoding.ids),
    )


def _offsets(encoding: Any, tokens: Sequence[str], mark: str) -> tuple[Span, ...]:
    """Give the spans of `tokens`; that of a bare word `mark` never reaches into the word.

    A unigram tokenizer gives it the first letter of the word, which the next token has too.
    """
    spans: list[Span] = encoding.offsets
    texts = encoding.sequence_ids
    bare = {
        i
        for i, token in enumerate(tokens[:-1])
        if token == mark and (spans[i][0], texts[i]) == (spans[i + 1][0], texts[i + 1])
    }
    return tuple((s, s) if i in bare else (s, end) for i, (s, end) in enumerate(spans))

"""Tokens: what the tokenizers of several models make of one text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from components.errors import AppError
from components.models.encoding import Encoding, NormalizerStep, Span, well_formed
from components.tasks.characters import find_edges
from components.tasks.compare import Refusal, check_models
from components.tasks.words import Word, check_text, split_words

if TYPE_CHECKING:
    from components.models.reader import Reader

MAX_TOKENIZERS = 10  # one of every family, and some of the Hub


class Kind(StrEnum):
    """What a piece is: of the text, a special token, or one that the vocabulary lacks."""

    PIECE = "piece"
    SPECIAL = "special"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Piece:
    """One token, and where in the text it stands."""

    token: str  # as in the vocabulary
    token_id: int
    kind: Kind
    span: Span | None  # characters of the text; None: the tokenizer added it
    byte_span: Span | None  # the same in bytes of UTF-8; of a byte-level piece its own bytes
    word: int | None  # which word of the text it begins in
    is_cut: bool  # beyond what the network can read


@dataclass(frozen=True, slots=True)
class Row:
    """One text as one tokenizer reads it."""

    model_id: str
    model_type: str  # key of FAMILIES
    family: str
    pieces: tuple[Piece, ...]  # all of them, special ones included
    per_word: tuple[int, ...]  # pieces that have a part in each word of the text
    steps: tuple[NormalizerStep, ...]
    max_length: int  # tokens that the network can read, special ones included
    notices: tuple[str, ...]

    @property
    def unknown(self) -> tuple[Piece, ...]:
        """The pieces that stand for something the vocabulary lacks."""
        return tuple(piece for piece in self.pieces if piece.kind is Kind.UNKNOWN)

    @property
    def cut_at(self) -> int | None:
        """The character from which on nothing is read; None when all of it is."""
        return next((p.span[0] for p in self.pieces if p.is_cut and p.span is not None), None)


@dataclass(frozen=True, slots=True)
class TokenizationResult:
    """One text as every tokenizer reads it, in the order in which they were asked."""

    text: str
    words: tuple[Word, ...]
    characters: tuple[Span, ...]  # as people see them: a letter with its accent is one
    entries: tuple[Row | Refusal, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The tokenizers that could be opened."""
        return tuple(entry for entry in self.entries if isinstance(entry, Row))

    @property
    def groups(self) -> tuple[tuple[Row, ...], ...]:
        """The rows, those together that are the same piece by piece and id by id."""
        groups: dict[object, list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row.pieces, row.steps, row.max_length), []).append(row)
        return tuple(map(tuple, groups.values()))


def predict(
    open_tokenizer: Callable[[str], Reader],
    model_ids: Iterable[str],
    text: str,
    *,
    literal: bool = False,
    tell: Callable[[str, float], None] = lambda _message, _done: None,
) -> TokenizationResult:
    """Give `text` to the tokenizer of every model of `model_ids`.

    With `literal`, special tokens that were typed are read as plain text. A model whose tokenizer
    cannot be had becomes a Refusal. Raises InputError for a text or a list that cannot be used.
    """
    text, wanted = (
        well_formed(check_text(text, "The text")),
        check_models(model_ids, MAX_TOKENIZERS),
    )
    words = split_words(text, "[MASK]")
    entries: list[Row | Refusal] = []
    for done, model_id in enumerate(wanted):
        tell(f"Tokenizer of {model_id}", done / len(wanted))
        try:
            entries.append(_row(open_tokenizer(model_id), text, words, literal))
        except AppError as error:
            entries.append(Refusal.of(model_id, error))
    return TokenizationResult(text, words, tuple(_characters(text)), tuple(entries))


def _row(reader: Reader, text: str, words: Sequence[Word], literal: bool) -> Row:
    encoding = reader.encode(text, literal=literal, cut=False)
    word_at = _word_at(words, len(text))
    pieces = tuple(_pieces(reader, encoding, text, word_at))
    typed = [p.span for p in pieces if p.kind is Kind.SPECIAL and p.span is not None]
    counts = Counter(w for piece in pieces for w in _words_of(piece.span, word_at))
    return Row(
        model_id=reader.id,
        model_type=reader.family.model_type,
        family=reader.family.name,
        pieces=pieces,
        per_word=tuple(counts[i] for i in range(len(words))),
        steps=reader.normalization(text, typed),
        max_length=reader.max_length,
        notices=reader.notices,
    )


def _characters(text: str) -> Iterator[Span]:
    """Part `text` into what people see as its characters."""
    edges, start = find_edges(text), 0
    while start < len(text):
        stop = start + 1 if text[start].isspace() else int(edges.end[start + 1])
        yield start, max(stop, start + 1)
        start = max(stop, start + 1)


def _word_at(words: Sequence[Word], length: int) -> list[int | None]:
    """Give for every character of the text, and for its end, the word it belongs to."""
    found: list[int | None] = [None] * (length + 1)
    for i, word in enumerate(words):
        found[slice(*word.span)] = [i] * (word.span[1] - word.span[0])
    return found


def _words_of(span: Span | None, word_at: Sequence[int | None]) -> list[int]:
    """Give the words that a piece has a part in; that of a bare word mark is the next one."""
    if span is None:
        return []
    inside = dict.fromkeys(w for w in word_at[slice(*span)] if w is not None)
    following = word_at[span[1]]
    return list(inside) or ([] if following is None else [following])


def _pieces(
    reader: Reader, encoding: Encoding, text: str, word_at: Sequence[int | None]
) -> Iterator[Piece]:
    added = sum(sequence is None for sequence in encoding.sequence_ids)
    room, read = reader.max_length - added, 0
    spans = [
        None if sequence is None else span
        for span, sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True)
    ]
    mark = reader.family.word_prefix if reader.is_byte_level else None
    in_bytes = _byte_spans(spans, encoding.tokens, text, mark)
    for i, (token, token_id) in enumerate(zip(encoding.tokens, encoding.input_ids, strict=True)):
        span = spans[i]
        read += span is not None
        kind = _kind(reader, token, token_id, None if span is None else text[slice(*span)])
        word = next(iter(_words_of(span, word_at)), None)
        yield Piece(
            token, token_id, kind, span, in_bytes[i], word, span is not None and read > room
        )


def _kind(reader: Reader, token: str, token_id: int, stands_for: str | None) -> Kind:
    if stands_for is None:
        return Kind.SPECIAL
    if token_id in reader.special_ids and stands_for.strip() == token:  # it was typed
        return Kind.SPECIAL
    return Kind.UNKNOWN if token_id == reader.unknown_token_id else Kind.PIECE


def _byte_spans(
    spans: Sequence[Span | None], tokens: Sequence[str], text: str, mark: str | None
) -> list[Span | None]:
    """Give the spans in bytes of UTF-8.

    With the `mark` of a byte-level tokenizer, pieces that share a character share out its bytes:
    every character of such a token is one byte, its mark is a space before the span.
    """
    starts = [0]
    for character in text:
        starts.append(starts[-1] + len(character.encode("utf-8")))
    found = [None if span is None else (starts[span[0]], starts[span[1]]) for span in spans]
    if mark is None:
        return list(found)
    for run in _runs(spans):
        sizes = [len(tokens[i].removeprefix(mark)) for i in run]
        ends = [found[i] for i in run]
        first, last = ends[0], ends[-1]
        if first is None or last is None or sum(sizes) != last[1] - first[0]:
            continue
        at = first[0]
        for i, size in zip(run, sizes, strict=True):
            found[i], at = (at, at + size), at + size
    return list(found)


def _runs(spans: Sequence[Span | None]) -> Iterator[list[int]]:
    """Give the positions of neighbours that share a character, run by run."""
    run: list[int] = []
    for i, span in enumerate(spans):
        before = spans[i - 1] if i else None
        if span is not None and before is not None and span[0] < before[1]:
            run = [*run, i] if run else [i - 1, i]
            continue
        if run:
            yield run
        run = []
    if run:
        yield run

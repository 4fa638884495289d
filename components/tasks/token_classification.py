"""Named entities: a label for every token of a text, and the names that they make up.

A text that is longer than one input is read in windows that overlap; of a token that stands in
two, the window counts in which it is farther from an edge (Devlin et al. 2019, 5.3, read so too).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_REVIEW
from components.errors import InputError
from components.models.encoding import Encoding
from components.tasks.aggregation import Dispute, Entity, Piece, Strategy, aggregate, disputes
from components.tasks.characters import find_edges
from components.tasks.scores import softmax
from components.tasks.words import check_position, check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

OVERLAP = 4  # windows share a fourth of their tokens


@dataclass(frozen=True, slots=True)
class TokenClassificationResult:
    """The labels of all tokens of `text`, and the entities by each way to join them."""

    model_id: str
    text: str
    labels: tuple[str, ...]  # as the checkpoint names them
    pieces: tuple[Piece, ...]  # special tokens left out
    entities: dict[str, tuple[Entity, ...]]  # by strategy
    disputes: tuple[Dispute, ...]
    chosen: int  # the piece that is looked at
    windows: int
    window_length: int  # tokens of one window at most, special ones included
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Window:
    """Some of the tokens of a text, between the special ones."""

    encoding: Encoding
    lead: int  # special tokens before the text
    first: int  # of the text's tokens
    after: int


def predict(model: LoadedModel, text: str, *, position: object = None) -> TokenClassificationResult:
    """Label every token of `text` and join them to entities in four ways.

    `position` is the piece to look at, counted from 0 without special tokens; None for the first
    that the strategies dispute, else the first of an entity. Raises InputError for a text that is
    empty, too long (MAX_REVIEW characters), or holds nothing that the model can read.
    """
    encoding = model.encode(check_text(text, "The text", MAX_REVIEW), cut=False)
    read = [i for i, number in enumerate(encoding.sequence_ids) if number is not None]
    if not read:  # characters of no width become no token
        raise InputError("The text has nothing that the model can read. Type some words.")
    asked = check_position(position, len(read))
    windows = list(_windows(encoding, read, model.max_length))
    scores = _joined(windows, [softmax(answer["logits"]) for answer in _run(model, windows)])
    pieces = tuple(
        _piece(model, text, encoding, i, row) for i, row in zip(read, scores, strict=True)
    )
    edges = find_edges(text)
    found = {way.value: aggregate(pieces, model.labels, way, edges) for way in Strategy}
    disputed = disputes(found)
    return TokenClassificationResult(
        model_id=model.id,
        text=text,
        labels=model.labels,
        pieces=pieces,
        entities=found,
        disputes=disputed,
        chosen=_first(found, disputed) if asked is None else asked,
        windows=len(windows),
        window_length=model.max_length,
        notices=model.notices,
    )


def _run(
    model: LoadedModel, windows: Sequence[_Window]
) -> Sequence[dict[str, NDArray[np.float32]]]:
    return [dict(answer) for answer in model.run([window.encoding for window in windows])]


def _first(found: dict[str, tuple[Entity, ...]], disputed: Sequence[Dispute]) -> int:
    places = [e for each in disputed[:1] for some in each.readings.values() for e in some]
    return min((e.pieces[0] for e in places or found[Strategy.FIRST]), default=0)


def _windows(encoding: Encoding, read: Sequence[int], limit: int) -> Iterator[_Window]:
    """Cut a text into windows of at most `limit` tokens; `read` are the positions of its own."""
    lead, count = read[0], len(read)
    ending = range(read[-1] + 1, len(encoding))
    size = limit - lead - len(ending)
    step = size - size // OVERLAP
    starts = [0] if count <= size else [*range(0, count - size, step), count - size]
    for first in starts:
        after = min(first + size, count)
        yield _Window(
            _picked(encoding, [*range(lead), *read[first:after], *ending]), lead, first, after
        )


def _picked(encoding: Encoding, positions: Sequence[int]) -> Encoding:
    types = encoding.token_type_ids
    return replace(
        encoding,
        tokens=tuple(encoding.tokens[i] for i in positions),
        input_ids=tuple(encoding.input_ids[i] for i in positions),
        token_type_ids=None if types is None else tuple(types[i] for i in positions),
        offsets=tuple(encoding.offsets[i] for i in positions),
        sequence_ids=tuple(encoding.sequence_ids[i] for i in positions),
        word_ids=tuple(encoding.word_ids[i] for i in positions),
        full_length=len(positions),
    )


def _joined(
    windows: Sequence[_Window], scores: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Give the scores (tokens, labels) of the whole text, each from the window that knows best."""
    count = windows[-1].after
    best, margins = np.zeros((count, scores[0].shape[-1])), np.full(count, -1)
    for window, rows in zip(windows, scores, strict=True):
        places = np.arange(window.first, window.after)
        left = places - window.first if window.first else np.full(len(places), count)
        right = window.after - 1 - places if window.after < count else np.full(len(places), count)
        margin = np.minimum(left, right)
        wins = margin > margins[places]
        best[places[wins]] = rows[window.lead : window.lead + len(places)][wins]
        margins[places[wins]] = margin[wins]
    return best


def _piece(
    model: LoadedModel, text: str, encoding: Encoding, position: int, scores: NDArray[np.float64]
) -> Piece:
    best = int(scores.argmax())
    return Piece(
        token=encoding.tokens[position],
        span=encoding.offsets[position],
        goes_on=_goes_on(model, text, encoding, position),
        label=model.labels[best],
        score=float(scores[best]),
        scores=tuple(float(score) for score in scores),
    )


def _goes_on(model: LoadedModel, text: str, encoding: Encoding, position: int) -> bool:
    """Say whether transformers takes a token for the rest of a word.

    Where pieces inside a word are marked, one whose spelling is as long as its characters is none
    of them; elsewhere all that no space parts is one word, punctuation included.
    """
    start, end = encoding.offsets[position]
    if encoding.input_ids[position] == model.unknown_token_id:
        return False
    if model.family.continuation_prefix:
        return len(encoding.tokens[position]) != end - start
    return start > 0 and " " not in text[start - 1 : start + 1]

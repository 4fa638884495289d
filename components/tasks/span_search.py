"""The span search of extractive question answering: from start and end logits to answers.

Pure arithmetic over encodings and logits; the rules are those of SQuAD 2 (Rajpurkar et al. 2018;
Devlin et al. 2019, 4.2 and 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding, Span
from components.tasks.characters import Edges, find_edges
from components.tasks.scores import softmax

Logits = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer: its raw logits, and its share among all that were compared."""

    score: float  # softmax over every span of the passage and "no answer"
    start_logit: float
    end_logit: float
    window: int  # where these logits were read, from 0
    # first and last, in that window; both the first token for "no answer"
    tokens: tuple[int, int] = field(default=(0, 0), kw_only=True)

    @property
    def logit(self) -> float:
        """The raw sum that answers are ranked by."""
        return self.start_logit + self.end_logit


@dataclass(frozen=True, slots=True)
class Answer(Evidence):
    """A span of the passage: `text` is exactly what stands at `span` there."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """One stretch of the passage, as it was read together with the question."""

    span: Span  # characters of the passage
    tokens: int  # question and special tokens included
    best_logit: float | None  # the highest raw sum of a span in it; None: it holds no word
    no_answer_logit: float
    # What a softmax over this window alone makes of its best span: of no use between windows, as
    # one that has little to offer can be surer of it than the one that holds the answer.
    own_score: float | None = None


@dataclass(frozen=True, slots=True)
class Decoded:
    """The answers best first, what speaks for none, and the windows in reading order."""

    answers: tuple[Answer, ...]
    no_answer: Evidence
    windows: tuple[Window, ...]
    compared: int  # different spans that were compared


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Spans with their raw sums, one a row."""

    spans: NDArray[np.int64]  # (candidates, 2): characters of the passage
    logits: NDArray[np.float64]  # (candidates,)
    places: NDArray[np.int32]  # (candidates, 3): window, first and last token

    def __getitem__(self, rows: NDArray[np.intp] | slice) -> _Candidates:
        return _Candidates(self.spans[rows], self.logits[rows], self.places[rows])


def decode(
    passage: str,
    encodings: Sequence[Encoding],
    start_logits: Sequence[Logits],
    end_logits: Sequence[Logits],
    *,
    top_k: int,
    max_answer_length: int,
    also: Span | None = None,
) -> Decoded:
    """Find the `top_k` best spans of `passage`, each of at most `max_answer_length` tokens.

    The span `also` is given behind them, whatever its rank, if it is one that is compared.

    One encoding a window, one (tokens,) array of logits each. Start and end are sought together,
    in passage tokens only. Windows are compared by raw sums: a softmax within each would favour
    those that have nothing to offer. "No answer" is start + end at [CLS]; of several windows the
    lowest counts, as every window must say that the answer is not in it.
    """
    pairs = list(zip(start_logits, end_logits, strict=True))
    edges = find_edges(passage)
    found = [
        _distinct(_search(number, encoding, *pairs[number], edges, max_answer_length))
        for number, encoding in enumerate(encodings)
    ]
    windows = tuple(
        _window(encoding, start, end, edges, candidates)
        for encoding, (start, end), candidates in zip(encodings, pairs, found, strict=True)
    )
    nowhere = int(np.argmin([window.no_answer_logit for window in windows]))
    everything = _distinct(_joined(found))
    scores = softmax(np.append(windows[nowhere].no_answer_logit, everything.logits))
    rows = [*range(min(top_k, len(everything.logits)))]
    if also is not None:
        rows += np.flatnonzero((everything.spans == also).all(axis=1)).tolist()
    return Decoded(
        answers=tuple(_answer(passage, everything, row, scores[row + 1], pairs) for row in rows),
        no_answer=_evidence(scores[0], pairs, nowhere, 0, 0),
        windows=windows,
        compared=len(everything.logits),
    )


def _search(
    window: int,
    encoding: Encoding,
    start_logits: Logits,
    end_logits: Logits,
    edges: Edges,
    max_answer_length: int,
) -> _Candidates:
    """List every span of one window whose start is not behind its end."""
    tokens, begin, end = passage_edges(encoding, edges)
    width = min(max_answer_length, len(tokens))
    first = np.arange(len(tokens))[:, None]  # (tokens, 1)
    last = first + np.arange(width)  # (tokens, width)
    inside = last < len(tokens)
    last = np.minimum(last, len(tokens) - 1)
    sums = start_logits.astype(float)[tokens][first] + end_logits.astype(float)[tokens][last]
    chosen = inside & (begin[first] < end[last])  # else it is made of nothing but spaces
    rows, columns = np.nonzero(chosen)
    ends = last[rows, columns]
    places = np.column_stack([np.full(len(rows), window), tokens[rows], tokens[ends]])
    spans = np.column_stack([begin[rows], end[ends]])
    return _Candidates(spans, sums[chosen], places.astype(np.int32))


def passage_edges(
    encoding: Encoding, edges: Edges, *, text: int = 1
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """Give the positions of passage tokens, and the characters where each begins and ends.

    The passage is the second text of the input, or the one that `text` says. Spaces are left out
    and visible characters whole, so a token of spaces ends where it begins, or before.
    """
    tokens = np.flatnonzero([which == text for which in encoding.sequence_ids])  # (passage tokens,)
    offsets = np.array(encoding.offsets, dtype=int).reshape(-1, 2)[tokens]  # (passage tokens, 2)
    return tokens, edges.begin[offsets[:, 0]], edges.end[offsets[:, 1]]


def _joined(found: Sequence[_Candidates]) -> _Candidates:
    return _Candidates(
        np.concatenate([one.spans for one in found]),
        np.concatenate([one.logits for one in found]),
        np.concatenate([one.places for one in found]),
    )


def _distinct(candidates: _Candidates) -> _Candidates:
    """Sort, best first; of those with the same characters keep the best."""
    ranked = candidates[np.argsort(-candidates.logits, kind="stable")]
    keys = ranked.spans[:, 0] << 32 | ranked.spans[:, 1]
    return ranked[np.sort(np.unique(keys, return_index=True)[1])]


def _window(
    encoding: Encoding, start: Logits, end: Logits, edges: Edges, candidates: _Candidates
) -> Window:
    _, begins, ends = passage_edges(encoding, edges)
    nothing = float(start[0]) + float(end[0])
    is_empty = not len(candidates.logits)
    return Window(
        span=(int(begins[0]), int(ends[-1])) if len(begins) else (0, 0),
        tokens=len(encoding),
        best_logit=None if is_empty else float(candidates.logits[0]),
        no_answer_logit=nothing,
        own_score=None if is_empty else float(softmax(np.append(candidates.logits, nothing))[0]),
    )


def _answer(
    passage: str,
    candidates: _Candidates,
    row: int,
    score: float,
    pairs: Sequence[tuple[Logits, Logits]],
) -> Answer:
    begin, end = (int(edge) for edge in candidates.spans[row])
    window, first, last = (int(place) for place in candidates.places[row])
    found = _evidence(score, pairs, window, first, last)
    return Answer(
        score=found.score,
        start_logit=found.start_logit,
        end_logit=found.end_logit,
        window=window,
        span=(begin, end),
        text=passage[begin:end],
        tokens=(first, last),
    )


def _evidence(
    score: float, pairs: Sequence[tuple[Logits, Logits]], window: int, first: int, last: int
) -> Evidence:
    start_logits, end_logits = pairs[window]
    return Evidence(float(score), float(start_logits[first]), float(end_logits[last]), window)

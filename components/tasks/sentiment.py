"""Sentiment: the classes of a text, by whatever classifier the model carries.

A text that is longer than the model reads at once is read in overlapping windows. Each is judged
on its own, and the text by the mean of their logits, weighted by the tokens of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_PASSAGE, MAX_REVIEW
from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.characters import find_edges
from components.tasks.scores import sigmoid, softmax
from components.tasks.span_search import passage_edges
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import Arrays, LoadedModel

MIN_WINDOW, MAX_WINDOW = 32, 512  # tokens
OVERLAP = 4  # windows share their length divided by this

_AT_ONCE = 16  # windows run between two words to who waits


class Scale(StrEnum):
    """What the numbers of a classifier mean."""

    ONE_OF = "one of"  # softmax: probabilities of classes that exclude each other
    ANY_OF = "any of"  # sigmoid: each class is judged on its own
    NUMBER = "number"  # regression: no probability at all


@dataclass(frozen=True, slots=True)
class Window:
    """One stretch of a long text, judged on its own."""

    span: Span  # characters of the text
    tokens: int  # of the text, which it weighs as much as; special ones aside
    logits: tuple[float, ...]  # in the order of the model's labels
    scores: tuple[float, ...]  # the same on the model's scale


@dataclass(frozen=True, slots=True)
class Classified:
    """One text with its scores, in the order of the model's labels."""

    text: str
    scores: tuple[float, ...]
    chosen: tuple[int, ...]  # indices of the labels it gets; none for a number
    tokens_read: int
    tokens: int  # before the end was left out, special ones included
    windows: tuple[Window, ...] = ()  # in reading order; none where it was read at once

    @property
    def top(self) -> int:
        """The index of the highest score."""
        return max(range(len(self.scores)), key=self.scores.__getitem__)


@dataclass(frozen=True, slots=True)
class SentimentResult:
    """Every text in its order, and what its numbers mean."""

    model_id: str
    scale: Scale
    labels: tuple[str, ...]  # as the checkpoint names them
    texts: tuple[Classified, ...]
    notices: tuple[str, ...]


def predict(
    model: LoadedModel,
    texts: Sequence[str],
    *,
    notices: Sequence[str] = (),
    window: int | None = None,
    tell: Callable[[str, float], None] = lambda _message, _done: None,
) -> SentimentResult:
    """Classify `texts`, each on its own.

    With `window`, a text that is longer than so many tokens, or than the model reads, is read in
    overlapping windows; without it by its beginning. `tell` hears how far that is, and `notices`
    of how the texts were read are passed on. Raises InputError for a text that is empty or too
    long.
    """
    parts = [_parts(model, text, i, window) for i, text in enumerate(texts, start=1)]
    encodings = [encoding for part in parts for encoding in part]
    is_long = len(encodings) > len(parts)
    answers = _run(model, encodings, tell) if is_long else model.run(encodings)
    logits = [answer["logits"] for answer in answers]  # (labels,) a window
    scale = scale_of(model.problem_type, len(model.labels))
    classified, done = [], 0
    for text, part in zip(texts, parts, strict=True):
        found = logits[done : done + len(part)]
        done += len(part)
        classified.append(_classified(model, text, part, scale, found))
    return SentimentResult(
        model_id=model.id,
        scale=scale,
        labels=model.labels,
        texts=tuple(classified),
        notices=(*model.notices, *notices),
    )


def _run(
    model: LoadedModel, encodings: Sequence[Encoding], tell: Callable[[str, float], None]
) -> list[Arrays]:
    """Run a few windows at a time, and say how many are behind."""
    answers: list[Arrays] = []
    for begin in range(0, len(encodings), _AT_ONCE):
        if len(encodings) > _AT_ONCE:
            tell(f"Window {begin + 1} of {len(encodings)}", begin / len(encodings))
        answers += model.run(encodings[begin : begin + _AT_ONCE])
    return answers


def scale_of(problem_type: str | None, labels: int) -> Scale:
    """Say what the logits of a classifier mean: its own word first, then its number of outputs."""
    if problem_type == "multi_label_classification":
        return Scale.ANY_OF
    if problem_type == "regression" or labels == 1:
        return Scale.NUMBER
    return Scale.ONE_OF


def scores_of(logits: NDArray[np.floating], scale: Scale) -> NDArray[np.float64]:
    """Turn logits (labels,) into the numbers that `scale` asks for."""
    if scale is Scale.ONE_OF:
        return softmax(logits)
    return sigmoid(logits) if scale is Scale.ANY_OF else logits.astype(np.float64)


def _parts(model: LoadedModel, text: str, number: int, window: int | None) -> Sequence[Encoding]:
    """Tokenize a text: one encoding, or one a window."""
    limit = MAX_REVIEW if window is None else MAX_PASSAGE
    typed = check_text(text, f"Text {number}", limit)
    if window is None:
        encodings: Sequence[Encoding] = [model.encode(typed)]
    else:
        length = max(MIN_WINDOW, min(int(window), MAX_WINDOW, model.max_length))
        encodings = model.overlapping(typed, max_length=length, stride=length // OVERLAP)
    if all(0 not in encoding.sequence_ids for encoding in encodings):
        raise InputError(f"Text {number} has nothing that the model can read. Type some words.")
    return encodings


def _classified(
    model: LoadedModel,
    text: str,
    encodings: Sequence[Encoding],
    scale: Scale,
    logits: Sequence[NDArray[np.floating]],
) -> Classified:
    windows = _windows(text, encodings, scale, logits) if len(encodings) > 1 else ()
    scores = scores_of(combined(logits, [w.tokens for w in windows] or [1]), scale)  # (labels,)
    chosen = {
        Scale.ONE_OF: (int(scores.argmax()),),
        Scale.ANY_OF: tuple(int(i) for i in np.flatnonzero(scores >= 0.5)),
        Scale.NUMBER: (),
    }
    whole = len(model.encode(text, cut=False)) if windows else encodings[0].full_length
    return Classified(
        text=text,
        scores=tuple(float(score) for score in scores),
        chosen=chosen[scale],
        tokens_read=whole if windows else len(encodings[0]),
        tokens=whole,
        windows=windows,
    )


def combined(logits: Sequence[NDArray[np.floating]], tokens: Sequence[int]) -> NDArray[np.float64]:
    """Give the mean of the windows' logits (labels,), weighted by the tokens of each."""
    mean: NDArray[np.float64] = np.average(
        np.stack(logits).astype(np.float64), axis=0, weights=tokens
    )
    return mean


def _windows(
    text: str,
    encodings: Sequence[Encoding],
    scale: Scale,
    logits: Sequence[NDArray[np.floating]],
) -> tuple[Window, ...]:
    edges = find_edges(text)
    found = []
    for encoding, given in zip(encodings, logits, strict=True):
        tokens, begins, ends = passage_edges(encoding, edges, text=0)
        found.append(
            Window(
                span=(int(begins[0]), int(ends[-1])),
                tokens=len(tokens),
                logits=tuple(float(logit) for logit in given),
                scores=tuple(float(score) for score in scores_of(given, scale)),
            )
        )
    return tuple(found)

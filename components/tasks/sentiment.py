"""Sentiment: the classes of a text, by whatever classifier the model carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_REVIEW
from components.errors import InputError
from components.models.encoding import Encoding
from components.tasks.scores import sigmoid, softmax
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel


class Scale(StrEnum):
    """What the numbers of a classifier mean."""

    ONE_OF = "one of"  # softmax: probabilities of classes that exclude each other
    ANY_OF = "any of"  # sigmoid: each class is judged on its own
    NUMBER = "number"  # regression: no probability at all


@dataclass(frozen=True, slots=True)
class Classified:
    """One text with its scores, in the order of the model's labels."""

    text: str
    scores: tuple[float, ...]
    chosen: tuple[int, ...]  # indices of the labels it gets; none for a number
    tokens_read: int
    tokens: int  # before the end was left out, special ones included

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
    model: LoadedModel, texts: Sequence[str], *, notices: Sequence[str] = ()
) -> SentimentResult:
    """Classify `texts`, each on its own; a text longer than the model reads by its beginning.

    `notices` of how the texts were read are passed on. Raises InputError for a text that is empty
    or longer than MAX_REVIEW characters.
    """
    encodings = [_encoded(model, text, i) for i, text in enumerate(texts, start=1)]
    scale = scale_of(model.problem_type, len(model.labels))
    answers = model.run(encodings)  # one {"logits": (labels,)} a text
    return SentimentResult(
        model_id=model.id,
        scale=scale,
        labels=model.labels,
        texts=tuple(
            _classified(text, encoding, scale, answer["logits"])
            for text, encoding, answer in zip(texts, encodings, answers, strict=True)
        ),
        notices=(*model.notices, *notices),
    )


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


def _encoded(model: LoadedModel, text: str, number: int) -> Encoding:
    encoding = model.encode(check_text(text, f"Text {number}", MAX_REVIEW))
    if 0 not in encoding.sequence_ids:  # characters of no width become no token
        raise InputError(f"Text {number} has nothing that the model can read. Type some words.")
    return encoding


def _classified(
    text: str, encoding: Encoding, scale: Scale, logits: NDArray[np.floating]
) -> Classified:
    scores = scores_of(logits, scale)  # (labels,)
    chosen = {
        Scale.ONE_OF: (int(scores.argmax()),),
        Scale.ANY_OF: tuple(int(i) for i in np.flatnonzero(scores >= 0.5)),
        Scale.NUMBER: (),
    }
    return Classified(
        text=text,
        scores=tuple(float(score) for score in scores),
        chosen=chosen[scale],
        tokens_read=len(encoding),
        tokens=encoding.full_length,
    )

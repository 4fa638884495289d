"""The scores behind extractive answers: every piece of the passage as start and as end.

What question_answering finds is the highest sum of a start and an end logit. Here all of them are
kept, for several questions of one passage, and how far "no answer" is ahead of the best span: the
number that SQuAD 2 compares with a threshold (Rajpurkar et al. 2018; Devlin et al. 2019, 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_PASSAGE
from components.errors import InputError
from components.tasks import question_answering
from components.tasks.characters import Edges, find_edges
from components.tasks.question_answering import QuestionAnsweringResult, Reading, Tell
from components.tasks.span_search import passage_edges
from components.tasks.texts import from_lines
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_QUESTIONS = 20  # of one passage


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Raw logits along the passage; of a piece that stands in two windows, the higher one."""

    start: NDArray[np.float32]  # (pieces,)
    end: NDArray[np.float32]  # (pieces,)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerScoresResult:
    """Each question's answers, and its scores along the one passage."""

    model_id: str
    passage: str
    pieces: NDArray[np.int64]  # (pieces, 2): characters of each token, in reading order
    results: tuple[QuestionAnsweringResult, ...]  # one a question, in their order
    tracks: tuple[Track, ...]  # one a question
    notices: tuple[str, ...]


def predict(
    model: LoadedModel,
    questions: str,
    passage: str,
    *,
    top_k: int = 5,
    max_length: int = 384,
    stride: int = 128,
    max_answer_length: int = 30,
    tell: Tell = lambda _message, _done: None,
) -> AnswerScoresResult:
    """Put `questions`, one a line, to `passage`; the options are those of question_answering.

    Raises InputError for a text that is empty or too long, and for too many questions.
    """
    asked = _asked(questions)
    edges = find_edges(check_text(passage, "The passage", MAX_PASSAGE))
    results, found = [], []
    for number, question in enumerate(asked):
        reading = _read(
            model, question, passage, number, len(asked),
            max_length=max_length, stride=stride, tell=tell,
        )  # fmt: skip
        results.append(
            question_answering.answer(
                model, reading, top_k=top_k, max_answer_length=max_answer_length
            )
        )
        found.append(_track(reading, edges))
    return AnswerScoresResult(
        model_id=model.id,
        passage=passage,
        pieces=found[0][0],  # the same for each: a question moves windows, not pieces
        results=tuple(results),
        tracks=tuple(track for _, track in found),
        notices=results[0].notices,
    )


def lead(result: QuestionAnsweringResult) -> float | None:
    """Say how far "no answer" is ahead of the best span, in raw sums; None without a span."""
    return result.no_answer.logit - result.answers[0].logit if result.answers else None


def _asked(questions: str) -> Sequence[str]:
    if not questions.strip():
        raise InputError("There is no question. Type one a line, or choose an example.")
    asked = from_lines(questions).texts
    if len(asked) > MAX_QUESTIONS:
        raise InputError(
            f"These are {len(asked):,} questions, and at most {MAX_QUESTIONS} are asked at once. "
            "Leave some out."
        )
    return asked


def _read(
    model: LoadedModel,
    question: str,
    passage: str,
    number: int,
    of: int,
    *,
    max_length: int,
    stride: int,
    tell: Tell,
) -> Reading:
    """Read the passage for one of several questions; what is refused names the question."""
    heard = partial(_tell_of, tell, number, of)
    heard("", 0.0)
    try:
        return question_answering.read(
            model, question, passage, max_length=max_length, stride=stride, tell=heard
        )
    except InputError as error:
        if of == 1:
            raise
        raise InputError(f"Question {number + 1}: {error}") from error


def _tell_of(tell: Tell, number: int, of: int, message: str, done: float) -> None:
    told = f"Question {number + 1} of {of}" if of > 1 else ""
    said = ", ".join(filter(None, (told, message)))
    if said:
        tell(said, (number + done) / of)


def _track(reading: Reading, edges: Edges) -> tuple[NDArray[np.int64], Track]:
    """Put the windows together: pieces (pieces, 2) and the higher logits of each."""
    spans, starts, ends = [], [], []
    rows = zip(reading.encodings, reading.start_logits, reading.end_logits, strict=True)
    for encoding, start, end in rows:
        tokens, begins, stops = passage_edges(encoding, edges)
        kept = begins < stops  # else it is made of nothing but spaces
        spans.append(np.column_stack([begins, stops])[kept])
        starts.append(start[tokens][kept])
        ends.append(end[tokens][kept])
    pieces, which = np.unique(np.concatenate(spans), axis=0, return_inverse=True)
    high = np.full((2, len(pieces)), -np.inf, dtype=np.float32)
    np.maximum.at(high[0], which, np.concatenate(starts))
    np.maximum.at(high[1], which, np.concatenate(ends))
    return pieces, Track(start=high[0], end=high[1])

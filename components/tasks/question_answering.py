"""Question answering: which span of a passage answers a question (Devlin et al. 2019, 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.config import MAX_PASSAGE, MAX_TOP_K
from components.models.encoding import Encoding
from components.tasks.span_search import Answer, Evidence, Logits, Window, decode
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import Arrays, LoadedModel

MIN_WINDOW, MAX_WINDOW = 32, 512  # tokens
MAX_ANSWER = 100  # tokens

Tell = Callable[[str, float], None]  # hears what is being done, and which share of it is behind
_AT_ONCE = 8  # windows run between two words to who waits


@dataclass(frozen=True, slots=True)
class QuestionAnsweringResult:
    """The best spans of `passage`, and whether they beat "no answer"."""

    model_id: str
    question: str
    passage: str
    has_answer: bool  # the best span's raw sum is at least that of "no answer"
    answers: tuple[Answer, ...]  # best first, all different; empty if no word could be read
    no_answer: Evidence
    windows: tuple[Window, ...]  # in reading order
    window_length: int  # tokens of one window at most, question included
    overlap: int  # tokens that a window shares with the one before
    max_answer_length: int  # tokens
    compared: int  # different spans that the scores are shares among, "no answer" aside
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A passage as it was read for one question: one encoding and two (tokens,) a window."""

    question: str
    passage: str
    encodings: tuple[Encoding, ...]
    start_logits: tuple[Logits, ...]
    end_logits: tuple[Logits, ...]
    window_length: int  # tokens of one window at most
    overlap: int  # tokens that two windows share


def predict(
    model: LoadedModel,
    question: str,
    passage: str,
    *,
    top_k: int = 5,
    max_length: int = 384,
    stride: int = 128,
    max_answer_length: int = 30,
    tell: Tell | None = None,
) -> QuestionAnsweringResult:
    """Find the spans of `passage` that answer `question` best.

    A passage that is too long for one window of `max_length` tokens is read in several that share
    `stride` tokens, at most a third of a window. `tell` hears how far that is. Raises InputError
    for a text that is empty or too long.
    """
    reading = read(model, question, passage, max_length=max_length, stride=stride, tell=tell)
    return answer(model, reading, top_k=top_k, max_answer_length=max_answer_length)


def read(
    model: LoadedModel,
    question: str,
    passage: str,
    *,
    max_length: int = 384,
    stride: int = 128,
    tell: Tell | None = None,
) -> Reading:
    """Run the network over every window of `passage`, see `predict`."""
    check_text(question, "The question")
    check_text(passage, "The passage", MAX_PASSAGE)
    length = _between(MIN_WINDOW, max_length, min(MAX_WINDOW, model.max_length))
    overlap = _between(0, stride, length // 3)
    encodings = model.windows(question, passage, max_length=length, stride=overlap)
    outputs = model.run(encodings) if tell is None else _told(model, encodings, tell)
    return Reading(
        question=question,
        passage=passage,
        encodings=encodings,
        start_logits=tuple(output["start_logits"] for output in outputs),
        end_logits=tuple(output["end_logits"] for output in outputs),
        window_length=length,
        overlap=overlap,
    )


def _told(model: LoadedModel, encodings: Sequence[Encoding], tell: Tell) -> list[Arrays]:
    """Run a few windows at a time, and say how many are behind."""
    outputs: list[Arrays] = []
    for begin in range(0, len(encodings), _AT_ONCE):
        if len(encodings) > _AT_ONCE:
            tell(f"Window {begin + 1} of {len(encodings)}", begin / len(encodings))
        outputs += model.run(encodings[begin : begin + _AT_ONCE])
    return outputs


def answer(
    model: LoadedModel, reading: Reading, *, top_k: int = 5, max_answer_length: int = 30
) -> QuestionAnsweringResult:
    """Find the best spans of what was read, see `predict`."""
    longest = _between(1, max_answer_length, MAX_ANSWER)
    decoded = decode(
        reading.passage,
        reading.encodings,
        reading.start_logits,
        reading.end_logits,
        top_k=_between(1, top_k, MAX_TOP_K),
        max_answer_length=longest,
    )
    best = decoded.answers[0].logit if decoded.answers else float("-inf")
    return QuestionAnsweringResult(
        model_id=model.id,
        question=reading.question,
        passage=reading.passage,
        has_answer=best >= decoded.no_answer.logit,
        answers=decoded.answers,
        no_answer=decoded.no_answer,
        windows=decoded.windows,
        window_length=reading.window_length,
        overlap=reading.overlap,
        max_answer_length=longest,
        compared=decoded.compared,
        notices=model.notices,
    )


def _between(low: int, value: int, high: int) -> int:
    return max(low, min(int(value), high))

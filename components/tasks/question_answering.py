"""Question answering: which span of a passage answers a question (Devlin et al. 2019, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.config import MAX_PASSAGE, MAX_TOP_K
from components.tasks.span_search import Answer, Evidence, Window, decode
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MIN_WINDOW, MAX_WINDOW = 32, 512  # tokens
MAX_ANSWER = 100  # tokens


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


def predict(
    model: LoadedModel,
    question: str,
    passage: str,
    *,
    top_k: int = 5,
    max_length: int = 384,
    stride: int = 128,
    max_answer_length: int = 30,
) -> QuestionAnsweringResult:
    """Find the spans of `passage` that answer `question` best.

    A passage that is too long for one window of `max_length` tokens is read in several that share
    `stride` tokens, at most a third of a window. Raises InputError for a text that is empty or
    too long.
    """
    check_text(question, "The question")
    check_text(passage, "The passage", MAX_PASSAGE)
    length = _between(MIN_WINDOW, max_length, min(MAX_WINDOW, model.max_length))
    overlap = _between(0, stride, length // 3)
    longest = _between(1, max_answer_length, MAX_ANSWER)
    encodings = model.windows(question, passage, max_length=length, stride=overlap)
    outputs = model.run(encodings)
    decoded = decode(
        passage,
        encodings,
        [output["start_logits"] for output in outputs],
        [output["end_logits"] for output in outputs],
        top_k=_between(1, top_k, MAX_TOP_K),
        max_answer_length=longest,
    )
    best = decoded.answers[0].logit if decoded.answers else float("-inf")
    return QuestionAnsweringResult(
        model_id=model.id,
        question=question,
        passage=passage,
        has_answer=best >= decoded.no_answer.logit,
        answers=decoded.answers,
        no_answer=decoded.no_answer,
        windows=decoded.windows,
        window_length=length,
        overlap=overlap,
        max_answer_length=longest,
        compared=decoded.compared,
        notices=model.notices,
    )


def _between(low: int, value: int, high: int) -> int:
    return max(low, min(int(value), high))

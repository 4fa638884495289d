"""What a model answered, in one sentence, whatever its task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from components.tasks.answers import Answer
from components.tasks.fill_mask import FillMaskResult
from components.tasks.next_sentence import NextSentenceResult
from components.tasks.question_answering import QuestionAnsweringResult
from components.tasks.sentiment import Scale, SentimentResult
from components.views.wording import percent, shortened

_BLANKS = 3  # that are named
_ANSWER = 80  # characters


def sentence(answer: Answer) -> str:
    """Say what the model answered, with the figure for it."""
    return _SENTENCES[type(answer)](answer)


def _filled(answer: FillMaskResult) -> str:
    best = [blank.candidates[0] for blank in answer.blanks[:_BLANKS]]
    told = [f"“{candidate.word}” ({percent(candidate.score)})" for candidate in best]
    verb = "fills the blank" if len(told) == 1 else "fill the blanks"
    return f"{', '.join(told)} {verb}"


def _judged(answer: NextSentenceResult) -> str:
    judgement = answer.judgement
    score = percent(max(judgement.scores))
    return f"B follows A ({score})" if judgement.follows else f"B does not follow A ({score})"


def _weighed(answer: SentimentResult) -> str:
    text = answer.texts[0]
    if answer.scale is Scale.NUMBER:
        return f"{answer.labels[0]}: {text.scores[0]:.2f}"
    named = [f"{answer.labels[i]} ({percent(text.scores[i])})" for i in text.chosen]
    return ", ".join(named) or f"none of the labels; the nearest is {answer.labels[text.top]}"


def _found(answer: QuestionAnsweringResult) -> str:
    if not answer.has_answer:
        return f"The passage does not say ({percent(answer.no_answer.score)})"
    best = answer.answers[0]
    return f"“{shortened(best.text, _ANSWER)}” is the answer ({percent(best.score)})"


_SENTENCES: Mapping[type, Callable[[Any], str]] = {
    FillMaskResult: _filled,
    NextSentenceResult: _judged,
    SentimentResult: _weighed,
    QuestionAnsweringResult: _found,
}

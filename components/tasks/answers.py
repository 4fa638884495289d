"""What a model answers in each task, with the very input it read and the attention it paid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Encoding
from components.models.families import Task
from components.tasks import fill_mask, next_sentence, question_answering, sentiment
from components.tasks.words import check_text, with_mask

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel
    from components.models.watching import WatchedModel

Answer = (
    fill_mask.FillMaskResult
    | next_sentence.NextSentenceResult
    | sentiment.SentimentResult
    | question_answering.QuestionAnsweringResult
)
_FILLED = 3  # candidates that the answer names


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One pass of a network: what it read, where it looked, and what it answered."""

    texts: tuple[str, str]  # as read; the second is empty if there is none
    encoding: Encoding
    attention: NDArray[np.float32]  # (layers, heads, queries, keys); rows sum to one
    answer: Answer | None  # None: a plain encoder answers nothing
    notices: tuple[str, ...]


def read(model: LoadedModel, text: str, pair: str = "") -> Reading:
    """Let `model` do what its head is for, and keep the attention of that very input.

    `text` is the sentence, the first of two, or the question; `pair` the second sentence, or the
    passage. `model` must have been loaded with attentions. Raises InputError as the tasks do.
    """
    watched = model.watched(attentions=True)
    return _READERS[model.task](watched, text, pair)


def _plain(model: WatchedModel, text: str, pair: str) -> Reading:
    first, met = with_mask(check_text(text, "The text"), model.mask_token)
    second, more = "", tuple[str, ...]()
    if pair.strip():
        second, more = with_mask(check_text(pair, "The second text"), model.mask_token)
    # A typed special token is text like any other, unless a mask is there to be looked at.
    literal = model.mask_token not in f"{first} {second}"
    encoding = model.encode(first, second or None, literal=literal)
    model.run([encoding])
    spellings = tuple(dict.fromkeys((*met, *more)))
    notices = [*model.notices, *_truncated(encoding)]
    if spellings:
        notices.append(f"{' and '.join(spellings)} was read as {model.mask_token}.")
    return Reading((first, second), encoding, model.attention(), None, tuple(notices))


def _filled(model: WatchedModel, text: str, pair: str) -> Reading:
    result = fill_mask.predict(model, text, top_k=_FILLED)
    return _answered(model, (result.text, ""), result, [*result.notices, *_unread(pair)])


def _judged(model: WatchedModel, text: str, pair: str) -> Reading:
    result = next_sentence.predict(model, text, pair)
    return _answered(model, (text, pair), result, result.notices)


def _weighed(model: WatchedModel, text: str, pair: str) -> Reading:
    result = sentiment.predict(model, [check_text(text, "The text")])
    notices = [*result.notices, *_truncated(model.inputs[0]), *_unread(pair)]
    return _answered(model, (text, ""), result, notices)


def _found(model: WatchedModel, text: str, pair: str) -> Reading:
    if not pair.strip():
        raise InputError(
            "There is no passage yet. Write the question into the first field, and the passage "
            "that may hold its answer into the second one."
        )
    check_text(pair, "The passage")
    result = question_answering.predict(model, text, pair, max_length=model.max_length)
    best = result.answers[0].window if result.has_answer else result.no_answer.window
    notices = list(result.notices)
    if len(result.windows) > 1:
        notices.append(
            f"The passage was read in {len(result.windows)} windows; attention is that of window "
            f"{best + 1}, which gave the answer."
        )
    return _answered(model, (text, pair), result, notices, best)


def _answered(
    model: WatchedModel,
    texts: tuple[str, str],
    answer: Answer,
    notices: list[str] | tuple[str, ...],
    index: int = 0,
) -> Reading:
    return Reading(texts, model.inputs[index], model.attention(index), answer, tuple(notices))


def _unread(pair: str) -> list[str]:
    return ["This task reads the first text only."] if pair.strip() else []


def _truncated(encoding: Encoding) -> list[str]:
    if not encoding.is_truncated:
        return []
    return [f"Only the first {len(encoding)} of {encoding.full_length} tokens were read."]


_READERS: Mapping[Task, Callable[[WatchedModel, str, str], Reading]] = {
    Task.ENCODER: _plain,
    Task.FILL_MASK: _filled,
    Task.NEXT_SENTENCE: _judged,
    Task.SENTIMENT: _weighed,
    Task.QUESTION_ANSWERING: _found,
}
TASKS = tuple(_READERS)

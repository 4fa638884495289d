"""An answer that is followed from run to run: its logit and its probability, in any task.

Add a task as an entry of CASES.
"""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from components.errors import HeadError, InputError
from components.models.encoding import Encoding, Span
from components.models.families import Task
from components.tasks import fill_mask, next_sentence, question_answering, sentiment
from components.tasks.scores import softmax
from components.tasks.sentiment import Scale, scale_of, scores_of
from components.tasks.span_search import Answer, Decoded, Evidence, decode
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.gradients import Target
    from components.models.loaded import Arrays, LoadedModel
    from components.models.watching import WatchedModel

NO_ANSWER = "no answer"
PAIR_ANSWERS = ("B follows A", "B does not follow A")  # by the index of their logits
ORDER_ANSWERS = ("in this order", "swapped")
_LONGEST_NAME = 60  # characters of a refused answer that are given back
_LONGEST_ANSWER = 500  # characters
_LONGEST_SPAN = 30  # tokens
_PLACES = 20  # of a typed answer in a passage that are tried
_NOWHERE: Span = (0, 0)  # the span of "no answer"


@dataclass(frozen=True, slots=True)
class Given:
    """The input of a task: a text, with a second sentence, or with a question about it."""

    text: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one run of a network says of one answer."""

    answer: str
    logit: float  # of a span: the sum of its start and its end
    score: float  # probability


Key = TypeVar("Key")


class Case(ABC, Generic[Key]):
    """An input as the network read it when it answered, and how answers are read off a run."""

    def __init__(
        self,
        encoding: Encoding,
        texts: tuple[str, ...],
        notices: tuple[str, ...],
        positions: tuple[int, ...] | None = None,
    ) -> None:
        self.encoding, self.notices, self.positions = encoding, notices, positions
        self.texts = texts  # what the offsets of `encoding` are characters of

    @abstractmethod
    def best(self, run: Arrays, count: int) -> list[Key]:
        """Give the best `count` answers of a run, at the most."""

    @abstractmethod
    def name(self, key: Key) -> str:
        """Give an answer as it is shown."""

    @abstractmethod
    def read(self, run: Arrays, key: Key) -> Reading:
        """Read what a run says of an answer."""

    @abstractmethod
    def target(self, run: Arrays, key: Key) -> Target:
        """Say which logits of `run` are summed to the logit of an answer."""

    @abstractmethod
    def places(self, run: Arrays, key: Key) -> tuple[int, ...]:
        """Give the positions that the answer is read off."""

    @abstractmethod
    def look_up(self, name: str) -> Key:
        """Find the answer that somebody calls `name`; raises InputError where there is none."""

    def find(self, run: Arrays, name: str, count: int) -> Key:
        """Find an answer by its name, among the best `count` of `run` first."""
        shown = [key for key in self.best(run, count) if self.name(key) == name]
        return shown[0] if shown else self.look_up(name)

    def choose(self, run: Arrays, asked: str, count: int) -> tuple[Key, tuple[str, ...]]:
        """Give the answer that was `asked` for, else the best; and what must be said of that."""
        best = self.best(run, 1)[0]
        if not asked.strip():
            return best, ()
        try:
            return self.find(
                run, check_text(asked.strip(), "The answer to follow", _LONGEST_ANSWER), count
            ), ()
        except InputError as error:  # it may have been typed for another text
            return best, (f"{error} The model's own answer, “{self.name(best)}”, is followed.",)


class _Words(Case[int]):
    """What fills the first blank: every entry of the vocabulary is an answer."""

    def __init__(self, model: LoadedModel, given: Given) -> None:
        watched = model.watched()
        result = fill_mask.predict(watched, check_text(given.text, "The text"), top_k=1)
        encodings, options = watched.runs[0]
        notices = result.notices
        if len(result.blanks) > 1:
            notices += (f"The first of the {len(result.blanks)} blanks is followed.",)
        positions = tuple(options["positions"][0][:1])
        super().__init__(encodings[0], (result.text,), notices, positions)
        self._model = model

    def best(self, run: Arrays, count: int) -> list[int]:
        logits = run["logits"][0]  # (vocabulary,)
        found = np.argpartition(-logits, count)[:count]
        return [int(i) for i in found[np.argsort(-logits[found], kind="stable")]]

    def name(self, key: int) -> str:
        return self._model.readable(self._model.token(key))

    def read(self, run: Arrays, key: int) -> Reading:
        logits = run["logits"][0]  # (vocabulary,)
        return Reading(self.name(key), float(logits[key]), float(softmax(logits)[key]))

    def target(self, _run: Arrays, key: int) -> Target:
        return {"logits": (0, key)}

    def places(self, _run: Arrays, _key: int) -> tuple[int, ...]:
        return self.positions or ()

    def look_up(self, name: str) -> int:
        pieces = self._model.pieces(name)
        if len(pieces) != 1 or pieces[0][0] == self._model.unknown_token_id:
            spelled = " + ".join(token for _, token in pieces[:8])
            raise InputError(f"{_quoted(name)} is not one token here: {spelled}. It has no score.")
        return pieces[0][0]


class _Classes(Case[int]):
    """The classes of a text, or of a pair."""

    def __init__(
        self,
        watched: WatchedModel,
        texts: tuple[str, ...],
        notices: tuple[str, ...],
        names: tuple[str, ...],
        *,
        scale: Scale = Scale.ONE_OF,
        output: str = "logits",
    ) -> None:
        super().__init__(watched.inputs[0], texts, notices)
        self._names, self._scale, self._output = names, scale, output

    def best(self, run: Arrays, count: int) -> list[int]:
        return [int(i) for i in np.argsort(-run[self._output], kind="stable")[:count]]

    def name(self, key: int) -> str:
        return self._names[key]

    def read(self, run: Arrays, key: int) -> Reading:
        logits = run[self._output]  # (classes,)
        score = scores_of(logits, self._scale)[key]
        return Reading(self.name(key), float(logits[key]), float(score))

    def target(self, _run: Arrays, key: int) -> Target:
        return {self._output: (key,)}

    def places(self, _run: Arrays, _key: int) -> tuple[int, ...]:
        return (0,)  # every family's heads for a whole text read its first token

    def look_up(self, name: str) -> int:
        known = [known.casefold() for known in self._names]
        if name.casefold() not in known:
            known_names = ", ".join(self._names[:8])
            raise InputError(f"{_quoted(name)} is none of the answers: {known_names}.")
        return known.index(name.casefold())


class _Spans(Case[Span]):
    """The spans of a passage, and that it holds no answer, in the window that gave the answer."""

    def __init__(self, model: LoadedModel, given: Given) -> None:
        watched = model.watched()
        self._passage = check_text(given.text, "The passage")
        result = question_answering.predict(
            watched, given.other, self._passage, max_answer_length=_LONGEST_SPAN
        )
        at = result.answers[0].window if result.has_answer else result.no_answer.window
        notices = result.notices
        if len(result.windows) > 1:
            notices += (
                f"The passage was read in {len(result.windows)} windows. What is followed is the "
                f"answer of window {at + 1}, among the spans of that window.",
            )
        super().__init__(watched.inputs[at], (given.other, given.text), notices)

    def _decoded(self, run: Arrays, count: int, also: Span | None = None) -> Decoded:
        return decode(
            self._passage,
            [self.encoding],
            [run["start_logits"]],
            [run["end_logits"]],
            top_k=count,
            max_answer_length=_LONGEST_SPAN,
            also=also,
        )

    def best(self, run: Arrays, count: int) -> list[Span]:
        decoded = self._decoded(run, count)
        ranked: list[Evidence] = [*decoded.answers, decoded.no_answer]
        ranked.sort(key=lambda one: -one.logit)
        return [one.span if isinstance(one, Answer) else _NOWHERE for one in ranked[:count]]

    def name(self, key: Span) -> str:
        return NO_ANSWER if key == _NOWHERE else self._passage[slice(*key)]

    def read(self, run: Arrays, key: Span) -> Reading:
        found = self._found(run, key)
        return Reading(self.name(key), found.logit, found.score)

    def _found(self, run: Arrays, key: Span) -> Evidence:
        decoded = self._decoded(run, 0, key)
        return decoded.no_answer if key == _NOWHERE else decoded.answers[0]

    def target(self, run: Arrays, key: Span) -> Target:
        first, last = self._found(run, key).tokens
        return {"start_logits": (first,), "end_logits": (last,)}

    def places(self, run: Arrays, key: Span) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._found(run, key).tokens))

    def look_up(self, name: str) -> Span:
        if name.casefold() == NO_ANSWER:
            return _NOWHERE
        flat = dict.fromkeys(
            ("start_logits", "end_logits"), np.zeros(len(self.encoding), dtype=np.float32)
        )
        places = re.finditer(re.escape(name), self._passage, re.IGNORECASE)
        for place in itertools.islice(places, _PLACES):  # not each of them begins with a token
            if self._decoded(flat, 0, place.span()).answers:
                return place.span()
        raise InputError(f"{_quoted(name)} is no span of the passage that can be pointed at.")


def _quoted(name: str) -> str:
    return f"“{name[:_LONGEST_NAME]}”"


def _pair(model: LoadedModel, given: Given) -> Case[Any]:
    watched = model.watched()
    result = next_sentence.predict(watched, given.text, given.other)
    names = PAIR_ANSWERS if model.task is Task.NEXT_SENTENCE else ORDER_ANSWERS
    texts, output = (given.text, given.other), next_sentence.OBJECTIVES[model.task]
    return _Classes(watched, texts, result.notices, names, output=output)


def _review(model: LoadedModel, given: Given) -> Case[Any]:
    scale = scale_of(model.problem_type, len(model.labels))
    if scale is Scale.NUMBER:
        raise HeadError(f"{model.id} gives a number, not classes with probabilities.")
    watched = model.watched()
    result = sentiment.predict(watched, [check_text(given.text, "The text")])
    text, notices = result.texts[0], result.notices
    if text.tokens > text.tokens_read:
        notices += (f"Only the first {text.tokens_read} of {text.tokens} tokens were read.",)
    return _Classes(watched, (given.text,), notices, model.labels, scale=scale)


CASES: Mapping[Task, Callable[[LoadedModel, Given], Case[Any]]] = {
    Task.FILL_MASK: _Words,
    Task.NEXT_SENTENCE: _pair,
    Task.SENTENCE_ORDER: _pair,
    Task.SENTIMENT: _review,
    Task.QUESTION_ANSWERING: _Spans,
}

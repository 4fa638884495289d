"""Compare: one input, several models side by side. Add a task as an entry of RUNNERS."""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.config import MAX_REVIEW, MAX_TEXT
from components.errors import NEVER_CAUGHT, AppError, HeadError, InputError
from components.models.catalog import SHIPPED
from components.models.evaluation import Evaluation, Figure
from components.models.families import Task
from components.tasks import fill_mask, question_answering, sentiment
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

logger = logging.getLogger(__name__)

MAX_MODELS = 10  # in one run: all six families, and some of the Hub beside them
NO_ANSWER = "no answer"
_LONGEST_ID = 96  # characters of a refused id that are given back
_CHOICES = 3  # best answers kept of each model
_RUNS = 5  # forward passes whose median is given
_MOST_RUNS = 25  # passes to find that many in a row that are alike
_PATIENCE = 1.0  # seconds of timing after which no further pass is begun
_FAILED = (
    "Something went wrong with this model, and it was not your input. It has been written to the "
    "log. Try another model."
)
_UNMEASURED = Evaluation()
_ALIKE = 1.25  # the slowest against the fastest of passes that were not disturbed

Get = Callable[[str, Task], "LoadedModel"]


@dataclass(frozen=True, slots=True)
class Given:
    """What every model is given: a text, or a passage with a question about it."""

    text: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer, and how probable it is to the model that gives it."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds that the network needs for the input: the steadiest `runs` passes in a row."""

    median: float
    fastest: float
    slowest: float
    runs: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What one model answered, and what that cost."""

    model_id: str
    model_type: str  # key of FAMILIES
    answers: tuple[tuple[Choice, ...], ...]  # best first; more than one row for several blanks
    tokens: int  # read by the network, special ones included
    parameters: int
    disk_bytes: int  # files with weights
    weight_bytes: int  # in memory
    latency: Latency
    accuracy: float | None  # CompareResult.figure of this model; None: it was not measured
    notices: tuple[str, ...]

    @property
    def answer(self) -> tuple[str, ...]:
        """The best answers, one for each blank."""
        return tuple(choices[0].text for choices in self.answers)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one model did not answer."""

    model_id: str
    reason: str

    @classmethod
    def of(cls, model_id: str, error: AppError) -> Refusal:
        """Make one of what was raised; of an id without end only the beginning is given back."""
        return cls(model_id[:_LONGEST_ID], str(error))


@dataclass(frozen=True, slots=True)
class CompareResult:
    """The answers of several models to one input, in the order in which they were asked."""

    task: Task
    given: Given
    entries: tuple[Entry | Refusal, ...]
    figure: Figure | None = None  # what `accuracy` is; None: nothing was measured of these models

    @property
    def answered(self) -> tuple[Entry, ...]:
        """The models that gave an answer."""
        return tuple(entry for entry in self.entries if isinstance(entry, Entry))

    @property
    def camps(self) -> tuple[tuple[Entry, ...], ...]:
        """Models that give the same answer, capital letters aside; the largest camp first."""
        camps: dict[tuple[str, ...], list[Entry]] = {}
        for entry in self.answered:
            camps.setdefault(tuple(text.casefold() for text in entry.answer), []).append(entry)
        return tuple(tuple(camp) for camp in sorted(camps.values(), key=len, reverse=True))


Answers = tuple[tuple[tuple[Choice, ...], ...], tuple[str, ...]]  # Entry.answers and notices


def _fill_mask(model: LoadedModel, given: Given) -> Answers:
    result = fill_mask.predict(model, given.text, top_k=_CHOICES)
    rows = (tuple(Choice(c.word, c.score) for c in blank.candidates) for blank in result.blanks)
    return tuple(rows), result.notices


def _sentiment(model: LoadedModel, given: Given) -> Answers:
    result = sentiment.predict(model, [given.text], window=sentiment.MAX_WINDOW)
    if result.scale is sentiment.Scale.NUMBER:
        raise HeadError(f"{model.id} gives a number, not classes with probabilities.")
    classes = zip(result.labels, result.texts[0].scores, strict=True)
    return (_best(Choice(label, score) for label, score in classes),), result.notices


def _question_answering(model: LoadedModel, given: Given) -> Answers:
    result = question_answering.predict(model, given.question, given.text, top_k=_CHOICES)
    spans = [Choice(answer.text, answer.score) for answer in result.answers]
    return (_best([*spans, Choice(NO_ANSWER, result.no_answer.score)]),), result.notices


def _best(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    return tuple(sorted(choices, key=lambda choice: choice.score, reverse=True)[:_CHOICES])


@dataclass(frozen=True, slots=True)
class Runner:
    """How a task is compared: who answers it, and how its text is called and limited."""

    answer: Callable[[LoadedModel, Given], Answers]
    text: str = "The text"
    limit: int = MAX_TEXT  # characters
    figures: tuple[str, ...] = ()  # of the evaluation table, the one that compares best first


RUNNERS: Mapping[Task, Runner] = {
    Task.FILL_MASK: Runner(_fill_mask, figures=("whole_words", "all_masked_wikipedia")),
    Task.SENTIMENT: Runner(_sentiment, limit=MAX_REVIEW, figures=("sentiment",)),
    Task.QUESTION_ANSWERING: Runner(
        _question_answering, "The passage", MAX_REVIEW, ("questions_f1", "questions_dev_f1")
    ),
}


def bundled(task: str) -> list[str]:
    """Give the ids of the bundled models that have a head for `task`."""
    return [card.id for card in SHIPPED if task in card.tasks]


def predict(
    get: Get,
    model_ids: Iterable[str],
    task: str,
    given: Given,
    *,
    measured: Evaluation = _UNMEASURED,
    tell: Callable[[str, float], None] = lambda _message, _done: None,
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> CompareResult:
    """Give `given` to every model of `model_ids`, one after the other.

    `get` loads a model; `measured` knows how accurate it is; `tell` hears what is being done and
    which share is behind; times are taken within `undisturbed`. A model that cannot answer, for
    whatever reason, becomes a Refusal and leaves the others standing. Raises InputError for a
    task, a list of models, or a text that cannot be used.
    """
    known, wanted = _check_task(task), check_models(model_ids)
    check_text(given.text, RUNNERS[known].text, RUNNERS[known].limit)
    figure = measured.first_measured(RUNNERS[known].figures, wanted)
    entries: list[Entry | Refusal] = []
    errors: list[AppError] = []
    for done, model_id in enumerate(wanted):
        tell(f"{model_id}: model {done + 1} of {len(wanted)}", done / len(wanted))
        accuracy = measured.value(model_id, figure.name) if figure else None
        try:
            entries.append(_entry(get(model_id, known), known, given, undisturbed, accuracy))
        except AppError as error:
            errors.append(error)
            entries.append(Refusal.of(model_id, error))
        except NEVER_CAUGHT:
            raise
        except BaseException:  # also a panic of the tokenizers
            logger.exception("%s failed in a comparison", model_id)
            entries.append(Refusal(model_id[:_LONGEST_ID], _FAILED))
    typed = [error for error in errors if isinstance(error, InputError)]
    if typed and len(errors) == len(wanted):  # then it is the text that nobody can use
        raise typed[0]
    return CompareResult(known, given, tuple(entries), figure)


def _check_task(task: str) -> Task:
    known = next((known for known in RUNNERS if known == task), None)
    if known is None:
        raise InputError(
            f"“{str(task)[:60]}” cannot be compared. Choose one of: {', '.join(RUNNERS)}."
        )
    return known


def check_models(model_ids: Iterable[str], limit: int = MAX_MODELS) -> tuple[str, ...]:
    """Give the models that were chosen, each once; raises InputError for none or too many."""
    wanted = tuple(dict.fromkeys(name for i in model_ids if (name := str(i).strip())))
    if not wanted:
        raise InputError("No model was chosen. Choose two, or more.")
    if len(wanted) > limit:
        raise InputError(
            f"{len(wanted)} models were chosen, and at most {limit} are run at a time. "
            "Take some away."
        )
    return wanted


def _entry(
    model: LoadedModel,
    task: Task,
    given: Given,
    undisturbed: Callable[[], AbstractContextManager[None]],
    accuracy: float | None,
) -> Entry:
    watched = model.watched()
    answers, notices = RUNNERS[task].answer(watched, given)
    with undisturbed():
        latency = _timed(watched.again)
    return Entry(
        model_id=model.id,
        model_type=model.family.model_type,
        answers=answers,
        tokens=sum(len(one) for encodings, _ in watched.runs for one in encodings),
        parameters=model.parameters,
        disk_bytes=model.disk_bytes,
        weight_bytes=model.weight_bytes,
        latency=latency,
        accuracy=accuracy,
        notices=notices,
    )


def _timed(forward: Callable[[], None]) -> Latency:
    """Time `forward` until it is steady; the run that gave the answer was its warm-up."""
    seconds: list[float] = []
    while len(seconds) < _MOST_RUNS and sum(seconds) < _PATIENCE and not _is_steady(seconds):
        start = time.perf_counter()
        forward()
        seconds.append(time.perf_counter() - start)
    rows = [seconds[i : i + _RUNS] for i in range(max(1, len(seconds) - _RUNS + 1))]
    kept = min(rows, key=max)
    return Latency(statistics.median(kept), min(kept), max(kept), len(kept))


def _is_steady(seconds: Sequence[float]) -> bool:
    last = seconds[-_RUNS:]
    return len(last) == _RUNS and max(last) <= _ALIKE * min(last)

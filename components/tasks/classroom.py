"""A question that a class and a model answer: what can be asked, and their answers side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.errors import InputError
from components.models.families import Task
from components.tasks import fill_mask, next_sentence, question_answering, sentiment
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

NO_ANSWER = "No answer in this text"
PAIR = ("It follows", "It does not follow")
MAX_CHOICES = 10
_ROWS, _OF_MODEL = 8, 3  # answers of the class that get a bar; the model's best beside them
_SPANS = 50  # of the model's best, among which an answer of the class is looked up
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the class, and of a model with a head for `task`."""

    task: Task
    text: str  # a sentence, sentence A, or the question
    second: str  # sentence B, or the passage; else empty
    model_id: str
    choices: tuple[str, ...]  # to choose from; empty: the answer is typed


@dataclass(frozen=True, slots=True)
class Share:
    """One answer: how many pupils gave it, and what the model gives it."""

    label: str
    pupils: int
    score: float | None  # None: the model has no figure for it


@dataclass(frozen=True, slots=True)
class ClassroomResult:
    """The answers of a class beside the model's own."""

    question: Question
    pupils: int  # who answered
    others: int  # of them, whose answer has no bar of its own
    shares: tuple[Share, ...]
    best: str  # the model's answer
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Opinion:
    scores: Mapping[str, float]  # by `same`
    best: tuple[str, ...]  # best first


@dataclass(frozen=True, slots=True)
class _Kind:
    choices: Callable[[LoadedModel], tuple[str, ...]]
    judge: Callable[[LoadedModel, Question, Sequence[str]], _Opinion]


def ask(model: LoadedModel, text: str, second: str = "") -> Question:
    """Make a question that `model` can answer; it is tried out, so that a class meets no refusal.

    Raises InputError for a text that cannot be asked about.
    """
    kind = kind_of(model.task)
    texts = (text, second if model.task in WITH_SECOND else "")
    if model.task is Task.QUESTION_ANSWERING and not texts[1].strip():
        raise InputError("There is no passage yet. Write one that may hold the answer.")
    for typed in filter(None, texts):
        check_text(typed, "The text")
    question = Question(model.task, *texts, model.id, kind.choices(model))
    predict(model, question, ())
    return question


def predict(model: LoadedModel, question: Question, answers: Sequence[str]) -> ClassroomResult:
    """Count `answers`, and put the model's own figures beside them."""
    groups = _groups(answers)
    shown = groups if question.choices else groups[:_ROWS]
    opinion = kind_of(question.task).judge(model, question, [label for label, _ in shown])
    counts = dict(shown)
    known = {same(label): label for label in counts}
    rows = dict.fromkeys(question.choices or counts)
    for label in opinion.best[:_OF_MODEL]:
        rows.setdefault(known.get(same(label), label))
    shares = tuple(
        Share(label, counts.get(known.get(same(label), label), 0), opinion.scores.get(same(label)))
        for label in rows
    )
    return ClassroomResult(
        question=question,
        pupils=len(answers),
        others=len(answers) - sum(share.pupils for share in shares),
        shares=shares,
        best=opinion.best[0] if opinion.best else "",
        notices=model.notices,
    )


def same(answer: str) -> str:
    """Give what two answers must share to count as one: case, spaces and outer marks do not."""
    squeezed = " ".join(answer.casefold().split())
    return _EDGE.sub("", squeezed) or squeezed


def kind_of(task: str) -> _Kind:
    """Give how a class is asked what a head is for; raises InputError where it cannot be."""
    known = next((kind for offered, kind in _KINDS.items() if offered == task), None)
    if known is None:
        raise InputError(
            f"“{str(task)[:60]}” is nothing that a class can be asked. Choose one of: "
            f"{', '.join(_KINDS)}."
        )
    return known


def _groups(answers: Sequence[str]) -> list[tuple[str, int]]:
    """Give each answer with its pupils, most first, in the spelling that most of them chose."""
    spellings: dict[str, Counter[str]] = {}
    for answer in answers:
        spellings.setdefault(same(answer), Counter())[" ".join(answer.split())] += 1
    found = [(count.most_common(1)[0][0], count.total()) for count in spellings.values()]
    return sorted(found, key=lambda group: -group[1])


def _fill(model: LoadedModel, question: Question, given: Sequence[str]) -> _Opinion:
    result = fill_mask.predict(model, question.text, top_k=_OF_MODEL)
    if len(result.blanks) != 1 or fill_mask.read_blanks(model, question.text).unread(
        model.mask_token
    ):
        raise InputError("A class is asked for one blank. Leave one [MASK] in the sentence.")
    best = result.blanks[0].candidates
    scores = {same(one.word): one.score for one in reversed(best)}
    ids = {word: fill_mask.entry_of(model, word)[0] for word in given}
    entries = [word for word, token_id in ids.items() if token_id is not None]
    if entries:
        asked = fill_mask.predict(model, question.text, only=entries).blanks[0].candidates
        by_id = {one.token_id: one.score for one in asked}
        scores |= {same(word): by_id[token] for word in entries if (token := ids[word]) in by_id}
    return _Opinion(scores, tuple(one.word for one in best))


def _follows(model: LoadedModel, question: Question, _given: Sequence[str]) -> _Opinion:
    scores = next_sentence.predict(model, question.text, question.second).judgement.scores
    return _ranked(zip(PAIR, scores, strict=True))


def _classes(model: LoadedModel, question: Question, _given: Sequence[str]) -> _Opinion:
    result = sentiment.predict(model, [question.text])
    return _ranked(zip(result.labels, result.texts[0].scores, strict=True))


def _spans(model: LoadedModel, question: Question, _given: Sequence[str]) -> _Opinion:
    result = question_answering.predict(model, question.text, question.second, top_k=_SPANS)
    spans = [(answer.text, answer.score) for answer in reversed(result.answers)]
    return _ranked([*spans, (NO_ANSWER, result.no_answer.score)])


def _ranked(pairs: Iterable[tuple[str, float]]) -> _Opinion:
    scored = list(pairs)
    best = sorted(scored, key=lambda pair: -pair[1])
    return _Opinion({same(label): score for label, score in scored}, tuple(dict(best)))


def _labels(model: LoadedModel) -> tuple[str, ...]:
    scale = sentiment.scale_of(model.problem_type, len(model.labels))
    keys = {same(label) for label in model.labels}
    if (
        scale is not sentiment.Scale.ONE_OF
        or not 2 <= len(keys) == len(model.labels) <= MAX_CHOICES
    ):
        raise InputError(
            f"The classes of {model.id} are none that a class can choose one of: there must be 2 "
            f"to {MAX_CHOICES} that exclude each other. Choose another model."
        )
    return model.labels


WITH_SECOND = (Task.NEXT_SENTENCE, Task.QUESTION_ANSWERING)
_KINDS: Mapping[Task, _Kind] = {
    Task.FILL_MASK: _Kind(lambda _: (), _fill),
    Task.NEXT_SENTENCE: _Kind(lambda _: PAIR, _follows),
    Task.SENTIMENT: _Kind(_labels, _classes),
    Task.QUESTION_ANSWERING: _Kind(lambda _: (), _spans),
}
TASKS = tuple(_KINDS)

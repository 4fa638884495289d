"""Pairs of sentences: does B go on where A ends (BERT), do the two stand in order (ALBERT)?

Next sentence is BERT's objective (Devlin et al. 2019, 3.1), sentence order ALBERT's (Lan et al.
2020, 3.1). Both heads give two logits for a pair; what they mean depends on what B was in training
when it was wrong: a text from elsewhere, or the text that stood before A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError, ModelError
from components.models.encoding import Encoding
from components.models.families import Task
from components.tasks.scores import softmax
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

# The objectives for pairs, and what transformers calls the two logits (2,) of their heads. Index 0
# means the same for both: B comes after A.
OBJECTIVES: Mapping[Task, str] = {Task.NEXT_SENTENCE: "logits", Task.SENTENCE_ORDER: "sop_logits"}

T = TypeVar("T")
_LONGEST_ID = 96  # characters of a refused id that are given back


@dataclass(frozen=True, slots=True)
class Judgement:
    """What two logits say; index 0 of each pair is "B comes after A", index 1 "it does not"."""

    follows: bool
    scores: tuple[float, float]  # probabilities, which sum to one
    logits: tuple[float, float]
    gap: float  # logits[0] - logits[1]; the score of "follows" is its sigmoid


@dataclass(frozen=True, slots=True)
class NextSentenceResult:
    """Whether `second` comes after `first`, to a model trained on `task`, and what it read."""

    model_id: str
    family: str  # its name
    task: Task  # one of OBJECTIVES
    first: str
    second: str
    judgement: Judgement
    swapped: Judgement  # of the same two, `second` put first
    encoding: Encoding
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a model could not be asked what `task` asks."""

    model_id: str
    task: Task
    reason: str


Verdict = NextSentenceResult | Refusal


def objective(task: str) -> Task:
    """Give the objective of that name; raises InputError where there is none."""
    known = next((known for known in OBJECTIVES if known == task), None)
    if known is None:
        raise InputError(
            f"“{str(task)[:60]}” is nothing that a pair can be asked. Choose one of: "
            f"{', '.join(OBJECTIVES)}."
        )
    return known


def predict(model: LoadedModel, first: str, second: str) -> NextSentenceResult:
    """Judge whether `second` comes after `first`, as the head of `model` learned to.

    Raises InputError unless both say something.
    """
    _check_pair(first, second)
    encodings = [model.encode(first, second), model.encode(second, first)]
    encoding = encodings[0]
    if not {0, 1} <= set(encoding.sequence_ids):  # characters of no width become no token
        raise _incomplete("B" if 0 in encoding.sequence_ids else "A")
    judgements = judge_each(model, encodings)
    return NextSentenceResult(
        model_id=model.id,
        family=model.family.name,
        task=model.task,
        first=first,
        second=second,
        judgement=judgements[0],
        swapped=judgements[1],
        encoding=encoding,
        notices=_notices(model, encoding),
    )


def predict_each(
    get: Callable[[str, Task], LoadedModel], model_ids: Mapping[Task, str], first: str, second: str
) -> tuple[Verdict, ...]:
    """Put one pair to the model of each objective, see `ask_each`.

    Raises InputError unless both sentences say something.
    """
    _check_pair(first, second)
    return ask_each(get, model_ids, lambda model: predict(model, first, second))


def ask_each(
    get: Callable[[str, Task], LoadedModel],
    model_ids: Mapping[Task, str],
    ask: Callable[[LoadedModel], T],
) -> tuple[T | Refusal, ...]:
    """Ask the model of each objective the same; `get` loads a model with a head.

    A model that cannot be asked becomes a Refusal; raises its ModelError if there is no other.
    """
    answers: list[T | Refusal] = []
    errors: list[ModelError] = []
    for task, model_id in model_ids.items():
        try:
            answers.append(ask(get(model_id, task)))
        except ModelError as error:
            errors.append(error)
            answers.append(Refusal(str(model_id or "")[:_LONGEST_ID], task, str(error)))
    if len(errors) == len(answers):
        raise errors[0]
    return tuple(answers)


def judge_each(model: LoadedModel, encodings: Sequence[Encoding]) -> list[Judgement]:
    """Judge pairs that are encoded, many in one pass."""
    output = OBJECTIVES[model.task]
    return [judge(answer[output]) for answer in model.run(encodings)]


def judge(logits: NDArray[np.floating]) -> Judgement:
    """Read the two logits (2,) of a head: index 0 means that B comes after A."""
    pro, contra = (float(logit) for logit in logits)
    scores = softmax(logits)  # (2,)
    return Judgement(
        follows=pro >= contra,
        scores=(float(scores[0]), float(scores[1])),
        logits=(pro, contra),
        gap=pro - contra,
    )


def _check_pair(first: object, second: object) -> None:
    for name, text in (("A", first), ("B", second)):
        if isinstance(text, str) and not text.strip():
            raise _incomplete(name)
        check_text(text, f"Sentence {name}")


def _incomplete(name: str) -> InputError:
    return InputError(
        f"Enter both sentences: {name} is empty. The model judges a pair, it writes nothing."
    )


def _notices(model: LoadedModel, encoding: Encoding) -> tuple[str, ...]:
    notices = list(model.notices)
    if encoding.is_truncated:
        notices.append(
            f"Only {len(encoding)} of {encoding.full_length} tokens were read: "
            "the end of the longer sentence was cut."
        )
    return tuple(notices)

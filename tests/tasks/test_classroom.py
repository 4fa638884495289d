from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from components.errors import InputError
from components.models.families import Task
from components.tasks import classroom

Load = Callable[..., Any]
GIVEN = {
    Task.FILL_MASK: ("the cat sat on the [MASK]", ""),
    Task.NEXT_SENTENCE: ("the cat sat", "on the mat"),
    Task.SENTIMENT: ("a good film", ""),
    Task.QUESTION_ANSWERING: ("where is the cat", "the cat sat on the mat"),
}
each_kind = pytest.mark.parametrize("task", classroom.TASKS)


@each_kind
def test_every_answer_is_counted_once_whatever_it_is(load: Load, task: Task) -> None:
    model = load("bert", task)
    question = classroom.ask(model, *GIVEN[task])
    chance = random.Random(4)
    words = question.choices or ("cat", "Cat", "the", "mat.", "mat", "<s>", "猫", *"abcdefgh")
    answers = [chance.choice(words) for _ in range(200)]
    result = classroom.predict(model, question, answers)
    assert result.pupils == 200
    assert sum(share.pupils for share in result.shares) + result.others == 200
    assert result.others == 0 or not question.choices
    labels = [classroom.same(share.label) for share in result.shares]
    assert len(labels) == len(set(labels))
    assert all(share.score is None or 0 <= share.score <= 1 for share in result.shares)
    assert result.best in {share.label for share in result.shares} or question.choices == ()


@each_kind
def test_without_an_answer_the_models_own_is_there(load: Load, task: Task) -> None:
    model = load("bert", task)
    result = classroom.predict(model, classroom.ask(model, *GIVEN[task]), ())
    best = max(result.shares, key=lambda share: share.score or 0)
    assert (result.pupils, result.others) == (0, 0)
    assert classroom.same(best.label) == classroom.same(result.best)


def test_choices_sum_to_one(load: Load) -> None:
    for task in (Task.NEXT_SENTENCE, Task.SENTIMENT):
        model = load("bert", task)
        result = classroom.predict(model, classroom.ask(model, *GIVEN[task]), ())
        assert sum(share.score or 0 for share in result.shares) == pytest.approx(1)


def test_a_word_of_the_class_gets_the_models_own_figure_however_it_is_spelled(load: Load) -> None:
    model = load("bert", Task.FILL_MASK)
    question = classroom.ask(model, *GIVEN[Task.FILL_MASK])
    result = classroom.predict(model, question, ["The", "the.", "the", " the ", "qqqqqq"])
    by_label = {share.label: share for share in result.shares}
    assert by_label["the"].pupils == 4
    assert by_label["the"].score is not None
    assert by_label["qqqqqq"].score is None


@pytest.mark.parametrize(
    ("task", "texts", "said"),
    [
        (Task.FILL_MASK, ("the cat", ""), "no blank"),
        (Task.FILL_MASK, ("the [MASK] [MASK]", ""), "one blank"),
        (Task.NEXT_SENTENCE, ("the cat", ""), "B is empty"),
        (Task.SENTIMENT, ("", ""), "is empty"),
        (Task.QUESTION_ANSWERING, ("where", " "), "no passage"),
        (Task.QUESTION_ANSWERING, ("where", "x" * 2_001), "too long"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_class_sees_it(
    load: Load, task: Task, texts: tuple[str, str], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        classroom.ask(load("bert", task), *texts)


def test_a_head_that_no_class_can_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="Choose one of"):
        classroom.kind_of("replaced")

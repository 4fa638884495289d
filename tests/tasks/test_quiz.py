from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components.config import Settings
from components.errors import InputError
from components.models.families import Task
from components.models.manager import ModelManager
from components.tasks import quiz
from components.tasks.lesson_parts import Desk, Unit
from components.tasks.lesson_steps import GOALS
from components.tasks.quiz import ITEMS, QUIZ
from components.tasks.quiz_parts import nearest, same
from components.views import lesson as views

MARGIN = 1.5  # how much better the right choice must fit than the next one
looped = pytest.mark.parametrize("number", range(1, len(ITEMS) + 1), ids=[i.key for i in ITEMS])


@pytest.fixture(scope="module")
def real() -> Desk:
    """The bundled miniatures themselves: what is asked on the page."""
    manager = ModelManager(Settings(device="cpu"))
    return Desk(manager.get, manager.settings.models_dir)


def test_there_are_enough_questions_and_every_goal_has_some() -> None:
    assert len(ITEMS) >= 30
    assert len({item.key for item in ITEMS}) == len({item.title for item in ITEMS}) == len(ITEMS)
    assert {item.goal for item in ITEMS} == set(range(len(GOALS)))


@looped
def test_one_choice_is_right_by_a_clear_margin_and_the_figures_are_those_shown(
    real: Desk, number: int
) -> None:
    live = quiz.predict(real, number).live
    assert live is not None
    question = live.question
    assert len(set(question.choices)) == len(question.choices) == len(question.fits) >= 2
    ranked = sorted(question.fits, reverse=True)
    assert question.fits[question.right] == ranked[0] >= MARGIN * ranked[1]
    assert ranked[0] > 0
    shown = [row.value for panel in live.after for row in panel.rows if row.value is not None]
    assert question.figures
    assert question.why.count("{}") == len(question.figures)
    if {one.unit for one in question.figures} != {Unit.COUNT}:
        assert all(any(np.isclose(one.value, value) for value in shown) for one in question.figures)
    why = views.why(question)
    assert "{" not in why
    assert any(character.isdigit() for character in why)


def test_a_figure_is_what_a_plain_pass_gives(real: Desk) -> None:
    number = next(i for i, item in enumerate(ITEMS, start=1) if item.key == "paris")
    live = quiz.predict(real, number).live
    assert live is not None
    model = real.get(live.model_id, Task.FILL_MASK)
    encoding = model.encode("Paris is the [MASK] of France.", literal=False)
    at = encoding.input_ids.index(model.mask_token_id)
    logits: Any = model.run([encoding], positions=[(at,)])[0]["logits"][0].astype(np.float64)
    scores = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    ((token_id, _),) = model.pieces("capital")
    assert live.question.figures[0].value == pytest.approx(float(scores[token_id]), rel=1e-4)


def test_answers_are_computed_and_not_stored(models: ModelManager, real: Desk) -> None:
    desk = Desk(models.get, models.settings.models_dir)  # tiny and random: other figures
    keys = ("walk", "not_bad", "shape")
    numbers = [i for i, item in enumerate(ITEMS, start=1) if item.key in keys]
    for number in numbers:
        result = quiz.predict(desk, number)
        here, there = result.live, quiz.predict(real, number).live
        assert here is not None
        assert there is not None
        assert here.question.figures != there.question.figures
        right = here.question.right
        assert quiz.predict(desk, number, chosen=right).is_right
        assert not quiz.predict(desk, number, chosen=right - 1 if right else 1).is_right


def test_a_question_that_is_not_there_is_refused(models: ModelManager) -> None:
    desk = Desk(models.get, models.settings.models_dir)
    with pytest.raises(InputError, match="no question 0"):
        quiz.predict(desk, 0)


def test_how_a_choice_fits() -> None:
    assert nearest(2.0, {"a": 1, "b": 2, "c": 8}) == {"a": 0.5, "b": 1, "c": 0.25}
    assert same(2, [1, 2]) == {"1": 0, "2": 1}
    assert len(QUIZ.steps) == len(QUIZ.live)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components.errors import AppError, InputError
from components.models.families import Task
from components.models.manager import ModelManager
from components.tasks import fill_mask, lesson, lesson_counts, lesson_encoder, lesson_live
from components.tasks.lesson_parts import Desk, Live
from components.tasks.lesson_steps import GOALS, STEPS

looped = pytest.mark.parametrize("number", range(1, len(STEPS) + 1), ids=[s.key for s in STEPS])


@pytest.fixture(scope="module")
def desk(models: ModelManager) -> Desk:
    return Desk(models.get, models.settings.models_dir)


def _live(desk: Desk, key: str, text: str | None = None) -> Live:
    number = next(i for i, step in enumerate(STEPS, start=1) if step.key == key)
    live = lesson.predict(desk, number, text).live
    assert live is not None
    return live


@looped
def test_every_step_has_an_idea_and_a_question_with_one_right_choice(
    desk: Desk, number: int
) -> None:
    result = lesson.predict(desk, number)
    assert 1 <= result.step.lead.count(". ") + 1 <= 4
    assert (result.live is None) == (result.step.key not in lesson.LIVE)
    if result.live is None:
        return
    question = result.live.question
    assert len(question.choices) == len(set(question.choices)) >= 2
    assert 0 <= question.right < len(question.choices)
    told = lesson.predict(desk, number, chosen=question.right)
    assert told.is_right
    wrong = (question.right + 1) % len(question.choices)
    assert not lesson.predict(desk, number, chosen=wrong).is_right
    assert lesson.predict(desk, number, chosen=99).chosen is None


def test_the_answer_in_the_picture_is_what_fill_mask_says(desk: Desk) -> None:
    text = "the [MASK] was cold"
    live = _live(desk, "encoder", text)
    model = desk.get(live.model_id, Task.FILL_MASK)
    best = fill_mask.predict(model, text).blanks[0].candidates[0]
    assert live.question.choices[live.question.right] == best.word
    assert live.stages[-1].panel.rows[0].value == pytest.approx(best.score, rel=1e-4)
    layers = live.stages[3].panel.rows
    states = model.run([model.encode(text, literal=False)], hidden_states=True)[0]["hidden_states"]
    one, other = states[0][2], states[1][2]
    turned = 1 - one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert len(layers) == len(states) - 1
    assert layers[0].value == pytest.approx(turned, abs=1e-5)
    assert [stage.is_answer for stage in live.stages] == [False] * 6 + [True]
    assert len(live.stages[4].panel.rows[0].numbers) == lesson_encoder.NUMBERS


def test_the_words_of_a_hidden_side_become_blanks() -> None:
    found = lesson_live.one_sided("She opened the [MASK] with her key.", "[MASK]")
    mask = "[MASK]"
    assert found["Only the left side"] == (f"She opened the {mask} {mask} {mask} {mask}.", 0)
    assert found["Only the right side"] == (f"{mask} {mask} {mask} {mask} with her key.", 3)
    assert found["Both sides"] == ("She opened the [MASK] with her key.", 0)
    text, number = lesson_live.one_sided("a " * 30 + "[MASK]", mask)["Only the right side"]
    assert text.count(mask) == number + 1 == lesson_live.HIDDEN_WORDS + 1


def test_dynamic_masks_change_from_pass_to_pass_and_fixed_ones_do_not() -> None:
    text = "one two three four five six seven eight nine ten"
    fixed = lesson_counts.masked_passes(text, anew=False)
    anew = lesson_counts.masked_passes(text, anew=True)
    assert len({read for read, _ in fixed}) == 1
    assert len({read for read, _ in anew}) > 1
    assert all(read.count("[MASK]") == len(hidden) == 2 for read, hidden in (*fixed, *anew))


def test_sharing_leaves_one_layer_with_the_tables_and_the_heads(desk: Desk) -> None:
    parameters, sitting = _live(desk, "albert").after
    layers, tables, heads = (row.value or 0 for row in sitting.rows)
    assert parameters.rows[0].value == layers + tables + heads
    assert parameters.rows[1].value == tables + heads + layers / 3  # the tiny ones have 3


def test_the_word_that_was_replaced_is_the_right_choice(desk: Desk) -> None:
    live = _live(desk, "electra")
    put = live.question.choices[live.question.right]
    altered, original = live.before[0].rows[0].text, live.after[0].rows[0].text
    assert put in altered
    assert put not in original.split()


def test_the_hardest_word_is_the_least_probable(desk: Desk) -> None:
    live = _live(desk, "masked_words", "paris is a city and london is a town")
    rows = {row.label: row.value or 0.0 for row in live.after[0].rows}
    assert live.question.choices[live.question.right] == min(rows, key=rows.__getitem__)


@pytest.mark.parametrize(
    ("key", "text"),
    [("contexts", "no blank"), ("masked_words", "word"), ("deberta", "all words differ here"),
     ("roberta", "..."), ("encoder", "  "), ("sentiment", "x" * 3000)],
)  # fmt: skip
def test_what_a_step_cannot_use_is_refused_in_words(desk: Desk, key: str, text: str) -> None:
    with pytest.raises(AppError):
        _live(desk, key, text)


def test_a_step_that_is_not_there_is_refused(desk: Desk) -> None:
    for number in (0, len(STEPS) + 1, -3):
        with pytest.raises(InputError, match="no step"):
            lesson.predict(desk, number)


def test_an_untrained_head_is_asked_several_times(desk: Desk) -> None:
    live = _live(desk, "fine_tune")
    values: list[Any] = [row.value for row in live.after[0].rows]
    assert len(set(values)) > 1
    agree = len({value > 0.5 for value in values}) == 1
    assert live.question.right == (0 if agree else 1)


def test_every_goal_names_steps_that_there_are() -> None:
    keys = {step.key for step in STEPS}
    assert len(GOALS) == 9
    assert all(goal.steps and goal.tabs and set(goal.steps) <= keys for goal in GOALS)
    assert set(lesson.LIVE) <= keys

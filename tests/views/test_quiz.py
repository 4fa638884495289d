from __future__ import annotations

import re

from components.tasks.lesson import LessonResult
from components.tasks.quiz import QUIZ
from components.tasks.quiz_parts import asked
from components.views import lesson
from components.views import quiz as views


def _result(chosen: int | None = None) -> LessonResult:
    live = asked(
        "Which?", {"<b>one</b>": 0.25, "two": 0.75}, "It gets {}, not {}.", [0.75, 0.25], rows=[]
    )
    step = QUIZ.steps[0]
    return LessonResult(1, step, "", step.ways[0], step.ways[0].fields, live, chosen, ())


def test_nothing_of_the_answer_is_on_the_page_before_the_learner_has_answered() -> None:
    drawn = views.body(_result()) + views.finding(_result())
    assert "It gets" not in drawn
    assert "75.0" not in drawn
    assert "data-verdict" not in drawn
    assert "data-tab" not in drawn  # the tab would show it
    assert "<b>one" not in drawn


def test_an_explanation_has_its_figures_and_the_way_to_the_tab() -> None:
    drawn = views.body(_result(1)) + views.finding(_result(1))
    assert "It gets 75.0 %, not 25.0 %." in drawn
    assert 'data-tab="fill_mask"' in drawn
    assert 'data-verdict="right"' in drawn
    assert "Right. The answer: two." in drawn
    assert views.told(_result())["why"] == "It gets 75.0 %, not 25.0 %."


def test_the_row_has_a_number_for_every_question() -> None:
    drawn = lesson.nav(QUIZ)
    assert len(re.findall(r'data-step="(\d+)"', drawn)) == len(QUIZ.steps)
    assert 'data-walk="quiz"' in drawn

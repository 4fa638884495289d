from __future__ import annotations

import json
import re

from components.tasks.lesson import LIVE, LessonResult
from components.tasks.lesson_parts import Live, Panel, Question, Row, Stage, Unit
from components.tasks.lesson_steps import GOALS, STEPS
from components.views import lesson as views

HOSTILE = '<img src=x onerror="1"> ${1} {{2}}'
BARS = Panel(HOSTILE, (Row(HOSTILE, 0.25, HOSTILE, (0.5, -0.25)), Row("b", 0.5)), Unit.SHARE)


def _result(chosen: int | None = None, *, number: int = 1) -> LessonResult:
    step = STEPS[number - 1]
    question = Question(HOSTILE, (HOSTILE, "the right one"), 1, "“town” comes first.", "Because.")
    stages = (Stage("Text", HOSTILE, "It says", BARS), Stage("Answer", "town", "out", BARS, True))
    live = Live(question, (BARS,), (Panel("After", BARS.rows),), stages, "bert-mini")
    fields = (("fill_mask-text", HOSTILE),)
    asks = live if step.key in LIVE else None
    return LessonResult(number, step, HOSTILE, step.ways[0], fields, asks, chosen, ())


def test_nothing_of_the_answer_is_on_the_page_before_the_learner_has_answered() -> None:
    drawn = views.body(_result()) + views.finding(_result())
    assert "town" not in drawn
    assert "Because" not in drawn
    assert "After" not in drawn
    assert "data-verdict" not in drawn
    told = views.body(_result(1)) + views.finding(_result(1))
    assert "town" in told
    assert "Because" in told
    assert "After" in told


def test_a_right_and_a_wrong_answer_are_told_apart() -> None:
    assert 'data-verdict="right"' in views.body(_result(1))
    assert "✓ the answer, your choice" in views.body(_result(1))
    assert "Right. “town” comes first." in views.finding(_result(1))
    wrong = views.body(_result(0))
    assert 'data-verdict="wrong"' in wrong
    assert wrong.count("your choice") == wrong.count("✓ the answer") == 1
    assert "Not this time. “town” comes first." in views.finding(_result(0))


def test_hostile_text_stays_text_and_travels_whole() -> None:
    drawn = views.body(_result(0)) + views.finding(_result(0))
    assert "<img" not in drawn
    (fields,) = re.findall(r'data-fields="([^"]*)"', drawn)
    unescaped = fields.replace("&#34;", '"').replace("&lt;", "<").replace("&gt;", ">")
    assert json.loads(unescaped.replace("&#39;", "'")) == [["fill_mask-text", HOSTILE]]


def test_bars_of_probabilities_run_from_0_to_100_percent() -> None:
    assert re.findall(r"width:([\d.]+)%", views.body(_result()))[:2] == ["25.00", "50.00"]


def test_the_row_of_steps_has_every_step_and_its_own_text() -> None:
    drawn = views.nav()
    assert re.findall(r'data-step="(\d+)"', drawn) == [str(i + 1) for i in range(len(STEPS))]
    assert drawn.count("aria-current") == 1
    assert f'data-asking="{len(LIVE)}"' in drawn


def test_the_last_step_lists_the_goals_with_the_steps_that_reach_them() -> None:
    drawn = views.body(_result(number=len(STEPS)))
    assert drawn.count("<li>") == len(GOALS)
    assert drawn.count('class="lab-see"') == sum(len(goal.steps) for goal in GOALS)
    assert "data-choice" not in drawn

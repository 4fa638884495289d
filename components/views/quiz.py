"""The quiz, drawn as the steps of the lesson are."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from components.tasks.lesson import LessonResult
from components.tasks.quiz import QUIZ
from components.views import lesson


def finding(result: LessonResult) -> Markup:
    """Name the question; once it is answered, say whether that was right, and what is."""
    return lesson.finding(result)


def body(result: LessonResult) -> Markup:
    """Draw one question, and once it is answered why, with the figures that were computed."""
    return lesson.body(result, QUIZ)


def told(result: LessonResult) -> dict[str, Any]:
    """Give a question with its answer and its explanation as plain values."""
    assert result.live is not None, "every step of the quiz asks"
    question = result.live.question
    return {
        "number": result.number,
        "questions": len(QUIZ.steps),
        "goal": result.step.lead,
        "asks": question.asks,
        "choices": list(question.choices),
        "right": question.right,
        "fits": list(question.fits),
        "why": lesson.why(question),
        "tab": result.way.part or result.way.tab,
    }

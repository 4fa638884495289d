"""The quiz: one question at a time; the models answer when the learner has answered."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view
from components.tabs.walk import Place, body_view, moves, place_field, steps_view
from components.tasks import quiz
from components.tasks.lesson_parts import Desk
from components.tasks.quiz import QUIZ
from components.views import markup
from components.views import quiz as views

GUIDE = markup.guide(
    "No answer is stored: when you choose, the models of this page compute it, and the figures of "
    "the explanation are theirs. Your score stays in this browser; the first answer counts.",
    "Where you were wrong, open the tab and change the sentence until you would have been right.",
)


def build(page: Page) -> None:
    """Lay out the quiz, and wire it."""
    desk = Desk(page.model, page.models.settings.models_dir)
    with gr.Column(elem_classes="lab-page lab-quiz-page"):
        steps = steps_view(QUIZ)
        finding = finding_view(TAB.id)
        body = body_view(QUIZ)
        place = place_field(QUIZ)
        gr.HTML(GUIDE)

    def run(sent: str) -> tuple[Any, ...]:
        at = Place.read(sent, len(QUIZ.steps))
        result = quiz.predict(desk, at.step, chosen=at.choice)
        return views.finding(result), views.body(result)

    def endpoint(number: int = 1) -> dict[str, Any]:
        """Give one question of the quiz, its answer as the models compute it, and why.

        Args:
            number: of the question, in the order of the page, from 1
        """
        answering = Desk(page.models.get, page.models.settings.models_dir)
        return views.told(quiz.predict(answering, number))

    wire(
        page,
        TAB,
        [place.submit],
        run,
        [place],
        [finding, body],
        endpoint=endpoint,
        after=moves(QUIZ, steps, body, place),
    )


TAB = Tab(id="quiz", title="Quiz", build=build, within="lesson", short="Quiz")

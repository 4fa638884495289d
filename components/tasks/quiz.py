"""The quiz: questions over the whole module, each answered by the bundled models when it is asked.

Add one as an Item of the quiz_ module that it belongs to.
"""

from __future__ import annotations

from components.tasks import lesson, quiz_networks, quiz_pairs, quiz_texts, quiz_words
from components.tasks.lesson import LessonResult, Walk
from components.tasks.lesson_parts import Desk
from components.tasks.lesson_steps import GOALS, Step
from components.tasks.quiz_parts import Item

ITEMS: tuple[Item, ...] = (
    *quiz_words.ITEMS,
    *quiz_pairs.ITEMS,
    *quiz_texts.ITEMS,
    *quiz_networks.ITEMS,
)


def _step(item: Item) -> Step:
    return Step(item.key, item.title, f"Goal: {GOALS[item.goal].text}", (item.way,))


QUIZ = Walk(
    "quiz",
    "question",
    tuple(map(_step, ITEMS)),
    {item.key: item.compute for item in ITEMS},
    is_quiz=True,
)


def predict(desk: Desk, number: int = 1, *, chosen: int | None = None) -> LessonResult:
    """Compute question `number`, counted from 1; `chosen` is the index of the learner's choice.

    Raises InputError for a question that is not there.
    """
    return lesson.predict(desk, number, chosen=chosen, walk=QUIZ)

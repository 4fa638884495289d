from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tabs import TABS
from components.tasks.lesson import is_there
from components.tasks.quiz import QUIZ
from tests.pages import endpoint_of

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[Any]:
    built = app.create_app(models)
    yield built
    built.close()


def test_every_way_leads_to_a_tab_and_to_fields_that_there_are(demo: Any) -> None:
    within = {tab.id: tab.within for tab in TABS}
    boxes = {b.elem_id for b in demo.blocks.values() if isinstance(b, gr.Textbox)}
    for step in QUIZ.steps:
        for way in filter(is_there, step.ways):
            assert way.tab in within
            assert not way.part or within[way.part] == way.tab
            assert {name for name, _ in way.fields} <= boxes, step.key


def test_the_endpoint_gives_a_question_with_its_answer(demo: Any) -> None:
    answer = endpoint_of(demo, "quiz")(1)
    assert answer["questions"] == len(QUIZ.steps)
    assert "{" not in answer["why"]
    with pytest.raises(gr.Error, match="no question"):
        endpoint_of(demo, "quiz")(0)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_question_is_answered_by_keyboard_and_the_score_outlives_the_page(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Lesson", "Quiz", width=width, dark=dark)
    body = page.locator("#quiz-body")
    expect(body.locator("[data-choice]")).to_have_count(4)
    expect(body).not_to_contain_text("Why?")
    expect(body.locator("[data-tab]")).to_have_count(0)
    body.get_by_role("button", name="capital").press("Enter")
    expect(page.locator("#quiz-finding")).to_contain_text("Right. The answer: capital.")
    expect(body).to_contain_text("%")
    score = page.locator("#quiz-steps [role=status]")
    expect(score).to_contain_text("1 of 1 right")
    expect(page.locator("#lesson-steps [role=status]")).to_contain_text("Your score stays")
    body.locator("[data-to='2']").press("Enter")
    expect(page.locator("#quiz-finding")).to_contain_text("2. ")
    expect(body).not_to_contain_text("Why?")
    page.reload()
    page.get_by_role("tab", name="Lesson", exact=True).click()
    page.get_by_role("tab", name="Quiz", exact=True).click()
    expect(score).to_contain_text("1 of 1 right")
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) <= 0

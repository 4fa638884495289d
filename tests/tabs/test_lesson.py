from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tabs import TABS
from components.tabs.walk import Place
from components.tasks.lesson import is_there
from components.tasks.lesson_steps import GOALS, STEPS
from tests.pages import endpoint_of

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Any:
    built = app.create_app(models)
    yield built
    built.close()


def test_every_goal_and_every_way_leads_to_a_tab_and_to_fields_that_there_are(demo: Any) -> None:
    ids = {tab.id for tab in TABS}
    within = {tab.id: tab.within for tab in TABS}
    boxes = {b.elem_id for b in demo.blocks.values() if isinstance(b, gr.Textbox)}
    assert all(set(goal.tabs) <= ids for goal in GOALS)
    for step in STEPS:
        assert any(is_there(way) and way.needs is None for way in step.ways), step.key
        for way in filter(is_there, step.ways):
            assert way.tab in ids
            assert not way.part or within[way.part] == way.tab
            assert {name for name, _ in way.fields} <= boxes


@pytest.mark.parametrize(
    "sent", ["", "x", "[]", "3", '{"step": 99}', '{"step": "2"}', '{"step": 0}', "[" * 9999]
)
def test_a_place_that_is_amiss_reads_as_step_1(sent: str) -> None:
    assert Place.read(sent, len(STEPS)) == Place()


def test_a_choice_travels_with_the_text_that_was_asked_about() -> None:
    assert Place.read('{"step": 2, "choice": 1, "text": "a"}', 14) == Place(2, 1, "a")
    assert Place.read('{"step": 3}', 14) == Place(3)


def test_the_endpoint_gives_a_step_with_its_answer(demo: Any) -> None:
    answer = endpoint_of(demo, "lesson")(13)
    assert answer["step"]["key"] == "choice"
    question = answer["live"]["question"]
    assert question["choices"][question["right"]] == "DistilBERT"
    with pytest.raises(gr.Error, match="no step"):
        endpoint_of(demo, "lesson")(0)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_step_asks_before_it_shows_and_the_score_outlives_the_page(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Lesson", width=width, dark=dark)
    body = page.locator("#lesson-body")
    expect(body.locator(".lab-box")).to_have_count(7)
    body.locator(".lab-box").nth(1).press("Enter")
    expect(body.locator("[data-said='1']")).to_be_visible()
    expect(body).not_to_contain_text("Why?")
    body.get_by_role("button", name="capital").click()
    expect(page.locator("#lesson-finding")).to_contain_text("Right. “capital” comes first.")
    score = page.locator("#lesson-steps [role=status]")
    expect(score).to_contain_text("1 of 1 right")
    body.locator("[data-to='2']").click()
    expect(page.locator("#lesson-finding")).to_contain_text("2. Both contexts at once")
    expect(page.locator("#lesson-text textarea")).to_have_value(STEPS[1].text)
    page.reload()
    page.get_by_role("tab", name="Lesson", exact=True).click()
    expect(score).to_contain_text("1 of 1 right")
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) <= 0

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tasks import teaching
from tests.pages import endpoint_of, handler_of


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Any:
    built = app.create_app(models)
    yield built
    built.close()


def test_every_note_is_shown_and_given_to_programs(demo: Any) -> None:
    for note in teaching.notes().values():
        finding, page, *_ = handler_of(demo, "teaching-tab", "input")(note.tab_id)
        assert "lab-refused" not in finding
        assert page.count("<li>") == 3
        assert endpoint_of(demo, "teaching")(note.tab_id)["goal"] == note.goal
    with pytest.raises(gr.Error, match="no note"):
        endpoint_of(demo, "teaching")("fame")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_note_is_chosen_and_its_tab_opened(
    open_page: Callable[..., Any], width: int, dark: bool
) -> None:
    page = open_page("Lesson", "Teacher's notes", width=width, dark=dark)
    page.locator("#teaching-note").get_by_text("Three questions to ask").wait_for()
    page.locator("#teaching-tab input").click()
    page.get_by_role("option", name="Attention").click()
    page.locator("#teaching-finding").get_by_text("Every head of every layer").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Open this tab").click()
    page.locator("#attention-finding").wait_for()

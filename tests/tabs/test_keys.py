"""The page by keyboard alone: rows of tabs, the main button, and where the focus is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from components.tabs import TABS

pytestmark = pytest.mark.browser
FOCUS = """() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return [document.activeElement.outerHTML.slice(0, 120), outlineStyle, outlineWidth];
}"""


def _tab(page: Any, name: str) -> Any:
    return page.get_by_role("tab", name=name, exact=True)


def test_arrows_home_and_end_move_along_a_row_of_tabs_and_round_its_ends(
    open_page: Callable[..., Any],
) -> None:
    last = [tab.title for tab in TABS if not tab.within][-1]
    page = open_page()
    _tab(page, "Fill-mask").focus()
    for key, opened in (
        ("ArrowRight", "Next sentence"),
        ("ArrowLeft", "Fill-mask"),
        ("ArrowLeft", last),
        ("ArrowRight", "Fill-mask"),
        ("End", last),
        ("Home", "Fill-mask"),
    ):
        page.keyboard.press(key)
        expect(_tab(page, opened)).to_have_attribute("aria-selected", "true")
        expect(_tab(page, opened)).to_be_focused()


def test_a_row_of_tabs_is_one_stop_and_the_row_of_parts_the_next(
    open_page: Callable[..., Any],
) -> None:
    page = open_page("Next sentence")
    page.keyboard.press("Tab")
    expect(_tab(page, "A pair")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(_tab(page, "A story")).to_be_focused()
    expect(page.locator("#story-finding")).to_be_visible()
    expect(_tab(page, "Next sentence")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Shift+Tab")
    expect(_tab(page, "Next sentence")).to_be_focused()


def test_ctrl_enter_presses_the_main_button_once_from_any_field(
    open_page: Callable[..., Any],
) -> None:
    page = open_page("Question answering")  # a passage of several lines, where Enter is a new line
    expect(page.locator("#question_answering-finding .lab-waiting")).to_have_count(0)
    page.evaluate("""() => {
        window.pressed = 0;
        const main = document.querySelector('#question_answering-run');
        main.addEventListener('click', () => pressed++);
    }""")
    question = page.locator("#question_answering-question textarea")
    question.fill("Which river is it?")
    question.press("Control+Enter")
    passage = page.locator("#question_answering-passage textarea")
    passage.fill("The Rhine is a river. It flows to the North Sea.")
    passage.press("Control+Enter")
    expect(page.locator("#question_answering-finding")).to_contain_text("Rhine")
    assert page.evaluate("pressed") == 2
    expect(passage).to_have_value("The Rhine is a river. It flows to the North Sea.")


def test_whatever_the_tab_key_comes_to_shows_that_it_has_the_focus(
    open_page: Callable[..., Any],
) -> None:
    page = open_page()
    page.locator("#fill_mask-chart .lab-bar").first.wait_for()
    page.locator(".lab-present").focus()
    unseen, stops = [], set()
    for _ in range(40):
        page.keyboard.press("Tab")
        what, style, width = page.evaluate(FOCUS)
        stops.add(what)
        if what.startswith("<body"):
            break
        if style == "none" or float(width.removesuffix("px")) < 2:
            unseen.append(what)
    assert unseen == []
    assert len(stops) > 15

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of

Open = Callable[..., Any]
IN_SIGHT = """() => {
  const shown = document.querySelector('#lens-grid [aria-pressed=true]').getBoundingClientRect();
  return shown.left >= 0 && shown.right <= window.innerWidth;
}"""
TEXT = "the [MASK] ran past the [MASK]"


def test_programs_look_at_the_first_blank_or_at_any_token(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "lens")
    first, last = ask(TEXT), ask(TEXT, position=6)
    assert (first["position"], last["position"]) == (2, 6)
    assert first["grid"] == last["grid"]
    assert ask(TEXT, position=2)["steps"] == first["steps"]
    assert ask(TEXT, word="river")["paths"][0]["word"] == "river"
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_another_one_too(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Lens", width=width, dark=dark)
    finding = page.locator("#lens-finding")
    expect(finding).to_contain_text("“capital”", timeout=30_000)
    expect(page.locator("#lens-ladder tbody tr")).to_have_count(7)
    expect(page.locator("#lens-ladder tbody tr").last).to_contain_text("rank 1")
    expect(page.locator("#lens-grid .lab-lens-guess")).to_have_count(7 * 9)
    expect(page.locator("#lens-grid [aria-pressed=true]")).to_have_text("[MASK]")
    page.wait_for_function(IN_SIGHT)  # on a phone the grid is wider than the page
    expect(page.locator("#lens-chart .scatterlayer .trace")).to_have_count(2)
    page.get_by_role("button", name="The opposite of hot").click()
    expect(finding).to_contain_text("“cold”")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
def test_a_token_pressed_and_a_word_clicked_are_looked_at_until_the_text_changes(
    open_page: Open,
) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Lens")
    finding, position = page.locator("#lens-finding"), page.get_by_label("Token looked at")
    page.locator("#lens-grid .lab-lens-token", has_text="france").click()
    expect(finding).to_contain_text("Where “france” stands")
    expect(position).to_have_value("6")
    word = page.locator("#lens-ladder tbody tr").first.locator("button").nth(1)
    asked = word.evaluate("button => button.firstChild.textContent")
    word.click()
    expect(page.get_by_label("Word to follow")).to_have_value(asked)
    expect(finding).to_contain_text(f"Where “france” stands, “{asked}”")
    page.get_by_label("Word to follow").fill("")
    page.locator("#lens-text textarea, #lens-text input").fill("She closed the ___ behind her.")
    page.get_by_role("button", name="Look through the layers").click()
    expect(finding).to_contain_text("___ was read as [MASK].")
    expect(position).to_have_value("")
    expect(page.locator("#lens-grid [aria-pressed=true]")).to_have_text("[MASK]")


@pytest.mark.browser
def test_a_cell_shows_its_guesses_under_the_pointer_and_by_keyboard(open_page: Open) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Lens")
    detail = page.locator("#lens-grid .lab-lens-detail")
    expect(detail).to_contain_text("Layer 6 at “[MASK]” (position 4)")
    expect(detail.locator(".lab-bar")).to_have_count(5)
    page.locator("#lens-grid [data-row='2'][data-column='1']").hover()
    expect(detail).to_contain_text("Layer 2 at “paris” (position 1). The token itself: rank ")
    page.mouse.move(0, 0)
    expect(detail).to_contain_text("Layer 6 at “[MASK]”")
    page.locator("#lens-grid [data-row='6'][data-column='4']").focus()
    page.keyboard.press("ArrowUp")
    expect(detail).to_contain_text("Layer 5 at “[MASK]”")
    page.keyboard.press("ArrowRight")
    expect(detail).to_contain_text("Layer 5 at “of” (position 5)")

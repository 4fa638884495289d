from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
Open = Callable[..., Any]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_a_new_text_gets_a_new_answer(
    open_page: Open, width: int, dark: bool
) -> None:
    page = open_page(width=width, dark=dark)
    finding = page.locator("#fill_mask-finding")
    expect(finding).to_contain_text("“capital”", timeout=15_000)
    page.get_by_label("Sentence").fill("She closed the ___ behind her.")
    page.get_by_role("button", name="Fill the blank").click()
    expect(finding).to_contain_text(re.compile("“(door|gate|window|curtain)"), timeout=15_000)
    expect(finding).to_contain_text("___ was read as [MASK].")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0


def test_clicks_hide_a_word_and_put_a_candidate_in(open_page: Open) -> None:
    page = open_page()
    text = page.get_by_label("Sentence")
    page.locator("#fill_mask-chart button.lab-bar", has_text="city").click()
    expect(text).to_have_value("Paris is the city of France.")
    expect(page.locator("#fill_mask-finding")).to_contain_text("no blank")
    expect(page.locator("#fill_mask-chart")).not_to_contain_text("capital")
    page.get_by_role("button", name="Use “Paris is the city of [MASK].”").click()
    expect(text).to_have_value("Paris is the city of [MASK].")
    expect(page.locator("#fill_mask-strip .lab-blank")).to_be_visible()  # drawn for the new text
    page.locator("#fill_mask-strip").get_by_role("button", name="Paris", exact=True).press("Enter")
    expect(text).to_have_value("[MASK] is the city of [MASK].")
    expect(page.locator("#fill_mask-chart")).to_contain_text("Blank 2")


def test_a_click_on_an_old_sentence_keeps_the_new_one(open_page: Open) -> None:
    page = open_page()
    page.locator("#fill_mask-strip").get_by_role("button", name="Paris", exact=True).wait_for()
    page.get_by_label("Sentence").fill("She drank a cup of ___.")
    page.locator("#fill_mask-strip").get_by_role("button", name="Paris", exact=True).click()
    expect(page.locator("#fill_mask-strip")).to_contain_text("She drank a cup of")
    expect(page.get_by_label("Sentence")).to_have_value("She drank a cup of ___.")


def test_the_table_holds_token_probability_and_id(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="All numbers").first.click()
    expect(page.locator("#fill_mask-table [data-testid='cell-0-1']")).to_have_text("capital")
    expect(page.locator("#fill_mask-table [data-testid='cell-0-3']")).to_have_text("3007")


HOSTILE = (
    '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script> ${window.__pwn=2} {{7}} ___'
)


def test_hostile_text_stays_text(open_page: Open) -> None:  # H38, H03
    page = open_page()
    page.get_by_label("Sentence").fill(HOSTILE)
    page.get_by_role("button", name="Fill the blank").click()
    expect(page.locator("#fill_mask-strip")).to_contain_text('<img src=x onerror="window.__pwn=1">')
    page.get_by_label("Model").first.fill("<b>x</b>")
    page.get_by_label("Model").first.press("Enter")
    expect(page.locator("#fill_mask-finding")).to_contain_text("“<b>x</b>” is no model id")
    expect(page.get_by_label("Sentence")).to_have_value(HOSTILE)
    assert page.evaluate("window.__pwn") is None

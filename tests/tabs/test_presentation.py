"""The presentation switch: one for all tabs, kept by the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
SIZE = "(query) => parseFloat(getComputedStyle(document.querySelector(query)).fontSize)"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_it_makes_all_type_larger_leaves_fewer_controls_and_outlives_the_page(
    open_page: Callable[..., Any],
) -> None:
    page = open_page("Sentiment")
    typed, guide = "#sentiment-text textarea", page.locator(".lab-guide:visible")
    switch = page.get_by_role("button", name="Presentation")
    expect(page.locator("#sentiment-finding .lab-waiting")).to_have_count(0)
    expect(guide).to_have_count(1)
    before = [page.evaluate(SIZE, one) for one in ("#sentiment-finding .lab-headline", typed)]
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    after = [page.evaluate(SIZE, one) for one in ("#sentiment-finding .lab-headline", typed)]
    assert all(new > 1.3 * old for old, new in zip(before, after, strict=True)), (before, after)
    expect(guide).to_have_count(0)
    assert page.evaluate(OVERFLOW) <= 0
    page.reload()
    expect(page.get_by_role("button", name="Presentation")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_role("tab", name="Compare", exact=True).click()
    expect(page.locator("#compare-finding .lab-waiting")).to_have_count(0)
    expect(guide).to_have_count(0)
    page.get_by_role("button", name="Presentation").click()
    expect(guide).to_have_count(1)
    page.reload()
    expect(page.get_by_role("button", name="Presentation")).to_have_attribute(
        "aria-pressed", "false"
    )

"""Every tab in Chromium, as a visitor sees it: light and dark, wide and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from components.tabs import TABS
from components.tabs.base import Tab
from tests.pages import way_to

pytestmark = pytest.mark.browser
VIEWS = ((1280, False), (1280, True), (360, False), (360, True))


@pytest.mark.parametrize(("width", "dark"), VIEWS)
@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.id)
def test_it_opens_with_an_answer_and_without_a_sideways_scroll(
    open_page: Callable[..., Any], tab: Tab, width: int, dark: bool
) -> None:
    page = open_page(*way_to(tab), width=width, dark=dark)
    finding = page.locator(f"#{tab.id}-finding")
    expect(finding.locator(".lab-headline")).to_be_visible(timeout=30_000)
    expect(finding.locator(".lab-waiting, .lab-refused")).to_have_count(0, timeout=30_000)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    assert page.evaluate("document.body.classList.contains('dark')") is dark

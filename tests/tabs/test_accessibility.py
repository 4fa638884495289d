"""Every tab for the keyboard and for ears: what axe-core finds, and pictures without a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from components.tabs import TABS
from components.tabs.base import Tab
from tests.pages import way_to

pytestmark = pytest.mark.browser
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
DARK = """async (dark) => {
    document.body.classList.toggle('dark', dark);
    const ends = (animation) => isFinite(animation.effect.getTiming().iterations);
    const moving = document.getAnimations().filter(ends);
    await Promise.all(moving.map((animation) => animation.finished.catch(() => null)));
}"""
VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
    .flatMap((v) => v.nodes.map((n) => `${v.id} ${n.target}: ${n.failureSummary}`))"""
# Pictures of some size that neither are named nor belong to something that is. A Plotly chart
# cannot be named; test_tabs asks that it has a table.
NAMELESS = """() => [...document.querySelectorAll('canvas, svg')].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const named = '[aria-hidden=true], [role=img], [aria-label], [aria-labelledby], button, figure';
    return one.checkVisibility() && width > 48 && height > 48
        && !one.closest(named) && !one.closest('.js-plotly-plot, #js-plotly-tester');
}).map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def walked(browser: Any, app_url: str) -> Iterator[Any]:
    """One page that all tabs are opened on, one after the other."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(app_url)
    page.get_by_role("tab").first.wait_for()
    page.evaluate(AXE)
    yield page
    context.close()


def _answered(page: Any, tab: Tab) -> None:
    finding = page.locator(f"#{tab.id}-finding")
    expect(finding.locator(".lab-headline")).to_be_visible(timeout=60_000)
    expect(finding.locator(".lab-waiting")).to_have_count(0, timeout=60_000)
    expect(page.locator(".empty:visible")).to_have_count(
        0, timeout=60_000
    )  # a chart's script comes


def _violations(page: Any) -> list[str]:
    found = []
    for dark in (False, True):
        page.evaluate(DARK, dark)
        found += [f"{'dark' if dark else 'light'}: {line}" for line in page.evaluate(VIOLATIONS)]
    page.evaluate(DARK, False)
    return found


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.id)
def test_axe_finds_nothing_in_light_and_dark_with_everything_unfolded(
    walked: Any, tab: Tab
) -> None:
    for name in way_to(tab):
        walked.get_by_role("tab", name=name, exact=True).click()
    if any(part.within == tab.id for part in TABS):  # the part that was left open stays open
        walked.get_by_role("tab", name=tab.label, exact=True).click()
    _answered(walked, tab)
    folded = walked.locator("button.label-wrap:not(.open):visible")
    while folded.count():
        folded.first.click()
    assert _violations(walked) == []
    assert walked.evaluate(NAMELESS) == []


def test_axe_finds_nothing_where_a_text_is_refused(open_page: Callable[..., Any]) -> None:
    page = open_page("Sentiment")
    page.evaluate(AXE)
    page.locator("#sentiment-finding .lab-headline").wait_for()
    page.locator("#sentiment-text textarea").fill("  ")
    page.locator("#sentiment-run").click()
    expect(page.locator("#sentiment-finding .lab-refused")).to_be_visible()
    assert _violations(page) == []

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_programs_get_points_and_cosines_of_every_layer(models: ModelManager) -> None:
    demo = app.create_app(models)
    found = endpoint_of(demo, "word_vectors")("boats", "the boats ran\nold boats", "a boats city")
    assert [one["name"] for one in found["occurrences"]] == ["A1", "A2", "B1"]
    assert [len(found[name]) for name in ("steps", "points", "cosines")] == [4, 4, 4]
    assert found["verdict"]["ways"] == 3
    demo.close()


def test_a_word_that_is_nowhere_is_answered_with_a_button(models: ModelManager) -> None:
    demo = app.create_app(models)
    run = handler_of(demo, "word_vectors-run")
    finding, *others, _status = run("bert-mini", "bank", "the river\na river", "")
    assert "stands in none of the sentences" in finding
    assert 'data-put="river"' in finding
    assert others == [None] * 5
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_points_move_with_the_slider_and_a_new_word_gets_a_new_map(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Vectors", "One word", width=width, dark=dark)
    points = page.locator(".lab-vectors-point")
    expect(points).to_have_count(8, timeout=30_000)
    expect(page.locator("#word_vectors-finding")).to_contain_text("the two senses of “bank”")
    expect(page.locator(".lab-vectors-lines mark")).to_have_text(["bank"] * 8)
    expect(page.locator("#word_vectors-chart .scatterlayer .trace")).to_have_count(8)
    before = points.first.get_attribute("style")
    says = page.locator(".lab-vectors-says")
    expect(says).to_contain_text("within a sense")
    told = says.inner_text()
    page.locator("#word_vectors-picture input[type=range]").focus()
    page.keyboard.press("Home")
    expect(page.locator("#word_vectors-picture .lab-steps")).to_contain_text("Embeddings")
    expect(says).not_to_have_text(told)
    assert points.first.get_attribute("style") != before
    page.get_by_role("button", name="mean taken away").click()
    expect(page.locator("[data-kind=centred]")).to_have_attribute("aria-pressed", "true")
    points.nth(5).hover(force=True)
    expect(page.locator(".lab-vectors-lines mark.lab-lit")).to_have_count(1)

    page.get_by_role("button", name="the: no senses").click()
    expect(page.locator("#word_vectors-finding")).to_contain_text("vectors of “the” have cosine")
    expect(points).to_have_count(4)
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.browser
def test_a_refusal_offers_a_word_and_hostile_text_stays_text(open_page: Open) -> None:  # H38
    from playwright.sync_api import expect

    page = open_page("Vectors", "One word")
    expect(page.locator(".lab-vectors-point")).to_have_count(8, timeout=30_000)
    hostile = '<img src=x onerror="window.__pwn=1"> river ${1}'
    page.locator("#word_vectors-sense-a textarea").fill(f"{hostile}\nthe river")
    page.locator("#word_vectors-sense-b textarea").fill("")
    page.locator("#word_vectors-run").click()
    finding = page.locator("#word_vectors-finding")
    expect(finding).to_contain_text("“bank” stands in none")
    expect(page.locator(".lab-vectors")).to_be_hidden()
    finding.get_by_role("button", name="Use “river”").click()
    expect(page.locator(".lab-vectors-lines li").first).to_contain_text(hostile)
    assert page.evaluate("window.__pwn") is None

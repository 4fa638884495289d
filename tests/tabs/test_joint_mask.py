from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]


def test_programs_get_three_ways_and_a_beam(models: ModelManager) -> None:
    demo = app.create_app(models)
    answer = endpoint_of(demo, "joint_mask")("the ___ ran past the [MASK]", beam=3)
    assert [way["id"] for way in answer["ways"]] == ["alone", "surest", "joint"]
    assert answer["beam"][0]["words"] == answer["ways"][2]["filling"]["words"]
    assert len(answer["beam"]) == 3
    with pytest.raises(gr.Error, match="at most 5"):
        endpoint_of(demo, "joint_mask")("___ " * 6)
    demo.close()


def test_a_text_without_a_blank_shows_its_words_to_click(models: ModelManager) -> None:
    demo = app.create_app(models)
    run = handler_of(demo, "joint_mask-run")
    finding, strip, *others = run("bert-mini", "the river ran", 5)[:-1]
    assert "no blank" in finding
    assert "lab-refused" not in finding
    assert strip.count("data-put") == 3
    assert others == [None, None, None]
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_a_click_makes_another(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Several blanks", width=width, dark=dark)
    finding = page.locator("#joint_mask-finding")
    expect(finding).to_contain_text("%", timeout=30_000)
    expect(page.locator("#joint_mask-cards .lab-way")).to_have_count(3)
    expect(page.locator("#joint_mask-search .lab-beam .lab-bar")).to_have_count(5)
    expect(page.locator("#joint_mask-search .lab-pair-joint")).to_have_count(1)
    page.locator("#joint_mask-strip").get_by_role("button", name="He", exact=True).click()
    expect(page.locator("#joint_mask-text textarea, #joint_mask-text input")).to_have_value(
        "[MASK] lives in [MASK] [MASK], California."
    )
    expect(page.locator("#joint_mask-cards mark")).to_have_count(9)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of

Open = Callable[..., Any]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# the shares of red, green and blue along a stripe say whether anything was drawn
INK = "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, 1).data).size > 20"


def test_programs_get_the_vectors_of_any_layer(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "embeddings")
    last = ask("the river ran")
    assert last["shape"] == [1, 5, 32]
    assert last["layer"] == 3
    assert [len(row) for row in last["vectors"]] == [32] * 5
    assert ask("the river ran", layer=0)["vectors"] != last["vectors"]
    with pytest.raises(gr.Error, match="has no layer 4"):
        ask("the river ran", layer=4)
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_the_slider_asks_nobody(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Vectors", "Numbers", width=width, dark=dark)
    expect(page.locator("#embeddings-shape")).to_contain_text("torch.Size([1, ")
    rows = page.locator(".lab-numbers-row")
    expect(rows.first).to_contain_text("[CLS]")
    page.wait_for_function(INK, arg=rows.first.locator("canvas").element_handle())
    says = page.locator(".lab-numbers-says")
    last = says.inner_text()
    slider = page.locator("#embeddings-strips input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("#embeddings-strips .lab-steps")).to_contain_text("Embeddings")
    expect(says).not_to_have_text(last)
    rows.nth(1).locator("button").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("(position 2), number 2 of ")
    page.locator("#embeddings-text textarea").fill("<img src=x onerror=alert(1)> {{7}}")  # H38
    page.locator("#embeddings-run").click()
    expect(rows.nth(1)).to_contain_text("<")
    assert page.locator("#embeddings-strips img").count() == 0
    assert page.evaluate(OVERFLOW) <= 0

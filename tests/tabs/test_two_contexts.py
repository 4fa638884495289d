from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.catalog import cards_for
from components.models.families import Task
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]


def test_programs_can_ask_every_family(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "two_contexts")
    for card in cards_for(Task.FILL_MASK):
        answer = ask("the [river|film] was ___", model=card.id)
        assert [context["name"] for context in answer["contexts"]] == ["river", "film"]
        assert all(word["tilt"] > 0 for word in answer["first"])
        assert all(word["tilt"] < 0 for word in answer["second"])
    with pytest.raises(gr.Error, match="only one context"):
        ask("the river was ___")
    demo.close()


def test_a_refusal_offers_a_blank_and_draws_nothing_old(models: ModelManager) -> None:
    demo = app.create_app(models)
    run = handler_of(demo, "two_contexts-run")
    finding, *others = run("bert-mini", "the [river|film] ran", "")[:-1]
    assert "the [river|film] [MASK]" in finding
    assert others == [None, None, None]
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_two_sentences_too(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Two contexts", width=width, dark=dark)
    finding = page.locator("#two_contexts-finding")
    expect(finding).to_contain_text("times as probable with “He”", timeout=30_000)
    expect(page.locator("#two_contexts-chart .scatterlayer .trace")).to_have_count(4)
    assert page.locator("#two_contexts-lists .lab-bar").count() > 4
    page.get_by_role("button", name="The bank is near").click()
    expect(finding).to_contain_text("with “text 1”")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tabs.story import EXAMPLES, shuffle_lines
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
TEXT = "the boats ran past\nthe mill was cold\nparis is a city"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    return app.create_app(models)


def test_programs_get_the_order_by_either_head(demo: gr.Blocks) -> None:
    ask = endpoint_of(demo, "story")
    for task, model in (("", "bert-mini"), ("sentence-order-prediction", "albert-mini")):
        found = ask(TEXT, truth=TEXT, **({"task": task} if task else {}))
        assert found["model_id"] == model
        assert sorted(found["order"]) == [0, 1, 2]
        assert found["truth"]["order"] == [0, 1, 2]
    with pytest.raises(gr.Error, match="no story"):
        ask("one")


def test_both_heads_stand_side_by_side_and_an_empty_one_is_not_asked(demo: gr.Blocks) -> None:
    run = handler_of(demo, "story-run")
    finding, panels, table, *_ = run("bert-mini", "albert-mini", TEXT, TEXT)
    assert ("BERT " in finding, "ALBERT " in finding) == (True, True)
    assert panels.count("lab-story-square") == 2
    assert len(table) == 12
    finding, panels, table, *_ = run("bert-mini", None, TEXT, "")
    assert "ALBERT" not in finding + panels
    assert len(table) == 6
    finding, panels, *_ = run("bert-mini", "bert-mini", TEXT, "")
    assert "bert-mini cannot say" in finding
    assert "use ALBERT" in panels


def test_shuffling_keeps_the_story_and_its_true_order() -> None:
    for _ in range(20):
        text, truth = shuffle_lines(TEXT, "")
        assert sorted(text.splitlines()) == sorted(TEXT.splitlines())
        assert text != TEXT
        assert truth == TEXT
        again, kept = shuffle_lines(text, truth)
        assert again != text
        assert kept == truth
    assert shuffle_lines("a\n b ", "other")[1] == "a\nb"
    assert shuffle_lines("a\na", None) == ("a\na", "a\na")
    assert shuffle_lines(None, None) == ("", "")


def test_every_example_holds_the_sentences_of_its_true_order() -> None:
    for text, truth in EXAMPLES:
        assert sorted(text.splitlines()) == sorted(truth.splitlines())
        assert text != truth


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_shuffled_story_is_put_in_order(open_page: Open, width: int, dark: bool) -> None:
    from playwright.sync_api import expect

    page = open_page("Next sentence", "A story", width=width, dark=dark)
    lines = page.locator("#story-panels .lab-story-order").first.locator("li")
    expect(lines).to_have_count(6)
    field = page.locator("#story-text textarea")
    before = field.input_value()
    page.locator("#story-shuffle").click()
    expect(field).not_to_have_value(before)
    page.locator("#story-examples").get_by_text("How a volcano grows").click()
    expect(lines).to_have_count(4)
    field.fill("one <img src=x onerror='window.__pwn=1'>\ntwo")
    page.locator("#story-run").click()  # H38
    expect(lines).to_have_count(2)
    expect(page.locator("#story-finding")).to_contain_text("would begin with")
    assert page.evaluate("window.__pwn") is None
    assert page.evaluate(OVERFLOW) <= 0

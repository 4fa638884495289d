from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tasks.sentence_vectors import SENTENCE_ENCODER
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
LINES = "the river ran past the mill\na city\nthe soup was cold"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    return app.create_app(models)


def test_programs_get_cosines_beside_those_of_random_sentences(demo: gr.Blocks) -> None:
    ask = endpoint_of(demo, "sentence_vectors")
    found = ask(LINES, query="a city")
    assert found["hits"][0]["sentence"] == 1
    assert len(found["cosines"]) == 3
    assert set(found["random"]) == {"mean", "low", "high"}
    with pytest.raises(gr.Error, match="is no pooling"):
        ask(LINES, pooling="median")


def test_a_sentence_encoder_out_of_reach_is_refused_and_the_first_model_answers(
    demo: gr.Blocks,
) -> None:
    run = handler_of(demo, "sentence_vectors-run")
    finding, panels, table, _link, _status = run(
        "bert-mini", SENTENCE_ENCODER, LINES, "a city", "mean"
    )
    assert "“a city” finds “a city” first" in finding
    assert SENTENCE_ENCODER in panels
    assert "lab-unsaid" in panels
    assert len(table) == 3 + 3


def test_two_bundled_models_stand_side_by_side(demo: gr.Blocks) -> None:
    run = handler_of(demo, "sentence_vectors-run")
    finding, panels, table, _link, _status = run("bert-mini", "distilbert-mini", LINES, "", "cls")
    assert "distilbert-mini: Most alike are" in finding
    assert panels.count("lab-panel") == 2
    assert len(table) == 2 * 3


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_searched_and_without_a_search_pairs_are_compared(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Vectors", "Sentences", width=width, dark=dark)
    finding = page.locator("#sentence_vectors-finding")
    expect(finding).to_contain_text("“ships and the sea” finds", timeout=30_000)
    expect(page.locator("#sentence_vectors-panels .lab-hit")).to_have_count(8)
    expect(page.locator("#sentence_vectors-panels .lab-square")).to_have_count(2)
    page.get_by_role("button", name="Who bites?").click()
    expect(finding).to_contain_text("Most alike are")
    expect(page.locator("#sentence_vectors-panels .lab-hit")).to_have_count(0)
    page.locator("#sentence_vectors-text textarea").fill('<img src=x onerror="window.__pwn=1">\nb')
    page.locator("#sentence_vectors-run").click()  # H38
    expect(page.locator("#sentence_vectors-panels li").first).to_contain_text("<img src=x")
    assert page.evaluate("window.__pwn") is None
    assert page.evaluate(OVERFLOW) <= 0

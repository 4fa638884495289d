from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
TEXTS = ("the boats ran past", "the mill was cold", "we ran home", "paris is a city")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    return app.create_app(models)


def test_programs_get_the_effects_by_either_head(demo: gr.Blocks) -> None:
    ask = endpoint_of(demo, "topic_or_order")
    assert ask(*TEXTS)["model_id"] == "bert-mini"
    found = ask(*TEXTS, task="sentence-order-prediction")
    assert found["model_id"] == "albert-mini"
    assert [one["kind"] for one in found["variants"]][:2] == ["comes next", "swapped"]
    with pytest.raises(gr.Error, match="another topic is empty"):
        ask(*TEXTS[:3], " ")


def test_both_heads_judge_the_same_pairs_and_an_empty_one_is_not_asked(demo: gr.Blocks) -> None:
    run = handler_of(demo, "topic_or_order-run")
    finding, panels, table, *_ = run("bert-mini", "albert-mini", *TEXTS)
    assert ("BERT: another" in finding, "ALBERT: another" in finding) == (True, True)
    assert panels.count("<svg") == 2
    assert len(table) == 8
    finding, panels, table, *_ = run("bert-mini", "", *TEXTS)
    assert "ALBERT" not in finding + panels
    assert len(table) == 4


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_change_of_topic_moves_berts_gap_more_than_a_swap(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Next sentence", "Topic or order", width=width, dark=dark)
    rows = page.locator("#topic_or_order-panels .lab-panel").first.locator(".lab-quartet-row")
    expect(rows).to_have_count(4)
    expect(rows.nth(1).locator(".lab-quartet-yes")).to_have_count(1)
    expect(rows.nth(3).locator(".lab-quartet-no")).to_have_count(1)
    page.locator("#topic_or_order-unrelated textarea").fill("<img src=x onerror='__pwn=1'>")
    page.locator("#topic_or_order-run").click()  # H38
    expect(rows.nth(3)).to_contain_text("<img src=x")
    assert page.evaluate("window.__pwn") is None
    assert page.evaluate(OVERFLOW) <= 0

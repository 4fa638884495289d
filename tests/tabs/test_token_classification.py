from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

from components.models.manager import ModelManager
from components.tabs import TABS
from components.tabs import token_classification as tab
from components.tabs.base import Page
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[gr.Blocks]:
    """The tab alone: the app has it as soon as a model with its head ships."""
    with gr.Blocks() as built:
        tab.build(Page(built, models, gr.HTML()))
    yield built
    built.close()


@pytest.fixture
def run(demo: gr.Blocks) -> Callable[..., list[Any]]:
    return handler_of(demo, "token_classification-position", "submit")


def test_the_tab_is_there_where_a_model_with_its_head_ships() -> None:
    from components.models.catalog import SHIPPED

    able = any(tab.TAB.needs in card.tasks for card in SHIPPED)
    assert (tab.TAB in TABS) == able


def test_a_run_draws_everything_and_the_piece_that_was_chosen(
    run: Callable[..., list[Any]],
) -> None:
    finding, reading, ways, strip, scores, table, pieces, link, _ = run(
        "roberta-mini", "paris is a city", "2"
    )
    assert "lab-refused" not in finding
    assert "paris" in reading
    assert ways.count("<section") == 4
    assert strip.count("<button") == len(pieces["data"])
    assert 'data-value="2" aria-pressed="true"' in strip
    assert scores.count("lab-bar-label") == 9
    assert isinstance(table, list)
    assert "Download as CSV" in link


@pytest.mark.parametrize(
    ("model", "text", "position", "said"),
    [
        ("bert-mini", "paris", "", "use RoBERTa"),
        ("electra-mini-generator", "paris", "", "use RoBERTa"),
        ("roberta-mini", " ", "", "is empty"),
        ("roberta-mini", "paris", "99", "There is no token 99"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(
    run: Callable[..., list[Any]], model: str, text: str, position: str, said: str
) -> None:  # H06
    finding, *others, _ = run(model, text, position)
    assert "lab-refused" in finding
    assert said in finding
    assert others == [None] * 7


def test_programs_get_every_piece_and_every_strategy(demo: gr.Blocks) -> None:
    answer = endpoint_of(demo, "token_classification")("paris is a city")
    assert answer["entities"].keys() == {"simple", "first", "average", "max"}
    assert answer["pieces"][0]["span"][0] == 0
    assert json.dumps(answer)
    with pytest.raises(gr.Error, match="use RoBERTa"):
        endpoint_of(demo, "token_classification")("paris", "bert-mini")


@pytest.mark.browser
@pytest.mark.skipif(tab.TAB not in TABS, reason="no RoBERTa ships yet")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_a_piece_shows_its_labels(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Named entities", width=width, dark=dark)
    expect(page.locator("#token_classification-finding")).to_contain_text("named entit")
    page.locator("#token_classification-strip [data-value='3']").click()
    expect(page.locator("#token_classification-strip [aria-pressed=true]")).to_have_count(1)
    expect(page.locator("#token_classification-scores .lab-bar")).to_have_count(9)
    position = page.locator("#token_classification-position")
    expect(position.locator("input, textarea")).to_have_value("3")
    hostile = '<img src=x onerror="window.__pwn=1"> ${window.__pwn=2} {{7}} Paris'  # H38
    page.locator("#token_classification-text textarea").fill(hostile)
    page.locator("#token_classification-run").click()
    expect(page.locator("#token_classification-ways")).to_contain_text("{{7}}")
    assert page.locator("#token_classification-reading img").count() == 0
    assert page.evaluate("window.__pwn") is None
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

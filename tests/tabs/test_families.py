from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.catalog import CATALOG
from components.models.choices import CHOICES, Need
from components.models.families import FAMILIES
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Any:
    built = app.create_app(models)
    yield built
    built.close()


def test_the_endpoint_gives_the_picks_and_where_the_parameters_sit(demo: Any) -> None:
    answer = endpoint_of(demo, "families")("best-accuracy")
    assert [pick["name"] for pick in answer["picks"]] == ["DeBERTa", "RoBERTa"]
    assert len(answer["miniatures"]) == len(CATALOG)
    assert all(one["anatomy"]["encoder"] > 0 for one in answer["miniatures"])
    with pytest.raises(gr.Error, match="not on the list"):
        endpoint_of(demo, "families")("fame")


@pytest.mark.parametrize("need", Need)
def test_every_need_on_the_page_is_answered(demo: Any, need: Need) -> None:
    finding, picks, bars, cards, *_ = handler_of(demo, "families-need", "input")(need.value)
    assert "lab-refused" not in finding
    assert "First choice" in picks
    assert bars.count("lab-anatomy-bar") == len(CATALOG)
    assert cards.count("<article") == len(FAMILIES)


def test_no_weights_are_loaded_for_it(tiny_dir: Any) -> None:
    from components.config import Settings

    fresh = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
    built = app.create_app(fresh)
    handler_of(built, "families-need", "input")(Need.MEMORY.value)
    assert fresh.status().device is None
    built.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_page_opens_with_a_pick_and_another_need_gets_another(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Models", width=width, dark=dark)
    headline = page.locator("#families-finding .lab-headline")
    expect(headline).to_have_text("For a small download: ALBERT")
    expect(page.locator(".lab-family-card")).to_have_count(len(FAMILIES))
    expect(page.locator(".lab-anatomy-bar").first).to_be_visible()
    page.get_by_label(CHOICES[Need.PAIRS].label, exact=True).click()
    expect(headline).to_have_text("For pairs of sentences: BERT")
    expect(page.locator(".lab-family-card.lab-bert .lab-mark")).to_have_text("first choice")
    page.locator(".lab-family-card summary").first.click()
    expect(page.locator(".lab-family-card details").first).to_contain_text("Devlin et al. 2019")
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) <= 0

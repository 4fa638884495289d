from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import app
from components.models.catalog import one_per_family
from components.models.manager import ModelManager
from components.tabs import tokenization
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_programs_get_pieces_ids_and_spans(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "tokenization")
    answer = ask("is [MASK] é")
    assert [entry["model_id"] for entry in answer["entries"]] == tokenization.MODELS
    bert = answer["entries"][0]
    assert bert["pieces"][-2]["byte_span"] == (10, 12)
    assert [p["token"] for p in bert["pieces"] if p["kind"] == "special"] == [
        "[CLS]", "[MASK]", "[SEP]",
    ]  # fmt: skip
    (plain,) = ask("is [MASK] é", models=["bert-mini"], literal=1)["entries"]
    assert "[MASK]" not in [p["token"] for p in plain["pieces"]]
    demo.close()


def test_one_that_cannot_be_reached_is_refused_beside_the_others(models: ModelManager) -> None:
    demo = app.create_app(models)
    run = handler_of(demo, "tokenization-run")
    finding, picture, table, *_ = run("the river", "bert-base-cased, ../etc", False)
    assert "lab-refused" not in finding
    assert "bert-base-cased" in picture
    assert "no model id" in picture
    assert table
    demo.close()


def test_every_family_has_a_row(models: ModelManager) -> None:
    shipped = [card for card in one_per_family() if card.is_shipped]
    assert len(tokenization.MODELS) == len(shipped) > 1


def test_splitting_loads_no_network(tiny_dir: Any) -> None:
    from components.config import Settings

    fresh = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
    demo = app.create_app(fresh)
    handler_of(demo, "tokenization-run")("the river", "", False)
    assert fresh.status().loaded == ()
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_split_and_another_text_too(open_page: Open, width: int, dark: bool) -> None:
    from playwright.sync_api import expect

    page = open_page("Tokens", width=width, dark=dark)
    picture = page.locator("#tokenization-picture")
    expect(page.locator("#tokenization-finding")).to_contain_text("tokens long", timeout=30_000)
    expect(picture.locator("button", has_text="##ization").first).to_be_visible()
    page.locator("#tokenization-text textarea").fill("Zürich 你好")
    page.get_by_role("button", name="Split into tokens").click()
    expect(page.locator("#tokenization-finding")).to_contain_text("nothing for “你”, “好”")
    expect(picture.locator("button", has_text="zurich").first).to_be_visible()
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.browser
def test_a_piece_lights_up_its_characters_and_a_character_its_pieces_without_a_request(
    open_page: Open,
) -> None:
    from playwright.sync_api import expect

    page = open_page("Tokens")
    picture = page.locator("#tokenization-picture")
    piece = picture.locator("button", has_text="##ization").first
    piece.wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    piece.hover()
    lit = picture.locator(".lab-link-text .lab-linked")
    assert "".join(lit.all_text_contents()) == "ization"
    says = picture.locator(".lab-link-says")
    expect(says).to_contain_text("stands for “ization” · characters 5:12 · bytes 5:12")
    picture.locator(".lab-link-text [data-from='0']").hover()
    expect(says).to_contain_text("LATIN CAPITAL LETTER T")
    rows = picture.locator(".lab-link-pieces").count()
    for row in range(rows):
        assert picture.locator(".lab-link-pieces").nth(row).locator(".lab-linked").count() >= 1
    page.mouse.move(0, 0)
    expect(picture.locator(".lab-linked")).to_have_count(0)
    picture.locator(".lab-link-text [data-from='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(says).to_contain_text("LATIN SMALL LETTER O")
    page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("“token”")
    assert asked == []


@pytest.mark.browser
def test_hostile_text_stays_text(open_page: Open) -> None:  # H38
    from playwright.sync_api import expect

    page = open_page("Tokens")
    hostile = '<img src=x onerror="window.__pwn=1"> ${window.__pwn=2} {{7}}'
    page.locator("#tokenization-text textarea").fill(hostile)
    page.get_by_role("button", name="Split into tokens").click()
    text = page.locator("#tokenization-picture .lab-link-text")
    expect(text).to_have_text(hostile)
    assert page.evaluate("window.__pwn") is None

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tabs import TABS
from components.tabs import replaced_tokens as tab
from components.tabs.act import CHOOSE, GUESS, REVEAL, Act
from tests.pages import endpoint_of, handler_of

pytestmark = pytest.mark.skipif(tab.TAB not in TABS, reason="no ELECTRA ships yet")
Open = Callable[..., Any]
TEXT = "The river ran past the mill."


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[gr.Blocks]:
    built = app.create_app(models)
    yield built
    built.close()


@pytest.fixture
def run(demo: gr.Blocks) -> Callable[..., list[Any]]:
    return handler_of(demo, "replaced_tokens-model", "change")


def test_an_act_is_read_as_it_was_written() -> None:
    act = Act(GUESS, "a \u2028 “x”", (1, 2), (3,), 4, 5)
    assert Act.read(act.write()) == act


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "{",
        "7",
        "null",
        "[" * 10_000,
        "1" * 5_000,
        "x" * 10**6,
        '{"step": "reveal"}',
        json.dumps({**json.loads(Act(REVEAL).write()), "step": "explode"}),
        json.dumps({**json.loads(Act(REVEAL).write()), "count": "2"}),
    ],
)
def test_what_is_no_act_reads_as_none(sent: str) -> None:
    assert Act.read(sent) == Act()


def test_numbers_out_of_bounds_do_no_harm() -> None:
    made = json.loads(Act(REVEAL, "x").write())
    made |= {"words": [-1, 10**30, "1", True, 1], "count": 10**40, "seed": -5}
    act = Act.read(json.dumps(made))
    assert act.words == (1,)
    assert (act.count, act.seed) == (10**9, 0)


def test_chosen_words_stay_while_others_are_put_in_and_a_game_ends_with_its_text() -> None:
    act = Act(CHOOSE, TEXT, (1,))
    assert act.for_text("The boat ran past the mill.").words == (1,)
    assert act.for_text("The river ran past the boat.") == Act(text="The river ran past the boat.")
    assert act.for_text("The river ran.").words == ()
    game = replace(act, step=GUESS)
    assert game.for_text(TEXT) == game
    assert not game.for_text("The boat ran past the mill.").is_game


def test_a_game_begins_with_the_chosen_words_or_with_as_many_as_asked_for() -> None:
    chosen = Act(CHOOSE, TEXT, (1, 5)).write()
    assert Act.read(tab._started(chosen, TEXT, 3, 9)) == Act(GUESS, TEXT, (1, 5), (), 3, 9)
    assert Act.read(tab._started(chosen, "Other.", 3, 9)).words == ()
    assert Act.read(tab._started(Act(REVEAL, TEXT, (1,)).write(), TEXT, None, None)).words == ()
    act, seed = tab._next_round(Act(REVEAL, TEXT, (1,)).write(), TEXT, 2, 4)
    assert seed == Act.read(act).seed == 5
    assert Act.read(act).words == (1,)


def test_chosen_words_get_what_the_generator_offers(run: Callable[..., list[Any]]) -> None:
    finding, strip, chart, table, _ = run("electra-mini", TEXT, Act(CHOOSE, TEXT, (1, 5)).write())
    assert "lab-refused" not in finding
    assert strip.count('aria-pressed="true"') == 2
    assert chart.count("<section") == 2
    assert len(table) == 7


def test_nothing_is_told_until_it_is_revealed(run: Callable[..., list[Any]]) -> None:
    act = Act(GUESS, TEXT, (), (), 2, 3)
    finding, strip, chart, table, _ = run("electra-mini", TEXT, act.write())
    assert "2 of 6 words were replaced" in finding
    assert (chart, table) == (None, None)
    assert "%" not in re.sub(r"<[^>]+>", "", finding + strip)
    finding, strip, _, table, _ = run("electra-mini", TEXT, replace(act, step=REVEAL).write())
    assert "You found 0 of 2 with no false alarm" in finding
    assert strip.count("lab-replaced") == 2
    assert [row[-1] for row in table].count("replaced") == 2


def test_the_marks_of_the_truth_find_everything(run: Callable[..., list[Any]]) -> None:
    act = Act(REVEAL, TEXT, (1, 5), (1, 5), 2, 3)
    assert "You found 2 of 2 with no false alarm" in run("electra-mini", TEXT, act.write())[0]


@pytest.mark.parametrize("model", ["bert-mini", "roberta-mini", "electra-mini-generator"])
def test_other_models_are_refused_and_say_which_will_do(
    run: Callable[..., list[Any]], model: str
) -> None:  # H06
    finding, *others, _ = run(model, TEXT, "")
    assert "lab-refused" in finding
    assert re.search("use ELECTRA|use its discriminator", finding)
    assert others == [None, None, None]


def test_the_endpoint_judges_every_token_and_replaces_words_when_asked(demo: gr.Blocks) -> None:
    answer = endpoint_of(demo, "replaced_tokens")
    judged = answer(TEXT)
    assert [TEXT[slice(*t["span"])] for t in judged["tokens"]] == [
        *("The", "river", "ran", "past", "the", "mill", ".")
    ]
    assert judged["threshold"] == 0.5
    assert judged["altered"] is None
    made = answer(TEXT, "electra-mini", 2, 3)
    assert made == answer(TEXT, replace=2, seed=3)
    assert made["text"] == made["altered"]["text"] != TEXT
    assert json.dumps(made)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_a_round_is_played(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Replaced tokens", width=width, dark=dark)
    strip = page.locator("#replaced_tokens-strip")
    finding = page.locator("#replaced_tokens-finding .lab-headline")
    expect(strip.locator(".lab-piece")).to_have_count(6)
    expect(finding).to_contain_text("replaced")

    strip.get_by_role("button", name="tree").click()
    chart = page.locator("#replaced_tokens-chart")
    expect(chart).to_contain_text("In place of “tree”")
    chart.locator("button.lab-bar").first.click()
    text = page.locator("#replaced_tokens-text textarea")
    expect(text).not_to_have_value("The cat sat on tree.")
    expect(chart).not_to_contain_text("In place of “tree”")
    expect(chart).to_contain_text("In place of")

    text.fill("The children walked to the school near the river.")
    page.get_by_role("button", name="Replace words and guess").click()
    expect(finding).to_have_text("2 of 9 words were replaced. Which ones?")
    strip.locator("[data-word]").nth(1).click()
    expect(strip.locator("[aria-pressed=true]")).to_have_count(1)
    strip.get_by_role("button", name="Reveal").click()
    expect(finding).to_contain_text("You found")
    expect(strip.locator(".lab-replaced")).to_have_count(2)
    expect(text).to_have_value("The children walked to the school near the river.")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
def test_hostile_text_stays_text_and_a_wrong_model_keeps_it(open_page: Open) -> None:  # H38
    from playwright.sync_api import expect

    hostile = '<img src=x onerror="window.__pwn=1"> <b>x</b> ${window.__pwn=2} {{7}} boats'
    page = open_page("Replaced tokens")
    text = page.locator("#replaced_tokens-text textarea")
    text.fill(hostile)
    page.locator("#replaced_tokens-run").click()
    strip = page.locator("#replaced_tokens-strip")
    strip.get_by_role("button", name="boats").click()
    expect(page.locator("#replaced_tokens-chart")).to_contain_text("In place of “boats”")
    page.locator("#replaced_tokens-model input").fill("bert-mini")
    page.locator("#replaced_tokens-model input").press("Enter")
    expect(page.locator("#replaced_tokens-finding")).to_contain_text("use ELECTRA")  # H06
    expect(text).to_have_value(hostile)
    assert strip.locator("img").count() == 0
    assert page.evaluate("window.__pwn") is None

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of

Open = Callable[..., Any]


def test_programs_get_scores_of_one_sentence_or_of_two(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "every_word")
    one = ask("the river ran past")
    assert len(one["sentences"]) == 1
    assert one["gain"] == 0
    two = ask("the river ran past", other="the boats ran past", method="rest")
    assert two["sentences"][0]["alone"] == pytest.approx(one["sentences"][0]["alone"], abs=1e-3)
    first, second = (sentence["rest"] for sentence in two["sentences"])
    assert two["gain"] == pytest.approx(second - first)
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_word_shows_its_guesses_without_a_request_and_a_guess_makes_a_sentence(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Fill-mask", "Every word", width=width, dark=dark)
    finding = page.locator("#every_word-finding")
    expect(finding).to_contain_text("nats", timeout=30_000)
    pieces = page.locator("#every_word-strips .lab-every-piece")
    detail = page.locator("#every_word-strips .lab-every-detail")
    expect(detail.locator(".lab-bar")).to_have_count(5)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    pieces.nth(1).click()
    expect(detail).to_contain_text("“keys” gets")
    expect(pieces.nth(1)).to_have_attribute("aria-pressed", "true")
    assert [url for url in sent if "/queue/" in url or "/run/" in url] == []
    guess = detail.locator("button.lab-bar").first
    word = guess.locator(".lab-bar-label").inner_text()
    guess.click()
    expect(page.locator("#every_word-other textarea, #every_word-other input")).to_have_value(
        f"The {word} is on the table."
    )
    expect(page.locator("#every_word-strips [data-sentence]").last).to_contain_text(word)
    expect(page.locator("#every_word-versus .lab-lean-marked")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
def test_hostile_text_stays_text(open_page: Open) -> None:  # H38
    from playwright.sync_api import expect

    hostile = '<img src=x onerror="window.__pwn=1"> ${window.__pwn=2} 😀 l\'été'
    page = open_page("Fill-mask", "Every word")
    page.locator("#every_word-other textarea, #every_word-other input").fill("")
    page.locator("#every_word-text textarea, #every_word-text input").fill(hostile)
    page.get_by_role("button", name="Hide every word").click()
    strip = page.locator("#every_word-strips [data-sentence]")
    expect(strip).to_have_count(1)
    expect(strip).to_have_attribute("data-sentence", hostile)
    strip.locator(".lab-every-piece").last.click()  # behind an emoji: two units in a browser
    page.locator("#every_word-strips .lab-every-detail button.lab-bar").first.click()
    expect(page.locator("#every_word-strips [data-sentence]")).to_have_count(2)
    other = page.locator("#every_word-other textarea, #every_word-other input").input_value()
    assert other.startswith('<img src=x onerror="window.__pwn=1"> ${window.__pwn=2} 😀 l\'')
    assert page.evaluate("window.__pwn") is None

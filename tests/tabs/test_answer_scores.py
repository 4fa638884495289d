from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

Open = Callable[..., Any]
PASSAGE = "the boats ran past the mill and the children watched"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    return app.create_app(models)


def test_programs_get_scores_for_several_questions(demo: gr.Blocks) -> None:
    found = endpoint_of(demo, "answer_scores")("who ran\nwhat was cold", PASSAGE, top_k=2)
    assert [one["question"] for one in found["questions"]] == ["who ran", "what was cold"]
    for one in found["questions"]:
        assert len(one["start_logits"]) == len(found["pieces"]) == 10
        assert len(one["answers"]) == 2
    with pytest.raises(gr.Error, match="no question"):
        endpoint_of(demo, "answer_scores")("", PASSAGE)


def test_a_refusal_leaves_nothing_stale(demo: gr.Blocks) -> None:
    run = handler_of(demo, "answer_scores-run")
    finding, *others, _status = run("bert-mini", "who", "  ", 5, 30, 384, 128)
    assert "The passage is empty" in finding
    assert others == [None] * 4


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_threshold_acts_at_once_and_without_a_request(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Question answering", "Scores", width=width, dark=dark)
    picture = page.locator("#answer_scores-picture")
    verdict = picture.locator(".lab-scores-verdict")
    expect(verdict).to_contain_text("William Tierney Clark")
    expect(verdict).to_contain_text("4 of 5 questions are answered")
    expect(picture.locator(".lab-scores-dot")).to_have_count(5)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    slider = picture.get_by_role("slider")
    slider.fill("-20")
    expect(verdict).to_contain_text("Answer: none")
    expect(verdict).to_contain_text("0 of 5 questions")
    slider.fill("0")
    picture.locator(".lab-scores-question").nth(3).click()
    expect(verdict).to_contain_text("Answer: none")
    slider.fill("13")
    expect(verdict).to_contain_text("5 of 5 questions")
    picture.locator(".lab-scores-chart").hover()
    expect(picture.locator(".lab-scores-says")).to_contain_text("start")
    assert asked == []
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.browser
def test_windows_and_odd_characters_are_drawn_where_they_stand(open_page: Open) -> None:
    from playwright.sync_api import expect

    page = open_page("Question answering", "Scores")
    picture = page.locator("#answer_scores-picture")
    page.get_by_role("button", name="A long passage, read in windows").click()
    expect(picture.locator(".lab-scores-window")).to_have_count(3)
    expect(picture.locator(".lab-scores-window.lab-won")).to_have_count(1)
    expect(picture.locator("mark")).to_have_text("November 1986")
    page.get_by_role("button", name="Accents, emoji, Chinese, Arabic").click()
    expect(picture.locator("mark")).to_have_text("Zoe\u0308 Mu\u0308ller")
    text = picture.locator(".lab-passage").evaluate("box => box.textContent")
    assert "👩🏽\u200d🍳 since 2014." in text
    page.locator("#answer_scores-questions textarea").fill("who <img src=x onerror='__pwn=1'>")
    page.locator("#answer_scores-passage textarea").fill("<img src=x onerror='window.__pwn=1'>")
    page.locator("#answer_scores-run").click()  # H38
    expect(picture.locator(".lab-passage")).to_contain_text("<img src=x")
    assert page.evaluate("window.__pwn") is None

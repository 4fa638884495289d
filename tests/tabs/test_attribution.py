from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

import app
from components.models.families import Task
from components.models.manager import ModelManager
from components.tabs import head_map
from tests.pages import endpoint_of

OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    return app.create_app(models)


def test_programs_get_every_task(demo: gr.Blocks) -> None:
    endpoint = endpoint_of(demo, "attribution")
    found = endpoint("the soup was cold", steps=4)
    assert [word["word"] for word in found["words"]] == ["the", "soup", "was", "cold"]
    pair = endpoint("the soup", "it was cold", task="next-sentence-prediction", steps=4)
    assert {word["text"] for word in pair["words"]} == {0, 1}
    with pytest.raises(gr.Error, match="no answer to follow"):
        endpoint("the soup", task="translation")


def _goal(demo: gr.Blocks, start: str) -> Any:
    part = next(b for b in demo.blocks.values() if getattr(b, "elem_id", None) == start)
    return next(f for f in demo.fns.values() if any(t[0] == part._id for t in f.targets) and f.js)


def _arrived(demo: gr.Blocks, start: str, *values: Any) -> dict[str, Any]:
    move = _goal(demo, start)
    found = zip(move.outputs, move.fn(*values), strict=True)
    return {o.elem_id: v for o, v in found if getattr(o, "elem_id", None) and v != gr.skip()}


def test_an_answer_leads_on_with_its_text(demo: gr.Blocks) -> None:
    texts = "\n the soup was cold \n the bread was warm"
    there = _arrived(demo, "sentiment-to-attention", "bert-mini", texts)
    assert there["attention-task"] == "text-classification"
    assert there["attention-text"] == " the soup was cold "  # the first of several
    assert there["attention-model"] == "bert-mini"
    there = _arrived(demo, "question_answering-to-attribution", "bert-mini", "what?", "the soup")
    assert there["attribution-task"] == "question-answering"
    assert there["attribution-question-answering-other"] == "what?"
    assert there["attribution-question-answering-text"] == "the soup"
    assert there["attribution-question-answering-model"] == "bert-mini"
    for tab in ("fill_mask", "next_sentence"):
        assert _goal(demo, f"{tab}-to-attention").outputs
        assert _goal(demo, f"{tab}-to-attribution").outputs


def test_a_head_of_the_map_leads_to_its_attention(demo: gr.Blocks) -> None:
    defaults = [field.value for field in _goal(demo, "head_map-together").inputs]
    there = _arrived(demo, "head_map-together", "3,11", *defaults[1:])
    assert (there["attention-layer"], there["attention-head"]) == (4, 12)  # counted from 1
    assert there["attention-view"] == "head"
    assert there["attention-task"] == "fill-mask"
    assert there["attention-text"] == head_map.PANELS[Task.FILL_MASK].fields[0].default
    assert _arrived(demo, "head_map-together", "<b>", *defaults[1:]) == {}


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_weighed_and_a_word_is_looked_at(
    open_page: OpenPage, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Which words", width=width, dark=dark)
    words = page.locator("#attribution-strips .lab-by-occlusion .lab-decided-word")
    expect(words).to_have_count(11)
    says = page.locator(".lab-decided-says")
    words.nth(1).click()
    expect(says).to_contain_text("“plot”: without it")
    page.keyboard.press("ArrowRight")
    expect(says).to_contain_text("“is”: without it")
    pressed = page.locator("#attribution-strips [aria-pressed=true]")
    expect(pressed).to_have_text(["is", "is", "is"])
    expect(page.locator("#attribution-verdict h3")).to_contain_text("of 10 random orders")
    page.locator("#attribution-chart .scatterlayer").wait_for()
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    page.locator("#attribution-answers .lab-bar", has_text="NEGATIVE").click()
    expect(page.locator("#attribution-finding")).to_contain_text(re.compile("“NEGATIVE”"))


@pytest.mark.browser
def test_answers_and_heads_lead_on(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Sentiment")
    page.locator("#sentiment-text textarea").fill("The film was not bad at all.")
    page.locator("#sentiment-to-attribution").click()
    strips = page.locator("#attribution-strips")
    expect(strips.locator(".lab-by-occlusion")).to_have_text("The film was not bad at all.")
    page.get_by_role("tab", name="Head map", exact=True).click()
    page.locator("#head_map-map .lab-cell").nth(14).click()
    page.locator("#head_map-together .lab-see").click()
    expect(page.locator("#attention-finding")).to_contain_text("Head 2 of layer 2")


@pytest.mark.browser
def test_a_long_run_can_be_stopped(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Which words")
    expect(page.locator("#attribution-strips .lab-decided-word")).to_have_count(33)
    text = page.locator("#attribution-text-classification-text textarea")
    text.fill("The plot is thin and slow. " * 70)
    page.locator("#attribution-run").click()
    page.locator("#stop").click()  # seen only while the run tells how far it is
    expect(page.locator("#attribution-finding")).to_contain_text("Stopped.")
    expect(text).to_have_value("The plot is thin and slow. " * 70)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

OpenPage = Callable[..., Any]
HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script>'


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    import app

    return app.create_app(models)


def test_programs_get_the_judgement_as_numbers(demo: gr.Blocks) -> None:
    answer = endpoint_of(demo, "next_sentence")("the boats ran", "the mill was cold")
    judgement = answer["judgement"]
    assert judgement["follows"] == (judgement["logits"][0] >= judgement["logits"][1])
    assert sum(judgement["scores"]) == pytest.approx(1)
    assert len(answer["encoding"]["tokens"]) == len(answer["encoding"]["token_type_ids"])


@pytest.mark.parametrize(("first", "second"), [("", "b"), ("a", " \n")])
def test_programs_are_told_what_is_missing(demo: gr.Blocks, first: str, second: str) -> None:
    with pytest.raises(gr.Error, match="Enter both sentences"):
        endpoint_of(demo, "next_sentence")(first, second)


def test_half_a_pair_is_refused_and_no_stale_score_stays(demo: gr.Blocks) -> None:  # H19
    finding, *others, _status = handler_of(demo, "next_sentence-run")("bert-mini", "a", "  ")
    assert "Enter both sentences" in finding
    assert others == [None] * 4


def test_a_family_without_the_head_is_refused_with_its_reason(demo: gr.Blocks) -> None:  # H20
    run = handler_of(demo, "next_sentence-run")
    finding, *others, _status = run("distilbert-mini", "the boats", "the mill")
    assert "DistilBERT was trained without next-sentence prediction; use BERT" in finding
    assert others == [None] * 4


def test_only_models_with_the_head_are_offered(demo: gr.Blocks) -> None:  # H20
    (picker,) = (b for b in demo.blocks.values() if b.elem_id == "next_sentence-model")
    assert [value for _, value in picker.choices] == ["bert-mini"]


def test_swap_exchanges_the_sentences(demo: gr.Blocks) -> None:
    assert handler_of(demo, "next_sentence-swap")("a", "b") == ("b", "a")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_examples_come_out_right(open_page: OpenPage, width: int, dark: bool) -> None:
    page = open_page("Next sentence", width=width, dark=dark)
    headline = page.locator("#next_sentence-finding .lab-headline")
    row = page.locator("#next_sentence-row")
    headline.filter(has_text="B follows A").wait_for()
    row.get_by_text("walk", exact=False).first.wait_for()
    page.get_by_text("Nice weather → Python").click()
    headline.filter(has_text="B does not follow A").wait_for()
    row.get_by_text("python", exact=False).first.wait_for()
    page.get_by_role("button", name="Swap").click()
    row.locator(".lab-segment-0").get_by_text("python", exact=False).first.wait_for()
    assert page.get_by_label("Sentence B").input_value() == "The weather is nice today."


@pytest.mark.browser
def test_half_a_pair_is_refused_and_stays_typed(open_page: OpenPage) -> None:  # H19
    page = open_page("Next sentence")
    page.locator("#next_sentence-chart .lab-bar").first.wait_for()
    page.get_by_label("Sentence B").fill("   ")
    page.get_by_role("button", name="Does B follow A?").click()
    page.get_by_text("Enter both sentences").wait_for()
    assert page.get_by_label("Sentence A").input_value() == "The weather is nice today."
    assert page.locator("#next_sentence-chart .lab-bar").count() == 0


@pytest.mark.browser
def test_hostile_text_is_shown_and_never_runs(open_page: OpenPage) -> None:  # H38
    page = open_page("Next sentence")
    page.get_by_label("Sentence A").fill(HOSTILE)
    page.get_by_label("Sentence B").fill(HOSTILE)
    page.get_by_role("button", name="Does B follow A?").click()
    page.locator("#next_sentence-row").get_by_text("script").first.wait_for()
    page.locator("#next_sentence-model input").fill(HOSTILE)
    page.keyboard.press("Enter")
    page.locator("#next_sentence-finding").get_by_text("<script>", exact=False).wait_for()
    assert page.evaluate("window.__pwn") is None

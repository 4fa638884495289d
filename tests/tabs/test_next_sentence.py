from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from components.models.catalog import cards_for
from components.models.families import Task
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
    assert (answer["model_id"], answer["task"]) == ("bert-mini", "next-sentence-prediction")
    assert len(answer["encoding"]["tokens"]) == len(answer["encoding"]["token_type_ids"])


@pytest.mark.parametrize("model", ["", "albert-mini"])
def test_programs_can_ask_for_the_order(demo: gr.Blocks, model: str) -> None:
    task = "sentence-order-prediction"
    answer = endpoint_of(demo, "next_sentence")("the boats ran", "it was cold", model, task)
    assert (answer["model_id"], answer["task"]) == ("albert-mini", task)
    assert sum(answer["swapped"]["scores"]) == pytest.approx(1)


def test_programs_are_told_which_head_a_model_lacks_and_what_can_be_asked(
    demo: gr.Blocks,
) -> None:  # H20
    ask = endpoint_of(demo, "next_sentence")
    with pytest.raises(gr.Error, match="use BERT"):
        ask("a", "b", "albert-mini")
    with pytest.raises(gr.Error, match="use ALBERT"):
        ask("a", "b", "bert-mini", "sentence-order-prediction")
    with pytest.raises(gr.Error, match="next-sentence-prediction, sentence-order-prediction"):
        ask("a", "b", "bert-mini", "fill-mask")


@pytest.mark.parametrize(("first", "second"), [("", "b"), ("a", " \n")])
def test_programs_are_told_what_is_missing(demo: gr.Blocks, first: str, second: str) -> None:
    with pytest.raises(gr.Error, match="Enter both sentences"):
        endpoint_of(demo, "next_sentence")(first, second)


def test_half_a_pair_is_refused_and_no_stale_score_stays(demo: gr.Blocks) -> None:  # H19
    run = handler_of(demo, "next_sentence-run")
    finding, *others, _status = run("bert-mini", "albert-mini", "a", "  ")
    assert "Enter both sentences" in finding
    assert others == [None] * 4


def test_both_models_answer_for_the_same_pair(demo: gr.Blocks) -> None:
    run = handler_of(demo, "next_sentence-run")
    finding, chart, row, table, token_table, _status = run(
        "bert-mini", "albert-mini", "the boats ran", "it was cold"
    )
    assert "BERT: B " in finding
    assert "ALBERT: the " in finding
    assert chart.count("lab-gap-scale") == row.count("What ") == 2
    assert {line[0] for line in table} == {line[0] for line in token_table}


@pytest.mark.parametrize(
    ("follows", "order", "reason"),
    [
        ("distilbert-mini", "albert-mini", "DistilBERT was trained without next-sentence pred"),
        ("albert-mini", "albert-mini", "ALBERT was trained on sentence order instead of next"),
        ("bert-mini", "bert-mini", "BERT learned whether B follows A, not which of the two comes"),
        ("bert-mini", "x y", "no model id"),
    ],
)
def test_one_question_without_an_answer_leaves_the_other(
    demo: gr.Blocks, follows: str, order: str, reason: str
) -> None:  # H20
    run = handler_of(demo, "next_sentence-run")
    finding, chart, row, *_rest = run(follows, order, "the boats", "the mill")
    assert "cannot say" in finding
    assert reason in chart
    assert chart.count("lab-gap-scale") == row.count("What ") == 1


def test_families_without_either_head_are_refused_with_the_reason(demo: gr.Blocks) -> None:  # H20
    run = handler_of(demo, "next_sentence-run")
    finding, *others, _status = run("roberta-mini", "roberta-mini", "the boats", "the mill")
    assert "RoBERTa was trained without next-sentence prediction; use BERT" in finding
    assert others == [None] * 4


def test_swap_exchanges_the_sentences(demo: gr.Blocks) -> None:
    assert handler_of(demo, "next_sentence-swap")("a", "b") == ("b", "a")


ORDER_SHIPS = any(card.is_shipped for card in cards_for(Task.SENTENCE_ORDER))
FIRST = r"BERT: B follows A " + (r".*ALBERT: the " if ORDER_SHIPS else "")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_examples_come_out_right(open_page: OpenPage, width: int, dark: bool) -> None:
    page = open_page("Next sentence", width=width, dark=dark)
    headline = page.locator("#next_sentence-finding .lab-headline")
    row = page.locator("#next_sentence-row")
    headline.filter(has_text=re.compile(FIRST)).wait_for()
    row.get_by_text("walk", exact=False).first.wait_for()
    page.get_by_text("Nice weather → Python").click()
    headline.filter(has_text="BERT: B does not follow A").wait_for()
    row.get_by_text("python", exact=False).first.wait_for()
    page.get_by_role("button", name="Swap").click()
    row.locator(".lab-segment-0").get_by_text("python", exact=False).first.wait_for()
    assert page.get_by_label("Sentence B").input_value() == "The weather is nice today."
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0


@pytest.mark.browser
def test_why_models_are_missing_can_be_read(open_page: OpenPage) -> None:  # H20
    page = open_page("Next sentence")
    reason = page.get_by_text("RoBERTa was trained without next-sentence prediction; use BERT.")
    missing = page.locator("#next_sentence-model-missing summary")
    missing.wait_for()
    assert not reason.is_visible()
    missing.press("Enter")
    reason.wait_for()


@pytest.mark.browser
def test_half_a_pair_is_refused_and_stays_typed(open_page: OpenPage) -> None:  # H19
    page = open_page("Next sentence")
    page.locator("#next_sentence-chart .lab-bar").first.wait_for()
    page.get_by_label("Sentence B").fill("   ")
    page.get_by_role("button", name="Judge the pair").click()
    page.get_by_text("Enter both sentences").wait_for()
    assert page.get_by_label("Sentence A").input_value() == "The weather is nice today."
    assert page.locator("#next_sentence-chart .lab-bar").count() == 0


@pytest.mark.browser
def test_hostile_text_is_shown_and_never_runs(open_page: OpenPage) -> None:  # H38
    page = open_page("Next sentence")
    page.get_by_label("Sentence A").fill(HOSTILE)
    page.get_by_label("Sentence B").fill(HOSTILE)
    page.get_by_role("button", name="Judge the pair").click()
    page.locator("#next_sentence-row").get_by_text("script").first.wait_for()
    page.locator("#next_sentence-model input").fill(HOSTILE)
    page.keyboard.press("Enter")
    page.locator("#tab-next_sentence").get_by_text("is no model id", exact=False).first.wait_for()
    assert page.evaluate("window.__pwn") is None

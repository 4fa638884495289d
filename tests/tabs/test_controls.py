"""The controls that tabs share, for every task and every model of the catalog."""

from __future__ import annotations

from html import escape
from typing import Any

import gradio as gr
import pytest

import app
from components.models.catalog import CATALOG, cards_for, default_for, why_not
from components.models.families import Task
from components.models.full_size import full_size_for
from components.models.manager import ModelManager
from components.tabs import TABS
from components.tabs.controls import model_picker

PICKED = {  # what each tab's picker is for; Compare has a list of its own
    "fill_mask-model": Task.FILL_MASK,
    "next_sentence-model": Task.NEXT_SENTENCE,
    "next_sentence-order": Task.SENTENCE_ORDER,
    "replaced_tokens-model": Task.REPLACED_TOKENS,
    "sentiment-model": Task.SENTIMENT,
    "question_answering-model": Task.QUESTION_ANSWERING,
    "token_classification-model": Task.TOKEN_CLASSIFICATION,
    "input_embeddings-model": Task.ENCODER,
    "attention-model": Task.ENCODER,
}
# A tab whose task nothing that ships can do is not on the page.
PICKED = {
    elem_id: task
    for elem_id, task in PICKED.items()
    if elem_id.split("-")[0] in {tab.id for tab in TABS}
}


@pytest.fixture(scope="module")
def page(models: ModelManager) -> dict[str, Any]:
    """The page's components by id."""
    demo = app.create_app(models)
    return {str(b.elem_id): b for b in demo.blocks.values() if getattr(b, "elem_id", None)}


@pytest.mark.parametrize(("elem_id", "task"), PICKED.items())
def test_every_picker_offers_all_models_with_the_head_and_begins_with_the_default(
    page: dict[str, Any], elem_id: str, task: Task
) -> None:  # H20
    picker = page[elem_id]
    shipped = [card.id for card in cards_for(task) if card.is_shipped]
    full = [one.id for one in full_size_for(task)]
    assert [value for _, value in picker.choices] == [*shipped, *full]  # the miniatures first
    lines = [line for line, _ in picker.choices]
    assert all("full size, fetched when asked" in line for line in lines[len(shipped) :])
    assert not any("full size" in line for line in lines[: len(shipped)])
    assert picker.value == (default_for(task) if shipped else None)
    assert picker.allow_custom_value  # any id of the Hub


@pytest.mark.parametrize(("elem_id", "task"), PICKED.items())
def test_every_picker_says_of_the_others_why_not(
    page: dict[str, Any], elem_id: str, task: Task
) -> None:  # H20
    missing = page.get(f"{elem_id}-missing")
    lacking = [card for card in CATALOG if task not in card.tasks]
    if not lacking:
        assert missing is None
        return
    assert missing is not None
    assert missing.value.count("<li>") == len(why_not(task))
    for card in lacking:
        reason = escape(card.family.why_not[task])
        assert reason.replace("&#x27;", "&#39;") in missing.value, card.id


def test_a_picker_can_be_one_of_several_on_a_tab() -> None:
    with gr.Blocks():
        picker = model_picker("x", Task.SENTENCE_ORDER, name="order", label="Order")
    assert (picker.elem_id, picker.label) == ("x-order", "Order")

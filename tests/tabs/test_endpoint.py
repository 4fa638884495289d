"""What plain HTTP can send: values of any type to the endpoints, clicks that nobody made."""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr
import pytest

from components.errors import InputError
from components.tabs.base import Click, edited
from components.tabs.endpoint import plain_errors


def _endpoint(text: str, count: int = 1, names: list[str] = ["a"]) -> Any:  # noqa: B006
    if text == "refuse":
        raise InputError("The text is no good. Type another.")
    if text == "break":
        raise KeyError("/secret/path")
    return text, count, names


answer = plain_errors(_endpoint)


def test_values_of_the_right_types_are_passed_on() -> None:
    assert answer("x") == ("x", 1, ["a"])
    assert answer("\ud800", 3.0, names=["b", "\udfff"]) == ("?", 3, ["b", "?"])


@pytest.mark.parametrize("wrong", [None, 7, True, ["x"], {"a": 1}])
def test_what_is_no_text_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(gr.Error, match="text must be a text"):
        answer(wrong)


@pytest.mark.parametrize(
    "wrong",
    [None, "7", "", True, 2.5, float("nan"), float("inf"), 1e300, 10**400, -(10**30), [1], {}],
)
def test_what_is_no_whole_number_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(gr.Error, match="count must be a whole number"):
        answer("x", wrong)


@pytest.mark.parametrize("wrong", [None, "bert", 5, [1], [["a"]], [None], {"a": 1}])
def test_what_is_no_list_of_texts_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(gr.Error, match="names must be a list of texts"):
        answer("x", 1, wrong)


def test_a_refusal_is_passed_on_and_a_bug_is_one_sentence_and_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(gr.Error, match=r"no good\. Type another"):
        answer("refuse")
    with caplog.at_level(logging.ERROR), pytest.raises(gr.Error, match="not your input") as error:
        answer("break")
    assert "secret" not in str(error.value)
    assert "/secret/path" in caplog.text


FORGED = [
    None,
    7,
    "x",
    [1],
    {},
    {"index": None, "value": None},
    {"index": [0], "value": {"text": "a", "put": "b"}},
    {"index": [0, 1]},
    {"index": [0, 1], "value": {}},
    {"index": ["a", "b"], "value": {"text": "ab", "put": "c"}},
    {"index": [0.5, 1.5], "value": {"text": "ab", "put": "c"}},
    {"index": [-2, 10**12], "value": {"text": "ab", "put": "c"}},
    {"index": [1, 0], "value": {"text": "ab", "put": "c"}},
    {"index": [0, 1], "value": {"text": "ab", "put": None}},
    {"index": [0, 1], "value": {"text": "a" * 5_000_000, "put": "c"}},
    {"index": -1, "value": None},
    {"index": True, "value": None},
    {"index": 10**30, "value": None},
]


@pytest.mark.parametrize("data", FORGED, ids=lambda data: repr(data)[:40])
def test_a_click_that_nobody_made_changes_nothing(data: Any) -> None:
    assert edited("the river", Click(None, data)) == gr.skip()
    assert edited("the river") == gr.skip()


def test_a_click_changes_the_text_it_belongs_to() -> None:
    data = {"index": [4, 9], "value": {"text": "the river", "put": "[MASK]"}}
    assert edited("the river", Click(None, data)) == "the [MASK]"


def test_a_click_on_the_drawing_of_an_earlier_text_keeps_what_was_typed_since() -> None:
    data = {"index": [4, 9], "value": {"text": "the river <mask>", "put": "[MASK]"}}
    assert edited("a new text", Click(None, data)) == gr.skip()
    assert edited("the river ___", Click(None, data)) == "the [MASK] <mask>"


def test_a_correction_takes_the_place_of_the_whole_text() -> None:
    data = {"index": [0, 0], "value": {"text": "", "put": "the [MASK]"}}
    assert edited("whatever", Click(None, data)) == "the [MASK]"

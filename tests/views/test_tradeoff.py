from __future__ import annotations

import dataclasses
import itertools

import pytest

from components.models.evaluation import Figure
from components.models.families import Task
from components.tasks.compare import Choice, CompareResult, Entry, Given, Latency
from components.views.palette import FAMILY_COLOURS
from components.views.tradeoff import headline, scatter

FIGURE = Figure("sentiment", "Sentiment <b>", "Accuracy on the development set of SST-2. " * 3)


def entry(
    model_id: str, model_type: str, seconds: float, accuracy: float | None, parameters: int = 9
) -> Entry:
    latency = Latency(seconds, seconds * 0.9, seconds * 1.2, 5)
    answers = ((Choice("x", 0.5),),)
    return Entry(model_id, model_type, answers, 9, parameters, 1, 1, latency, accuracy, ())


BERT = entry("bert-mini", "bert", 0.010, 0.89, 400)
DISTILBERT = entry("distilbert-mini", "distilbert", 0.004, 0.86, 100)


def result(*entries: Entry) -> CompareResult:
    return CompareResult(Task.SENTIMENT, Given("fine"), entries, FIGURE)


def said(*entries: Entry) -> str:
    return headline([(e, e.accuracy) for e in entries if e.accuracy is not None])


def test_the_title_says_what_speed_costs() -> None:
    assert said(BERT, DISTILBERT) == (
        "bert-mini is right most often; distilbert-mini needs 0.40× its time and is right in "
        "86.0 %, not 89.0 %"
    )
    assert said(BERT, entry("x/y", "bert", 0.02, 0.5)) == (
        "bert-mini is right most often, and the fastest"
    )
    assert "none is clearly faster" in said(BERT, entry("x/y", "bert", 0.0095, 0.5))


def test_a_dot_a_model_in_its_familys_colour_with_its_numbers() -> None:
    figure = scatter(result(BERT, DISTILBERT))
    (dots,) = figure.data
    assert list(dots.x) == pytest.approx([10, 4])
    assert list(dots.y) == [0.89, 0.86]
    assert list(dots.marker.color) == [FAMILY_COLOURS["bert"], FAMILY_COLOURS["distilbert"]]
    large, small = dots.marker.size
    assert large / small == pytest.approx(2)  # four times the parameters, twice as wide
    assert list(dots.error_x.array) == pytest.approx([2, 0.8])


def test_names_stand_in_the_order_of_the_dots_and_none_covers_another() -> None:
    third = entry("x/<s>", "bert", 0.010, 0.891)
    figure = scatter(result(BERT, DISTILBERT, third))
    names = {a.text: a.ay for a in figure.layout.annotations if a.showarrow}
    assert list(names) == ["DistilBERT", "BERT", "&lt;s&gt;"]
    heights = list(names.values())
    gaps = [high - low for low, high in itertools.pairwise(heights)]
    assert min(gaps) == pytest.approx(max(gaps))
    assert min(gaps) > 0


def test_what_was_not_measured_has_no_dot_and_one_dot_is_no_picture() -> None:
    unknown = entry("x/y", "bert", 0.01, None)
    figure = scatter(result(BERT, unknown, DISTILBERT))
    assert len(figure.data[0].x) == 2
    assert scatter(result(BERT, unknown)) is None
    assert scatter(dataclasses.replace(result(BERT, DISTILBERT), figure=None)) is None


def test_the_picture_says_what_its_axes_are() -> None:
    figure = scatter(result(BERT, DISTILBERT))
    assert figure.layout.yaxis.title.text == "Sentiment &lt;b&gt;"
    assert "time of a forward pass" in figure.layout.xaxis.title.text
    caption = figure.layout.annotations[-1].text
    assert "SST-2" in caption
    assert "parameters" in caption
    assert max(len(line) for line in caption.split("<br>")) <= 48

from __future__ import annotations

import numpy as np
import pytest
from markupsafe import escape

from components.tasks.fine_tune import Data, FineTuneResult, UntrainedResult
from components.training.progress import Ending, HeldOut, Moment, Part, Plan
from components.views import fine_tune as views
from components.views import fine_tune_charts as charts
from components.views import fine_tune_tables as tables

HOSTILE = '<img src=x onerror="1">'
DATA = Data(
    ("no", HOSTILE),
    tuple(f"line {i} {HOSTILE}" for i in range(8)),
    (0, 0, 0, 0, 1, 1, 1, 1),
    (True, False, False, False, True, False, False, False),
    ("read somehow",),
)
MOMENTS = (
    Moment(0, 4, 0.0, None, HeldOut(0.7, 1, 2)),
    Moment(1, 4, 0.5, 0.6, None),
    Moment(2, 4, 1.0, 0.5, HeldOut(0.4, 2, 2)),
)


def result(after: tuple[float, float] = (0.9, 0.9), frozen: int = 1) -> FineTuneResult:
    """Lines of label 0 are given their label with the first probability, others the second."""
    own = np.array([after[label] for label in DATA.labels])
    scores = np.stack([own, 1 - own], 1)
    scores[4:] = scores[4:, ::-1]
    places = np.arange(16.0).reshape(8, 2)
    return FineTuneResult(
        "bert-mini", DATA, HOSTILE, np.full((8, 2), 0.5), scores, np.array([0.5, 0.5]),
        np.array([0.2, 0.8]), frozen, places, places + 1, 0.63, ("a notice",),
    )  # fmt: skip


def untrained(*logits: tuple[float, float]) -> UntrainedResult:
    return UntrainedResult("bert-mini", DATA, HOSTILE, np.array(logits), (1,) * len(logits), ("x",))


def test_the_first_words_are_that_the_logits_mean_nothing() -> None:
    torn = views.untrained_finding(untrained((1.0, 0.0), (0.0, 1.0)))
    assert "2 untrained heads, 2 different answers: their logits mean nothing" in torn
    alike = views.untrained_finding(untrained((1.0, 0.0), (1.0, 0.0)))
    assert "2 untrained heads all say “no”, by chance: their logits mean nothing" in alike
    drawn = views.untrained(untrained((1.0, -0.5), (0.0, 1.0)))
    for shown in ("not an answer", "Untrained head 2", "logit +1.00", "logit −0.50", "by luck"):
        assert shown in drawn


@pytest.mark.parametrize(
    ("after", "frozen", "words"),
    [
        ((0.9, 0.9), 1, "2 of 2 held-out lines are right; the frozen vectors get fewer"),
        ((0.9, 0.9), 2, "the frozen vectors get as many without it (2)"),
        ((0.9, 0.1), 2, "1 of 2 held-out lines are right; always saying “no” gets 1"),
    ],
)
def test_the_finding_is_beside_its_fair_comparison(
    after: tuple[float, float], frozen: int, words: str
) -> None:
    told = views.finding(result(after, frozen), Plan(), Ending.DONE, 3.0)
    assert words in told
    assert "after 3 was kept" in told
    assert "few" in told


@pytest.mark.parametrize("ending", [Ending.STOPPED, Ending.TIME, Ending.DIVERGED])
def test_an_early_end_is_said(ending: Ending) -> None:
    assert "was kept" in views.finding(result(), Plan(), ending, 1.0).split("held-out")[1]
    assert "vectors stayed" in views.finding(result(), Plan(Part.HEAD), ending, 1.0)


def test_the_line_and_the_steps_are_told() -> None:
    assert "second in line" in views.waiting(2)
    assert "number 7 in line" in views.waiting(7)
    assert "step 2 of 4, 1.0 of 8 epochs, loss 0.50" in views.running(MOMENTS[2], Plan())
    assert "width:50.0%" in views.running(MOMENTS[2], Plan())


def test_results_show_all_comparisons_the_confusion_and_the_doubts() -> None:
    drawn = views.results(result((0.9, 0.1)))
    for shown in ("1 of 2", "frozen vectors", "untrained head", "before and after", ", held out"):
        assert shown in drawn
    assert drawn.count("<td") == 4
    assert drawn.count("lab-on-diagonal") == 2
    assert "doubts none" in views.results(result())
    assert drawn.count("<li>") == 4


def test_what_visitors_wrote_never_becomes_html() -> None:
    for drawn in (
        views.results(result((0.9, 0.1))),
        views.untrained(untrained((1.0, 0.0))),
        views.untrained_finding(untrained((1.0, 0.0))),
        views.finding(result((0.1, 0.1)), Plan(), Ending.DONE, 1.0),
    ):
        assert "<img" not in drawn
    for figure in (charts.vectors(result()), charts.curves(MOMENTS, DATA, Plan(), 1)):
        assert "<img" not in figure.to_json()
    assert str(escape(HOSTILE)) == charts.vectors(result()).data[1].name


def test_the_curves_show_both_losses_and_what_to_compare_with() -> None:
    figure = charts.curves(MOMENTS, DATA, Plan(), 2)
    assert list(figure.data[0].y) == [0.6, 0.5]
    assert list(figure.data[1].y) == [0.7, 0.4]
    assert list(figure.data[2].y) == [1, 2]
    assert sorted(shape.y0 for shape in figure.layout.shapes) == [1, 2]


def test_both_maps_have_every_line_on_the_same_axes() -> None:
    figure = charts.vectors(result())
    assert [len(trace.x) for trace in figure.data] == [4, 4, 4, 4]
    assert sum(mark.endswith("-open") for mark in figure.data[0].marker.symbol) == 1
    assert "63" in views.map_note(result())


def test_tables_and_card_hold_the_same_figures() -> None:
    assert tables.pass_table(MOMENTS)[1] == ["1", "0.500", "0.400", "2 of 2"]
    rows = tables.line_table(result())
    assert rows[0][1:] == ["held out", "no", "no", "no", "90.0 %"]
    assert len(rows) == 8
    card = tables.card(result(), Plan())
    assert "Of 2 held-out lines 2 are right" in card
    assert "AutoModelForSequenceClassification" in card

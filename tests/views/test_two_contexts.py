from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from components.tasks.fill_mask import Candidate
from components.tasks.two_contexts import Context, Tilted, TwoContextsResult
from components.views import two_contexts as views

FIRST, SECOND = Tilted("<b>", "<b>", 7, 0.02, 0.001), Tilted("nurse", "nurse", 8, 1e-300, 0.03)
EVEN = Tilted("man", "man", 9, 0.1, 0.1)


def result_of(**changes: Any) -> TwoContextsResult:
    best = Candidate("man", "man", 9, 0.1)
    made = TwoContextsResult(
        model_id="bert-mini",
        contexts=(Context("<i>he", "<i>he [MASK]", best), Context("she", "she [MASK]", best)),
        vocabulary=30_522,
        points=(EVEN, SECOND, FIRST),
        left_out=(0.25, 0.2),
        first=(FIRST,),
        second=(SECOND,),
        moved=0.14,
        notices=("A <b>notice</b>.",),
    )
    return replace(made, **changes)


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


def test_the_finding_says_which_word_leans_to_which_side() -> None:
    drawn = views.finding(result_of())
    shown = _visible(drawn)
    assert "“<b>” is 20 times as probable with “<i>he”" in shown
    assert "“nurse” is > 1,000,000 times as probable with “she”" in shown
    assert "14.0 % of all probability would have to move" in shown
    assert "<b>" not in drawn
    assert "<i>" not in drawn


def test_without_a_lean_it_says_so() -> None:
    even = result_of(first=(), second=(), points=(EVEN,))
    assert "every word the same probability" in views.finding(even)
    assert views.lists(even).count("No word leans to this side.") == 2
    assert len(views.scatter(even).data) == 4


@pytest.mark.parametrize(
    ("factor", "words"),
    [(1.04, "1.0 times"), (9.96, "10 times"), (1_234.0, "1,234 times"), (2e6, "> 1,000,000 times")],
)
def test_factors_are_told_with_the_digits_that_matter(factor: float, words: str) -> None:
    for tilted in (Tilted("x", "x", 1, 0.1, 0.1 / factor), Tilted("x", "x", 1, 0.1 / factor, 0.1)):
        assert views._factor(tilted) == words


def test_names_that_would_lie_on_each_other_are_left_to_the_pointer() -> None:
    near = Tilted("near", "near", 10, 0.021, 0.0011)
    far = Tilted("far", "far", 11, 0.02, 0.00001)
    trace = views.scatter(result_of(first=(FIRST, near, far))).data[2]
    assert list(trace.text) == ["&lt;b&gt;", "", "far"]
    assert list(trace.hovertext) == ["&lt;b&gt;", "near", "far"]


def test_the_scatter_has_equal_axes_and_names_the_words_that_differ() -> None:
    figure = views.scatter(result_of())
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert "&lt;i&gt;he" in figure.layout.xaxis.title.text
    _, cloud, first, second = figure.data
    np.testing.assert_allclose(cloud.x, [0.1, 0, 0.02], atol=1e-9)
    np.testing.assert_allclose(cloud.y, [0.1, 0.03, 0.001])
    assert list(first.text) == ["&lt;b&gt;"]
    assert list(second.text) == ["nurse"]


def test_the_lists_say_both_probabilities_and_what_is_left_out() -> None:
    shown = _visible(views.lists(result_of()))
    assert "More probable with “<i>he”" in shown
    assert "20 ×2.0 % with “<i>he”, 0.10 % with “she”" in shown
    assert "> 1,000,000 ×< 0.01 % with “<i>he”, 3.0 % with “she”" in shown
    assert "the 3 most probable of 30,522 entries" in shown
    assert "25.0 % and 20.0 % of the probability" in shown


def test_the_table_holds_listed_words_first_and_programs_get_plain_numbers() -> None:
    rows = views.table(result_of())
    assert [row[0] for row in rows] == ["<b>", "nurse", "man"]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[0][-1] == "20"
    numbers = json.loads(json.dumps(views.numbers(result_of())))
    assert numbers["first"][0]["tilt"] == pytest.approx(np.log(20))
    assert numbers["points"][0] == ["man", 0.1, 0.1]

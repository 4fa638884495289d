from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from components.config import ASSETS
from components.models.families import Task
from components.tasks.attribution import AttributionResult, DecidedWord, Method
from components.tasks.deletion import Deletion
from components.tasks.followed import Reading
from components.tasks.integration import Way
from components.views import attribution as views
from components.views import deletion as deletion_views

HOSTILE = '<img src=x onerror="1"> ${1} {{2}}'
TEXT = "a wonderful  film"


def word_of(
    text: str, begin: int, occlusion: float, gradients: float, attention: float, left: float
) -> DecidedWord:
    return DecidedWord(
        word=text,
        text=0,
        span=(begin, begin + len(text)),
        tokens=(begin,),
        without=Reading("POSITIVE", 2.0 - occlusion, left),
        occlusion=occlusion,
        gradients=gradients,
        attention=attention,
    )


WORDS = (
    word_of("a", 0, -0.25, 0.5, 0.3, 0.95),
    word_of("wonderful", 2, 4.0, 1.5, 0.1, 0.2),
    word_of("film", 13, 0.0, -1.0, 0.2, 0.9),
)


def result_of(**more: Any) -> AttributionResult:
    reading = Reading("POSITIVE", 2.0, 0.9)
    made = AttributionResult(
        model_id="bert-mini",
        task=Task.SENTIMENT,
        texts=(TEXT,),
        tokens=5,
        followed=reading,
        own_answer="POSITIVE",
        choices=(reading, Reading("NEGATIVE", -0.2, 0.1)),
        words=WORDS,
        way=Way("[MASK]", 32, 0.5, 2.0, 1.0),
        deletion=Deletion(
            (0, 1, 2, 3),
            {
                Method.OCCLUSION: (0.9, 0.2, 0.2, 0.1),
                Method.GRADIENTS: (0.9, 0.2, 0.3, 0.1),
                Method.ATTENTION: (0.9, 0.9, 0.8, 0.1),
            },
            ((0.9, 0.7, 0.3, 0.1), (0.9, 0.9, 0.9, 0.1)),
        ),
        notices=(),
    )
    return replace(made, **more)


def test_the_finding_names_the_word_that_matters_most() -> None:
    drawn = views.finding(result_of())
    assert "Hiding “wonderful” costs “POSITIVE” 70.0 points, more than any other word" in drawn
    assert "gives “POSITIVE” 90.0 % (logit +2.00)" in drawn
    assert "Attention: “a”" in drawn  # the methods disagree, and it is said
    small = tuple(replace(word, without=Reading("POSITIVE", 2, 0.899)) for word in WORDS)
    assert "No single word decides: hiding any one of the 3" in views.finding(
        result_of(words=small)
    )
    against = (replace(WORDS[0], without=Reading("POSITIVE", 2, 0.99)),)
    assert "Hiding “a” gives “POSITIVE” 9.0 points" in views.finding(result_of(words=against))
    assert "Its own is “NEGATIVE”" in views.finding(result_of(own_answer="NEGATIVE"))


def _words(drawn: str) -> list[tuple[str, str, str]]:
    return re.findall(r'lab-decided-word lab-(\w+)" style="--s:([\d.]+)" data-word="(\d+)"', drawn)


def test_the_text_stands_there_three_times_with_all_its_characters() -> None:
    drawn = views.strips(result_of())
    strips = re.findall(r'<div class="lab-decided-text.*?</div>', drawn, re.DOTALL)
    assert [re.sub(r"<.*?>", "", strip) for strip in strips] == [TEXT] * 3
    assert len(re.findall('data-says="', drawn)) == 3  # once a word
    assert drawn.count('tabindex="0"') == 3  # one stop a strip


def test_colour_is_in_proportion_and_hiding_and_gradients_share_a_scale() -> None:
    drawn = _words(views.strips(result_of()))  # the largest is a logit of 4: full at 5
    assert drawn[:3] == [("against", "0.050", "0"), ("for", "0.800", "1"), ("for", "0.000", "2")]
    assert drawn[3:6] == [("for", "0.100", "0"), ("for", "0.300", "1"), ("against", "0.200", "2")]
    assert [word[1] for word in drawn[6:]] == ["1.000", "0.333", "0.667"]
    assert "full at a logit of 5" in views.strips(result_of())
    assert "full at 30.0 %" in views.strips(result_of())


@pytest.mark.parametrize(
    ("added", "words"),
    [(1.5, "They leave no gap"), (1.45, "The gap of −0.05 is error"), (0.5, "too much to trust")],
)
def test_the_gap_is_said_with_its_meaning(added: float, words: str) -> None:
    drawn = views.strips(result_of(way=Way("[MASK]", 32, 0.5, 2.0, added)))
    assert words in drawn
    assert "the logit rose from +0.50 to +2.00, by +1.50" in drawn
    assert ("too much to trust" in drawn) == (added == 0.5)


def test_every_word_is_in_the_table_with_its_ranks() -> None:
    rows = views.table(result_of())
    assert rows[1] == ["wonderful", 1, "+4.00", "20.0 %", 1, "+1.50", 3, "10.0 %"]
    assert rows[0] == ["a", 3, "−0.25", "95.0 %", 2, "+0.50", 1, "30.0 %"]
    assert all(len(row) == len(views.HEADERS) for row in rows)


def test_the_verdict_counts_random_orders_that_are_beaten() -> None:
    drawn = deletion_views.verdict(result_of())
    assert (
        "The order of attention beats 1 of 2 random orders; that of each word hidden beats 2"
        in drawn
    )
    deletion = result_of().deletion
    for method in Method:
        assert f"{100 * deletion.areas()[method]:.1f} %" in drawn


def test_the_chart_has_every_curve_and_a_band_round_chance() -> None:
    figure = deletion_views.chart(result_of())
    low, high = figure.data[1], figure.data[0]
    assert list(high.y) == [0.9, 0.9, 0.9, 0.1]
    assert list(low.y) == [0.9, 0.7, 0.3, 0.1]
    named = {trace.name.split(":")[0]: list(trace.y) for trace in figure.data[3:]}
    assert named == {
        views.NAMES[method]: list(result_of().deletion.curves[method]) for method in Method
    }
    assert list(figure.data[3].x) == pytest.approx([0, 1 / 3, 2 / 3, 1])
    rows, headers = deletion_views.table(result_of()), deletion_views.headers(result_of())
    assert len(rows) == 5
    assert all(len(row) == len(headers) for row in rows)


def test_both_texts_of_a_pair_are_named() -> None:
    pair = result_of(
        task=Task.NEXT_SENTENCE,
        texts=(TEXT, "b"),
        words=(*WORDS, replace(WORDS[0], text=1, word="b")),
    )
    drawn = views.strips(pair)
    assert drawn.count("Sentence A") == drawn.count("Sentence B") == 3


def test_what_visitors_and_models_write_never_becomes_html() -> None:  # H38
    reading = Reading(HOSTILE, 1.0, 0.5)
    hostile = result_of(
        model_id=HOSTILE, texts=(HOSTILE,), followed=reading, choices=(reading,),
        notices=(HOSTILE,),
        words=(replace(WORDS[0], word=HOSTILE, span=(0, len(HOSTILE))),), own_answer=HOSTILE,
    )  # fmt: skip
    draws = (views.finding, views.strips, views.answers, views.download, deletion_views.verdict)
    for draw in draws:
        assert "<img" not in draw(hostile)
    assert "<img" not in deletion_views.chart(hostile).to_json()
    assert "innerHTML" not in (ASSETS / "attribution.js").read_text(encoding="utf-8")


def test_programs_get_plain_numbers() -> None:
    answer = views.numbers(result_of())
    assert json.loads(json.dumps(answer)) is not None
    assert answer["way"]["gap"] == pytest.approx(-0.5)
    assert answer["areas"].keys() == set(Method)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks.next_sentence import NextSentenceResult, judge, predict
from components.views import next_sentence as views

HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> \'\n${1} {{2}}'


@pytest.fixture
def result(load: Callable[..., LoadedModel]) -> NextSentenceResult:
    return predict(load("bert", Task.NEXT_SENTENCE), "the boats ran past", "the mill was cold")


def judged(result: NextSentenceResult, *logits: float) -> NextSentenceResult:
    return replace(result, judgement=judge(np.array(logits)))


def test_the_verdict_is_in_words(result: NextSentenceResult) -> None:  # H17
    assert "B follows A (99.75 %)" in views.finding(judged(result, 4, -2))
    assert "B does not follow A (99.75 %)" in views.finding(judged(result, -2, 4))


def test_both_answers_have_their_probability_and_logit(result: NextSentenceResult) -> None:
    page = views.bar_chart(judged(result, 4, -2))
    for part in ("B follows A", "99.75 %", "+4.00", "does not", "0.25 %", "−2.00", "+6.00"):
        assert part in page
    assert "saturate" in page
    assert views.table(judged(result, 4, -2)) == [
        ["B follows A", "99.75 %", "+4.00"],
        ["B does not follow A", "0.25 %", "−2.00"],
    ]


def test_raw_label_names_are_never_shown(result: NextSentenceResult) -> None:
    drawn = (views.finding, views.bar_chart, views.segment_row, views.table, views.token_table)
    assert not any("LABEL_" in str(draw(result)) for draw in drawn)


@pytest.mark.parametrize(("gap", "place"), [(0, "50.00"), (12, "100.00"), (99, "100.00")])
def test_the_mark_stays_on_the_scale(result: NextSentenceResult, gap: float, place: str) -> None:
    assert f'style="left:{place}%"></span>' in views.bar_chart(judged(result, gap, 0))


def test_every_token_is_drawn_with_its_segment(result: NextSentenceResult) -> None:  # H18
    page = views.segment_row(result)
    assert page.count('class="lab-token') - page.count("lab-tokens") == 11
    assert page.count("<small>0</small>") == 6
    assert page.count("<small>1</small>") == 5
    assert page.index("Segment A") < page.index("boats") < page.index("Segment B")
    assert views.token_table(result)[:2] == [
        [0, "[CLS]", result.encoding.input_ids[0], "A (0)"],
        [1, "the", result.encoding.input_ids[1], "A (0)"],
    ]
    assert views.token_table(result)[-1][1:4:2] == ["[SEP]", "B (1)"]


def test_a_model_without_segments_shows_none(result: NextSentenceResult) -> None:
    plain = replace(result, encoding=replace(result.encoding, token_type_ids=None))
    assert "Segment" not in views.segment_row(plain)
    assert views.token_table(plain)[0][3] == "none"


def test_hostile_text_is_shown_and_never_becomes_html(result: NextSentenceResult) -> None:  # H38
    tokens = (HOSTILE, *result.encoding.tokens[1:])
    odd = replace(
        result,
        model_id=HOSTILE,
        notices=(HOSTILE,),
        encoding=replace(result.encoding, tokens=tokens),
    )
    for page in (views.finding(odd), views.segment_row(odd)):
        assert "<img" not in page
        assert "&lt;img src=x onerror" in page

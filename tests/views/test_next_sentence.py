from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks.next_sentence import NextSentenceResult, Refusal, judge, predict
from components.views import next_sentence as views

HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> \'\n${1} {{2}}'


HEADS = {"bert": Task.NEXT_SENTENCE, "albert": Task.SENTENCE_ORDER}


@pytest.fixture
def both(load: Callable[..., LoadedModel]) -> tuple[NextSentenceResult, NextSentenceResult]:
    first, second = "the boats ran past", "the mill was cold"
    bert, albert = (predict(load(family, task), first, second) for family, task in HEADS.items())
    return replace(bert, model_id="bert-mini"), replace(albert, model_id="albert-mini")


@pytest.fixture
def result(both: tuple[NextSentenceResult, ...]) -> NextSentenceResult:
    return both[0]


def judged(
    result: NextSentenceResult, logits: Sequence[float], swapped: Sequence[float] = (0.5, 0.0)
) -> NextSentenceResult:
    return replace(result, judgement=judge(np.array(logits)), swapped=judge(np.array(swapped)))


def refused(task: Task, model_id: str = "owner/name") -> Refusal:
    return Refusal(model_id, task, f"{model_id} has no such head.")


def test_the_verdict_is_in_words(result: NextSentenceResult) -> None:  # H17
    assert "BERT: B follows A (99.75 %)." in views.finding([judged(result, (4, -2))])
    assert "BERT: B does not follow A (99.75 %)." in views.finding([judged(result, (-2, 4))])


def test_the_order_has_words_of_its_own(both: tuple[NextSentenceResult, ...]) -> None:
    said = views.finding([both[0], judged(both[1], (4, -2))])
    assert "ALBERT: the order is right (99.75 %)." in said
    said = views.finding([both[0], judged(both[1], (-2, 4))])
    assert "ALBERT: the two were swapped (99.75 %)." in said


def test_it_is_said_whose_verdict_turns_with_the_order(
    both: tuple[NextSentenceResult, ...],
) -> None:
    bert, albert = judged(both[0], (4, -2), (3, -3)), judged(both[1], (4, -2), (-2, 4))
    said = views.finding([bert, albert])
    assert (
        "With B put first, BERT keeps its verdict: A follows B (99.75 %); "
        "ALBERT turns its verdict: the two were swapped (99.75 %)."
    ) in said
    said = views.finding([judged(both[0], (4, -2), (-2, 4))])
    assert "BERT turns its verdict: A does not follow B (99.75 %)." in said


def test_what_could_not_be_asked_is_named_and_says_why(result: NextSentenceResult) -> None:  # H20
    both = [result, refused(Task.SENTENCE_ORDER)]
    assert "owner/name cannot say in which order A and B belong." in views.finding(both)
    assert "owner/name has no such head." in views.bar_chart(both)
    assert views.table(both)[-1] == ["owner/name", "no answer", "", "", "", ""]
    assert "cannot say whether B follows A" in views.finding([refused(Task.NEXT_SENTENCE), result])
    assert "Nobody said whether" in views.finding([refused(Task.NEXT_SENTENCE, ""), result])


def test_both_answers_have_their_probability_and_logit(result: NextSentenceResult) -> None:
    page = views.bar_chart([judged(result, (4, -2))])
    for part in ("B follows A", "99.75 %", "+4.00", "does not", "0.25 %", "−2.00", "+6.00"):
        assert part in page
    assert "swapped <b>+0.50</b>" in page
    assert "saturate" in page
    assert views.table([judged(result, (4, -2))]) == [
        ["bert-mini", "B follows A", "99.75 %", "+4.00", "62.2 %", "+0.50"],
        ["bert-mini", "B does not follow A", "0.25 %", "−2.00", "37.8 %", "+0.00"],
    ]


def test_each_question_stands_over_its_model(both: tuple[NextSentenceResult, ...]) -> None:
    page = views.bar_chart(both)
    parts = ["from elsewhere?", "bert-mini", "were the two swapped?", "albert-mini"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert page.count("a miniature") == 2


def test_raw_label_names_are_never_shown(both: tuple[NextSentenceResult, ...]) -> None:
    drawn = (views.finding, views.bar_chart, views.segment_row, views.table, views.token_table)
    assert not any("LABEL_" in str(draw(both)) for draw in drawn)


@pytest.mark.parametrize(
    ("gap", "place"), [(0, "50.00"), (12, "100.00"), (99, "100.00"), (-99, "0.00")]
)
def test_the_marks_stay_on_the_scale(result: NextSentenceResult, gap: float, place: str) -> None:
    page = views.bar_chart([judged(result, (gap, 0), (0, gap))])
    side = "yes" if gap >= 0 else "no"
    assert f'lab-gap-typed lab-gap-{side}" style="left:{place}%"></span>' in page
    assert f"left:{100 - float(place):.2f}%" in page


def test_every_token_is_drawn_with_its_segment(result: NextSentenceResult) -> None:  # H18
    page = views.segment_row([result])
    assert page.count('class="lab-token') - page.count("lab-tokens") == 11
    assert page.count("<small>0</small>") == 6
    assert page.count("<small>1</small>") == 5
    assert page.index("Segment A") < page.index("boats") < page.index("Segment B")
    assert views.token_table([result])[:2] == [
        ["bert-mini", 0, "[CLS]", result.encoding.input_ids[0], "A (0)"],
        ["bert-mini", 1, "the", result.encoding.input_ids[1], "A (0)"],
    ]
    assert views.token_table([result])[-1][2:5:2] == ["[SEP]", "B (1)"]


def test_each_model_has_its_own_row_of_tokens(both: tuple[NextSentenceResult, ...]) -> None:
    page = views.segment_row(both)
    assert page.index("What BERT reads") < page.index("What ALBERT reads")
    read = sum(len(result.encoding) for result in both)
    assert len(views.token_table(both)) == read
    assert {row[0] for row in views.token_table(both)} == {"bert-mini", "albert-mini"}
    assert all(len(row) == len(views.TOKEN_HEADERS) for row in views.token_table(both))
    assert all(len(row) == len(views.HEADERS) for row in views.table(both))


def test_a_model_without_segments_shows_none(result: NextSentenceResult) -> None:
    plain = replace(result, encoding=replace(result.encoding, token_type_ids=None))
    assert "Segment" not in views.segment_row([plain])
    assert views.token_table([plain])[0][4] == "none"


def test_hostile_text_is_shown_and_never_becomes_html(result: NextSentenceResult) -> None:  # H38
    tokens = (HOSTILE, *result.encoding.tokens[1:])
    odd = replace(
        result,
        model_id=HOSTILE,
        notices=(HOSTILE,),
        encoding=replace(result.encoding, tokens=tokens),
    )
    both = [odd, refused(Task.SENTENCE_ORDER, HOSTILE)]
    for page in (views.finding(both), views.bar_chart(both), views.segment_row(both)):
        assert "<img" not in page
        assert "&lt;img src=x onerror" in page

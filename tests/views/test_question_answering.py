from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from components.tasks.question_answering import QuestionAnsweringResult
from components.tasks.span_search import Answer, Evidence, Window
from components.views import question_answering as views

HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script> ${1} {{2}} &amp; </div>'


class Reader(HTMLParser):
    """Reads HTML back: its text, and the text inside chosen elements."""

    def __init__(self, html: str, inside: str = "") -> None:
        super().__init__()
        self._inside, self._open, self._depth = inside, [0], 0
        self.text, self.found, self.tags = "", list[str](), list[str]()
        self.feed(str(html))

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.tags.append(tag)
        self._depth += 1
        if tag == self._inside:
            self._open.append(self._depth)
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        if self._open[-1] == self._depth:
            self._open.pop()
        self._depth -= 1

    def handle_data(self, data: str) -> None:
        self.text += data
        if len(self._open) > 1:
            self.found[-1] += data


def result(
    passage: str, *spans: tuple[int, int], no_answer: float = 0.0
) -> QuestionAnsweringResult:
    """Make a result with these spans, the best first."""
    answers = tuple(
        Answer(0.5 / (i + 1), 6.0 - i, 4.0, 0, span, passage[slice(*span)])
        for i, span in enumerate(spans)
    )
    return QuestionAnsweringResult(
        model_id="bert-mini",
        question="who",
        passage=passage,
        has_answer=bool(answers) and answers[0].logit >= no_answer,
        answers=answers,
        no_answer=Evidence(0.25, no_answer / 2, no_answer / 2, 0),
        windows=(Window((0, len(passage)), 24, 10.0, no_answer),),
        window_length=384,
        overlap=128,
        max_answer_length=30,
        compared=1_234,
        notices=(),
    )


BOATS = "the boats ran past"


@pytest.mark.parametrize(
    "spans",
    [
        [(4, 9), (0, 13)],
        [(0, 13), (4, 9)],
        [(4, 9), (6, 13), (0, 5), (0, 18)],
        [(0, 18), (0, 18)],
        [(4, 9)],
        [],
    ],
)
def test_however_spans_overlap_the_joined_pieces_equal_the_passage(spans: Any) -> None:  # H39
    drawn = Reader(views.passage(result(BOATS, *spans)), inside="mark")
    assert drawn.text == BOATS
    assert drawn.found == [BOATS[slice(*span)] for span in spans[:1]]


def test_exactly_one_place_is_marked() -> None:  # H32
    passage = "Two boats left. Later two more left, so Two remained."
    drawn = views.passage(result(passage, (40, 43)))
    assert str(drawn).count("<mark") == 1
    before = str(drawn).split("<mark")[0]
    assert Reader(before).text == passage[:40]


def test_every_listed_span_can_be_lit_piece_by_piece() -> None:
    made = result(BOATS, (4, 9), (0, 13), (6, 18))
    html = str(views.passage(made))
    pieces = re.findall(r'data-lit-by="([\d ]+)">([^<]*)<', html)
    for number, answer in enumerate(made.answers):
        lit = "".join(text for numbers, text in pieces if str(number) in numbers.split())
        assert lit == answer.text
        assert f'data-lights="{number}"' in views.bar_chart(made)


@pytest.mark.parametrize(
    "passage",
    [
        HOSTILE,
        "  two  spaces\n\nand\ttabs  ",
        "a\r\nb\rc\n",
        "مرحبا (abc) שלום",
        "cafe\u0301 👩🏽\u200d🍳 你好",
        "\n\nleading",
    ],
)
def test_the_passage_is_drawn_character_by_character_as_typed(passage: str) -> None:  # H38, H03
    drawn = Reader(views.passage(result(passage, (2, 7), (1, 4))))
    assert drawn.text == passage
    assert set(drawn.tags) <= {"div", "mark", "span"}


def test_a_carriage_return_survives_the_browser() -> None:
    assert "\r" not in views.passage(result("a\r\nb", (0, 1)))  # a bare one would become \n
    assert "a</span></mark>&#13;\nb" in views.passage(result("a\r\nb", (0, 1)))


def test_hostile_text_is_shown_and_never_run() -> None:  # H38
    made = replace(
        result(HOSTILE, (0, len(HOSTILE)), (0, 9)), model_id="<b>m</b>", notices=("<i>",)
    )
    for html in (views.finding(made), views.reading(made)):
        drawn = Reader(html)
        assert not {"img", "b", "script", "i"} & set(drawn.tags)
    assert "<i>" in Reader(views.finding(made)).text
    assert HOSTILE[:50] in Reader(views.finding(made)).text


def test_the_finding_names_the_best_span_and_its_score() -> None:
    assert (
        "“boats” answers the question (50.0 %)"
        in Reader(views.finding(result(BOATS, (4, 9), (10, 13)))).text
    )


def test_no_answer_is_said_with_its_score_and_the_best_span_greyed() -> None:  # H28
    made = result(BOATS, (4, 9), no_answer=18.0)
    said = Reader(views.finding(made)).text
    assert "No answer in this passage (25.0 %)" in said
    assert "“boats”" in said
    assert "10.00" in said
    assert "18.00" in said
    assert "lab-beaten" in views.passage(made)
    assert Reader(views.passage(made), inside="mark").found == ["boats"]
    assert "lab-beaten" not in views.passage(result(BOATS, (4, 9)))


def test_no_answer_stands_among_the_spans_where_its_sum_puts_it() -> None:
    def order(no_answer: float) -> list[str]:
        made = result(BOATS, (4, 9), (10, 13), no_answer=no_answer)
        return re.findall(r'lab-bar-label">([^<]*)<', views.bar_chart(made))

    assert order(18.0) == [views.NO_ANSWER, "boats", "ran"]
    assert order(9.5) == ["boats", views.NO_ANSWER, "ran"]
    assert order(0.0) == ["boats", "ran", views.NO_ANSWER]


def test_a_result_without_a_span_says_so_and_marks_nothing() -> None:
    made = result("\u200b")
    assert "can read no word" in views.finding(made)
    assert "<mark" not in views.reading(made)
    assert len(views.table(made)) == 1


def test_one_window_is_said_in_words_several_are_drawn_too() -> None:
    one = result(BOATS, (4, 9))
    assert "in one window of 24 tokens" in views.windows(one)
    assert "lab-window " not in views.windows(one)
    answer = replace(one.answers[0], window=1)
    several = replace(
        one,
        answers=(answer,),
        windows=(
            Window((0, 9), 384, 2.0, 1.0),
            Window((4, 13), 384, 10.0, 1.0),
            Window((10, 18), 90, None, 1.0),
        ),
    )
    drawn = views.windows(several)
    assert "3 windows of up to 384 tokens" in drawn
    assert "window 2, characters 4 to 13" in drawn
    assert str(drawn).count("lab-won") == 1
    assert "left:22.22%;width:50.00%" in drawn
    assert "no word" in drawn


def test_a_span_as_long_as_a_page_is_shortened_outside_the_passage() -> None:
    made = result("x" * 50_000, (0, 50_000))
    assert len(views.finding(made)) < 1_000
    assert len(views.bar_chart(made)) < 2_000
    assert len(str(views.table(made)[0][-1])) <= 200
    assert Reader(views.passage(made)).text == made.passage


def test_the_table_holds_every_number() -> None:
    rows = views.table(result(BOATS, (4, 9), (10, 13), no_answer=-3.0))
    assert rows[0] == [1, 4, 9, "50.0 %", "6.00", "4.00", "10.00", 1, "boats"]
    assert rows[2] == ["–", "–", "–", "25.0 %", "−1.50", "−1.50", "−3.00", 1, views.NO_ANSWER]
    assert all(len(row) == len(views.HEADERS) for row in rows)

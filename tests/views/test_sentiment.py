from __future__ import annotations

import base64
import csv
import io
import re
from dataclasses import replace

import pytest

from components.tasks.sentiment import Classified, Scale, SentimentResult
from components.views import sentiment as views

HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> \'\n${1} {{2}}'


def classified(text: str, *scores: float, chosen: tuple[int, ...] | None = None) -> Classified:
    best = (scores.index(max(scores)),)
    return Classified(text, scores, best if chosen is None else chosen, 5, 5)


def result(
    *texts: Classified,
    labels: tuple[str, ...] = ("NEGATIVE", "POSITIVE"),
    scale: Scale = Scale.ONE_OF,
) -> SentimentResult:
    return SentimentResult("bert-mini", scale, labels, texts, ())


GOOD, BAD = classified("good film", 0.02, 0.98), classified("bad film", 0.9, 0.1)
MANY = result(*[classified(f"text {i}", 1 - i / 50, i / 50) for i in range(1, 51)])
NUMBERS = result(classified("a", 3.7, chosen=()), labels=("LABEL_0",), scale=Scale.NUMBER)
SEVERAL = result(
    classified("a", 0.8808, 0.2689, 0.6226, chosen=(0, 2)),
    labels=("joy", "anger", "love"),
    scale=Scale.ANY_OF,
)


def rows(result: SentimentResult) -> list[list[str]]:
    encoded = re.search(r"base64,([^\"]+)", views.download(result))
    assert encoded is not None
    text = base64.b64decode(encoded.group(1)).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_one_text_is_told_with_its_score() -> None:
    assert "POSITIVE (98.0 %)" in views.finding(result(GOOD))


def test_several_texts_are_counted() -> None:
    assert "3 texts: 1 NEGATIVE, 2 POSITIVE" in views.finding(result(GOOD, BAD, GOOD))
    assert "2 texts: 2 POSITIVE" in views.finding(result(GOOD, GOOD))


def test_each_text_shows_every_class_in_its_colour() -> None:
    page = views.panels(result(GOOD, BAD))
    assert page.count('class="lab-bar lab-yes"') == page.count('class="lab-bar lab-no"') == 2
    for part in ("good film", "98.0 %", "2.0 %", "bad film", "90.0 %", "10.0 %"):
        assert part in page
    assert page.index("good film") < page.index("bad film")


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("1 star", "2 stars"), ("no", "yes")])
def test_only_positive_and_negative_have_colours(labels: tuple[str, ...]) -> None:  # H22
    page = views.panels(result(GOOD, labels=labels))
    assert "lab-yes" not in page
    assert "lab-no" not in page.replace("lab-notice", "")


def test_unnamed_classes_stay_unnamed() -> None:  # H22
    unnamed = result(GOOD, labels=("LABEL_0", "LABEL_1"))
    assert "does not name its classes" in views.finding(unnamed)
    assert "LABEL_1 (98.0 %)" in views.finding(unnamed)
    assert "does not name" not in views.finding(result(GOOD))


def test_two_classes_are_said_to_have_no_third() -> None:  # H25
    page = views.finding(result(GOOD))
    assert "This model knows only NEGATIVE and POSITIVE; it cannot answer neutral." in page
    assert "neutral" not in views.panels(result(GOOD))
    three = result(classified("a", 0.2, 0.3, 0.5), labels=("NEGATIVE", "NEUTRAL", "POSITIVE"))
    assert "cannot answer" not in views.finding(three)
    page = views.finding(result(GOOD, labels=("ham", "spam")))
    assert "neutral" not in page
    assert "knows only ham and spam: it must choose" in page


def test_what_was_not_read_is_said() -> None:  # H23
    long = replace(GOOD, tokens_read=512, tokens=802)
    assert "Only the first 512 of 802 tokens were read" in views.panels(result(long, BAD))
    assert views.panels(result(long, BAD)).count("Only the first") == 1
    many = replace(MANY, texts=(*MANY.texts, long))
    assert "1 text is longer than the 512 tokens" in views.finding(many)
    assert views.table(many)["data"][-1][-1] == "512 of 802"


def test_independent_labels_need_not_add_up() -> None:  # H24
    page = views.panels(SEVERAL)
    for part in ("88.1 %", "26.9 %", "62.3 %"):
        assert part in page
    assert "need not add up" in views.finding(SEVERAL)
    assert "joy (88.1 %), love (62.3 %)" in views.finding(SEVERAL)
    nothing = replace(SEVERAL, texts=(classified("a", 0.1, 0.2, 0.3, chosen=()),))
    assert "no label reaches 50 %" in views.finding(nothing)


def test_a_number_has_no_percent_sign() -> None:  # H24
    for page in (views.finding(NUMBERS), views.panels(NUMBERS), str(views.table(NUMBERS))):
        assert "3.70" in page
        assert "%" not in page
    assert "from 3.70 to 4.10" in views.finding(
        replace(NUMBERS, texts=(*NUMBERS.texts, classified("b", 4.1, chosen=())))
    )


def test_many_texts_become_a_summary() -> None:
    page = views.panels(MANY)
    assert "25 of 50 texts" in page
    assert page.count("lab-card") - page.count("lab-cards") == 6
    assert page.index("Most confident") < page.index("text 50<") < page.index("Least sure")
    assert page.index("text 25<") > page.index("Least sure")
    assert len(views.table(MANY)["data"]) == 50


def test_a_summary_of_numbers_speaks_of_high_and_low() -> None:
    texts = [classified(f"text {i}", float(i), chosen=()) for i in range(9)]
    page = views.panels(result(*texts, labels=("LABEL_0",), scale=Scale.NUMBER))
    assert page.index("Highest") < page.index("text 8") < page.index("Lowest")
    assert "%" not in page


def test_the_table_has_a_column_for_each_class() -> None:
    table = views.table(result(GOOD))
    assert table["headers"] == ["Text", "Label", "Score", "NEGATIVE", "POSITIVE", "Tokens read"]
    assert table["data"] == [["good film", "POSITIVE", "98.0 %", "2.0 %", "98.0 %", "5 of 5"]]


def test_the_file_holds_plain_numbers_and_every_text() -> None:
    odd = classified('He said "no", twice\nand left; café 😀', 0.75, 0.25)
    assert rows(result(GOOD, odd)) == [
        ["Text", "Label", "Score", "NEGATIVE", "POSITIVE", "Tokens read"],
        ["good film", "POSITIVE", "0.98", "0.02", "0.98", "5 of 5"],
        [odd.text, "NEGATIVE", "0.75", "0.75", "0.25", "5 of 5"],
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r\n@x"])
def test_no_cell_of_the_file_is_a_formula(text: str) -> None:
    header, row = rows(result(classified(text, 0.1, 0.9), labels=("a", "=b")))
    assert header[-2] == row[1] == "'=b"
    assert row[0] == f"'{text}"


def test_a_negative_number_stays_a_number() -> None:
    assert rows(replace(NUMBERS, texts=(classified("a", -3.7, chosen=()),)))[1][2] == "-3.7"


def test_hostile_texts_and_labels_are_shown_and_never_become_html() -> None:  # H38
    odd = replace(
        result(classified(HOSTILE, 0.1, 0.9), labels=("x", HOSTILE)),
        model_id=HOSTILE,
        notices=(HOSTILE,),
    )
    many = replace(odd, texts=odd.texts * 9)
    for page in (views.finding(odd), views.panels(odd), views.panels(many), views.finding(many)):
        assert "<img" not in page
        assert "<b>x" not in page
        assert "&lt;img src=x onerror" in page


def test_a_very_long_text_is_drawn_by_its_beginning() -> None:
    assert len(views.panels(result(classified("x" * 9_000, 0.1, 0.9)))) < 3_000

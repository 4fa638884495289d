from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from components.tasks.every_word import (
    ALONE,
    REST,
    Difference,
    EveryWordResult,
    Piece,
    ScoredWord,
    Sentence,
)
from components.tasks.fill_mask import Candidate
from components.views import every_word as views

GUESSES = (Candidate("dog", "dog", 7, 0.2), Candidate("<b>", "<b>\"'", 8, 0.1))


def piece(token: str, start: int, share: float, rest: float | None = None, **more: Any) -> Piece:
    logs = math.log(share), math.log(share if rest is None else rest)
    span = (start, start + len(token.removeprefix("##")))
    return Piece(token, span, more.get("is_blank", False), *logs, GUESSES)


def sentence(text: str, *words: tuple[Piece, ...]) -> Sentence:
    spans = [(w[0].span[0], w[-1].span[1]) for w in words]
    return Sentence(
        text, tuple(ScoredWord(s, w) for s, w in zip(spans, words, strict=True)), ("<i>!",)
    )


FIRST = sentence(
    "😀 <b> cats", (piece("😀", 0, 0.5),), (piece("<b>", 2, 0.01),), (piece("cats", 6, 0.1),)
)
SECOND = sentence(
    "😀 unhappy", (piece("😀", 0, 0.6),), (piece("un", 2, 0.5), piece("##happy", 4, 0.9, 0.0001))
)
DIFFERENCES = (
    Difference("😀", "😀", math.log(0.5), math.log(0.6)),
    Difference("<b>", "unhappy", math.log(0.01), math.log(0.45)),
    Difference("cats", None, math.log(0.1), 0.0),
)


def result_of(second: Sentence | None = None, **changes: Any) -> EveryWordResult:
    made = EveryWordResult(
        "bert-mini", ALONE, FIRST, second, DIFFERENCES if second else (), ("A <b>notice</b>.",)
    )
    return replace(made, **changes)


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


def test_the_finding_names_the_least_expected_word() -> None:
    drawn = views.finding(result_of())
    assert "Least expected is “<b>” (1.0 %): the model would put “dog” there (20.0 %)" in _visible(
        drawn
    )
    assert "Pseudo-log-likelihood: −7.60 nats over 3 tokens" in _visible(drawn)
    assert "<b>" not in drawn


def test_the_finding_names_the_sentence_that_is_preferred() -> None:
    drawn = _visible(views.finding(result_of(SECOND)))
    assert "The model prefers “😀 unhappy” by 6.29 nats" in drawn
    assert "Sentence 2, with the rest of its word hidden too: −10.41 nats." in drawn
    assert "Sentence 2: −1.31 nats over 3 tokens" in _visible(views.strips(result_of(SECOND)))
    turned = replace(result_of(SECOND), first=SECOND, second=FIRST)
    assert "prefers “😀 unhappy” by 6.29 nats" in _visible(views.finding(turned))
    assert "no preference" in _visible(views.finding(replace(turned, second=SECOND)))
    assert "by 2.81 nats" in _visible(views.finding(replace(result_of(SECOND), method=REST)))


def test_unlike_lengths_are_warned_of() -> None:
    short = sentence("😀", (piece("😀", 0, 0.6),))
    assert "different numbers of tokens" in views.finding(result_of(short))
    assert "different numbers of tokens" not in views.finding(result_of(SECOND))


def test_every_token_carries_its_guesses_and_its_place() -> None:
    drawn = views.strips(result_of(SECOND))
    assert drawn.count("lab-every-piece") == 6
    assert drawn.count('aria-pressed="true"') == 1
    carried = [json.loads(unescape(g)) for g in re.findall(r'data-guesses="([^"]*)"', drawn)]
    assert carried == [[["dog", 0.2], ["<b>\"'", 0.1]]] * 6
    assert re.findall(r'data-at="([^"]*)"', drawn) == ["0,1", "2,5", "6,10", "0,1", "2,4", "4,9"]
    assert [unescape(t) for t in re.findall(r'data-sentence="([^"]*)"', drawn)] == [
        FIRST.text,
        SECOND.text,
    ]
    assert "the piece “un” of “unhappy”" in unescape(drawn)
    assert "<b>" not in drawn


def test_the_darker_the_less_expected_and_a_blank_has_no_number() -> None:
    drawn = views.strips(result_of())
    strengths = [float(s) for s in re.findall(r"--strength:([\d.]+)", drawn)]
    assert strengths == pytest.approx([0.075, 0.5, 0.25], abs=0.001)
    blank = sentence("[MASK]", (piece("[MASK]", 0, 0.5, is_blank=True),))
    assert "There is only a blank here" in views.finding(result_of(first=blank))
    drawn = views.strips(result_of(first=blank))
    assert "<small>blank</small>" in drawn
    assert 'data-own=""' in drawn
    assert views.table(result_of(first=blank))[0][2:5] == ["", "", ""]


def test_the_bars_lean_to_the_sentence_that_a_word_speaks_for() -> None:
    drawn = views.versus(result_of(SECOND))
    assert re.findall(r"lab-lean-(?=first|second)(\w+)", drawn) == ["second"] * 4
    assert "<b> / unhappy" in _visible(drawn)
    assert "cats / –" in _visible(drawn)
    assert "+2.30" in drawn
    assert drawn.count("lab-lean-marked") == 2
    assert views.versus(result_of()) == ""


def test_the_table_and_programs_get_every_token() -> None:
    rows = views.table(result_of(SECOND))
    assert [row[0] for row in rows] == [1, 1, 1, 2, 2, 2]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[1][1:4] == ["<b>", "1.0 %", "−4.61"]
    numbers = json.loads(json.dumps(views.numbers(result_of(SECOND))))
    assert numbers["gain"] == pytest.approx(6.29, abs=0.01)
    assert numbers["sentences"][1]["words"][1]["pieces"][1]["token"] == "##happy"
    assert sum(d["gain"] for d in numbers["differences"]) == pytest.approx(numbers["gain"])

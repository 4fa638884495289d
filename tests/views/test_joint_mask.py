from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from components.tasks.joint_mask import Filling, JointMaskResult, Pairs, Way
from components.tasks.words import Word
from components.views import joint_mask as views


def filling(*words: str, steps: tuple[float, ...] = (0.5, 0.1)) -> Filling:
    return Filling(tuple(hash(w) % 1_000 for w in words), words, steps)


def way(name: str, one: Filling, order: tuple[int, ...] = (0, 1)) -> Way:
    return Way(name, order, one.steps, one, 0.02)


JOINT, ALONE = filling("san", "<b>"), filling("san", "city", steps=(0.5, 0.0002))


def result_of(alone: Filling = ALONE, surest: Filling = JOINT, **changes: Any) -> JointMaskResult:
    made = JointMaskResult(
        model_id="bert-mini",
        text="in <mask> <mask>, <i>",
        mask_token="<mask>",
        words=(Word((0, 2)), Word((3, 9), is_blank=True), Word((10, 16), is_blank=True)),
        spans=((3, 9), (10, 16)),
        ways=(way("alone", alone), way("surest", surest, (1, 0)), way("joint", JOINT)),
        beam=(JOINT, ALONE),
        pairs=Pairs(("san",), ("<b>", "city"), np.array([[0.05, 0.0001]]), (0, 0), (0, 1)),
        notices=("A <b>notice</b>.",),
    )
    return replace(made, **changes)


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


@pytest.mark.parametrize(
    ("alone", "surest", "words"),
    [
        (ALONE, JOINT, "Jointly “san … <b>” (5.0 %); each on its own “san … city” (0.01 %)"),
        (JOINT, JOINT, "All three ways agree on “san … <b>” (5.0 %)"),
        (JOINT, ALONE, "The surest first gives “san … city” (0.01 %); jointly, and each on its"),
    ],
)
def test_the_finding_says_where_the_ways_disagree(
    alone: Filling, surest: Filling, words: str
) -> None:
    drawn = views.finding(result_of(alone, surest))
    assert words in _visible(drawn)
    assert "<b>" not in drawn


def test_one_blank_is_told_as_one() -> None:
    one = filling("san", steps=(0.5,))
    ways = tuple(way(name, one, (0,)) for name in ("alone", "surest", "joint"))
    drawn = views.finding(result_of(spans=((3, 9),), ways=ways, beam=(one,), pairs=None))
    assert "“san” (50.0 %) fills the only blank" in _visible(drawn)


def test_a_better_filling_that_the_beam_missed_is_said() -> None:
    better = filling("los", "angeles", steps=(0.4, 0.9))
    assert "found a more probable filling than the beam of 2" in views.finding(
        result_of(surest=better)
    )
    assert "more probable filling" not in views.finding(result_of())


def test_each_card_marks_what_differs_from_the_joint_choice() -> None:
    drawn = views.cards(result_of())
    assert drawn.count('class="lab-panel lab-way"') == 3
    assert drawn.count("lab-differs") == 1
    assert "in san city, <i>" in _visible(drawn)
    assert "blank 1, filled second" in drawn
    assert "right to left: 2.0 %" in drawn
    assert "<b>" not in drawn


def test_the_strip_puts_the_joint_words_in() -> None:
    drawn = views.strip(result_of())
    assert _visible(drawn) == "in san1 <b>2, <i>"
    assert re.findall(r'data-put="([^"]+)"', drawn)[1:] == ["san", "&lt;b&gt;"]


def test_the_beam_says_how_much_it_holds_and_pairs_are_framed() -> None:
    drawn = views.search(result_of())
    assert "together they hold 5.0 % of all probability" in _visible(drawn)
    assert drawn.count("lab-pair-joint") == drawn.count("lab-pair-alone") == 1
    assert "<b>" not in drawn
    assert "lab-pairs" not in views.search(result_of(pairs=None))


def test_the_table_holds_all_and_programs_get_plain_numbers() -> None:
    rows = views.table(result_of())
    assert [row[0] for row in rows] == [*views.NAMES.values(), "Beam 1", "Beam 2"]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    numbers = json.loads(json.dumps(views.numbers(result_of())))
    assert numbers["ways"][2]["filling"]["joint"] == pytest.approx(0.05)
    assert numbers["ways"][1]["order"] == [1, 0]
    assert numbers["beam"][1]["words"] == ["san", "city"]

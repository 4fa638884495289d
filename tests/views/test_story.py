from __future__ import annotations

import base64
import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np

from components.models.families import Task
from components.tasks.next_sentence import Refusal
from components.tasks.story import StoryResult, Truth
from components.views import story as views

REFUSED = Refusal("x", Task.SENTENCE_ORDER, "No <b>head</b>.")


def told(**changes: Any) -> StoryResult:
    gaps = np.array([[np.nan, 3.0, -1.0], [2.0, np.nan, 9.0], [0.5, -9.0, np.nan]])
    made = StoryResult(
        model_id="bert-mini",
        family="BERT",
        task=Task.NEXT_SENTENCE,
        sentences=("<b>one</b>", "two", "three"),
        logits=np.stack([gaps / 2, -gaps / 2], axis=-1),
        scores=1 / (1 + np.exp(-gaps)),
        order=(0, 1, 2),
        total=12.0,
        orders=6,
        truth=Truth((0, 2, 1), -10.0, 5, 2, 0),
        notices=(),
    )
    return replace(made, **changes)


def test_the_finding_compares_with_the_true_order_and_with_chance() -> None:
    assert "BERT has 2 of 3 pairs the right way round; chance has 1.5." in views.finding([told()])
    right = told(truth=Truth((0, 1, 2), 12.0, 1, 3, 2))
    assert "BERT puts the story in its true order." in views.finding([right])
    begins = views.finding([told(truth=None), REFUSED])
    assert "BERT would begin with “&lt;b&gt;one&lt;/b&gt;”. x cannot say in which" in begins


def test_the_order_shows_steps_places_and_what_has_moved() -> None:
    drawn = views.panels([told(), REFUSED])
    assert "&lt;b&gt;one" in drawn
    assert "<b>head" not in drawn
    lines = drawn.split("<li")[1:]
    assert [("lab-story-moved" in line) for line in lines] == [False, True, True]
    assert ["true place 1" in lines[0], "true place 3" in lines[1]] == [True, True]
    assert "gap +3.00" in lines[1]
    assert "best of 6 orders" in drawn
    assert "place 5 of 6" in drawn


def test_the_square_frames_the_steps_taken_and_tells_sign_and_strength() -> None:
    drawn = views.panels([told()])
    assert drawn.count("lab-story-taken") == 2
    assert drawn.count("lab-below") == 2
    assert "--strength:0.375" in drawn  # 3 of 8
    assert drawn.count("--strength:1.000") == 2  # a gap of 9 is no darker
    assert "B after A: logits +1.50 and −1.50" in drawn


def test_table_file_and_numbers_hold_every_ordered_pair() -> None:
    rows = views.table([told(), REFUSED])
    assert len(rows) == 6
    assert rows[0] == ["bert-mini", "<b>one</b>", "two", "95.3 %", "+1.50", "−1.50", "+3.00"]
    link = views.download([told()])
    content = base64.b64decode(link.split("base64,")[1].split('"')[0]).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(content)))[1][4:] == ["1.5", "-1.5", "3.0"]
    found = json.loads(json.dumps(views.numbers(told()), allow_nan=False))
    assert found["logits"][0] == [None, [1.5, -1.5], [-0.5, 0.5]]
    assert found["truth"]["place"] == 5
    assert views.numbers(told(truth=None))["truth"] is None

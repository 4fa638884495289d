from __future__ import annotations

import base64
import csv
import io
import re
from typing import Any

import numpy as np
import pytest

from components.models.families import Task
from components.tasks.next_sentence import Refusal, judge
from components.tasks.topic_or_order import Effects, Kind, TopicOrOrderResult, Variant
from components.views import topic_or_order as views

REFUSED = Refusal("", Task.SENTENCE_ORDER, "No <b>head</b>.")


def told(*gaps: float, **changes: Any) -> TopicOrOrderResult:
    variants = tuple(
        Variant(kind, "<b>A</b>", "B", judge(np.array([gap / 2, -gap / 2])))
        for kind, gap in zip(Kind, gaps or (6.9, 6.8, 4.6, -30.0), strict=True)
    )
    given: dict[str, Any] = {
        "model_id": "bert-mini", "family": "BERT", "task": Task.NEXT_SENTENCE,
        "variants": variants, "effects": Effects(36.9, -0.1, 2.3),
        "usual": Effects(5.72, -0.01, 1.13), "notices": (),
    }  # fmt: skip
    return TopicOrOrderResult(**{**given, **changes})


def test_the_finding_tells_effects_in_logits_and_what_is_usual() -> None:
    drawn = views.finding([told(), REFUSED])
    assert "another topic moves the gap by 36.90 logits, the other order by 0.10." in drawn
    assert "Nobody said in which order" in drawn
    assert "lowers the gap by 5.72, the other order by −0.01" in drawn


def test_each_pair_has_its_bar_to_its_side_and_texts_are_escaped() -> None:
    drawn = views.panels([told(), REFUSED])
    assert drawn.count("lab-quartet-row") == 4 + 1  # rows, and what holds them
    assert drawn.count("lab-quartet-yes") == 3
    assert drawn.count("lab-quartet-no") == 1
    assert 'style="width:50.00%"' in drawn  # −30 ends at the end of the picture
    assert "<b>A</b>" not in drawn
    assert "<b>head</b>" not in drawn


def test_the_pairs_stand_on_the_curve_and_close_ones_do_not_hide_each_other() -> None:
    drawn = views.panels([told()])
    dots = re.findall(r'cx="([\d.]+)" cy="([\d.]+)".*?y="([\d.]+)">(\d)', drawn)
    assert sorted(number for *_, number in dots) == ["1", "2", "3", "4"]
    places = {number: (float(x), float(y), float(said)) for x, y, said, number in dots}
    assert places["4"][0] < places["3"][0] < places["2"][0] < places["1"][0]
    assert places["1"][1] == pytest.approx(places["2"][1], abs=1)  # saturated: alike in height
    assert abs(places["1"][2] - places["2"][2]) > 12


def test_table_and_file_give_gaps_against_the_next_sentence() -> None:
    rows = views.table([told(), REFUSED])
    assert [row[-1] for row in rows] == ["+0.00", "−0.10", "−2.30", "−36.90"]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    link = views.download([told()])
    content = base64.b64decode(link.split("base64,")[1].split('"')[0]).decode("utf-8-sig")
    assert float(list(csv.reader(io.StringIO(content)))[4][-1]) == pytest.approx(-36.9)

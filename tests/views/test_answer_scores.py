from __future__ import annotations

import base64
import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from components.tasks.answer_scores import AnswerScoresResult, Track
from components.tasks.span_search import Window
from components.views import answer_scores as views
from tests.views.test_question_answering import HOSTILE, result

PASSAGE = "Zoe\u0308 😀 ran <b>home</b>"
PIECES = np.array([(0, 4), (5, 6), (7, 10), (11, len(PASSAGE))])


def scores(*no_answers: float, **changes: object) -> AnswerScoresResult:
    """A question for each of `no_answers`; the best span of each has a raw sum of 10."""
    results = tuple(
        replace(result(PASSAGE, (0, 4), (7, 10), no_answer=none), question=f"who {i}?")
        for i, none in enumerate(no_answers)
    )
    logits = np.array([1.234, -5.678, 400.0, 0.0], dtype=np.float32)
    made = AnswerScoresResult(
        model_id="bert-mini",
        passage=PASSAGE,
        pieces=PIECES,
        results=results,
        tracks=tuple(Track(logits, -logits) for _ in results),
        notices=("A <b>notice</b>.",),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("no_answers", "words"),
    [
        ((3.0,), "The best span is “<bdi>Zoe\u0308</bdi>”, 7.00 above “no answer”"),
        ((12.5,), "The best span is “<bdi>Zoe\u0308</bdi>”, 2.50 below “no answer”"),
        ((3.0, 12.0, 0.0), "3 questions: for 2 of them a span scores higher"),
    ],
)
def test_the_finding_says_how_far_no_answer_is(no_answers: tuple[float, ...], words: str) -> None:
    drawn = views.finding(scores(*no_answers))
    assert words in drawn
    assert "&lt;b&gt;notice" in drawn
    assert "read whole, 24 tokens" in drawn


def test_the_picture_carries_scores_as_hundredths_and_every_threshold() -> None:
    drawn = json.loads(json.dumps(views.picture(scores(3.0, 12.5))))
    assert drawn["passage"] == PASSAGE
    pieces = np.frombuffer(base64.b64decode(drawn["pieces"]), "<i4").reshape(-1, 2)
    assert pieces.tolist() == PIECES.tolist()
    for one, ahead in zip(drawn["questions"], (-7.0, 2.5), strict=True):
        assert one["ahead"] == ahead == one["none"]["sum"] - one["answers"][0]["sum"]
        start = np.frombuffer(base64.b64decode(one["start"]), "<i2") / drawn["scale"]
        assert start.tolist() == [1.23, -5.68, 320.0, 0.0]  # the third is farther than they go


def test_tables_hold_every_question_its_spans_and_its_windows() -> None:
    made = scores(3.0, 12.5)
    rows = views.table(made)
    assert [row[0] for row in rows] == ["who 0?"] * 3 + ["who 1?"] * 3
    assert rows[0][1:6] == [1, "Zoe\u0308", 0, 4, "+10.00"]
    assert (rows[0][-1], rows[3][-1]) == ("−7.00", "+2.50")
    assert rows[2][1:3] == ["–", views.NO_ANSWER]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    first = replace(
        made.results[0],
        windows=(Window((0, 6), 9, None, 1.0), Window((4, 20), 9, 8.0, 1.0, own_score=0.9)),
    )
    told = views.window_table(replace(made, results=(first,), tracks=made.tracks[:1]))
    assert told[0][2:] == [0, 6, 9, "no word", "+1.00", "–"]
    assert told[1][1:] == [2, 4, 20, 9, "+8.00", "+1.00", "90.0 %"]
    assert all(len(row) == len(views.WINDOW_HEADERS) for row in told)


def test_the_file_holds_plain_numbers_and_no_formula() -> None:
    made = scores(3.0)
    hostile = replace(made.results[0], question="=1+1 " + HOSTILE)
    link = views.download(replace(made, results=(hostile,)))
    content = base64.b64decode(link.split("base64,")[1].split('"')[0]).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(content)))
    assert rows[0] == views.HEADERS
    assert rows[1][0] == "'=1+1 " + HOSTILE
    assert rows[1][5:8] == ["10.0", "6.0", "4.0"]
    assert rows[1][-1] == "-7.0"


def test_programs_get_the_logits_of_every_piece() -> None:
    found = json.loads(json.dumps(views.numbers(scores(3.0))))
    assert found["pieces"] == PIECES.tolist()
    (one,) = found["questions"]
    assert one["start_logits"] == pytest.approx([1.234, -5.678, 400.0, 0.0])
    assert one["no_answer_ahead"] == -7.0
    assert one["answers"][0]["text"] == "Zoe\u0308"

from __future__ import annotations

import base64
import json
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from components.tasks.baseline import Range
from components.tasks.occurrences import Occurrence, Sentence
from components.tasks.word_vectors import Alike, Step, Verdict, WordVectorsResult
from components.views import word_vectors as views

RANDOM = Range(0.18, -0.1, 0.5)
TEXTS = ("The <b>bank</b> by the bank.", "No such word.", "A bank")
SPANS = (((7, 11), (23, 27)), (), ((2, 6),))


CLEAR = Verdict(1, 0.03, 70)


def result_of(verdict: Verdict | None = CLEAR, **changes: Any) -> WordVectorsResult:
    split = verdict is not None
    alike = Alike(0.7, 0.82 if split else None, 0.55 if split else None, RANDOM)
    sentences = tuple(
        Sentence(name, sense, text, spans)
        for name, sense, text, spans in zip(
            ("A1", "A2", "B1"), (0, 0, 1), TEXTS, SPANS, strict=True
        )
    )
    places = (("A1a", 0, 0, (7, 11)), ("A1b", 0, 0, (23, 27)), ("B1", 1, 2, (2, 6)))
    matrix = np.full((2, 3, 3), 0.5)
    made = WordVectorsResult(
        model_id="bert-mini",
        word="<i>bank",
        sentences=sentences,
        occurrences=tuple(Occurrence(*place, positions=(2,)) for place in places),
        steps=(Step(alike, alike, 2, 0.4),) * 2,
        points=np.arange(12.0).reshape(2, 3, 2),
        raw=matrix,
        centred=matrix - 1,
        verdict=verdict,
        notices=("A <b>notice</b>.",),
    )
    return replace(made, **changes)


def test_the_finding_says_which_layer_tells_the_senses_apart() -> None:
    drawn = views.finding(result_of())
    assert "<i>" not in drawn
    assert (
        "Layer 1 tells the two senses of “<i>bank” apart best: cosine 0.82 within a sense, 0.55 "
        "between them"
    ) in unescape(drawn)


def test_what_chance_does_as_well_is_no_finding() -> None:
    drawn = views.finding(result_of(Verdict(1, 0.2, 70)))
    assert "No layer clearly tells" in drawn
    assert "too often to believe" in views.chance(result_of(Verdict(1, 0.2, 70)))
    assert "clear enough" in views.chance(result_of())


def test_without_senses_it_says_how_alike_the_places_are() -> None:
    drawn = views.finding(result_of(None))
    assert "have cosine 0.70 in the embeddings and 0.70 after layer 1; two random tokens" in drawn
    assert "Could it be chance" not in views.chance(result_of(None))


def test_pieces_of_a_sentence_joined_are_the_sentence() -> None:  # H39
    drawn = views.picture(result_of())
    for line, text in zip(drawn["lines"], TEXTS, strict=True):
        assert "".join(piece for piece, _ in line["pieces"]) == text
        assert line["name"]
    assert [at for _, at in drawn["lines"][0]["pieces"]] == [None, 0, None, 1, None]
    assert drawn["lines"][0]["pieces"][1][0] == "bank"


def test_the_picture_carries_every_layer_and_is_plain_json() -> None:
    drawn = json.loads(json.dumps(views.picture(result_of())))
    points = np.frombuffer(base64.b64decode(drawn["points"]), "<f4")
    np.testing.assert_allclose(points, np.arange(12))
    assert len(drawn["says"]["raw"]) == len(drawn["says"]["centred"]) == len(drawn["steps"]) == 2
    assert drawn["step"] == 1
    assert "2 of 3 is of the same sense" in drawn["says"]["raw"][0]
    assert "average" in views.picture(result_of(None))["says"]["raw"][0]


@pytest.mark.parametrize(("verdict", "lines"), [(Verdict(1, 0.03, 70), 3), (None, 2)])
def test_the_chart_has_both_kinds_of_cosine_beside_random_ones(
    verdict: Verdict | None, lines: int
) -> None:
    traces = views.chart(result_of(verdict)).data
    assert len(traces) == 2 * (lines + 1)  # and the band of random pairs
    assert {trace.name for trace in traces if trace.name} >= {"random tokens"}


def test_the_table_lists_every_step_and_the_file_every_pair() -> None:
    rows = views.table(result_of())
    assert [row[0] for row in rows] == ["Embeddings", "Layer 1"]
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[0][1:5] == ["0.82", "0.55", "0.70", "0.18"]
    assert views.table(result_of(None))[0][1:3] == ["–", "–"]
    link = views.download(result_of())
    content = base64.b64decode(link.split("base64,")[1].split('"')[0]).decode("utf-8-sig")
    assert len(content.splitlines()) == 1 + 2 * 3
    json.dumps(views.numbers(result_of()))

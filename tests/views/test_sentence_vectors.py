from __future__ import annotations

import json
from html import unescape

import numpy as np

from components.tasks.baseline import Range
from components.tasks.sentence_vectors import Hit, SentenceVectorsResult
from components.views import sentence_vectors as views

LINES = ("The <b>river</b>.", "A mill.", "Bread & soup.")


def result_of(
    query: str = "", model_id: str = "bert-mini", lines: tuple[str, ...] = LINES
) -> SentenceVectorsResult:
    count = len(lines)
    raw = np.eye(count) + 0.1 * (1 - np.eye(count))
    if count > 2:
        raw[1, 2] = raw[2, 1] = 0.9
    hits = (Hit(2, 0.7, 0.4), Hit(0, 0.5, 0.1), Hit(1, -0.2, -0.3)) if query else ()
    random = Range(0.5, 0.3, 0.7)
    return SentenceVectorsResult(
        model_id=model_id,
        pooling="mean",
        sentences=lines,
        query=query,
        hits=hits,
        raw=raw,
        centred=raw - 0.5,
        random_raw=random,
        random_centred=random,
        notices=("A <i>notice</i>.",),
    )


def test_the_finding_names_what_was_found_or_the_most_alike() -> None:
    assert "“soup <u>” finds “Bread & soup.” first, with cosine 0.70" in unescape(
        views.finding(result_of("soup <u>"))
    )
    assert "Most alike are “A mill.” and “Bread & soup.”, with cosine 0.90" in unescape(
        views.finding(result_of())
    )
    assert "nothing to be compared with" in views.finding(result_of(lines=("one",)))
    for drawn in (views.finding(result_of("soup <u>")), views.panels(result_of("soup <u>"))):
        assert not any(tag in drawn for tag in ("<u>", "<b>r", "<i>"))


def test_a_second_model_is_told_and_drawn_beside_the_first() -> None:
    second = result_of("soup", model_id="other/model")
    assert "other/model: “soup” finds" in views.finding(result_of("soup"), second)
    assert views.panels(result_of("soup"), second).count("lab-panel") == 2
    assert len(views.table(result_of("soup"), second)) == 2 * (3 + 3)


def test_a_second_model_that_cannot_be_had_is_refused_in_words() -> None:
    reason = "other/model is <out> of reach."
    assert reason in unescape(views.finding(result_of(), reason))
    drawn = views.panels(result_of(), reason)
    assert reason in unescape(drawn)
    assert "<out>" not in drawn
    assert len(views.table(result_of(), reason)) == 3


def test_every_hit_has_its_number_and_the_mark_of_a_random_sentence() -> None:
    drawn = views.panels(result_of("soup"))
    assert drawn.count("--random:0.500") == 3
    assert "width:70.00%" in drawn
    assert "width:0.00%" in drawn  # below zero there is no bar, but a number
    assert "−0.20" in drawn


def test_a_small_square_is_written_out_and_a_large_one_is_cut() -> None:
    assert ">0.90</td>" in views.panels(result_of())
    many = views.panels(result_of(lines=tuple(f"line {i}" for i in range(20))))
    assert "The first 16 of 20 sentences." in many
    assert ">0.10</td>" not in many
    assert "lab-square" not in views.panels(result_of(lines=("one",)))


def test_the_table_has_hits_then_pairs_the_most_alike_first() -> None:
    rows = views.table(result_of("soup"))
    assert rows[0][1:] == ["soup", "Bread & soup.", "0.70", "0.40"]
    assert rows[3][1:] == ["A mill.", "Bread & soup.", "0.90", "0.40"]
    assert "Download" in views.download(result_of())
    json.dumps(views.numbers(result_of("soup")))

from __future__ import annotations

import base64
import re
from html import unescape
from typing import Any

import pytest

from components.tasks.aggregation import Entity, Piece, Strategy, disputes
from components.tasks.token_classification import TokenClassificationResult
from components.views import token_classification as views

TEXT = "<b>Ann</b> saw New York.\r\n"
LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
ANN = Entity("PER", (3, 6), 0.75, (3, 4))
YORK = Entity("LOC", (15, 23), 0.5, (9, 11))
DOT = Entity("LOC", (15, 24), 0.5, (9, 12))


def result(**entities: tuple[Entity, ...]) -> TokenClassificationResult:
    found = {way.value: entities.get(way, (ANN, YORK)) for way in Strategy}
    pieces = (
        Piece("<s>", (0, 3), False, "O", 0.9, (0.9, 0.1, 0.0, 0.0, 0.0)),
        Piece("Ann", (3, 6), True, "B-PER", 0.75, (0.25, 0.75, 0.0, 0.0, 0.0)),
    )
    return TokenClassificationResult(
        model_id="roberta-mini",
        text=TEXT,
        labels=LABELS,
        pieces=pieces,
        entities=found,
        disputes=disputes(found),
        chosen=1,
        windows=1,
        window_length=64,
        notices=("A notice.",),
    )


def visible(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_the_headline_names_what_was_found() -> None:
    said = visible(views.finding(result()))
    assert "2 named entities: “Ann” (PER), “New York” (LOC)" in said
    assert "A notice." in said
    assert "No named entity found" in visible(views.finding(result(first=())))
    assert "1 named entity: “Ann” (PER)" in visible(views.finding(result(first=(ANN,))))
    space = Entity("PER", (23, 23), 0.5, (11, 12))
    assert "1 named entity: “Ann” (PER)" in visible(views.finding(result(first=(ANN, space))))
    many = visible(views.finding(result(first=(ANN,) * 6)))
    assert "6 named entities" in many
    assert many.count("Ann") == 4
    assert "and 2 more" in many


@pytest.mark.parametrize("entities", [(), (ANN,), (ANN, YORK), (DOT, YORK), (YORK, YORK)])
def test_every_character_is_drawn_once_and_nothing_becomes_html(entities: Any) -> None:  # H38, H39
    html = views.reading(result(first=entities)).split("<ul")[0]
    assert "<b>" not in html
    assert visible(re.sub(r"<small>.*?</small>", "", html)) == TEXT


def test_a_type_is_told_by_its_name_as_well_as_by_its_colour() -> None:
    html = views.reading(result())
    assert re.findall(r"lab-kind-(\d)\" title=\"(\w+), ", html) == [("0", "person"), ("1", "place")]
    assert "<small>PER</small>" in html
    assert "PER person" in visible(html)


def test_the_four_ways_stand_side_by_side_and_their_disputes_are_marked() -> None:
    agreed = views.ways(result())
    assert "The four ways to join pieces agree" in agreed
    assert agreed.count("<section") == 4
    assert "lab-disputed" not in agreed
    assert "<table" not in agreed
    places = tuple(Entity("LOC", (i, i + 1), 0.5, (i, i + 1)) for i in range(0, 20, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "_DISPUTES", 3)
        few = views.ways(result(max=places, first=(), simple=(), average=()))
    assert "disagree at 10 places" in few
    assert few.count("<tr>") == 1 + 3
    assert "7 more places" in few
    html = views.ways(result(first=(ANN, DOT), max=(ANN,)))
    assert "disagree at 1 place" in html
    assert html.count("lab-disputed") == 3  # simple, first and average mark it; max has none
    row = html.split("<tbody>")[1]
    assert visible(row).startswith("New York.New York")
    assert row.count("no entity") == 1


def test_every_piece_is_a_button_with_its_label_and_one_is_pressed() -> None:
    html = views.pieces(result())
    assert html.count("<button") == 2
    assert "&lt;s&gt;" in html
    assert html.count('aria-pressed="true"') == 1
    assert re.search(r'data-value="1" aria-pressed="true" tabindex="0"', html)
    bars = visible(views.piece_bars(result()))
    assert "The piece “Ann”, characters 3 to 6" in bars
    assert bars.index("B-PER") < bars.index("75.0 %") < bars.index("25.0 %")


def test_tables_hold_what_is_drawn_and_can_be_taken_along() -> None:
    rows = views.table(result())
    assert len(rows) == 8
    assert rows[0] == ["simple", "PER", 3, 6, "75.0 %", "Ann"]
    pieces = views.piece_table(result())
    assert pieces["headers"][6:] == list(LABELS)
    assert pieces["data"][1][:6] == ["Ann", 3, 6, "goes on", "B-PER", "75.0 %"]  # type: ignore[index]
    link = re.search(r"base64,([\w+/=]+)", views.download(result()))
    assert link is not None
    assert "simple,PER,3,6,0.75,Ann" in base64.b64decode(link.group(1)).decode("utf-8-sig")


def test_windows_and_nameless_labels_are_told_of() -> None:
    from dataclasses import replace

    long = replace(result(), windows=3)
    assert "read in 3 windows of up to 64 tokens" in visible(views.finding(long))
    nameless = replace(result(), labels=("LABEL_0", "LABEL_1"))
    assert "does not name its labels" in visible(views.finding(nameless))

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import input_embeddings
from components.tasks.input_embeddings import InputEmbeddingsResult, Twin
from components.views import input_embeddings as views
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]


@pytest.fixture
def of(load: Load) -> Callable[..., InputEmbeddingsResult]:
    def made(family: str, text: str = "the river ran", pair: str = "the mill", **more: Any) -> Any:
        return input_embeddings.predict(load(family, Task.ENCODER), text, pair, **more)

    return made


Of = Callable[..., InputEmbeddingsResult]


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


def test_the_finding_gives_the_lengths_that_are_added(of: Of) -> None:
    result = of("bert")
    one, two, three = (f"{part.vector.norm:.2f}" for part in result.parts)
    said = _visible(views.finding(result))
    assert f"“mill” at position {result.position} enters layer 1 as token + position" in said
    assert f"+ segment: {one} + {two} + {three} long, the sum {result.total.norm:.2f}" in said
    alone = of("deberta-v2")
    assert f"as its token vector alone, {alone.total.norm:.2f} long" in views.finding(alone)


def test_the_same_token_elsewhere_is_told(of: Of) -> None:
    result = replace(of("bert"), twin=Twin(3, 0.5, 1.0))
    assert "stands at position 3 too, with the same token vector. What enters layer 1 differs" in (
        _visible(views.finding(result))
    )
    same = replace(result, twin=Twin(3, 1.0, 1.0))
    assert "as the very same vector" in views.finding(same)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_what_is_added_is_drawn_and_what_is_not_is_said(family: str, of: Of) -> None:
    result = of(family)
    drawn = _visible(views.addition(result))
    for part in result.parts:
        assert f"length {part.vector.norm:.2f}" in drawn
        if part.table_rows > 1:
            assert f"row {part.row:,} of a table with {part.table_rows:,}" in drawn
    for name in result.missing:
        assert f"No {name.lower()}. {views.MISSING[name]}" in drawn
    assert ("one row only" in drawn) == (family == "roberta")
    assert ("a matrix makes 32 numbers out of 16" in drawn) == (family in ("albert", "electra"))
    assert drawn.count("length ") == len(result.parts) + (len(result.parts) > 1) + 1 + (
        result.is_widened
    )


def test_the_strongest_number_that_is_added_is_full_colour(of: Of) -> None:
    drawn = views.addition(of("bert"))
    strengths = [float(s) for s in re.findall(r"--strength:([\d.]+)", drawn)]
    assert max(strengths) == 1
    assert min(strengths) >= 0


def test_every_token_is_a_button_and_the_one_looked_at_is_pressed(of: Of) -> None:
    result = of("bert", position=2)
    drawn = views.token_row(result)
    assert drawn.count("<button") == len(result.encoding)
    assert re.findall(r'data-value="(\d+)" aria-pressed="true"', drawn) == ["2"]


def test_tables_list_every_token_and_every_vector(of: Of) -> None:
    result = of("distilbert")
    rows = views.table(result)
    assert len(rows) == len(result.encoding)
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[0][-1] == "–"  # no segments
    assert [row[0] for row in views.vector_table(result)] == [
        "Token", "Position", "Sum", "LayerNorm", "Layer 1",
    ]  # fmt: skip


def test_hostile_text_never_becomes_html(of: Of) -> None:  # H38
    result = of("roberta", "<img src=x> <s> <b>", position=3)
    for drawn in (views.finding(result), views.token_row(result), views.addition(result)):
        assert "<img" not in drawn
        assert "<s>" not in drawn

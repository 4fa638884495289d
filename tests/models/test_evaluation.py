from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from components.config import ASSETS
from components.models.catalog import CATALOG, find_card
from components.models.evaluation import FIGURES, Evaluation, read_evaluation

MEANING = {"sentiment": "Of SST-2.", "whole_words": "Of a list.", "new_figure": "Of something."}


def write(folder: Path, models: Any, meaning: Any = MEANING) -> Path:
    (folder / "evaluation.json").write_text(json.dumps({"meaning": meaning, "models": models}))
    return folder


def test_what_was_measured_is_given_and_what_was_not_is_none(tmp_path: Path) -> None:
    table = read_evaluation(write(tmp_path, {"a": {"sentiment": 0.9}, "b": {}}))
    assert table.value("a", "sentiment") == 0.9
    assert table.value("a", "whole_words") is None
    assert table.value("b", "sentiment") is None
    assert table.value("nobody", "sentiment") is None
    assert dict(table.of("nobody")) == {}


def test_without_a_table_nothing_was_measured(tmp_path: Path) -> None:
    table = read_evaluation(tmp_path)
    assert table == Evaluation()
    assert table.value("bert-mini", "sentiment") is None
    assert table.first_measured(FIGURES, ["bert-mini"]) is None


def test_figures_stand_in_one_order_and_a_new_one_comes_last(tmp_path: Path) -> None:
    row = {"new_figure": 0.1, "sentiment": 1, "whole_words": 0}
    table = read_evaluation(write(tmp_path, {"a": row}))
    assert list(table.of("a").items()) == [
        ("whole_words", 0),
        ("sentiment", 1),
        ("new_figure", 0.1),
    ]
    assert table.figure("new_figure").label == "new figure"
    assert table.figure("sentiment").meaning == "Of SST-2."
    assert table.figure("questions_f1").meaning == table.figure("questions_f1").label


def test_models_are_compared_by_one_figure(tmp_path: Path) -> None:
    models = {"a": {"sentiment": 0.9}, "b": {"sentiment": 0.8, "whole_words": 0.3}}
    table = read_evaluation(write(tmp_path, models))
    wanted = ("whole_words", "sentiment")
    assert table.first_measured(wanted, ["a", "b"]) == table.figure("whole_words")
    assert table.first_measured(wanted, ["a", "x/y"]) == table.figure("sentiment")
    assert table.first_measured(wanted, ["x/y"]) is None


@pytest.mark.parametrize("value", [1.01, -0.1, True, "0.5", None, float("nan")])
def test_a_figure_that_cannot_be_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(ValueError, match="sentiment of a"):
        read_evaluation(write(tmp_path, {"a": {"sentiment": value}}))


def test_a_figure_without_a_meaning_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no meaning"):
        read_evaluation(write(tmp_path, {"a": {"sentiment": 0.5}}, meaning={}))


def test_the_table_that_ships_is_of_bundled_models_and_has_known_figures() -> None:
    table = read_evaluation(ASSETS / "models")
    assert set(table.models) <= {card.id for card in CATALOG}
    assert all(find_card(model_id) for model_id in table.models)
    assert {name for measured in table.models.values() for name in measured} <= set(FIGURES)
    for sentence in table.meanings.values():
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0].isdigit()

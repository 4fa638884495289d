from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from transformers import AutoTokenizer

from components.training import cards, evaluation, export
from components.training.networks import QUESTIONS, load_exported
from components.training.recipes import RECIPES
from tests.training import tiny


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_every_head_of_an_exported_folder_is_there(tmp_path: Path, model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    network, _ = tiny.network(recipe)
    export.export(network, tiny.tokenizer(recipe), model_id, tmp_path)  # checks every class itself
    for name in export.parts(network, model_id):
        config = json.loads((tmp_path / name / "config.json").read_text())
        assert config["id2label"] == {"0": "NEGATIVE", "1": "POSITIVE"}
        assert config["dtype"] == "float16"
        again = AutoTokenizer.from_pretrained(tmp_path / name)
        assert again("The river ran.") == tiny.tokenizer(recipe)("The river ran.")


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_the_exported_weights_are_the_trained_ones(tmp_path: Path, model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    network, _ = tiny.network(recipe)
    export.export(network, tiny.tokenizer(recipe), model_id, tmp_path)
    for folder, (kind, part) in export.parts(network, model_id).items():
        read = load_exported(kind, str(tmp_path / folder))
        for (name, ours), theirs in zip(part.named_parameters(), read.parameters(), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=1e-3, msg=name)


def test_a_head_that_is_missing_stops_the_export(tmp_path: Path) -> None:
    recipe = tiny.recipe()
    network, _ = tiny.network(recipe)
    del network.qa_outputs
    with pytest.raises(AssertionError, match="ForQuestionAnswering lacks"):
        export.export(network, tiny.tokenizer(recipe), "bert-mini", tmp_path)
    assert not (tmp_path / "bert-mini").exists()


def test_a_card_names_every_source_with_its_licence(tmp_path: Path) -> None:
    recipe = RECIPES["distilbert-mini"]
    provenance = cards.Provenance("bert-mini", 0, 10, 1_000, 60, "2 CPU cores", "Cut short.")
    probes = [{"head": "x", "texts": ("Hi.",), "answers": {"yes": 0.5}, "passed": False}]
    cards.write_origin(tmp_path, recipe, ("masked words",), provenance)
    cards.write_card(tmp_path, {"masked_wikipedia": 0.4, "sentiment": 0.9}, probes)
    card = (tmp_path / "README.md").read_text()
    for name in recipe.corpora:
        for part in cards.SOURCES[name]:
            assert part in card
    assert "40.0 %" in card
    assert "Cut short." in card
    assert "“Hi.” → yes 50 % (wrong)" in card


def test_the_table_holds_the_figures_of_every_card_and_says_what_they_mean(tmp_path: Path) -> None:
    for name, value in (("a", 0.25), ("b", 0.5)):
        (tmp_path / name).mkdir()
        facts = {"figures": {"sentiment": value}}
        (tmp_path / name / "training.json").write_text(json.dumps(facts))
    evaluation.write_table(tmp_path)
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert table["models"] == {"a": {"sentiment": 0.25}, "b": {"sentiment": 0.5}}
    assert table["meaning"] == {"sentiment": cards.describe("sentiment")}


def test_of_a_head_that_is_left_out_nothing_is_written(tmp_path: Path) -> None:
    recipe = tiny.recipe("albert-mini")
    network, _ = tiny.network(recipe)
    export.export(network, tiny.tokenizer(recipe), "albert-mini", tmp_path, (QUESTIONS,))
    folder = tmp_path / "albert-mini"
    with safe_open(folder / "model.safetensors", "pt") as file:
        names = set(file.keys())
    assert not [name for name in names if name.startswith("qa_outputs")]
    assert "AlbertForQuestionAnswering" not in json.loads((folder / "config.json").read_text())
    assert QUESTIONS not in load_exported("albert", str(folder)).heads
    assert QUESTIONS in network.heads

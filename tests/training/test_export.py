from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import BertTokenizerFast

from components.training import cards, export
from components.training.networks import load_exported
from components.training.recipes import RECIPES
from tests.training import tiny


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pieces = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", *(f"w{i}" for i in range(55))]
    folder = tmp_path_factory.mktemp("vocabulary")
    BertTokenizerFast(vocab={piece: i for i, piece in enumerate(pieces)}).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_every_head_of_an_exported_folder_is_there(
    tmp_path: Path, vocabulary: Path, model_id: str
) -> None:
    network, _ = tiny.network(tiny.recipe(model_id))
    export.export(network, vocabulary, tmp_path / model_id)  # checks each Auto class itself
    config = json.loads((tmp_path / model_id / "config.json").read_text())
    assert config["id2label"] == {"0": "NEGATIVE", "1": "POSITIVE"}
    assert config["dtype"] == "float16"
    tokenizer = json.loads((tmp_path / model_id / "tokenizer_config.json").read_text())
    assert tokenizer["model_max_length"] == 512
    assert tokenizer["do_lower_case"] is True


def test_the_exported_weights_are_the_trained_ones(tmp_path: Path, vocabulary: Path) -> None:
    network, _ = tiny.network(tiny.recipe())
    export.export(network, vocabulary, tmp_path / "bert-mini")
    read = load_exported("bert", str(tmp_path / "bert-mini"))
    for (name, ours), theirs in zip(network.named_parameters(), read.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=1e-3, msg=name)


def test_a_head_that_is_missing_stops_the_export(tmp_path: Path, vocabulary: Path) -> None:
    network, _ = tiny.network(tiny.recipe())
    del network.qa_outputs
    with pytest.raises(AssertionError, match="ForQuestionAnswering lacks"):
        export.export(network, vocabulary, tmp_path / "bert-mini")
    assert not (tmp_path / "bert-mini").exists()


def test_a_card_names_every_source_with_its_licence() -> None:
    recipe = RECIPES["distilbert-mini"]
    provenance = cards.Provenance("bert-mini", 0, 10, 1_000, 60, "2 CPU cores", "Cut short.")
    figures = {"masked_wikipedia": 0.4, "sentiment": 0.9}
    probes = [{"task": "x", "texts": ("Hi.",), "answers": {"yes": 0.5}, "passed": False}]
    card = cards.model_card(recipe, provenance, figures, probes)
    for name in recipe.corpora:
        for part in cards.SOURCES[name]:
            assert part in card
    assert "40.0 %" in card
    assert "Cut short." in card
    assert "“Hi.” → yes 50 % (wrong)" in card

from __future__ import annotations

from pathlib import Path

import pytest

from components.config import ASSETS
from components.models.anatomy import Anatomy, read_anatomy
from components.models.catalog import CATALOG, ModelCard
from components.models.families import Task
from components.models.manager import ModelManager

every_card = pytest.mark.parametrize("card", CATALOG, ids=lambda card: card.id)


def anatomy_of(card: ModelCard, folder: Path) -> Anatomy:
    found = read_anatomy(folder, card)
    assert found is not None
    return found


@every_card
def test_the_parts_are_those_of_the_loaded_networks(
    card: ModelCard, models: ModelManager, tiny_dir: Path
) -> None:
    anatomy = anatomy_of(card, tiny_dir)
    held = {task: models.get(card.id, task) for task in card.tasks}
    encoder = held[Task.ENCODER]._resident.network
    bare = sum(
        tensor.numel() for name, tensor in encoder.named_parameters() if "pooler" not in name
    )
    assert anatomy.embeddings + anatomy.encoder == bare
    everything: dict[str, int] = {}  # a tied tensor has one name here
    for task, model in held.items():
        network = model._resident.network
        prefix = "" if task is not Task.ENCODER else f"{network.base_model_prefix}."
        for name, tensor in network.named_parameters():
            # the pooler of a bare encoder is random where no head brings one
            if task is not Task.ENCODER or "pooler" not in name:
                everything[prefix + name] = tensor.numel()
    assert anatomy.parameters == sum(everything.values())


@every_card
def test_the_sizes_are_those_of_the_configuration(
    card: ModelCard, models: ModelManager, tiny_dir: Path
) -> None:
    anatomy, model = anatomy_of(card, tiny_dir), models.get(card.id, Task.ENCODER)
    config = model._resident.network.config
    assert (anatomy.layers, anatomy.width) == (model.layers, config.hidden_size)
    assert anatomy.vocabulary == config.vocab_size
    assert anatomy.disk_bytes == model.disk_bytes
    table = model._resident.network.get_input_embeddings().weight
    assert anatomy.embeddings >= table.numel()


def test_albert_alone_stores_one_layer_and_uses_it_again(tiny_dir: Path) -> None:
    for card in CATALOG:
        anatomy = anatomy_of(card, tiny_dir)
        assert anatomy.uses == (3 if card.model_type == "albert" else 1)
        assert anatomy.stored_layers * anatomy.uses == anatomy.layers
        assert anatomy.layer_parameters * anatomy.stored_layers <= anatomy.encoder


def test_a_model_whose_files_are_not_there_has_no_anatomy(tmp_path: Path) -> None:
    assert read_anatomy(tmp_path, CATALOG[0]) is None


def test_the_bundled_miniatures_are_within_their_limits() -> None:
    for card in CATALOG:
        anatomy = read_anatomy(ASSETS / "models", card)
        if anatomy is not None:
            assert anatomy.parameters <= 25_000_000
            assert anatomy.disk_bytes <= 50_000_000

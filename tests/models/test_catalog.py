from __future__ import annotations

import pytest
from transformers import AutoConfig

from components.config import ASSETS, Settings
from components.errors import HeadError
from components.models.catalog import (
    CATALOG,
    SHIPPED,
    ModelCard,
    cards_for,
    default_for,
    find_card,
    why_not,
)
from components.models.families import FAMILIES, Task
from components.models.ids import clean_id
from components.models.loading import network_class
from components.models.manager import ModelManager

every_card = pytest.mark.parametrize("card", CATALOG, ids=lambda card: card.id)


def test_ids_are_unique_and_can_be_typed() -> None:
    ids = [card.id for card in CATALOG]
    assert len(set(ids)) == len(ids)
    assert [clean_id(found) for found in ids] == ids


@pytest.mark.parametrize("task", Task)
def test_every_task_has_a_model_to_begin_with(task: Task) -> None:
    card = find_card(default_for(task))
    assert card is not None
    assert task in card.tasks


def test_every_family_is_bundled() -> None:
    assert {card.model_type for card in CATALOG} == set(FAMILIES)


@every_card
def test_a_card_claims_no_task_that_its_family_cannot_do(card: ModelCard) -> None:
    assert card.family is FAMILIES[card.model_type]
    assert Task.ENCODER in card.tasks
    config = AutoConfig.for_model(card.model_type)
    assert all(network_class(task, config) is not None for task in card.tasks)
    assert card.family.name in card.about


def test_cards_are_offered_for_their_tasks_in_catalog_order() -> None:
    for task in Task:
        able = [card for card in CATALOG if task in card.tasks]
        assert list(cards_for(task)) == ([card for card in able if card.is_shipped] or able)
    assert find_card("nobody/nothing") is None


@pytest.mark.parametrize("task", Task)
def test_of_every_model_without_a_head_it_is_said_why(task: Task) -> None:  # H20
    lacking = [card for card in CATALOG if task not in card.tasks]
    reasons = [card.family.why_not[task] for card in lacking]
    assert why_not(task) == tuple(dict.fromkeys(reasons))
    for card, reason in zip(lacking, reasons, strict=True):
        assert card.family.name in reason


@every_card
def test_a_card_does_every_task_it_claims_and_no_other(
    card: ModelCard, models: ModelManager
) -> None:
    for task in Task:
        if task in card.tasks:
            assert models.get(card.id, task).family is card.family
        else:
            with pytest.raises(HeadError, match=card.family.name):
                models.get(card.id, task)


@pytest.mark.slow
@pytest.mark.parametrize("card", SHIPPED, ids=lambda card: card.id)
def test_a_bundled_checkpoint_brings_every_head_it_claims(card: ModelCard) -> None:
    assert (ASSETS / "models" / card.id / "model.safetensors").is_file()
    bundled = ModelManager(Settings(device="cpu"))
    held = [bundled.get(card.id, task) for task in card.tasks]
    assert all(model.family is card.family for model in held)
    assert all(model.max_length == 512 for model in held)
    largest = max(model.weight_bytes for model in held)
    assert bundled.status().weight_bytes < 1.1 * largest

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from transformers import AutoConfig

from components.models.families import FAMILIES, Family, Task
from components.models.loaded import LoadedModel
from components.models.loading import AUTO_MODELS, OWN_MODELS, network_class
from tests import fakes

Load = Callable[..., LoadedModel]

every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.model_type)


def test_every_family_has_a_tiny_network_to_be_tested_with() -> None:
    assert set(fakes.FAMILY_NAMES) == set(FAMILIES)


def test_the_table_can_be_read_by_people() -> None:
    assert len({family.name for family in FAMILIES.values()}) == len(FAMILIES)
    for key, family in FAMILIES.items():
        assert family.model_type == key
        assert "arXiv:" in family.paper
        for text in (family.changed, *family.why_not.values()):
            assert text[0].isupper()
            assert text.endswith(".")
        assert all(family.name in reason for reason in family.why_not.values())


def test_every_task_has_a_kind_of_network() -> None:
    assert sorted([*AUTO_MODELS, *OWN_MODELS]) == sorted(Task)


@every_family
def test_a_task_without_a_class_in_transformers_says_why(family: Family) -> None:  # H20
    config = AutoConfig.for_model(family.model_type)
    for task in Task:
        if network_class(task, config) is None:
            assert task in family.why_not


@every_family
def test_tokens_are_shown_without_the_marks_of_the_family(family: Family, load: Load) -> None:
    model = load(family.model_type, Task.ENCODER)
    encoding = model.encode("the unhappiness of paris")
    shown = [
        model.readable(token)
        for token, sequence in zip(encoding.tokens, encoding.sequence_ids, strict=True)
        if sequence is not None
    ]
    assert "".join(shown).replace(" ", "") == "theunhappinessofparis"


@every_family
def test_the_last_position_of_a_family_can_be_used_and_not_one_more(
    family: Family, load: Load
) -> None:  # H23
    model = load(family.model_type, Task.ENCODER)
    encoding = model.encode("good film " * 400)
    assert len(encoding) == model.max_length == 64
    assert model.run([encoding])[0]["last_hidden_state"].shape == (64, 32)
    if model.family.model_type != "deberta-v2":  # its positions are relative
        network = model._resident.network
        with pytest.raises((RuntimeError, IndexError)), torch.inference_mode():
            network(torch.full((1, 65), 7))

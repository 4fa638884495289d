from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from transformers import AutoConfig

from components.models import pinning
from components.models.catalog import find_card
from components.models.families import FAMILIES, Task
from components.models.full_size import (
    FULL_SIZE,
    FullSize,
    find_full_size,
    full_size_for,
    read_pins,
)
from components.models.ids import clean_id
from components.models.loading import network_class
from tests.hub_stand_in import COMMIT, HubStandIn

every_one = pytest.mark.parametrize("one", FULL_SIZE, ids=lambda one: one.id)


def test_ids_are_unique_can_be_typed_and_are_no_miniature() -> None:
    ids = [one.id for one in FULL_SIZE]
    assert len(set(ids)) == len(ids)
    assert [clean_id(found) for found in ids] == ids
    assert not any(find_card(found) for found in ids)
    assert all(find_full_size(one.id) is one for one in FULL_SIZE)
    assert find_full_size("owner/name") is None


@every_one
def test_none_claims_a_task_that_its_family_cannot_do(one: FullSize) -> None:
    config = AutoConfig.for_model(one.model_type)
    assert one.tasks
    assert all(network_class(task, config) is not None for task in one.tasks)
    assert one.family.name in one.about
    assert one.id in one.about


def test_every_family_has_an_encoder_a_sentiment_and_a_question_answering_checkpoint() -> None:
    for task in (Task.ENCODER, Task.SENTIMENT, Task.QUESTION_ANSWERING):
        assert [one.model_type for one in full_size_for(task)] == list(FAMILIES)


def test_the_checkpoint_that_lacks_a_masked_word_head_is_not_offered_for_it() -> None:  # H08
    offered = {one.id for one in full_size_for(Task.FILL_MASK)}
    assert "microsoft/deberta-v3-base" not in offered
    assert "google/electra-base-discriminator" not in offered


# Pins


@pytest.mark.parametrize(
    "content",
    ["", "[]", '"x"', '{"bert-base-uncased": 7}', '{"bert-base-uncased": "main"}', '{"o/n": "%s"}'],
)
def test_what_is_no_pin_pins_nothing(content: str, tmp_path: Path) -> None:
    file = tmp_path / "pins.json"
    file.write_text(content.replace("%s", COMMIT), encoding="utf-8")
    assert read_pins(file) == {}
    assert read_pins(tmp_path / "none.json") == {}


def test_pinning_asks_the_hub_for_every_commit_and_keeps_what_it_had(
    stand_in: HubStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    checkpoints: Callable[[str, str], Path],
) -> None:
    checkpoints("bert", "fill-mask")
    known = FullSize("have/bert-fill-mask", "bert", frozenset({Task.FILL_MASK}))
    gone = FullSize("boom/x", "bert", frozenset({Task.FILL_MASK}))
    for module in ("full_size", "pinning"):
        monkeypatch.setattr(f"components.models.{module}.FULL_SIZE", (known, gone))
    file = tmp_path / "pins.json"
    file.write_text(json.dumps({"boom/x": "b" * 40}), encoding="utf-8")
    (trouble,) = pinning.pin(file)
    assert "boom/x" in trouble
    assert read_pins(file) == {"have/bert-fill-mask": COMMIT, "boom/x": "b" * 40}
    assert not any(request.startswith("GET") for request in stand_in.requests)

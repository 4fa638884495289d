"""Field cases about families, for every model of the catalog: tiny ones, and the bundled ones."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import torch

from components.config import ASSETS, Settings
from components.errors import HeadError
from components.models.catalog import CATALOG, ModelCard, cards_for
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import fill_mask

TEXTS = (
    "The river ran past.",
    "Zoë's café: שלום, مرحبا, 你好 👩‍👩‍👧!",
    "cold",
    "was it warm ? " * 12,
)
# Weights that are not there at all are for test_catalog to report.
BUNDLED = [card for card in CATALOG if (ASSETS / "models" / card.id / "model.safetensors").exists()]
KINDS = [("tiny", card) for card in CATALOG] + [
    pytest.param("bundled", card, marks=pytest.mark.slow, id=f"bundled-{card.id}")
    for card in BUNDLED
]

every_model = pytest.mark.parametrize(
    ("kind", "card"), KINDS, ids=lambda value: getattr(value, "id", value)
)


@functools.cache
def _bundled() -> ModelManager:
    return ModelManager(Settings(device="cpu"))


@pytest.fixture
def manager(kind: str, models: ModelManager) -> ModelManager:
    return _bundled() if kind == "bundled" else models


def _encodings(model: LoadedModel) -> list[Encoding]:
    return [model.encode(t) for t in TEXTS] + [model.encode(t, "the mill was old") for t in TEXTS]


@every_model
def test_answers_are_the_same_alone_and_in_a_batch(
    manager: ModelManager, card: ModelCard
) -> None:  # H37
    for task in card.tasks:
        model = manager.get(card.id, task)
        encodings = _encodings(model)
        together = model.run(encodings)
        for encoding, answer in zip(encodings, together, strict=True):
            (alone,) = model.run([encoding])
            assert answer.keys() == alone.keys()
            for name, numbers in answer.items():
                assert numbers.shape == alone[name].shape
                if task is Task.FILL_MASK:  # logits of trained networks are in the tens
                    numbers, alone_ = _shares(numbers), _shares(alone[name])
                    np.testing.assert_allclose(numbers, alone_, atol=1e-4, err_msg=f"{task} {name}")
                else:
                    np.testing.assert_allclose(
                        numbers, alone[name], atol=1e-4, rtol=1e-4, err_msg=f"{task} {name}"
                    )


def _shares(logits: Any) -> Any:
    return torch.from_numpy(logits).softmax(-1).numpy()


@every_model
def test_every_spelling_of_a_blank_is_the_models_own(
    manager: ModelManager, card: ModelCard
) -> None:  # H02
    if Task.FILL_MASK not in card.tasks:
        with pytest.raises(HeadError, match="its generator does"):
            manager.get(card.id, Task.FILL_MASK)
        return
    model = manager.get(card.id, Task.FILL_MASK)
    own = fill_mask.predict(model, f"the river {model.mask_token} past")
    for typed in ("[MASK]", "<mask>", "[ mask ]", "___"):
        result = fill_mask.predict(model, f"the river {typed} past")
        assert result.blanks == own.blanks  # id by id, score by score
        assert bool(result.notices) == (typed != model.mask_token)


@every_model
def test_a_head_that_a_model_lacks_is_refused_with_its_familys_reason(
    manager: ModelManager, card: ModelCard
) -> None:  # H06, H08, H20
    for task in Task:
        if task not in card.tasks:
            with pytest.raises(HeadError) as error:
                manager.get(card.id, task)
            assert card.family.why_not[task] in str(error.value)


@every_model
def test_the_right_half_of_electra_judges_tokens(
    manager: ModelManager, card: ModelCard
) -> None:  # H06
    if Task.REPLACED_TOKENS not in card.tasks:
        return
    model = manager.get(card.id, Task.REPLACED_TOKENS)
    encodings = _encodings(model)
    for encoding, answer in zip(encodings, model.run(encodings), strict=True):
        assert answer["logits"].shape == (len(encoding),)


@every_model
def test_capitals_are_kept_or_dropped_as_the_family_does(
    manager: ModelManager, card: ModelCard
) -> None:  # H15
    model = manager.get(card.id, Task.ENCODER)
    encoding = model.encode("Paris The river")
    said = "".join(
        model.readable(token)
        for token, number in zip(encoding.tokens, encoding.sequence_ids, strict=True)
        if number is not None
    )
    if model.unknown_token_id not in encoding.input_ids:
        assert said == ("paristheriver" if model.lowercases else "ParisTheriver")
    assert model.lowercases == (card.model_type not in ("roberta", "deberta-v2"))
    assert not any("does not follow" in notice for notice in model.notices)


@every_model
def test_a_second_text_has_its_own_segment_where_the_network_knows_segments(
    manager: ModelManager, card: ModelCard
) -> None:  # H21
    for task in card.tasks:
        model = manager.get(card.id, task)
        encoding = model.encode("the boats ran past", "the mill was old")
        kinds = int(getattr(model._resident.network.config, "type_vocab_size", 0) or 0)
        if not card.family.has_segments or kinds < 2:
            assert encoding.token_type_ids is None
            continue
        assert encoding.token_type_ids is not None
        second = [i for i, number in enumerate(encoding.sequence_ids) if number == 1]
        ones = [i for i, segment in enumerate(encoding.token_type_ids) if segment == 1]
        assert ones == [*second, len(encoding) - 1]  # with its [SEP]


def test_what_a_family_offers_follows_from_the_tables_alone() -> None:  # H20
    for task in (Task.NEXT_SENTENCE, Task.SENTENCE_ORDER, Task.REPLACED_TOKENS):
        able = {card.model_type for card in cards_for(task)}
        refused = {key for key, family in FAMILIES.items() if task in family.why_not}
        assert able | refused == set(FAMILIES)

"""Tokenizers without weights."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from components.errors import AppError, UnknownModelError
from components.models import manager as managing
from components.models.catalog import CATALOG, one_per_family
from components.models.families import FAMILIES, Task
from components.models.manager import ModelManager
from components.models.reader import Reader
from tests.hub_stand_in import HubStandIn
from tests.models.test_encoding import NASTY


def test_reading_loads_no_network(manager: ModelManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.PreTrainedModel.from_pretrained", None)
    for card in CATALOG:
        assert len(manager.tokenizer(card.id).encode("the river")) > 2
    assert manager.status().loaded == ()
    assert manager.status().weight_bytes == 0


def test_it_reads_as_the_loaded_model_does(manager: ModelManager) -> None:
    for card in CATALOG:
        reader, model = manager.tokenizer(card.id), manager.get(card.id, Task.ENCODER)
        assert model._checkpoint is reader._checkpoint  # opened once
        for text in NASTY:
            assert reader.encode(text) == model.encode(text)


def test_a_tokenizer_is_opened_once_and_few_are_kept(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managing, "_TOKENIZERS", 2)
    first = manager.tokenizer("bert-mini")
    manager.tokenizer("roberta-mini")
    assert manager.tokenizer(" bert-mini ") is first
    manager.tokenizer("albert-mini")
    assert list(manager._readers) == ["bert-mini", "albert-mini"]


@pytest.mark.parametrize("typed", ["../etc", "", "nobody/nothing"])
def test_what_cannot_be_had_is_refused_and_leaves_nothing(
    manager: ModelManager, typed: str
) -> None:
    with pytest.raises(AppError) as error:
        manager.tokenizer(typed)
    assert isinstance(error.value, UnknownModelError) or "Hub" in str(error.value)
    assert not manager._readers


def test_of_the_hub_the_tokenizer_alone_is_fetched(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    reader = fresh().tokenizer("have/roberta-fill-mask")
    assert reader.encode("the river").tokens[0] == "<s>"
    asked = [path for path in stand_in.requests if "have/roberta-fill-mask" in path]
    assert any("tokenizer.json" in path for path in asked)
    assert not any("safetensors" in path for path in asked if path.startswith("GET"))


def test_the_whole_text_is_tokenized_unless_it_is_to_be_cut(manager: ModelManager) -> None:
    for card in CATALOG:
        reader = manager.tokenizer(card.id)
        whole, short = reader.encode("soup " * 200, cut=False), reader.encode("soup " * 200)
        assert len(whole) == whole.full_length == short.full_length > len(short)
        assert whole.tokens[: len(short) - 1] == short.tokens[:-1]


class Noted:
    """A lock that counts how often it was taken."""

    def __init__(self) -> None:
        self.taken = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()
        self.taken += 1

    def __exit__(self, *_: Any) -> None:
        self._lock.release()


def test_the_tokenizer_is_used_under_its_lock(manager: ModelManager) -> None:
    reader = manager.tokenizer("albert-mini")
    lock = reader._checkpoint.tokenizer_lock = Noted()  # type: ignore[assignment]
    reader.normalization("Zürich")
    reader.encode("Zürich", cut=False)
    assert lock.taken == 2


def test_byte_level_is_read_from_the_tokenizer(manager: ModelManager) -> None:
    level = {card.model_type: manager.tokenizer(card.id).is_byte_level for card in CATALOG}
    assert level == {key: key == "roberta" for key in FAMILIES}
    assert isinstance(manager.tokenizer("bert-mini"), Reader)


def test_there_is_one_tokenizer_for_each_family() -> None:
    assert [card.model_type for card in one_per_family()] == list(
        dict.fromkeys(card.model_type for card in CATALOG)
    )

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from transformers import PreTrainedModel

from components.config import Settings
from components.errors import AppError, CheckpointError, HeadError, UnknownModelError
from components.models import loading
from components.models.families import Task
from components.models.manager import ModelManager, Status
from tests.models.conftest import logits

HEADS = (Task.FILL_MASK, Task.NEXT_SENTENCE, Task.SENTIMENT, Task.QUESTION_ANSWERING)
WANTED = [("bert-mini", task) for task in HEADS] + [("distilbert-mini", Task.FILL_MASK)]


# Errors


def test_what_was_refused_leaves_nothing_behind(manager: ModelManager) -> None:
    held = manager.get("bert-mini", Task.FILL_MASK)
    for i in range(200):
        with pytest.raises(AppError):
            manager.get(f"owner/model-{i}", Task.FILL_MASK)  # HF_HUB_OFFLINE is set
        with pytest.raises(UnknownModelError):
            manager.get(f"../{i}", Task.FILL_MASK)
    with pytest.raises(HeadError):
        manager.get("distilbert-mini", Task.NEXT_SENTENCE)
    gc.collect()
    assert len(manager._residents) == len(manager._handles) == len(manager._checkpoints) == 1
    assert manager._loads._flights == manager._openings._flights == {}
    assert held is manager.get("bert-mini", Task.FILL_MASK)


def test_an_error_that_is_kept_keeps_no_network(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    real = transformers.DistilBertForMaskedLM.__init__

    def noted(self: Any, *args: Any, **options: Any) -> None:
        made.append(weakref.ref(self))
        real(self, *args, **options)

    def refuse(*_args: Any) -> None:
        raise HeadError("no")

    def refused() -> None:
        with pytest.raises(HeadError):
            manager.get("distilbert-mini", Task.FILL_MASK)

    monkeypatch.setattr(transformers.DistilBertForMaskedLM, "__init__", noted)
    monkeypatch.setattr(loading, "_refuse_untrained", refuse)
    refused()
    gc.collect()
    assert [ref() for ref in made] == [None]


# Memory


def test_all_heads_of_a_model_take_hardly_more_room_than_one(
    manager: ModelManager, tiny_dir: Path
) -> None:
    models = [manager.get("bert-mini", task) for task in HEADS]
    largest = max(model.weight_bytes for model in models)
    assert manager.status().weight_bytes < 1.15 * largest
    first = models[0]._resident.network.bert.state_dict()
    for model in models:
        for name, tensor in model._resident.network.bert.state_dict().items():
            if name in first:
                assert tensor.data_ptr() == first[name].data_ptr()
        lone = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
        np.testing.assert_array_equal(logits(model), logits(lone.get("bert-mini", model.task)))


def test_seeing_attention_takes_no_room(manager: ModelManager) -> None:
    manager.get("bert-mini", Task.ENCODER)
    before = manager.status().weight_bytes
    model = manager.get("bert-mini", Task.ENCODER, attentions=True)
    assert manager.status().weight_bytes < 1.03 * before  # numbers of positions, not learned
    assert model.run([model.encode("cold")], attentions=True)[0]["attentions"].shape[:2] == (3, 4)


def loaded(manager: ModelManager) -> set[tuple[str, Task]]:
    return {(model_id, task) for model_id, tasks in manager.status().loaded for task in tasks}


def test_the_least_recently_used_is_dropped_first(tiny_dir: Path) -> None:
    probe = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
    for task in (Task.FILL_MASK, Task.SENTIMENT, Task.QUESTION_ANSWERING):
        probe.get("bert-mini", task)
    room = probe.status().weight_bytes
    manager = ModelManager(Settings(device="cpu", models_dir=tiny_dir, memory_limit=room))
    for task in (Task.FILL_MASK, Task.SENTIMENT, Task.QUESTION_ANSWERING):
        manager.get("bert-mini", task)
    manager.get("bert-mini", Task.FILL_MASK)  # used again: sentiment is now the oldest
    manager.get("bert-mini", Task.NEXT_SENTENCE)
    assert loaded(manager) == {
        ("bert-mini", Task.FILL_MASK),
        ("bert-mini", Task.QUESTION_ANSWERING),
        ("bert-mini", Task.NEXT_SENTENCE),
    }
    assert manager.status().weight_bytes <= room


def test_what_is_held_is_never_dropped_and_goes_when_it_is_let_go(tight: ModelManager) -> None:
    held = tight.get("bert-mini", Task.FILL_MASK)
    expected = logits(held)
    second = tight.get("distilbert-mini", Task.FILL_MASK)
    assert loaded(tight) == {("bert-mini", Task.FILL_MASK), ("distilbert-mini", Task.FILL_MASK)}
    assert tight.status().weight_bytes > tight.settings.memory_limit
    np.testing.assert_array_equal(logits(held), expected)
    network = weakref.ref(held._resident.network)
    del held
    assert loaded(tight) == {("distilbert-mini", Task.FILL_MASK)}
    assert network() is None  # at once, without the collector
    assert tight.get("distilbert-mini", Task.FILL_MASK) is second


def test_what_is_larger_than_the_limit_alone_is_given_all_the_same(tiny_dir: Path) -> None:
    manager = ModelManager(Settings(device="cpu", models_dir=tiny_dir, memory_limit=1))
    logits(manager.get("bert-mini", Task.FILL_MASK))
    logits(manager.get("distilbert-mini", Task.FILL_MASK))
    assert loaded(manager) == set()


def test_loads_and_drops_leave_memory_flat(tight: ModelManager) -> None:
    tensors: list[weakref.ref[Any]] = []
    for _ in range(4):
        for model_id in ("bert-mini", "distilbert-mini"):
            network = tight.get(model_id, Task.FILL_MASK)._resident.network
            tensors += [weakref.ref(tensor) for tensor in network.parameters()]
            del network
    alive = sum(ref() is not None for ref in tensors)
    assert alive == len(
        [*tight.get("distilbert-mini", Task.FILL_MASK)._resident.network.parameters()]
    )
    assert len(tight._checkpoints) == 1


def test_many_visitors_and_little_room_go_together(tight: ModelManager, tiny_dir: Path) -> None:
    alone = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
    expected = {wanted: logits(alone.get(*wanted)) for wanted in WANTED}

    def visit(i: int) -> None:
        wanted = WANTED[i * 7 % len(WANTED)]
        np.testing.assert_array_equal(logits(tight.get(*wanted)), expected[wanted])
        tight.status()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(visit, range(15)))
    assert tight.status().weight_bytes <= tight.settings.memory_limit
    assert PreTrainedModel.tie_weights.__name__ == "tie_weights"


# What is said


def test_nothing_is_loaded_before_it_is_asked_for(manager: ModelManager) -> None:
    assert manager.status() == Status(None, None, (), 0, manager.settings.memory_limit, ())
    assert not manager.is_loaded("bert-mini", Task.FILL_MASK)


def test_the_status_follows_every_change(manager: ModelManager) -> None:
    first = manager.get("bert-mini", Task.SENTIMENT)
    assert manager.status() == Status(
        device="cpu",
        precision="float32",
        loaded=(("bert-mini", (Task.SENTIMENT,)),),
        weight_bytes=first.weight_bytes,
        memory_limit=manager.settings.memory_limit,
        notices=(),
    )
    manager.get("distilbert-mini", Task.SENTIMENT)
    manager.get("bert-mini", Task.ENCODER)
    assert manager.status().loaded == (
        ("bert-mini", (Task.SENTIMENT, Task.ENCODER)),
        ("distilbert-mini", (Task.SENTIMENT,)),
    )
    first._resident.notices.append("The soup is cold.")
    assert manager.status().notices == ("The soup is cold.",)


@pytest.mark.parametrize(
    "typed", [" bert-mini ", "\nbert-mini\n", "https://huggingface.co/bert-mini", '"bert-mini"']
)
def test_the_same_model_typed_otherwise_is_the_same_model(
    manager: ModelManager, typed: str
) -> None:  # H16
    model = manager.get("bert-mini", Task.FILL_MASK)
    assert manager.is_loaded(typed, Task.FILL_MASK)
    assert manager.get(typed, Task.FILL_MASK) is model


@pytest.mark.parametrize("typed", ["", None, "../etc", 7, "a b"])
def test_what_is_no_id_is_not_loaded(manager: ModelManager, typed: Any) -> None:
    assert not manager.is_loaded(typed, Task.FILL_MASK)
    with pytest.raises(UnknownModelError):
        manager.get(typed, Task.FILL_MASK)


def test_a_bundled_model_that_is_missing_is_said_to_be_so(tmp_path: Path) -> None:
    manager = ModelManager(Settings(device="cpu", models_dir=tmp_path))
    with pytest.raises(CheckpointError, match="Install the app again") as error:
        manager.get("bert-mini", Task.FILL_MASK)
    assert str(tmp_path) not in str(error.value)


def test_a_device_that_is_not_there_is_said_in_the_status(tiny_dir: Path) -> None:
    manager = ModelManager(Settings(device="cuda:99", models_dir=tiny_dir))
    manager.get("bert-mini", Task.FILL_MASK)
    assert "no cuda:99 device" in manager.status().notices[0]


def test_warming_goes_on_after_a_failure(
    manager: ModelManager, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = loading.load_resident

    def sometimes(opened: Any, task: Task, *args: Any, **options: Any) -> Any:
        if task is Task.SENTIMENT:
            raise KeyError("a bug")
        return real(opened, task, *args, **options)

    monkeypatch.setattr(loading, "load_resident", sometimes)
    wanted = [
        ("nobody/nothing", Task.FILL_MASK, False),
        ("bert-mini", Task.SENTIMENT, False),
        ("bert-mini", Task.ENCODER, True),
    ]
    manager.warm(wanted).join()
    assert manager.is_loaded("bert-mini", Task.ENCODER, attentions=True)
    assert not manager.is_loaded("bert-mini", Task.ENCODER)
    assert "nobody/nothing was not warmed" in caplog.text
    assert "bert-mini was not warmed" in caplog.text

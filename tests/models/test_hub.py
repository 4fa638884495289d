from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import constants
from safetensors.torch import load_file, save_file

from components.errors import HeadError, ModelError
from components.models import hub
from components.models.checkpoint import LOAD_LOCK
from components.models.families import Task
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES
from tests.hub_stand_in import COMMIT, HubStandIn
from tests.models.conftest import change_json, copy_folder, never_waiting, point_to, refusal

Checkpoints = Callable[[str, str], Path]


def fetched(stand_in: HubStandIn) -> list[str]:
    """List the files with weights that were sent, in whole or from somewhere on."""
    return [r for r in stand_in.requests if r.startswith("GET") and r.endswith(".safetensors")]


# What the Hub gives


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_model_of_the_hub_answers_like_its_folder(
    family: str,
    stand_in: HubStandIn,
    fresh: Callable[..., ModelManager],
    load: Callable[..., object],
) -> None:
    model = fresh().get(f"  https://huggingface.co/have/{family}-fill-mask ", Task.FILL_MASK)
    local = load(family, Task.FILL_MASK)
    assert model.id == f"have/{family}-fill-mask"
    text = f"the river {model.mask_token} past"
    encoding = model.encode(text, literal=False)
    assert encoding == local.encode(text, literal=False)  # type: ignore[attr-defined]
    found, expected = model.run([encoding]), local.run([encoding])  # type: ignore[attr-defined]
    assert (found[0]["logits"] == expected[0]["logits"]).all()
    assert model._resident.checkpoint.folder.name == COMMIT
    assert model.disk_bytes == local.disk_bytes  # type: ignore[attr-defined]


def test_two_at_once_and_twice_at_once(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:  # H10
    manager = fresh()
    wanted = ["have/bert-fill-mask", "have/roberta-fill-mask"] * 4
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda i: manager.get(i, Task.FILL_MASK), wanted))
    assert len({id(model) for model in models}) == 2
    for model in models:
        model.run([model.encode("the river")])
    weights = [r for r in stand_in.requests if r.startswith("GET") and r.endswith(hub.WEIGHTS)]
    assert len(weights) == 2


def test_without_the_hub_what_was_fetched_is_used(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:  # H13
    model_id = "have/deberta-v2-fill-mask"
    first = fresh().get(model_id, Task.FILL_MASK)
    encoding = first.encode("the river")
    expected = first.run([encoding])[0]["logits"]
    for url in ("http://127.0.0.1:9", None):
        if url is None:
            monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
        else:
            point_to(url, monkeypatch)
        with never_waiting():
            again = fresh().get(model_id, Task.FILL_MASK)
        assert (again.run([encoding])[0]["logits"] == expected).all()


def test_a_busy_hub_does_not_take_away_what_was_fetched(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    fresh().get("have/bert-fill-mask", Task.FILL_MASK)
    stand_in.broken.update(("config.json", hub.WEIGHTS))
    fresh().get("have/bert-fill-mask", Task.FILL_MASK)


def test_a_second_head_asks_the_hub_for_nothing(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    manager = fresh()
    first = manager.get("have/bert-fill-mask", Task.FILL_MASK)
    stand_in.requests.clear()
    second = manager.get("have/bert-fill-mask", Task.ENCODER)
    assert stand_in.requests == []
    assert second._resident.tokenizer is first._resident.tokenizer


def test_weights_that_cannot_be_had_now_are_said_to_be_so_at_once(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    stand_in.broken.add(hub.WEIGHTS)
    manager = fresh()
    assert "answers 503" in str(refusal(manager, "have/bert-fill-mask"))
    stand_in.broken.clear()
    manager.get("have/bert-fill-mask", Task.FILL_MASK)  # no failure is remembered


def test_weights_in_several_files_are_fetched_together(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], checkpoints: Checkpoints
) -> None:
    whole = checkpoints("bert", "fill-mask")
    folder = stand_in.folder / "sharded"
    copy_folder(whole, folder)
    tensors = load_file(whole / hub.WEIGHTS)
    (folder / hub.WEIGHTS).unlink()
    names, where = sorted(tensors), {}
    for n, part in enumerate((names[::2], names[1::2]), 1):
        file = f"model-0000{n}-of-00002.safetensors"
        save_file({k: tensors[k] for k in part}, folder / file, metadata={"format": "pt"})
        where.update(dict.fromkeys(part, file))
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": where})
    )
    model = fresh().get("have/sharded", Task.FILL_MASK)
    assert model.disk_bytes > 100_000
    where[names[0]] = "../../../../secret.safetensors"
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": where})
    )
    copy_folder(folder, stand_in.folder / "prank")
    assert "broken" in str(refusal(fresh(), "have/prank"))


def test_pickles_are_not_even_fetched(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], checkpoints: Checkpoints
) -> None:
    folder = stand_in.folder / "pickled"
    copy_folder(checkpoints("bert", "fill-mask"), folder)
    (folder / hub.WEIGHTS).rename(folder / "pytorch_model.bin")
    assert "no weights in safetensors form" in str(refusal(fresh(), "have/pickled"))
    assert not any("pytorch_model" in request for request in stand_in.requests)


def test_a_repository_without_a_config_is_said_to_be_so(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    (stand_in.folder / "bare").mkdir(exist_ok=True)
    assert "no config.json" in str(refusal(fresh(), "have/bare"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, "of the type gpt2"),
        ({"vocab_size": 350, "hidden_size": 10**6}, "too large"),
        ({"num_hidden_layers": 10**9}, "says that it has"),
        ({"num_hidden_layers": 0}, "says that it has"),
    ],
)
def test_what_cannot_be_used_is_refused_before_its_weights_are_fetched(
    changes: dict[str, object],
    said: str,
    stand_in: HubStandIn,
    fresh: Callable[..., ModelManager],
    checkpoints: Checkpoints,
) -> None:
    folder = stand_in.folder / "odd"
    copy_folder(checkpoints("bert", "fill-mask"), folder)
    change_json(folder / "config.json", **changes)
    error = refusal(fresh(), "have/odd")
    assert isinstance(error, ModelError)
    assert said in str(error)
    assert not any(hub.WEIGHTS in request for request in stand_in.requests)


def test_a_task_that_the_family_cannot_do_fetches_no_weights(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    with pytest.raises(HeadError, match="use BERT"):
        fresh().get("have/roberta-fill-mask", Task.NEXT_SENTENCE)
    assert fetched(stand_in) == []


def test_weights_that_are_larger_than_the_memory_are_not_fetched(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    error = refusal(fresh(memory_limit=150_000), "have/roberta-fill-mask")
    assert "too large" in str(error)
    assert not any(r.startswith("GET") and hub.WEIGHTS in r for r in stand_in.requests)


def test_the_operators_token_is_not_lent_to_visitors(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fresh().get("have/bert-fill-mask", Task.FILL_MASK)
    refusal(fresh(), "nosuch/x")
    assert stand_in.tokens == []


# Server paths


def test_a_folder_of_the_server_is_never_read_for_an_id(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], checkpoints: Checkpoints
) -> None:  # H16
    for place in ("have/secret", "nosuch/secret", "secret"):
        copy_folder(checkpoints("bert", "fill-mask"), Path(place))
    for model_id in ("have/secret", "nosuch/secret", "secret"):
        assert isinstance(refusal(fresh(), model_id), ModelError)
    copy_folder(checkpoints("roberta", "fill-mask"), stand_in.folder / "secret2")
    copy_folder(checkpoints("bert", "fill-mask"), Path("have/secret2"))
    model = fresh().get("have/secret2", Task.FILL_MASK)
    assert model.family.model_type == "roberta"


# Other visitors meanwhile


def test_a_slow_download_keeps_nobody_else_waiting(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:
    manager = fresh()
    stand_in.delay = 0.1
    slow = threading.Thread(target=lambda: manager.get("have/bert-fill-mask", Task.FILL_MASK))
    slow.start()
    while not stand_in.requests:
        time.sleep(0.01)
    manager.get("bert-mini", Task.FILL_MASK)
    assert slow.is_alive()
    assert not manager.is_loaded("have/bert-fill-mask", Task.FILL_MASK)
    slow.join()
    assert manager.is_loaded(" have/bert-fill-mask\n", Task.FILL_MASK)
    assert not LOAD_LOCK.locked()

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from components.errors import CheckpointError, UnknownModelError
from components.models.families import Task
from components.models.manager import ModelManager
from tests.hub_stand_in import TROUBLES, HubStandIn
from tests.models.conftest import point_to, refusal

SAID = {
    "nosuch/x": (UnknownModelError, "no public model nosuch/x"),
    "nosuch404/x": (UnknownModelError, "no public model nosuch404/x"),
    "gated/x": (CheckpointError, "permission on its Hub page"),
    "disabled/x": (CheckpointError, "disabled"),
    "forbidden/x": (CheckpointError, "answers 403"),
    "boom/x": (CheckpointError, "answers 503"),
    "rate/x": (CheckpointError, "too many requests"),
    "portal/x": (CheckpointError, "is not the Hub"),
    "a b/c!": (UnknownModelError, "no model id"),
}


@pytest.mark.parametrize("model_id", SAID)
def test_each_trouble_has_a_sentence_of_its_own(
    model_id: str, stand_in: HubStandIn, fresh: Callable[..., ModelManager]
) -> None:  # H13, H14
    kind, said = SAID[model_id]
    error = refusal(fresh(), model_id)
    assert isinstance(error, kind)
    assert said in str(error)
    assert [other for other, (_, words) in SAID.items() if words in str(error)] == [model_id]
    assert "hf auth login" not in str(error)
    assert "token" not in str(error)
    assert len(stand_in.requests) <= 1


def test_every_trouble_of_the_stand_in_is_tried() -> None:
    assert {model_id.split("/")[0] for model_id in SAID} >= set(TROUBLES)


def test_a_hub_that_is_not_there_is_said_to_be_so_and_bundled_models_work(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:  # H13
    point_to("http://127.0.0.1:9", monkeypatch)
    manager = fresh()
    assert "can't be reached" in str(refusal(manager, "some/model"))
    assert "bundled models still work" in str(refusal(manager, "some/model"))
    manager.get("bert-mini", Task.FILL_MASK)


def test_a_hub_that_never_answers_is_not_waited_for(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:  # H13
    with socket.create_server(("127.0.0.1", 0)) as silent:
        point_to(f"http://127.0.0.1:{silent.getsockname()[1]}", monkeypatch)
        assert "can't be reached" in str(refusal(fresh(hub_timeout=0.3), "some/model"))


def test_an_address_that_cannot_be_looked_up_is_not_waited_for(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:  # H13
    stuck = threading.Event()
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda *_, **__: stuck.wait(30))
    assert "can't be reached" in str(refusal(fresh(hub_timeout=0.1), "some/model"))
    stuck.set()


def test_offline_by_choice_nothing_is_asked(
    stand_in: HubStandIn, fresh: Callable[..., ModelManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in str(refusal(fresh(), "have/bert-fill-mask"))
    assert stand_in.requests == []


SCRIPT = """
import sys, json
from pathlib import Path
from components.config import Settings
from components.errors import AppError
from components.models.families import Task
from components.models.manager import ModelManager
manager, said = ModelManager(Settings(device="cpu", models_dir=Path(sys.argv[1]))), {}
manager.get("bert-mini", Task.FILL_MASK)
for model_id in sys.argv[2:]:
    try:
        manager.get(model_id, Task.FILL_MASK)
        text = "loaded"
    except AppError as error:
        text = str(error)
    said[model_id] = text
print(json.dumps(said))
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
def test_the_real_environment_variable_is_followed(
    is_there: bool, served: HubStandIn, tiny_dir: Path, tmp_path: Path
) -> None:  # H13, H14
    env = {**os.environ, "HF_HOME": str(tmp_path), "HF_ENDPOINT": served.url}
    env.pop("HF_HUB_OFFLINE")
    if not is_there:
        env["HF_ENDPOINT"] = "http://127.0.0.1:9"
    ids = ["have/bert-fill-mask", *SAID]
    run = [sys.executable, "-c", SCRIPT, str(tiny_dir), *ids]
    done = subprocess.run(run, env=env, capture_output=True, text=True, timeout=120, check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    for model_id, (_, words) in SAID.items():
        assert (words if is_there or " " in model_id else "can't be reached") in said[model_id]
    assert (said["have/bert-fill-mask"] == "loaded") == is_there

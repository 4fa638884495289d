"""Fixtures of the models layer: checkpoints on disk, and managers of their own."""

from __future__ import annotations

import json
import shutil
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import huggingface_hub
import pytest
import torch
from huggingface_hub import constants

from components.config import Settings
from components.errors import AppError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests import fakes
from tests.hub_stand_in import HubStandIn, serving

Folder = Callable[[str, str], Path]


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Tiny networks gain nothing from more threads, and lose much on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Folder of a tiny checkpoint as the Hub would hold it: checkpoints("bert", "fill-mask")."""
    place = tmp_path_factory.mktemp("checkpoints")

    def folder(family: str, head: str) -> Path:
        made = place / f"{family}-{head}"
        return made if made.exists() else fakes.write_checkpoint(made, family, head)

    return folder


@pytest.fixture
def copy(checkpoints: Folder, tmp_path: Path) -> Callable[..., Path]:
    """Copy of a checkpoint that a test may spoil; its config.json takes the changes given."""

    def make(family: str = "bert", head: str = "fill-mask", **changes: Any) -> Path:
        place = tmp_path / f"{family}-{head}"
        shutil.copytree(checkpoints(family, head), place)
        if changes:
            change_json(place / "config.json", **changes)
        return place

    return make


@pytest.fixture
def manager(tiny_dir: Path) -> ModelManager:
    """Manager of this test alone, with the tiny miniatures; nothing is loaded yet."""
    return ModelManager(Settings(device="cpu", models_dir=tiny_dir))


def change_json(file: Path, **changes: Any) -> None:
    """Change entries of a JSON file; None takes an entry out."""
    content = json.loads(file.read_text(encoding="utf-8")) | changes
    kept = {key: value for key, value in content.items() if value is not None}
    file.write_text(json.dumps(kept), encoding="utf-8")


# The Hub


@pytest.fixture(scope="session")
def served(checkpoints: Folder) -> Iterator[HubStandIn]:
    """Serve a checkpoint of every family: have/FAMILY-fill-mask."""
    folders = [checkpoints(family, "fill-mask") for family in fakes.FAMILY_NAMES]
    with serving(folders[0].parent) as server:
        yield server


@pytest.fixture
def stand_in(
    served: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HubStandIn]:
    """Make huggingface_hub take the stand-in for the Hub, with an empty cache."""
    point_to(served.url, monkeypatch)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    yield served
    served.requests.clear()
    served.tokens.clear()
    served.ranges.clear()
    served.set_right()
    served.gate.set()
    served.delay = 0.0
    huggingface_hub.close_session()


@pytest.fixture
def fresh(tiny_dir: Path) -> Callable[..., ModelManager]:
    """Make managers that know nothing yet, with some settings changed."""

    def make(**changes: object) -> ModelManager:
        return ModelManager(Settings(device="cpu", models_dir=tiny_dir, **changes))

    return make


def point_to(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make huggingface_hub, which reads its settings at import, take `url` for the Hub."""
    huggingface_hub.close_session()
    monkeypatch.setattr(constants, "ENDPOINT", url)
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder into another, which may be there already."""
    shutil.copytree(source, target, dirs_exist_ok=True)


def refusal(manager: ModelManager, model_id: str) -> AppError:
    """Give the sentence with which `model_id` is refused, without waiting for a dead Hub."""
    with never_waiting(), pytest.raises(AppError) as error:
        manager.get(model_id, Task.FILL_MASK)
    return error.value


@contextmanager
def never_waiting() -> Iterator[None]:
    """Fail when huggingface_hub sleeps before it asks again: its five tries take 23 seconds."""

    def refuse(seconds: float) -> None:
        raise AssertionError(f"a dead Hub is asked again after {seconds} s")

    patient = types.SimpleNamespace(**{**vars(time), "sleep": refuse})
    with mock.patch.object(huggingface_hub.utils._http, "time", patient):
        yield


# Memory


@pytest.fixture
def tight(tiny_dir: Path) -> ModelManager:
    """Manager with room for bert-mini or distilbert-mini, not for both."""
    return ModelManager(Settings(device="cpu", models_dir=tiny_dir, memory_limit=200_000))


def logits(model: LoadedModel) -> Any:
    """Give the answer of `model` to one sentence."""
    return next(iter(model.run([model.encode("the soup was cold")])[0].values()))

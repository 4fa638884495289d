"""Fixtures of the models layer: checkpoints on disk, and managers of their own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from components.config import Settings
from components.models.checkpoint import read_checkpoint
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.loading import find_placement, load_resident
from components.models.manager import ModelManager
from tests import fakes

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


def load_folder(
    folder: Path, task: Task = Task.FILL_MASK, *, attentions: bool = False
) -> LoadedModel:
    """Load a checkpoint from a folder, as the manager does."""
    settings = Settings(device="cpu")
    checkpoint = read_checkpoint(folder.name, folder)
    placement = find_placement(settings)
    return LoadedModel(load_resident(checkpoint, task, settings, placement, attentions=attentions))

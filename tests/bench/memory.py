"""Memory of all heads of bert-mini, against one checkpoint a head, each in a fresh process."""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from components.config import Settings
from components.models.catalog import find_card
from components.models.families import Task
from components.models.manager import ModelManager
from tests.bench.ratio import Ratio

_CARD = find_card("bert-mini")
HEADS = tuple(task for task in Task if _CARD and task in _CARD.tasks and task is not Task.ENCODER)
_ROOT = Path(__file__).resolve().parents[2]


def measure(models_dir: Path) -> Sequence[Ratio]:
    found = {way: _in_a_fresh_process(way, models_dir) for way in WAYS}
    nothing = found["nothing"]["process"]
    heads = f"{len(HEADS)} heads of bert-mini"
    baseline = "each loaded singly by `from_pretrained`"
    ours, singly = found["together"], found["singly"]
    return [
        Ratio(
            f"weights of the {heads}", baseline, ours["weights"], singly["weights"], "MB", 1 / 3,
            "bytes of all tensors, shared ones once",
        ),
        Ratio(
            f"process with the {heads}", baseline, ours["process"] - nothing,
            singly["process"] - nothing, "MB", 1 / 3,
            f"resident memory in fresh processes, less the {nothing:.0f} MB of the libraries",
        ),
    ]  # fmt: skip


def _in_a_fresh_process(way: str, models_dir: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.memory", way, str(models_dir)]
    answer = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(answer.splitlines()[-1])
    return found


def _nothing(_models_dir: Path) -> tuple[float, Any]:
    """Import what either way imports, and load nothing."""
    import transformers.models.bert.modeling_bert

    import components.models.loading

    return 0, (transformers, components)


def _together(models_dir: Path) -> tuple[float, Any]:
    manager = ModelManager(Settings(device="cpu", models_dir=models_dir))
    held = [manager.get("bert-mini", task) for task in HEADS]
    return manager.status().weight_bytes, (manager, held)


def _singly(models_dir: Path) -> tuple[float, Any]:
    import torch
    from transformers import AutoTokenizer

    from components.models.loading import AUTO_MODELS
    from components.models.sharing import storages

    folder = models_dir / "bert-mini"
    held = [
        (
            AUTO_MODELS[task].from_pretrained(folder, dtype=torch.float32).eval(),
            AutoTokenizer.from_pretrained(folder),
        )
        for task in HEADS
    ]
    return sum(sum(storages(network).values()) for network, _ in held), held


WAYS: dict[str, Callable[[Path], tuple[float, Any]]] = {
    "nothing": _nothing,
    "together": _together,
    "singly": _singly,
}


def _resident_bytes() -> int:
    """Bytes of memory that this process takes up right now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    weights, kept = WAYS[sys.argv[1]](Path(sys.argv[2]))
    gc.collect()
    print(json.dumps({"weights": weights / 1e6, "process": _resident_bytes() / 1e6}))

"""The gate: what cannot work is refused, with the reason, before its weights are fetched."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from components.errors import CheckpointError, HeadError
from components.models.asking import RemoteFile, read_header
from components.models.families import Family, Task
from components.models.fetching import megabytes, size_of
from components.models.troubles import sentence

_SPARE_DISK = 100_000_000  # bytes that are left free
_OLD_NAMES = {"gamma": "weight", "beta": "bias"}  # of the first checkpoints, still read


def refuse_giant(model_id: str, size: int, limit: int) -> None:
    """Raise CheckpointError when `size` bytes of weights are more than the app keeps, or can."""
    if size > limit:
        raise CheckpointError(
            f"{model_id} is too large: its weights take {size / 1024**3:.1f} GB, and this app "
            f"keeps at most {limit / 1024**3:.1f} GB in memory. Choose a smaller model."
        )
    free = free_memory()
    if free is not None and size > free:
        raise CheckpointError(
            f"{model_id} is too large for this machine right now: its weights take "
            f"{megabytes(size)}, and {megabytes(free)} of memory are free. Choose a smaller model."
        )


def refuse_for_disk(files: Sequence[RemoteFile], folder: Path) -> None:
    """Raise CheckpointError when `files` do not fit on the disk of `folder`."""
    begun = sum(map(size_of, folder.glob(".*.partial")))
    needed = sum(file.size for file in files) - begun
    free = free_disk(folder)
    if needed + _SPARE_DISK > free:
        raise CheckpointError(
            f"{files[0].model_id} takes {megabytes(needed)}, and the disk of this app has only "
            f"{megabytes(free)} free. Choose a smaller model. The bundled models still work."
        )


def refuse_headless(
    files: Sequence[RemoteFile], timeout: float, network: Any, family: Family, task: Task
) -> None:
    """Raise HeadError when the checkpoint lacks a part of the head of `network`, or is no file.

    `network` may be on the meta device: names are all that is needed. Whoever does not say what
    is in the files is let through, and judged when the weights are there.
    """
    headers = [read_header(file, timeout) for file in files]
    if task is Task.ENCODER or any(header is None for header in headers):
        return
    known = {_new(name) for header in headers if header for name in header}
    lacking = sorted(part for part in _parts_of_head(network) if not _has(known, part))
    if lacking:
        trouble = (
            f"has no trained head for {task}: {', '.join(lacking)} "
            f"{'is' if len(lacking) == 1 else 'are'} not among its weights, and what a new one "
            "gives would be random."
        )
        reason = family.why_not.get(task, "")
        advice = f"{reason} Choose another model, or one that was fine-tuned for this.".strip()
        raise HeadError(sentence(files[0].model_id, trouble, advice))


def size_in_memory(network: Any) -> int:
    """Count the bytes that the weights of `network` will take as float32."""
    return sum(4 * tensor.numel() for tensor in network.parameters())


def free_disk(folder: Path) -> int:
    """Give the bytes that can still be written into `folder`."""
    return shutil.disk_usage(folder).free


def free_memory() -> int | None:
    """Give the bytes of memory that a process can still have; None where that is not known."""
    file = Path("/proc/meminfo")
    if not file.is_file():
        return None
    lines = (line.split() for line in file.read_text(encoding="ascii").splitlines())
    return next((int(line[1]) * 1024 for line in lines if line[0] == "MemAvailable:"), None)


def _parts_of_head(network: Any) -> set[str]:
    prefix = f"{network.base_model_prefix}."
    names = (name for name, _ in network.named_parameters() if not name.startswith(prefix))
    return {".".join(name.split(".")[:-1][:2]) for name in names}  # as in cls.predictions


def _has(known: Iterable[str], part: str) -> bool:
    return any(name.startswith(f"{part}.") for name in known)


def _new(name: str) -> str:
    head, _, leaf = name.rpartition(".")
    return f"{head}.{_OLD_NAMES.get(leaf, leaf)}"

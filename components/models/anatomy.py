"""Where the parameters of a bundled model sit, read from its files without loading a weight."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.models.catalog import ModelCard

_WEIGHTS = "model.safetensors"
_LENGTH = 8  # bytes that say how long a safetensors header is, little-endian
_LAYER = re.compile(r"\.(?:layer|albert_layer_groups)\.(\d+)\.")


@dataclass(frozen=True, slots=True)
class Anatomy:
    """How many numbers a model has learned, and where; every head of its file counts."""

    embeddings: int  # what stands for tokens, positions and segments
    encoder: int  # the layers
    heads: int  # what turns vectors into answers, all tasks together
    layers: int  # that a text passes through
    stored_layers: int  # with weights of their own: one where all layers share
    width: int  # numbers in the vector of a token
    vocabulary: int
    disk_bytes: int

    @property
    def parameters(self) -> int:
        """All of them."""
        return self.embeddings + self.encoder + self.heads

    @property
    def layer_parameters(self) -> int:
        """Those of one layer."""
        return self.encoder // self.stored_layers

    @property
    def uses(self) -> int:
        """How many times a text passes through the same layer."""
        return self.layers // self.stored_layers


def read_anatomy(models_dir: Path, card: ModelCard) -> Anatomy | None:
    """Count the parameters of a bundled model; None where its files are not there."""
    weights, config = models_dir / card.id / _WEIGHTS, models_dir / card.id / "config.json"
    if not weights.is_file() or not config.is_file():
        return None
    counts = _tensor_sizes(weights)
    said: Mapping[str, Any] = json.loads(config.read_text(encoding="utf-8"))
    parts = {"embeddings": 0, "encoder": 0, "heads": 0}
    for name, count in counts.items():
        parts[_part(name, card.model_type)] += count
    return Anatomy(
        **parts,
        layers=int(said.get("num_hidden_layers") or said["n_layers"]),  # DistilBERT's own names
        stored_layers=len({m.group(1) for name in counts if (m := _LAYER.search(name))}),
        width=int(said.get("hidden_size") or said["dim"]),
        vocabulary=int(said["vocab_size"]),
        disk_bytes=weights.stat().st_size,
    )


def _tensor_sizes(path: Path) -> dict[str, int]:
    """Give the numbers in each tensor; a tied tensor is stored, and counted, once."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH), "little")
        header: dict[str, Any] = json.loads(file.read(length))
    header.pop("__metadata__", None)
    return {name: math.prod(tensor["shape"]) for name, tensor in header.items()}


def _part(name: str, model_type: str) -> str:
    """Say where a tensor belongs.

    Embeddings are all tables of what a token is and where it stands, those of relative positions
    and the second factor of a factorized table included. A pooler serves heads alone.
    """
    base = model_type.partition("-")[0]  # "deberta" of deberta-v2
    if not name.startswith(f"{base}.") or ".pooler." in name:
        return "heads"
    return "embeddings" if "embedding" in name else "encoder"

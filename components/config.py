"""Settings of one running app, read once from the environment, and the limits of its inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"

MAX_TEXT = 2_000  # characters of one text; a 512-token model reads about that much
MAX_PASSAGE = 100_000  # characters of a passage; about 16,000 words, read in windows
MAX_REVIEW = 10_000  # characters of one text to classify; models read its first 512 tokens
MAX_LINES = 1_000  # texts in one sentiment run
MAX_FILE_BYTES = 1_048_576  # bytes of an uploaded file
MAX_TOP_K = 50  # candidates for each blank
DEFAULT_MEMORY = 2 * 1024**3  # bytes


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator chose; every field has a default that works on any machine."""

    device: str | None = None  # "cuda", "mps" or "cpu"; None: the best one found
    precision: str | None = None  # "float32", "bfloat16" or "float16"; None: by device
    memory_limit: int = DEFAULT_MEMORY  # bytes of weights kept in memory
    models_dir: Path = ASSETS / "models"
    hub_timeout: float = 3.0  # seconds to wait for a sign of life from the Hub

    @classmethod
    def from_environment(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """Read ENCODER_LAB_DEVICE, _PRECISION and _MEMORY_GB; what is unset keeps its default."""
        gigabytes = env.get("ENCODER_LAB_MEMORY_GB")
        return cls(
            device=env.get("ENCODER_LAB_DEVICE") or None,
            precision=env.get("ENCODER_LAB_PRECISION") or None,
            memory_limit=int(float(gigabytes) * 1024**3) if gigabytes else DEFAULT_MEMORY,
        )

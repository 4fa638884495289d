"""Settings of one running app, read once from the environment, and the limits of its inputs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"

MAX_TEXT = 2_000  # characters of one text; a 512-token model reads about that much
MAX_PASSAGE = 100_000  # characters of a passage; about 16,000 words, read in windows
MAX_REVIEW = 10_000  # characters of one text to classify; models read its first 512 tokens
MAX_LINES = 1_000  # texts in one sentiment run
MIN_EXAMPLES, MAX_EXAMPLES = 20, 500  # labelled lines of one fine-tuning
MAX_EXAMPLE = 400  # characters of one labelled line; its first 128 tokens are read
MAX_CLASSES = 10  # labels of one fine-tuning
MAX_EPOCHS = 20  # passes over the training lines
TRAINING_SECONDS = 120.0  # of one fine-tuning; then the best so far is kept
MAX_FILE_BYTES = 1_048_576  # bytes of an uploaded file
MAX_BODY_BYTES = 2 * 1024**2  # of one request: the longest passage, however its JSON is written
MAX_TOP_K = 50  # candidates for each blank
DEFAULT_MEMORY = 2 * 1024**3  # bytes


class SettingsError(ValueError):
    """An environment variable that cannot be: the app says so and does not start."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator chose; every field has a default that works on any machine."""

    device: str | None = None  # "cuda", "cuda:1", "mps" or "cpu"; None: the best one found
    precision: str | None = None  # "float32", "bfloat16" or "float16"; None: float32
    memory_limit: int = DEFAULT_MEMORY  # bytes of weights kept in memory
    models_dir: Path = ASSETS / "models"
    hub_timeout: float = 3.0  # seconds to wait for a sign of life from the Hub

    @classmethod
    def from_environment(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """Read ENCODER_LAB_DEVICE, _PRECISION and _MEMORY_GB; what is unset keeps its default.

        Raises SettingsError for a value that cannot be; whether there is such a device is known
        only when the first model is loaded.
        """
        return cls(
            device=_one_of(env, "ENCODER_LAB_DEVICE", r"cuda(:\d+)?|mps|cpu", "cuda, mps or cpu"),
            precision=_one_of(
                env,
                "ENCODER_LAB_PRECISION",
                "float32|bfloat16|float16",
                "float32, bfloat16 or float16",
            ),
            memory_limit=_memory(env.get("ENCODER_LAB_MEMORY_GB", "").strip()),
        )


def _one_of(env: Mapping[str, str], name: str, pattern: str, allowed: str) -> str | None:
    value = env.get(name, "").strip().lower()
    if value and not re.fullmatch(pattern, value):
        raise SettingsError(f"{name} is “{env[name]}”. Set it to {allowed}, or leave it out.")
    return value or None


def _memory(gigabytes: str) -> int:
    if not gigabytes:
        return DEFAULT_MEMORY
    try:
        limit = int(float(gigabytes) * 1024**3)
    except (ValueError, OverflowError):  # also for infinity and what is no number
        limit = 0
    if limit <= 0:
        raise SettingsError(
            f"ENCODER_LAB_MEMORY_GB is “{gigabytes}”. Set it to a number above 0, such as 2, or "
            "leave it out."
        )
    return limit

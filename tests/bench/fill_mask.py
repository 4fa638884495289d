"""Time of fill-mask, against transformers' own pipeline on the same checkpoint and sentences."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from components.config import Settings
from components.models.families import Task
from components.models.manager import ModelManager
from components.tasks import fill_mask
from tests.bench.ratio import Ratio

_ROUNDS = 7
_FRAMES = (
    "Paris is the [MASK] of France.",
    "The {} is near the [MASK].",
    "She put the {} on the [MASK].",
    "Nobody liked the [MASK] of the {}.",
    "The [MASK] ran past the old {}.",
    "A good {} explains every [MASK].",
)
_NOUNS = ("river", "teacher", "film", "library", "boat", "garden", "storm")
SENTENCES = [frame.format(noun) for frame in _FRAMES for noun in _NOUNS][6:38]  # 32, short


def measure(models_dir: Path) -> Sequence[Ratio]:
    ours, theirs = _ours(models_dir), _theirs(models_dir)
    same = sum(ours(text) == theirs(text) for text in SENTENCES)  # also the warm-up
    times = _interleaved(ours, theirs)
    return [
        Ratio(
            "fill-mask, a short sentence",
            '`transformers.pipeline("fill-mask")`',
            *(1000 * statistics.median(row) for row in times),
            "ms",
            0.8,
            f"{len(SENTENCES)} sentences × {_ROUNDS} rounds in turns, medians; the best five words "
            f"are the same for {same} of {len(SENTENCES)}",
        )
    ]


def _ours(models_dir: Path) -> Callable[[str], list[str]]:
    model = ModelManager(Settings(device="cpu", models_dir=models_dir)).get(
        "bert-mini", Task.FILL_MASK
    )
    return lambda text: [c.token for c in fill_mask.predict(model, text).blanks[0].candidates]


def _theirs(models_dir: Path) -> Callable[[str], list[str]]:
    import torch
    from transformers import pipeline

    filler = pipeline(
        "fill-mask",
        model=str(models_dir / "bert-mini"),
        top_k=5,
        device="cpu",
        dtype=torch.float32,  # as ours: the default is the file's half precision
    )
    return lambda text: [found["token_str"] for found in filler(text)]


def _interleaved(*functions: Callable[[str], object]) -> list[list[float]]:
    """Time the functions in turns, whoever begins changing from one sentence to the next."""
    times: list[list[float]] = [[] for _ in functions]
    for number in range(_ROUNDS * len(SENTENCES)):
        text = SENTENCES[number % len(SENTENCES)]
        for i in range(len(functions)):
            which = (i + number) % len(functions)
            begin = time.perf_counter()
            functions[which](text)
            times[which].append(time.perf_counter() - begin)
    return times

"""Time of switching off every head of bert-mini, against one forward pass a head.

Both baselines give the same answers; the first is what one would write with transformers alone,
the second computes the vocabulary at the blank only, as ours does.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from components.config import Settings
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.bench.ratio import Ratio

_ROUNDS = 5
_TEXT = (
    "Paris is the [MASK] of France, and it stands on the river Seine, which flows from the hills "
    "of the east to the sea in the far."
)
Answers = list[np.ndarray]


def measure(models_dir: Path) -> Sequence[Ratio]:
    model = ModelManager(Settings(device="cpu", models_dir=models_dir)).get(
        "bert-mini", Task.FILL_MASK
    )
    heads = [(layer, head) for layer in range(model.layers) for head in range(model.heads)]
    ways = [_together(model, heads), _with_transformers(model, heads), _one_by_one(model, heads)]
    ours, *others = [way() for way in ways]  # also the warm-up
    apart = max(float(np.abs(np.stack(ours) - np.stack(other)).max()) for other in others)
    times = _interleaved(ways)
    tokens = len(model.encode(_TEXT, literal=False))
    how = (
        f"{tokens} tokens, {_ROUNDS} rounds in turns, medians; logits at the blank differ by "
        f"{apart:.1e} at the most"
    )
    named = ("a loop of single forward passes, each with one hook", "the same, logits at the blank")
    return [
        Ratio(f"each of {len(heads)} heads off", name, times[0], baseline, "ms", 1 / 3, how)
        for name, baseline in zip(named, times[1:], strict=True)
    ]


def _together(model: LoadedModel, heads: Sequence[tuple[int, int]]) -> Callable[[], Answers]:
    encoding = model.encode(_TEXT, literal=False)
    at = encoding.positions_of(model.mask_token_id)
    sets = [frozenset({head}) for head in heads]
    return lambda: [
        answer["logits"][0] for answer in model.run_without(encoding, sets, positions=at)
    ]


def _one_by_one(model: LoadedModel, heads: Sequence[tuple[int, int]]) -> Callable[[], Answers]:
    encoding = model.encode(_TEXT, literal=False)
    at = encoding.positions_of(model.mask_token_id)

    def single(layer: int, head: int) -> np.ndarray:
        with _hooked(model, layer, head):
            return model.run([encoding], positions=[at])[0]["logits"][0]

    return lambda: [single(*head) for head in heads]


def _with_transformers(
    model: LoadedModel, heads: Sequence[tuple[int, int]]
) -> Callable[[], Answers]:
    inputs = model._resident.tokenizer(_TEXT, return_tensors="pt")
    at = int((inputs["input_ids"][0] == model.mask_token_id).nonzero()[0])

    def single(layer: int, head: int) -> np.ndarray:
        with _hooked(model, layer, head), torch.inference_mode():
            return model._resident.network(**inputs).logits[0, at].numpy()

    return lambda: [single(*head) for head in heads]


class _hooked:  # noqa: N801
    """One head off, as long as the block lasts, for everybody who uses the network."""

    def __init__(self, model: LoadedModel, layer: int, head: int) -> None:
        network = model._resident.network
        size = network.config.hidden_size // model.heads
        self._part = slice(head * size, (head + 1) * size)
        self._dense = network.base_model.encoder.layer[layer].attention.output.dense

    def __enter__(self) -> None:
        self._hook = self._dense.register_forward_pre_hook(self._zero)

    def __exit__(self, *_: object) -> None:
        self._hook.remove()

    def _zero(self, _module: torch.nn.Module, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        mixed = args[0].clone()
        mixed[..., self._part] = 0
        return (mixed,)


def _interleaved(ways: Sequence[Callable[[], Answers]]) -> list[float]:
    """Time the ways in turns; give the median of each in milliseconds."""
    times: list[list[float]] = [[] for _ in ways]
    for number in range(_ROUNDS * len(ways)):
        which = number % len(ways)
        begin = time.perf_counter()
        ways[which]()
        times[which].append(time.perf_counter() - begin)
    return [1000 * statistics.median(row) for row in times]

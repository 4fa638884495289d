"""Bytes that a look at attention sends, against a page of bertviz's head and model views.

The baseline is its published data layout: every layer and head as one float tensor in a JSON
literal of the page, `{"name": ..., "attn": [layers][heads][tokens][tokens], "left_text": ...,
"right_text": ...}`, and for a pair four slices more (A→A, A→B, B→A, B→B).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from components.config import Settings
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import attention
from components.tasks.attention import AttentionResult, Look, View
from components.views import attention as views
from components.views import heads
from tests.bench.ratio import Ratio

LENGTHS = (32, 128, 512)


def measure(models_dir: Path) -> Sequence[Ratio]:
    manager = ModelManager(Settings(device="cpu", models_dir=models_dir))
    model = manager.get("bert-mini", Task.ENCODER, attentions=True)
    return [_ratio(model, length, is_pair) for length in LENGTHS for is_pair in (False, True)]


def _ratio(model: LoadedModel, length: int, is_pair: bool) -> Ratio:
    # one token a word: half of them, less the special ones, on each side of a pair
    words = ["a"] * ((length - 3) // 2 if is_pair else length - 2)
    text = " ".join(words)
    sent = {}
    for view in View:
        result = attention.predict(model, text, text if is_pair else "", look=Look(view=view))
        sent[view] = _bytes(_answer(result))
    largest = max(sent, key=lambda view: sent[view])
    layout = _bertviz(result, is_pair)
    return Ratio(
        f"attention of {len(result.tokens)} tokens{', a pair' if is_pair else ''}: bytes sent",
        "bertviz's page, every layer and head as JSON",
        sent[largest] / 1000,
        _bytes(layout) / 1000,
        "kB",
        0.05,
        f"bert-mini, {result.layers} × {result.heads}; the largest of the five views, {largest}, "
        "with its words and tables",
    )


def _answer(result: AttentionResult) -> list[Any]:
    return [
        views.finding(result),
        views.picture(result),
        heads.panels(result.statistics, "previous", (0, 0)),
        views.shares(result),
        views.table(result),
        heads.table(result.statistics, "previous"),
        views.match_table(result),
    ]


def _bertviz(result: AttentionResult, is_pair: bool) -> list[dict[str, Any]]:
    weights = result.reading.attention  # (layers, heads, queries, keys)
    tokens = list(result.tokens)
    half = len(tokens) // 2 + 1
    parts = {"All": (slice(None), slice(None))}
    if is_pair:
        a, b = slice(0, half), slice(half, None)
        parts |= {"A→A": (a, a), "A→B": (a, b), "B→A": (b, a), "B→B": (b, b)}
    return [
        {
            "name": name,
            "attn": weights[:, :, rows, columns].astype(float).tolist(),
            "left_text": tokens[rows],
            "right_text": tokens[columns],
        }
        for name, (rows, columns) in parts.items()
    ]


def _bytes(value: Any) -> int:
    return len(json.dumps(value).encode())

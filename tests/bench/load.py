"""A crowd at three tabs at once, against the app that a course's homework would be.

The homework is Gradio with transformers' pipelines, one checkpoint a tab, the same weights. Both
run in processes of their own; the crowd speaks plain HTTP. Every answer is compared with the one
given when nobody else asked.
"""

from __future__ import annotations

import http.client
import json
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.bench.fill_mask import SENTENCES
from tests.bench.ratio import Ratio
from tests.bench.start import app_with, started

CROWDS = {1: 60, 8: 160, 32: 320, 100: 500, 200: 800}  # at once: requests in all
_ALLOWED = 1e-4  # of a probability: a batch adds in another order
_PATIENCE = 120  # seconds
_MORE = {  # what our endpoints take besides the texts
    "fill_mask": ("bert-mini", 5, ""),
    "sentiment": ("bert-mini", "lines", 512),
    "next_sentence": ("bert-mini", "next-sentence-prediction"),
}

Request = tuple[str, tuple[Any, ...]]
"""An endpoint and its values."""


@dataclass
class Crowd:
    """Those who ask one app at once; what each request gave when it was asked alone is known."""

    url: str
    alone: dict[Request, Any] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)  # seconds
    wrong: int = 0
    lost: int = 0

    def ask(self, request: Request) -> None:
        """Ask, and compare."""
        begin = time.perf_counter()
        try:
            answer = answered(self.url, request)
        except (OSError, ValueError, http.client.HTTPException):
            self.lost += 1
            return
        self.waits.append(time.perf_counter() - begin)
        self.wrong += not is_same(answer, self.alone.setdefault(request, answer))

    def percentile(self, share: float) -> float:
        """Give the seconds that `share` of the requests did not exceed."""
        return sorted(self.waits)[min(len(self.waits) - 1, int(share * len(self.waits)))]


def answered(url: str, request: Request) -> Any:
    """Ask by Gradio's two steps, over one connection."""
    name, values = request
    path = f"/gradio_api/call/{name}"
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=_PATIENCE)
    try:
        body = json.dumps({"data": values})
        connection.request("POST", path, body, {"content-type": "application/json"})
        event = json.loads(connection.getresponse().read())["event_id"]
        connection.request("GET", f"{path}/{event}")
        events = connection.getresponse().read().decode().strip().split("\n\n")
    finally:
        connection.close()
    kind, data = events[-1].split("\n")
    if kind != "event: complete":
        raise ValueError(data)
    return json.loads(data.removeprefix("data: "))


def is_same(one: Any, other: Any) -> bool:
    """Compare two answers; numbers may differ by what the order of adding does."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_ALLOWED, abs_tol=_ALLOWED)
    return bool(one == other)


def requests(*, ours: bool) -> list[Request]:
    """Give the different requests, three tabs in turns."""
    asked: list[Request] = []
    for text in SENTENCES:
        whole = text.replace("[MASK]", "house")
        asked += [("fill_mask", (text,)), ("sentiment", (whole,))]
        asked.append(("next_sentence", (whole, "It was cold outside.")))
    return [(name, (*texts, *(_MORE[name] if ours else ()))) for name, texts in asked]


def measure(models_dir: Path) -> Sequence[Ratio]:
    homework = [sys.executable, "-m", "tests.bench.homework", str(models_dir)]
    with tempfile.TemporaryDirectory() as folder:
        app = app_with(models_dir, Path(folder))
        theirs = _levels("homework", homework, requests(ours=False))
        ours = _levels("ours", app, requests(ours=True))
    return [
        Ratio(
            f"{at_once} at once, {number} requests of three tabs",
            "a homework: Gradio and a pipeline for each tab",
            ours[at_once],
            theirs[at_once],
            "s",
            1.0 if at_once < 32 else 0.25,
            "wall time of all; waits, wrong and lost answers and memory stand above",
        )
        for at_once, number in CROWDS.items()
    ]


def _levels(name: str, command: list[str], asked: Sequence[Request]) -> dict[int, float]:
    """Let crowds of every size ask one app; give the seconds that each took."""
    took = {}
    with started(command) as (url, process):
        alone: dict[Request, Any] = {}
        first = Crowd(url, alone)
        for request in asked:  # also the warm-up
            first.ask(request)
        for at_once, number in CROWDS.items():
            crowd = Crowd(url, alone)
            begin = time.perf_counter()
            with ThreadPoolExecutor(at_once) as people:
                list(people.map(crowd.ask, islice(cycle(asked), number)))
            took[at_once] = time.perf_counter() - begin
            memory = psutil.Process(process).memory_info().rss / 1e6
            print(
                f"{name}, {at_once} at once: {len(crowd.waits) / took[at_once]:.1f} a second, "
                f"p50 {crowd.percentile(0.5):.3f} s, p95 {crowd.percentile(0.95):.3f} s, "
                f"{crowd.wrong} wrong, {crowd.lost} lost, {memory:.0f} MB",
                flush=True,
            )
    return took

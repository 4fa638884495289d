"""Start of the app until its first answer, against an empty Gradio app with one function.

Both are started as a person would, and asked over plain HTTP as soon as they take connections.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.ratio import Ratio

_ROOT = Path(__file__).resolve().parents[2]
_ROUNDS = 3
_PATIENCE = 120  # seconds until an app that does not answer is given up
_EMPTY = """
import gradio as gr
def answer(text: str) -> str:
    return text
with gr.Blocks() as demo:
    gr.api(answer, api_name="fill_mask")
demo.launch()
"""


def measure(models_dir: Path) -> Sequence[Ratio]:
    times: dict[str, list[float]] = {"ours": [], "empty": []}
    with tempfile.TemporaryDirectory() as folder:
        app = app_with(models_dir, Path(folder))
        sentence = "Paris is the [MASK] of France."
        for _ in range(_ROUNDS):
            times["empty"].append(_until_answer([sys.executable, "-c", _EMPTY], [sentence]))
            times["ours"].append(_until_answer(app, [sentence, "bert-mini", 5, ""]))
    spans = {name: f"{min(row):.1f} to {max(row):.1f} s" for name, row in times.items()}
    return [
        Ratio(
            "start until the first answer",
            "an empty `gr.Blocks` with one function",
            statistics.median(times["ours"]),
            statistics.median(times["empty"]),
            "s",
            1.5,
            f"fresh processes in turns, medians of {_ROUNDS} ({spans['ours']}; {spans['empty']})",
        )
    ]


def app_with(models_dir: Path, folder: Path) -> list[str]:
    """Give the command that starts the app; with other checkpoints, that of a copy of it."""
    if models_dir == _ROOT / "assets" / "models":
        return [sys.executable, str(_ROOT / "app.py")]
    shutil.copy(_ROOT / "app.py", folder)
    shutil.copytree(_ROOT / "components", folder / "components")
    shutil.copytree(_ROOT / "assets", folder / "assets", ignore=shutil.ignore_patterns("models"))
    (folder / "assets" / "models").symlink_to(models_dir)
    return [sys.executable, str(folder / "app.py")]


def _until_answer(command: list[str], values: list[object]) -> float:
    """Start an app, ask it `values`, and give the seconds until the answer is there."""
    begin = time.perf_counter()
    with started(command) as (url, _process):
        _ask(f"{url}/gradio_api/call/fill_mask", values)
        return time.perf_counter() - begin


@contextmanager
def started(command: list[str]) -> Iterator[tuple[str, int]]:
    """Start an app on a free port; give its address and its process id when it can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, "GRADIO_SERVER_PORT": str(port)}
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("the app does not take connections")


def _ask(url: str, values: list[object]) -> None:
    """Ask by Gradio's two steps: post the values, then read the events until the answer."""
    body = json.dumps({"data": values}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_PATIENCE) as response:
        event = json.load(response)["event_id"]
    with opener.open(f"{url}/{event}", timeout=_PATIENCE) as events:
        last = b""
        for line in events:
            if line.startswith(b"event: "):
                last = line
            if last.strip() == b"event: complete" and line.startswith(b"data: "):
                return
    raise RuntimeError(f"the app gave no answer: {last.decode()}")

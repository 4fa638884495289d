"""New values for every endpoint, new bytes for every address: `python -m tests.bench.attack 10000`.

Networks are tiny and random: what is looked for is a traceback, a hang or a dead server.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_OFFLINE="1")

from hypothesis import HealthCheck, given, settings

from components.config import Settings
from components.models.catalog import CATALOG
from components.models.families import Task
from components.models.manager import ModelManager
from tests import attack, fakes


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    options = settings(
        max_examples=number // 2,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    with _server() as server:

        @options
        @given(attack.calls(server))
        def ask(call: tuple[str, list[Any]]) -> None:
            server.call(*call)

        @options
        @given(attack.bodies(server))
        def send(request: tuple[str, bytes]) -> None:
            server.send(*request)

        begin = time.perf_counter()
        ask()
        send()
        server.call("fill_mask", ["Paris is the [MASK] of France.", "bert-mini", 5, ""])
    print(f"{number} requests in {time.perf_counter() - begin:.0f} s: each answered, or in words")


@contextmanager
def _server() -> Iterator[attack.Server]:
    import app

    with tempfile.TemporaryDirectory() as folder:
        for card in CATALOG:
            heads = tuple(sorted(task.value for task in card.tasks if task is not Task.ENCODER))
            fakes.write_miniature(Path(folder) / card.id, card.model_type, heads)
        demo = app.create_app(ModelManager(Settings(device="cpu", models_dir=Path(folder))))
        demo.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
        try:
            yield attack.Server.of(demo)
        finally:
            demo.close()


if __name__ == "__main__":
    main()

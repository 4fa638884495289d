"""A class of 200 on loopback: ten questions, each answered within ten seconds, nothing lost.

Answers are spread over a few seconds as a class would give them, while every phone looks on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from components.config import Settings
from components.models.manager import ModelManager
from tests.bench.ratio import Ratio
from tests.crowd_of_pupils import Class
from tests.pages import handler_of

PUPILS, QUESTIONS, SECONDS = 200, 10, 10.0


def measure(models_dir: Path) -> Sequence[Ratio]:
    import app

    demo = app.create_app(ModelManager(Settings(device="cpu", models_dir=models_dir)))
    demo.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
    try:
        slowest = _lesson(str(demo.local_url), handler_of(demo, "classroom-steered", "submit"))
    finally:
        demo.close()
    return [
        Ratio(
            f"{PUPILS} pupils answer, {QUESTIONS} questions, nothing lost",
            "the ten seconds in which all answer",
            max(slowest),
            SECONDS,
            "s",
            1.0,
            "the slowest of the questions; every pupil looks, answers, looks",
        )
    ]


def _lesson(url: str, ask: object) -> list[float]:
    took = []
    with Class(url, PUPILS) as pupils:
        steered = json.dumps({"code": pupils.code, "token": pupils.token})
        for number in range(1, QUESTIONS + 1):
            text = "The bank is near the [MASK]."
            ask("fill-mask", text, "", "bert-mini", steered)  # type: ignore[operator]
            begin = time.perf_counter()
            pupils.answer(number, ["river", "house", "lake", "sea"])
            took.append(time.perf_counter() - begin)
            shown = pupils.reveal()
            assert (shown["joined"], shown["answered"]) == (PUPILS, PUPILS), "an answer was lost"
            assert f"Class, {PUPILS} answers" in shown["answers"]
        print(
            f"an answer: median {sorted(pupils.seconds)[len(pupils.seconds) // 2]:.3f} s, "
            f"slowest {max(pupils.seconds):.3f} s"
        )
    return took

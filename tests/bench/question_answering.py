"""Reading a passage of 5,000 words, against the question-answering pipeline of transformers 4.

transformers 5 has no such pipeline, so the last release with one is installed into an environment
of its own in a temporary folder, with this environment's torch. Both run the same checkpoint over
the same windows, in turns.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from components.config import ASSETS, Settings
from components.models.families import Task
from components.models.manager import ModelManager
from components.tasks import question_answering
from tests.bench.ratio import Ratio

RELEASE = "transformers==4.57.6"  # the last of version 4
WORDS = 5_000
_ROUNDS = 2
_MINUTES = 60  # seconds
_OPTIONS = {"max_length": 384, "stride": 128, "max_answer_length": 30}  # the pipeline's windows
QUESTIONS = (
    "When did a warehouse burn down?",
    "Where does the Rhine rise?",
    "Who straightened the river?",
)


def measure(models_dir: Path) -> Sequence[Ratio]:
    passage = _passage()
    model = ModelManager(Settings(device="cpu", models_dir=models_dir)).get(
        "bert-mini", Task.QUESTION_ANSWERING
    )

    def ours(question: str) -> str:
        found = question_answering.predict(model, question, passage, top_k=1, **_OPTIONS)
        return found.answers[0].text

    with tempfile.TemporaryDirectory() as folder, _Pipeline(Path(folder), models_dir) as pipeline:
        ours(QUESTIONS[0])  # the pipeline has warmed up too
        mine, theirs, same = [], [], 0
        for number in range(_ROUNDS * len(QUESTIONS)):
            question = QUESTIONS[number % len(QUESTIONS)]
            begin = time.perf_counter()
            answer = ours(question)
            mine.append(time.perf_counter() - begin)
            reply = pipeline.ask(question, passage)
            theirs.append(reply["seconds"])
            same += answer.strip() == reply["answer"].strip()
    rates = [WORDS / statistics.median(times) for times in (mine, theirs)]
    return [
        Ratio(
            f"question answering, a passage of {WORDS:,} words",
            f'`pipeline("question-answering")` of {RELEASE.replace("==", " ")}',
            statistics.median(mine),
            statistics.median(theirs),
            "s",
            1 / 1.5,
            f"{len(mine)} questions in turns, medians; {rates[0]:,.0f} against {rates[1]:,.0f} "
            f"words a second; the same answer {same} of {len(mine)} times: the pipeline compares a "
            "softmax of each window, we raw sums",
        )
    ]


def _passage() -> str:
    text = (ASSETS / "examples" / "rhine.txt").read_text(encoding="utf-8")
    words = (text + "\n") * (WORDS // len(text.split()) + 1)
    end = [i for i, letter in enumerate(words) if letter.isspace() and not words[i - 1].isspace()]
    return words[: end[WORDS - 1]]


class _Pipeline:
    """The pipeline of transformers 4 in a process of its own, which answers line by line."""

    def __init__(self, folder: Path, models_dir: Path) -> None:
        python = _environment(folder)
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name("old_pipeline.py")), str(models_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        self._out.readline()  # loaded, and warm

    def __enter__(self) -> _Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self._in.close()
        self._process.wait(_MINUTES)

    def ask(self, question: str, passage: str) -> dict[str, Any]:
        self._in.write(json.dumps({"question": question, "context": passage}) + "\n")
        self._in.flush()
        reply: dict[str, Any] = json.loads(self._out.readline())
        return reply


def _environment(folder: Path) -> Path:
    """Make an environment with the old release and the torch that is here; give its Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", RELEASE], check=True)
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    # behind its own packages, so that it finds there only what it lacks
    (Path(own) / "behind.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python

"""The first moment of a server: many threads ask for what needs torch and transformers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_AT_ONCE = """
import sys, threading, traceback
from pathlib import Path
from components.config import Settings
from components.models.families import Task
from components.models.manager import ModelManager

def classifier():
    from components.models.classifiers import Classifier

def training():
    from components.training.tuning import Tuning

def undisturbed():
    with manager.undisturbed():
        pass

manager = ModelManager(Settings(device="cpu", models_dir=Path(sys.argv[1])))
asked = [
    lambda: manager.tokenizer("bert-mini"),
    lambda: manager.get("bert-mini", Task.FILL_MASK),
    lambda: manager.get("roberta-mini", Task.ENCODER),
    classifier, training, undisturbed,
]
assert not {"torch", "transformers"} & sys.modules.keys(), "imported too early: no race to test"
together, failed = threading.Barrier(24), []

def ask(number):
    together.wait()
    try:
        asked[number % len(asked)]()
    except BaseException:
        failed.append(traceback.format_exc())

threads = [threading.Thread(target=ask, args=[number]) for number in range(24)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("\\n".join(failed) or None)
"""


def test_many_threads_at_once_import_the_libraries_whole(tiny_dir: Path) -> None:
    command = [sys.executable, "-c", _AT_ONCE, str(tiny_dir)]
    env = {**os.environ, "PYTHONPATH": str(_ROOT)}
    done = subprocess.run(command, cwd=_ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

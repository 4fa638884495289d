"""The README's examples for programs, run as they stand there against the running app."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pages import endpoint_of

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
TEXT = "Paris is the [MASK] of France."


def _example(language: str, app_url: str) -> str:
    (block,) = (
        found
        for found in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
        if ":7860" in found
    )
    return str(block).replace("http://127.0.0.1:7860/", app_url)


def _printed(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return done.stdout


def _words(answer: Any) -> list[str]:
    return [candidate["word"] for candidate in answer["blanks"][0]["candidates"]]


def test_the_example_in_python(app_demo: Any, app_url: str) -> None:
    example = _example("python", app_url).replace("http://127.0.0.1:7860", app_url)
    printed = _printed(sys.executable, "-c", example)
    assert f"'word': '{_words(endpoint_of(app_demo, 'fill_mask')(TEXT))[0]}'" in printed


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_the_example_with_curl(app_demo: Any, app_url: str) -> None:
    printed = _printed("bash", "-c", _example("bash", app_url))
    assert "event: complete" in printed
    data = printed.partition("event: complete\ndata: ")[2].splitlines()[0]
    assert _words(json.loads(data)[0]) == _words(endpoint_of(app_demo, "fill_mask")(TEXT, top_k=3))

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("heavy", ["torch", "transformers"])
def test_building_the_page_needs_neither_torch_nor_transformers(heavy: str) -> None:
    program = (
        "import sys, app\n"
        "from components.config import Settings\n"
        "from components.models.manager import ModelManager\n"
        "app.create_app(ModelManager(Settings()))\n"
        f"assert {heavy!r} not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]

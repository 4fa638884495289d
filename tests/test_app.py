from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import app
from components.models.manager import ModelManager
from components.tabs import TABS

ROOT = Path(app.__file__).parent


def test_importing_the_app_loads_no_network_library() -> None:
    code = "import sys, app; print([n for n in ('torch', 'transformers') if n in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip().splitlines()[-1] == "[]"


def test_building_the_page_loads_no_model(models: ModelManager) -> None:  # H40
    fresh = ModelManager(models.settings)
    app.create_app(fresh).close()
    assert fresh.status().loaded == ()


def test_the_page_has_every_tab_in_order(models: ModelManager) -> None:
    demo = app.create_app(models)
    top = next(b for b in demo.blocks.values() if getattr(b, "elem_id", None) == "tabs")
    assert [tab.label for tab in top.children] == [t.title for t in TABS if not t.within]
    demo.close()


def test_nothing_is_shared_kept_or_sent_out() -> None:
    options = app.launch_options()
    for name in ("share", "run_history", "ssr_mode", "enable_monitoring", "show_error", "pwa"):
        assert options[name] is False

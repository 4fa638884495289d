"""What the page makes a visitor fetch that is ours: styles, scripts and frames of views."""

from __future__ import annotations

import app
from components.config import ASSETS
from components.models.manager import ModelManager

LIMIT = 300_000  # bytes, before they are packed for the way


def test_our_own_styles_and_scripts_stay_light(models: ModelManager) -> None:
    config = app.create_app(models).config
    views = [
        part["props"].get(name)
        for part in config["components"]
        if part["type"] == "html"
        for name in ("js_on_load", "html_template", "css_template")
    ]
    events = [dependency.get("js") for dependency in config["dependencies"]]
    ours = [one for one in views + events if isinstance(one, str)]  # each copy is sent
    weight = sum(len(one.encode()) for one in ours) + (ASSETS / "style.css").stat().st_size
    assert len(ours) > 20  # else they are looked for in the wrong place
    assert weight <= LIMIT

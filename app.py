"""Encoder Lab: builds the page from its tabs, and launches it. Run `python app.py`."""

from __future__ import annotations

import logging
import os
from typing import Any

for _name, _value in {
    "GRADIO_ANALYTICS_ENABLED": "False",  # the server phones home otherwise
    "GRADIO_ANALYTICS_CACHE_FREQUENCY": "1000000",  # a summary in pandas after every click
    "GRADIO_ANALYTICS_MAX_EVENTS": "200",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}.items():
    os.environ.setdefault(_name, _value)  # read when gradio and huggingface_hub are imported

import gradio as gr  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402

from components.config import ASSETS, Settings, SettingsError  # noqa: E402
from components.models.catalog import DEFAULT_MODEL, default_for  # noqa: E402
from components.models.families import Task  # noqa: E402
from components.models.manager import ModelManager  # noqa: E402
from components.tabs import TABS  # noqa: E402
from components.tabs.base import Page  # noqa: E402
from components.tabs.controls import scripts  # noqa: E402
from components.tabs.lab import REFUSALS, Lab  # noqa: E402
from components.tabs.layout import lay_out  # noqa: E402
from components.tabs.look import theme  # noqa: E402
from components.tabs.room_routes import ROUTES  # noqa: E402
from components.tabs.serving import AssetCache, Guard  # noqa: E402
from components.tabs.stopping import stop_button  # noqa: E402
from components.views import page as views  # noqa: E402


def create_app(models: ModelManager) -> gr.Blocks:
    """Build the page: the header, the status line, and one tab for each entry of TABS."""
    demo = Lab(title="Encoder Lab", analytics_enabled=False, delete_cache=(3600, 3600))
    with demo:
        gr.HTML(views.header(), elem_id="header", js_on_load=scripts("keys.js", "present.js"))
        status = gr.HTML(views.status_line(models.status()), elem_id="status")
        page = Page(demo, models, status)
        demo.rooms, demo.models = page.rooms, models
        stop_button(page.runs)
        lay_out(page, TABS)
    demo.queue(max_size=256, status_update_rate=3, api_open=False)  # nobody passes the queue by
    return demo


def launch_options() -> dict[str, Any]:
    """Give what the server is started with: nothing shared, nothing kept, nothing sent out."""
    return {
        "theme": theme(),
        "css_paths": [ASSETS / "style.css", ASSETS / "classroom.css"],
        "footer_links": [],
        "run_history": False,  # saved every visitor's runs; with ssr_mode open to CVE-2026-134825
        "ssr_mode": False,
        "enable_monitoring": False,
        "show_error": False,
        "max_file_size": "1mb",
        "pwa": False,
        "share": False,
        "state_session_capacity": 2_000,  # sessions remembered; a call of a program is one too
        "app_kwargs": {
            "middleware": [Middleware(Guard), Middleware(AssetCache)],
            "routes": list(ROUTES),
            "exception_handlers": dict(REFUSALS),
        },
    }


def main() -> None:
    """Start the app; what the first visitor will see is warmed while the page is being set up."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # Gradio's questions to itself
    try:
        models = ModelManager(Settings.from_environment())
    except SettingsError as error:
        raise SystemExit(str(error)) from None
    heads = [(default_for(task), task, False) for task in Task if task is not Task.ENCODER]
    models.warm([*heads, (DEFAULT_MODEL, Task.FILL_MASK, True)])  # the last one for attention
    create_app(models).launch(**launch_options())


if __name__ == "__main__":
    main()

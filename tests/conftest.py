"""Fixtures: tiny checkpoints for most tests; the bundled app and Chromium for a few."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
)

import pytest

from components.config import Settings
from components.models.catalog import CATALOG
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests import fakes


@pytest.fixture(scope="session")
def tiny_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a tiny copy of every bundled miniature, every head in one file."""
    folder = tmp_path_factory.mktemp("models")
    for card in CATALOG:
        heads = tuple(sorted(task.value for task in card.tasks if task is not Task.ENCODER))
        fakes.write_miniature(folder / card.id, card.model_type, heads)
    return folder


@pytest.fixture(scope="session")
def models(tiny_dir: Path) -> ModelManager:
    """Manager whose bundled miniatures are tiny and random."""
    return ModelManager(Settings(device="cpu", models_dir=tiny_dir))


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LoadedModel]:
    """Load a tiny network of any family with any head: load("roberta", Task.FILL_MASK)."""
    folder = tmp_path_factory.mktemp("families")
    kept: dict[Any, LoadedModel] = {}

    def loader(family: str, task: Task, *, attentions: bool = False) -> LoadedModel:
        key = (family, task, attentions)
        if key not in kept:
            head = "base" if task is Task.ENCODER else task.value
            place = folder / f"{family}-{head}"
            if not place.exists():
                fakes.write_checkpoint(place, family, head)
            kept[key] = fakes.load_folder(place, task, attentions=attentions)
        return kept[key]

    return loader


CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)


@pytest.fixture(scope="session")
def app_demo() -> Iterator[Any]:
    """The real app, with the bundled miniatures, served on loopback."""
    import app

    demo = app.create_app(ModelManager(Settings(device="cpu")))
    demo.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
    yield demo
    demo.close()


@pytest.fixture(scope="session")
def app_url(app_demo: Any) -> str:
    """Address of the real app."""
    return str(app_demo.local_url)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium; where there is none the test is reported as skipped, in CI it fails."""
    if CHROMIUM is None:
        assert not os.environ.get("CI"), "CI must have a Chromium"
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # a busy machine needs more than the usual 5 s
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, app_url: str) -> Iterator[Callable[..., Any]]:
    """Open a tab, or a part of one; then nothing may be amiss.

    open_page("Fill-mask", width=390, dark=True), open_page("Fill-mask", "Lens")
    """
    contexts: list[Any] = []
    amiss: list[str] = []

    def watch(page: Any) -> None:
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith((app_url, "data:", "blob:")) else amiss.append(r.url)
            ),
        )
        page.on("console", lambda m: amiss.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: amiss.append(str(error)))

    def opener(*tabs: str, width: int = 1280, dark: bool = False) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            locale="en-GB",
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        watch(page)
        page.goto(app_url)
        page.get_by_role("tab").first.wait_for()
        for tab in tabs:  # what lies in a tab that is not open is not on the page, or hidden
            page.get_by_role("tab", name=tab, exact=True).click()
        return page

    yield opener
    for context in contexts:
        context.close()
    assert amiss == [], "requests that left the machine, or errors in the console"

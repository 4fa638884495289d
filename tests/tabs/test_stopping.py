"""A model of the Hub on its way: how far it is, on the page, and Stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext
from huggingface_hub import constants
from playwright.sync_api import expect

from components.errors import StoppedError
from components.tabs.stopping import Runs
from tests import fakes
from tests.hub_stand_in import HubStandIn, serving
from tests.models.conftest import point_to

Open = Callable[..., Any]

WIDTHS = {1280: False, 390: True}  # pixels, and whether it is dark


@pytest.fixture
def visit() -> Iterator[Callable[[str], None]]:
    """Let this thread be that of a visitor."""
    tokens = []

    def visitor(session: str) -> None:
        tokens.append(LocalContext.request.set(SimpleNamespace(session_hash=session)))

    yield visitor
    for token in reversed(tokens):
        LocalContext.request.reset(token)


def test_stop_ends_the_runs_of_its_visitor_and_no_later_one(visit: Callable[[str], None]) -> None:
    runs, mine, other = Runs(), gr.Progress(), gr.Progress()
    visit("me")
    runs.check(mine)
    visit("you")
    runs.check(other)
    runs.stop("me")
    runs.check(other)
    with pytest.raises(StoppedError, match="kept"):
        runs.check(mine)
    later = gr.Progress()
    visit("me")
    runs.check(later)


def test_who_is_nobody_stops_nobody() -> None:
    runs, run = Runs(), gr.Progress()
    runs.check(run)  # a call that came from no page
    runs.stop(None)
    runs.check(run)


def test_a_run_that_is_over_leaves_nothing_behind(visit: Callable[[str], None]) -> None:
    runs = Runs()
    visit("me")
    runs.check(gr.Progress())
    runs.stop("me")
    assert len(runs._visitors) == len(runs._stopped) == 0


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubStandIn]:
    """Serve tiny BERTs, to be fetched into an empty cache."""
    for width in WIDTHS:  # one a test: the app keeps what it has loaded
        fakes.write_checkpoint(tmp_path / "hub" / f"tiny-{width}", "bert", "fill-mask")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with serving(tmp_path / "hub") as server:
        point_to(server.url, monkeypatch)
        yield server
        server.gate.set()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), list(WIDTHS.items()))
def test_a_fetch_is_seen_can_be_stopped_and_goes_on(
    open_page: Open, hub: HubStandIn, width: int, dark: bool
) -> None:
    page = open_page(width=width, dark=dark)
    finding = page.locator("#fill_mask-finding")
    expect(finding).to_contain_text("“capital”")
    expect(page.locator("#stop")).to_be_hidden()
    hub.gate.clear()
    picker = page.locator("#fill_mask-model input")
    picker.fill(f"have/tiny-{width}")
    picker.press("Enter")
    progress = page.locator("#fill_mask-finding .progress-level-inner")
    expect(progress).to_contain_text(f"Fetching have/tiny-{width}")
    expect(progress).to_contain_text("MB of")
    expect(page.locator("#stop")).to_be_visible()
    page.locator("#stop").click()
    expect(finding).to_contain_text("Stopped.")
    expect(page.locator("#stop")).to_be_hidden()
    hub.gate.set()
    page.get_by_role("button", name="Fill the blank").click()
    expect(finding).to_contain_text(f"have/tiny-{width}")
    assert "bytes=0-" not in hub.ranges

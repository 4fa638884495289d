"""What every tab must do, looped over TABS, on the server side with tiny networks."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

import app
from components.errors import AppError
from components.models.manager import ModelManager
from components.tabs import TABS
from components.tabs.base import Page, Tab
from components.tabs.layout import lay_out, outline

PAYLOAD = '<img src=x onerror="window.__pwn=1"> ${1} {{2}}'
looped = pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.id)


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[gr.Blocks]:
    built = app.create_app(models)
    yield built
    built.close()


def _public(demo: gr.Blocks) -> dict[str, Any]:
    return {str(fn.api_name): fn for fn in demo.fns.values() if fn.api_visibility == "public"}


def _first_screens(demo: gr.Blocks) -> list[Any]:
    events = demo.fns.values()
    return [fn for fn in events if any(event == "first_shown" for _, event in fn.targets)]


def _main_events(demo: gr.Blocks) -> list[Any]:
    """The events that run a network from the page; their last output is the status line."""
    runs = [fn for fn in demo.fns.values() if fn.concurrency_id == "model"]
    return [fn for fn in runs if fn.api_visibility == "private"]


@looped
def test_its_id_is_its_modules_name_and_it_stands_in_four_places(tab: Tab) -> None:
    for layer in ("tasks", "views", "tabs"):
        importlib.import_module(f"components.{layer}.{tab.id}")
        check = Path(__file__).parent.parent / layer / f"test_{tab.id}.py"
        assert check.exists(), f"write tests/{layer}/{check.name}"
    module = importlib.import_module(f"components.tabs.{tab.id}")
    assert module.TAB is tab


def test_parts_follow_the_tab_they_belong_to_and_have_a_short_name() -> None:
    home = ""
    for tab in TABS:
        home = tab.id if not tab.within else home
        assert tab.within in ("", home), f"{tab.id} must follow {tab.within} in TABS"
    for tab, parts in outline(TABS):
        assert all(one.short for one in (tab, *parts)) if parts else not tab.short


def test_a_part_stands_in_a_row_of_its_own_behind_its_tab() -> None:
    def built(name: str, **more: Any) -> Tab:
        return Tab(name, name.title(), lambda _: gr.HTML(elem_id=f"{name}-view"), **more)

    tabs = (built("one", short="First"), built("more", within="one", short="M"), built("two"))
    with gr.Blocks() as demo:
        lay_out(Page(demo, None, None), tabs)  # type: ignore[arg-type]
    shown = {b.elem_id: b for b in demo.blocks.values() if isinstance(b, gr.Tab)}
    assert {elem_id: tab.label for elem_id, tab in shown.items()} == {
        "tab-one": "One",
        "tab-one-itself": "First",
        "tab-more": "M",
        "tab-two": "Two",
    }
    row = shown["tab-more"].parent
    assert row.children == [shown["tab-one-itself"], shown["tab-more"]]
    assert row.parent is shown["tab-one"]
    name, view = shown["tab-more"].children
    assert (name.value, view.elem_id) == ("<h2>More</h2>", "more-view")


def test_the_public_endpoints_are_exactly_the_tabs(demo: gr.Blocks) -> None:
    assert set(_public(demo)) == {tab.id for tab in TABS}


@looped
def test_its_endpoint_is_typed_and_documented_and_answers_with_its_defaults(
    demo: gr.Blocks, tab: Tab
) -> None:
    endpoint = _public(demo)[tab.id].fn
    assert "Args:" in (inspect.getdoc(endpoint) or "")
    for parameter in inspect.signature(endpoint).parameters.values():
        assert parameter.annotation is not parameter.empty


def test_the_first_screens_are_answers(demo: gr.Blocks) -> None:
    screens = _first_screens(demo)
    assert len(screens) == len(TABS)
    for tab, screen in zip(TABS, screens, strict=True):
        finding = str(screen.fn()[0])
        assert "lab-finding" in finding, f"{tab.id}: the first output is no finding"
        assert "lab-refused" not in finding, f"{tab.id}: its defaults are refused, or see the log"


def test_every_chart_has_its_table(demo: gr.Blocks) -> None:
    for chart in [block for block in demo.blocks.values() if isinstance(block, gr.Plot)]:
        home = chart
        while not isinstance(home, gr.Tab):
            home = home.parent
        assert any(isinstance(block, gr.Dataframe) for block in _inside(home)), chart.elem_id


def test_every_tab_with_a_text_has_a_main_button_for_ctrl_enter(demo: gr.Blocks) -> None:
    for tab in TABS:
        (place,) = (b for b in demo.blocks.values() if getattr(b, "elem_id", "") == _place(tab))
        parts = list(_inside(place))
        has_text = any(isinstance(part, gr.Textbox) and part.visible is True for part in parts)
        assert not has_text or any(
            isinstance(part, gr.Button) and part.variant == "primary" for part in parts
        ), f"{tab.id}: no primary button"


def _place(tab: Tab) -> str:
    return f"tab-{tab.id}-itself" if any(t.within == tab.id for t in TABS) else f"tab-{tab.id}"


def _inside(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", ()):
        yield child
        yield from _inside(child)


def test_every_button_that_runs_a_network_shares_one_limit(demo: gr.Blocks) -> None:
    runs = [fn for fn in demo.fns.values() if fn.concurrency_id == "model"]
    assert runs
    assert len({fn.concurrency_limit for fn in runs}) == 1


@pytest.mark.parametrize("hostile", ["", "   ", PAYLOAD, PAYLOAD * 3_000, "\ud800", None])
def test_hostile_or_empty_text_is_answered_or_refused_in_words_and_never_becomes_html(
    demo: gr.Blocks, hostile: str | None
) -> None:  # H38
    for event in _main_events(demo):
        values = [
            hostile if isinstance(component, gr.Textbox) else component.value
            for component in event.inputs
        ]
        finding, *others = event.fn(gr.Progress(), *values)
        assert "lab-finding" in str(finding)
        assert "not your input" not in str(finding), f"a bug showed in {event.fn}"
        for drawn in (finding, *others):
            assert not isinstance(drawn, str) or "<img" not in drawn


@looped
def test_its_endpoint_refuses_a_foreign_model_in_words(demo: gr.Blocks, tab: Tab) -> None:
    endpoint = _public(demo)[tab.id].fn
    parameters = inspect.signature(endpoint).parameters
    if not parameters.keys() & {"model", "models"}:  # it is about all of them
        return
    name = "models" if "models" in parameters else "model"
    value = ["../../etc"] if name == "models" else "../../etc"
    required = {p.name: "x ___" for p in parameters.values() if p.default is p.empty}
    if name == "models":  # the others are still compared
        assert "no model id" in str(endpoint(**{**required, name: value}))
        return
    with pytest.raises(gr.Error, match="no model id") as error:
        endpoint(**{**required, name: value})
    assert isinstance(error.value.__cause__, AppError)

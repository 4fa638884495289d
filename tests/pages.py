"""Finds what a page would call, without a server, and the way to a tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from components.tabs import TABS
from components.tabs.base import Tab


def endpoint_of(demo: gr.Blocks, tab_id: str) -> Callable[..., Any]:
    """Give the public function of a tab."""
    return _only(f.fn for f in demo.fns.values() if f.api_name == tab_id)


def handler_of(demo: gr.Blocks, elem_id: str, event: str = "click") -> Callable[..., list[Any]]:
    """Give what runs on an event of a component: values of the inputs in, of the outputs out."""
    component = _only(b for b in demo.blocks.values() if getattr(b, "elem_id", None) == elem_id)
    run = _only(f for f in demo.fns.values() if (component._id, event) in f.targets)
    if not run.tracks_progress:
        return run.fn
    return lambda *values: run.fn(gr.Progress(), *values)


def way_to(tab: Tab) -> tuple[str, ...]:
    """Give the names of the tabs to press, one after the other, to come to `tab`."""
    if not tab.within:
        return (tab.title,)
    return (_only(t.title for t in TABS if t.id == tab.within), tab.label)


def full_title(tab: Tab) -> str:
    """Give the title as the README has it: that of a part after that of its tab."""
    return " · ".join((*way_to(tab)[:-1], tab.title))


def _only(found: Any) -> Any:
    (one,) = found
    return one

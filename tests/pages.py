"""Calls what a page would call, without a server: the endpoints and the handlers of an app."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr


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


def _only(found: Any) -> Any:
    (one,) = found
    return one

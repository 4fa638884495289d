"""The Stop button: it ends what a visitor waits for, at the next word that is said about it.

Gradio cannot end a function that runs. So a run ends itself: whenever it tells how far it is, it
asks whether its visitor has pressed Stop. The button is seen only while such words are seen.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import gradio as gr
from gradio.context import LocalContext

from components.errors import StoppedError

_STOPPED = (
    "Stopped. What was fetched of a model until now is kept, and goes on from there when you ask "
    "for it again."
)


class Runs:
    """The runs that tell how far they are, each with the visitor who waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._visitors: weakref.WeakKeyDictionary[Any, str | None] = weakref.WeakKeyDictionary()
        self._stopped: weakref.WeakSet[Any] = weakref.WeakSet()

    def check(self, run: Any) -> None:
        """Note that `run` goes on for the visitor of this thread; raises StoppedError."""
        with self._lock:
            self._visitors[run] = _visitor(LocalContext.request.get(None))
            if run in self._stopped:
                raise StoppedError(_STOPPED)

    def stop(self, visitor: str | None) -> None:
        """End all runs of `visitor` that have told something."""
        with self._lock:
            self._stopped.update(r for r, v in self._visitors.items() if v == visitor is not None)


def stop_button(runs: Runs) -> gr.Button:
    """Make the button that ends what its visitor waits for."""
    button = gr.Button("Stop", elem_id="stop", size="sm")

    def stop(request: gr.Request) -> None:
        runs.stop(_visitor(request))

    button.click(stop, queue=False, show_progress="hidden", api_visibility="private")
    return button


def _visitor(request: Any) -> str | None:
    return getattr(request, "session_hash", None)

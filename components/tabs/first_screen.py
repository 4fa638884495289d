"""What a tab shows before anybody has run it: asked for when it is first shown, computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.context import LocalContext

Drawn = tuple[bool, list[Any]]  # whether it is an answer, and a value for each output


class FirstScreen:
    """The answer to the filled-in example of a tab: the same for every visitor, so kept.

    `draw` gives it. A first screen that comes late never takes the place of a result that its
    visitor has got meanwhile; asked once more it comes, for the page asks only where nothing is.
    """

    def __init__(self, draw: Callable[[], Drawn]) -> None:
        self._draw = draw
        self._drawing = threading.Lock()
        self._kept: list[Any] = []
        self._asked: dict[object, str] = {}  # who waits for it: the session of each question

    def values(self) -> list[Any]:
        """Give a value for each output; all are left as they are if it comes too late."""
        question = object()
        self._asked[question] = _session()
        try:
            drawn = self._answer()
        finally:
            is_late = self._asked.pop(question, None) is None
        return [gr.skip() for _ in drawn] if is_late else drawn

    def overtaken(self) -> None:
        """Note that the visitor who is served now gets a result of their own."""
        session = _session()
        for question, asker in list(self._asked.items()):
            if session and asker == session:
                self._asked.pop(question, None)

    def _answer(self) -> list[Any]:
        with self._drawing:
            if self._kept:
                return list(self._kept)
            is_answer, drawn = self._draw()
            self._kept.extend(drawn if is_answer else ())
            return drawn


def _session() -> str:
    """Give the session of the page that is served now; empty outside a request."""
    request = LocalContext.request.get(None)
    return str(getattr(request, "session_hash", "") or "")

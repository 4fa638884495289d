"""Coroutines in tests: Playwright's own event loop runs in the thread of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def finish(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, in a loop and a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()

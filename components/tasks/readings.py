"""Readings of the last few texts: another view of the same text needs no other pass."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from components.models.families import Task
from components.tasks.answers import Reading, read

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

Key = tuple[str, Task, str, str]


class Readings:
    """Readings in memory, at most `limit` bytes of attention; those used last stay."""

    def __init__(self, limit: int = 128 * 1024**2) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Reading] = OrderedDict()

    def read(self, model: LoadedModel, text: str, pair: str = "") -> Reading:
        """Give what `answers.read` gives, from memory if it is there."""
        key = (model.id, model.task, text, pair)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        reading = read(model, text, pair)
        with self._lock:
            self._kept[key] = reading
            while sum(one.attention.nbytes for one in self._kept.values()) > self._limit:
                self._kept.popitem(last=False)
        return reading

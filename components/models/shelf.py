"""Shelf: what visitors trained, kept for a while; no connection of theirs is needed for it.

Each thing has a token that nobody can guess, which the visitor's page holds. It goes when it was
not asked for in a while, or when newer things need the room.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from components.errors import ModelError

MINUTES = 30  # after its last use a thing goes
_BYTES = 800 * 1024**2  # of all things together
_MOST = 60  # things: two classes


class Kept(Protocol):
    """What can be kept."""

    @property
    def bytes(self) -> int:
        """Bytes of memory that it takes up."""


Thing = TypeVar("Thing", bound=Kept)


@dataclass(slots=True)
class _Entry(Generic[Thing]):
    thing: Thing
    used: float  # seconds, of the clock


class Shelf(Generic[Thing]):
    """Things by token, bounded by number, bytes and age."""

    def __init__(
        self,
        *,
        most: int = _MOST,
        most_bytes: int = _BYTES,
        seconds: float = 60 * MINUTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._most_bytes, self._seconds = most, most_bytes, seconds
        self._clock = clock
        self._removed: list[Callable[[str], None]] = []
        self._lock = threading.RLock()
        self._entries: OrderedDict[str, _Entry[Thing]] = OrderedDict()  # least recently used first

    def __len__(self) -> int:
        return len(self._entries)

    def when_removed(self, tell: Callable[[str], None]) -> None:
        """Let `tell` hear the token of everything that goes from now on."""
        self._removed.append(tell)

    def keep(self, thing: Thing) -> str:
        """Keep `thing`, and give the token that it can be had for."""
        token = secrets.token_hex(18)  # letters and digits: it can be part of an id
        with self._lock:
            self._entries[token] = _Entry(thing, self._clock())
            self._tidy()
        return token

    def get(self, token: str) -> Thing:
        """Give what was kept for `token`; raises ModelError, in words, where it is gone."""
        with self._lock:
            self._tidy()
            entry = self._entries.get(token)
            if entry is None:
                raise ModelError(_gone(token))
            entry.used = self._clock()
            self._entries.move_to_end(token)
            return entry.thing

    def _tidy(self) -> None:
        """Let go what is too old, then what is too much; the newest stays."""
        oldest = self._clock() - self._seconds
        for token, entry in list(self._entries.items()):
            is_much = len(self._entries) > self._most or self._bytes() > self._most_bytes
            if entry.used < oldest or (is_much and len(self._entries) > 1):
                del self._entries[token]
                for tell in self._removed:
                    tell(token)

    def _bytes(self) -> int:
        return sum(entry.thing.bytes for entry in self._entries.values())


def _gone(token: str) -> str:
    if not token:
        return "Nothing was trained on this page yet. Press “Train”."
    return (
        f"The model that you trained is gone: it is kept for {MINUTES} minutes after its last use, "
        "and the oldest go first when room is short. Your lines are still in Fine-tune: train it "
        "again."
    )

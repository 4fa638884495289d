"""Line: who trains next. One at a time, first come, first served; no thread waits in it.

Whoever stands in line asks for their place now and then. Who has not asked for a while has closed
the page, and is passed over; so nothing a visitor does or leaves undone can block the others.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable

from components.errors import InputError

_PATIENCE = 30.0  # seconds without a sign of life
_MOST = 40  # who wait


class Line:
    """Tickets in the order in which they came; the first has its turn."""

    def __init__(
        self,
        *,
        most: int = _MOST,
        patience: float = _PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._patience, self._clock = most, patience, clock
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}  # when each ticket last asked, in the order of coming
        self._stopped: set[str] = set()

    def join(self) -> str:
        """Give a ticket that nobody can guess; raises InputError where too many wait already."""
        with self._lock:
            self._pass_over()
            if len(self._seen) >= self._most:
                raise InputError(
                    f"{len(self._seen)} trainings wait already, and no more can. Your lines stay "
                    "here: try again in a few minutes."
                )
            ticket = secrets.token_urlsafe(18)
            self._seen[ticket] = self._clock()
            return ticket

    def place(self, ticket: str) -> int:
        """Give the number of those before `ticket`, 0 when it has its turn; a sign of life.

        A ticket that was passed over stands at the end again.
        """
        with self._lock:
            self._seen[ticket] = self._clock()
            self._pass_over()
            return list(self._seen).index(ticket)

    def stop(self, ticket: str) -> None:
        """Ask the holder of `ticket` to come to an end; a ticket that is not there is left."""
        with self._lock:
            if ticket in self._seen:
                self._stopped.add(ticket)

    def is_stopped(self, ticket: str) -> bool:
        """Say whether `stop` was asked of `ticket`; a sign of life."""
        with self._lock:
            if ticket in self._seen:
                self._seen[ticket] = self._clock()
            return ticket in self._stopped

    def leave(self, ticket: str) -> None:
        """Make room for the next; once is enough, more does no harm."""
        with self._lock:
            self._seen.pop(ticket, None)
            self._stopped.discard(ticket)

    def _pass_over(self) -> None:
        oldest = self._clock() - self._patience
        for ticket in [t for t, seen in self._seen.items() if seen < oldest]:
            del self._seen[ticket]
            self._stopped.discard(ticket)

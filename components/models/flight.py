"""SingleFlight: what several ask for at once is made once."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from components.errors import AppError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SingleFlight(Generic[K, V]):
    """Lets the first who asks make a thing; who asks meanwhile waits for the same one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[K, Future[V]] = {}

    def run(self, key: K, make: Callable[[], V]) -> V:
        """Give what `make` gives; an error reaches everyone who waits, each as a copy of its own.

        A flight that has landed is forgotten, a failed one too: the next who asks tries again.
        """
        with self._lock:
            flight = self._flights.get(key)
            if flight is None:
                mine = self._flights[key] = Future()
        return _landed(flight) if flight is not None else self._fly(key, make, mine)

    def _fly(self, key: K, make: Callable[[], V], flight: Future[V]) -> V:
        try:
            made = make()
        except BaseException as error:  # whoever waits must hear of it, a panic included
            flight.set_exception(_bare(error))
            raise
        else:
            flight.set_result(made)
            return made
        finally:
            with self._lock:
                del self._flights[key]


def _landed(flight: Future[V]) -> V:
    error = flight.exception()
    if error is not None:  # raising one object in many threads would grow one traceback
        raise copy.copy(error)
    return flight.result()


def _bare(error: BaseException) -> Exception:
    """Copy an error without its traceback, whose frames hold networks that were refused."""
    if isinstance(error, AppError):
        return copy.copy(error)
    return RuntimeError(f"loading failed for another visitor: {type(error).__name__}: {error}")

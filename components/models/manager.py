"""ModelManager: the one shared cache of networks, bounded by bytes, safe for many visitors."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from components.config import Settings
from components.errors import AppError
from components.models.families import Task
from components.models.ids import clean_id

if TYPE_CHECKING:  # torch and transformers take seconds: they wait for the first model
    from components.models.loaded import LoadedModel, Resident
    from components.models.loading import Placement

logger = logging.getLogger(__name__)

Key = tuple[str, Task, bool]  # model id, task, whether attention can be seen


@dataclass(frozen=True, slots=True)
class Status:
    """What the manager holds right now."""

    device: str | None  # None: nothing was loaded yet
    precision: str | None
    loaded: tuple[tuple[str, tuple[Task, ...]], ...]  # model id and its heads, oldest use first
    weight_bytes: int  # weights shared by several heads counted once
    memory_limit: int  # bytes
    notices: tuple[str, ...]


class ModelManager:
    """Hands out networks: each loaded once, shared by all, dropped when room is short."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.RLock()
        self._residents: OrderedDict[Key, Resident] = OrderedDict()  # least recently used first
        self._loading: dict[Key, Future[Resident]] = {}
        self._handles: dict[Key, weakref.WeakSet[LoadedModel]] = {}
        self._pools: dict[str, Any] = {}  # model id -> tensors its heads share
        self._placement: Placement | None = None
        self._status = Status(None, None, (), 0, settings.memory_limit, ())

    def get(self, model_id: str, task: Task, *, attentions: bool = False) -> LoadedModel:
        """Give `model_id` with its head for `task`, loading it if need be.

        What is given stays in memory as long as it is held. With `attentions` its attention
        weights can be asked for. Raises UnknownModelError, HeadError or CheckpointError.
        """
        key = (clean_id(model_id), task, attentions)
        with self._lock:
            resident = self._residents.get(key)
            if resident is not None:
                return self._hand_out(key, resident)
            waiting = self._loading.get(key)
            future = self._loading.setdefault(key, Future())
        if waiting is None:  # this call is the one that loads; the others wait for it
            self._load(key, future)
        resident = future.result()
        with self._lock:
            return self._hand_out(key, resident)

    def is_loaded(self, model_id: str, task: Task, *, attentions: bool = False) -> bool:
        """Say whether `get` would answer at once."""
        with self._lock:
            return (model_id.strip(), task, attentions) in self._residents

    def warm(self, wanted: Iterable[tuple[str, Task, bool]]) -> threading.Thread:
        """Load what will be asked for first, in the background; a failure is only logged."""

        def load_all() -> None:
            for model_id, task, attentions in wanted:
                try:
                    self.get(model_id, task, attentions=attentions)
                except AppError as error:
                    logger.warning("%s was not warmed: %s", model_id, error)

        thread = threading.Thread(target=load_all, name="warm", daemon=True)
        thread.start()
        return thread

    @contextmanager
    def undisturbed(self, patience: float = 2.0) -> Iterator[None]:
        """Keep loads waiting while something is measured: they take the processor for long.

        A load that is under way is waited for, but for `patience` seconds at most: from the Hub
        it may take minutes.
        """
        from components.models.loading import LOAD_LOCK

        is_held = LOAD_LOCK.acquire(timeout=patience)
        try:
            yield
        finally:
            if is_held:
                LOAD_LOCK.release()

    def status(self) -> Status:
        """Say what is loaded, where, and how many bytes it takes."""
        return self._status

    def _hand_out(self, key: Key, resident: Resident) -> LoadedModel:
        from components.models.loaded import LoadedModel

        if key in self._residents:
            self._residents.move_to_end(key)
        model = LoadedModel(resident)
        self._handles.setdefault(key, weakref.WeakSet()).add(model)
        return model

    def _load(self, key: Key, future: Future[Resident]) -> None:
        try:
            resident = self._read(key)
        except BaseException as error:  # whoever waits must hear of it, a panic included
            with self._lock:
                del self._loading[key]
            future.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        with self._lock:
            self._share(resident)
            self._residents[key] = resident
            del self._loading[key]
            self._make_room(keep=key)
        future.set_result(resident)

    def _read(self, key: Key) -> Resident:
        from components.models import loading

        model_id, task, attentions = key
        if self._placement is None:
            self._placement = loading.find_placement(self.settings)
        return loading.load_resident(
            model_id,
            task,
            self.settings,
            self._placement,
            attentions=attentions,
            relieve=self._relieve,
        )

    def _share(self, resident: Resident) -> None:
        from components.models.sharing import share_tensors

        pool = self._pools.setdefault(resident.model_id, weakref.WeakValueDictionary())
        share_tensors(resident.network, pool)

    def _in_use(self, key: Key) -> bool:
        return len(self._handles.get(key, ())) > 0

    def _make_room(self, keep: Key) -> None:
        """Drop the least recently used networks until the rest fits; never one in use."""
        self._describe()
        for key in [k for k in self._residents if k != keep and not self._in_use(k)]:
            if self._status.weight_bytes <= self.settings.memory_limit:
                return
            self._drop(key)

    def _relieve(self, needy: Resident | None) -> None:
        """Drop every network that is not in use, for one that ran out of accelerator memory."""
        with self._lock:
            for key, resident in list(self._residents.items()):
                if resident is not needy and not self._in_use(key):
                    self._drop(key)

    def _drop(self, key: Key) -> None:
        from components.models.loading import free_cached_memory

        logger.info("dropping %s (%s)", *key[:2])
        del self._residents[key]
        free_cached_memory()
        self._describe()

    def _describe(self) -> None:
        from components.models.loaded import weight_bytes

        heads: dict[str, tuple[Task, ...]] = {}
        for model_id, task, _ in self._residents:
            heads[model_id] = tuple(dict.fromkeys((*heads.get(model_id, ()), task)))
        placement = self._placement
        self._status = Status(
            device=placement.device if placement else None,
            precision=placement.precision if placement else None,
            loaded=tuple(heads.items()),
            weight_bytes=weight_bytes([r.network for r in self._residents.values()]),
            memory_limit=self.settings.memory_limit,
            notices=tuple(n for r in self._residents.values() for n in r.notices),
        )

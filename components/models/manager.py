"""ModelManager: the one shared cache of networks, bounded by bytes, safe for many visitors."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.config import Settings
from components.errors import AppError, UnknownModelError
from components.models.families import Task
from components.models.fetching import Fetches, Tell, silent
from components.models.flight import SingleFlight
from components.models.ids import clean_id
from components.models.own import Own, check_head, token_of
from components.models.shelf import Shelf

if TYPE_CHECKING:  # torch and transformers take seconds: they wait for the first model
    from components.models.checkpoint import Checkpoint
    from components.models.loaded import LoadedModel
    from components.models.loading import Placement
    from components.models.reader import Reader
    from components.models.resident import Resident

logger = logging.getLogger(__name__)

_TOKENIZERS = 12  # kept open, some 10 MB each: those of the families, and a few of the Hub
_JUDGED = 500  # heads whose known answers are kept, a sentence each at most

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
    """Hands out networks: each loaded once, shared by all, dropped when room is short.

    Only what is in memory is remembered, and what was doubtful about the last few hundred heads:
    of ids that were refused nothing stays.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.own: Shelf[Own] = Shelf()  # what visitors trained
        self._lock = threading.RLock()  # never held while something is read or computed
        self._residents: OrderedDict[Key, Resident] = OrderedDict()  # least recently used first
        self._handles: weakref.WeakValueDictionary[Key, LoadedModel] = weakref.WeakValueDictionary()
        self._checkpoints: weakref.WeakValueDictionary[str, Checkpoint] = (
            weakref.WeakValueDictionary()
        )
        self._readers: OrderedDict[str, Reader] = OrderedDict()  # least recently used first
        self._fetches = Fetches()
        self._known: OrderedDict[tuple[str, Task], tuple[str, ...]] = OrderedDict()  # oldest first
        self._loads: SingleFlight[Key, LoadedModel] = SingleFlight()
        self._openings: SingleFlight[str, Checkpoint] = SingleFlight()
        self._placement: Placement | None = None

    def get(
        self, model_id: str, task: Task, *, attentions: bool = False, tell: Tell = silent
    ) -> LoadedModel:
        """Give `model_id` with its head for `task`, fetching and loading it if need be.

        What is given stays in memory as long as it is held. With `attentions` its attention
        weights can be asked for. `tell` hears how far a fetch is, and ends the wait by raising.
        Raises UnknownModelError, HeadError, CheckpointError, what `tell` raises, or ModelError
        for what a visitor trained and is gone.
        """
        key = (clean_id(model_id), task, attentions)
        token = token_of(key[0])
        if token is not None:
            check_head(task, attentions=attentions)
            return self.own.get(token).answering()
        return self._handle(key) or self._fetch_and_load(key, tell)

    def tokenizer(self, model_id: str) -> Reader:
        """Give the tokenizer of `model_id`; no weights are fetched or loaded for it.

        Raises UnknownModelError, CheckpointError or ModelError.
        """
        from components.models.reader import Reader

        key = clean_id(model_id)
        if (token := token_of(key)) is not None:
            return self.own.get(token).answering()
        with self._lock:
            known = self._readers.get(key)
        reader = known or Reader(self._checkpoint(key))
        with self._lock:
            self._readers[key] = reader
            self._readers.move_to_end(key)
            while len(self._readers) > _TOKENIZERS:
                self._readers.popitem(last=False)
        return reader

    def is_loaded(self, model_id: str, task: Task, *, attentions: bool = False) -> bool:
        """Say whether `get` would answer at once."""
        try:
            key = (clean_id(model_id), task, attentions)
        except UnknownModelError:
            return False
        with self._lock:
            return key in self._residents

    def warm(self, wanted: Iterable[tuple[str, Task, bool]]) -> threading.Thread:
        """Load what will be asked for first, in the background; a failure is only logged."""

        def load_all() -> None:
            for model_id, task, attentions in wanted:
                try:
                    self.get(model_id, task, attentions=attentions)
                except AppError as error:
                    logger.warning("%s was not warmed: %s", model_id, error)
                except Exception:
                    logger.exception("%s was not warmed", model_id)

        thread = threading.Thread(target=load_all, name="warm", daemon=True)
        thread.start()
        return thread

    @contextmanager
    def undisturbed(self, patience: float = 2.0) -> Iterator[None]:
        """Keep loads waiting while something is measured: they take the processor for long.

        A load that is under way is waited for, but for `patience` seconds at most. Models must
        not be asked for inside: they would wait for the end of the measurement.
        """
        from components.models.checkpoint import LOAD_LOCK

        is_held = LOAD_LOCK.acquire(timeout=patience)
        try:
            yield
        finally:
            if is_held:
                LOAD_LOCK.release()

    def status(self) -> Status:
        """Say what is loaded, where, and how many bytes it takes.

        What was too much while it was held, and no longer is, is dropped first.
        """
        with self._lock:
            self._make_room()
            heads: dict[str, tuple[Task, ...]] = {}
            for model_id, task, _ in self._residents:
                heads[model_id] = tuple(dict.fromkeys((*heads.get(model_id, ()), task)))
            said = [n for r in self._residents.values() for n in r.notices]
            placement = self._placement
            return Status(
                device=placement.device if placement else None,
                precision=placement.precision if placement else None,
                loaded=tuple(heads.items()),
                weight_bytes=self._weight_bytes(),
                memory_limit=self.settings.memory_limit,
                notices=tuple(dict.fromkeys((*(placement.notices if placement else ()), *said))),
            )

    def _handle(self, key: Key) -> LoadedModel | None:
        """Give a handle of a network that is in memory."""
        with self._lock:
            resident = self._residents.get(key)
            if resident is None:
                return None
            self._residents.move_to_end(key)
            return self._hand_out(key, resident)

    def _hand_out(self, key: Key, resident: Resident) -> LoadedModel:
        """Give the handle of `resident`; all who hold one hold the same."""
        from components.models.loaded import LoadedModel

        handle = self._handles.get(key)
        if handle is None:
            handle = self._handles[key] = LoadedModel(resident)
        return handle

    def _fetch_and_load(self, key: Key, tell: Tell) -> LoadedModel:
        """Wait for the weights, each visitor by himself, then load them once for all."""
        from components.models import loading

        checkpoint = self._checkpoint(key[0])
        loading.fetch_weights(checkpoint, key[1], self.settings, self._fetches, tell)
        return self._loads.run(key, lambda: self._load(key, checkpoint))

    def _load(self, key: Key, checkpoint: Checkpoint) -> LoadedModel:
        from components.models import loading

        known = self._handle(key)  # it may have come since it was looked for
        if known is not None:
            return known
        _, task, attentions = key
        if self._placement is None:
            self._placement = loading.find_placement(self.settings)
        resident = loading.load_resident(
            checkpoint,
            task,
            self._placement,
            attentions=attentions,
            relieve=self._relieve,
        )
        resident.notices.extend(self._doubts(checkpoint, resident))
        with self._lock:
            self._residents[key] = resident
            handle = self._hand_out(key, resident)  # held from now on, so that no one drops it
            self._make_room()
            return handle

    def _doubts(self, checkpoint: Checkpoint, resident: Resident) -> tuple[str, ...]:
        """Say what is doubtful about a head of the Hub; each is asked once."""
        from components.models.known_answers import doubts
        from components.models.loaded import LoadedModel

        if checkpoint.is_bundled:  # its figures are measured
            return ()
        head = (str(checkpoint.folder), resident.task)
        with self._lock:
            known = self._known.get(head)
        found = doubts(LoadedModel(resident)) if known is None else known
        with self._lock:
            self._known[head] = found
            while len(self._known) > _JUDGED:
                self._known.popitem(last=False)
        return found

    def _checkpoint(self, model_id: str) -> Checkpoint:
        from components.models import checkpoint

        def opened() -> Checkpoint:
            known = self._checkpoints.get(model_id)
            if known is None:
                known = checkpoint.open_checkpoint(model_id, self.settings)
                self._checkpoints[model_id] = known
            return known

        return self._openings.run(model_id, opened)

    def _weight_bytes(self) -> int:
        places: dict[int, int] = {}
        for resident in self._residents.values():
            places.update(resident.storages)
        return sum(places.values())

    def _make_room(self) -> None:
        """Drop the least recently used networks until the rest fits; never one in use."""
        for key in list(self._residents):
            if self._weight_bytes() <= self.settings.memory_limit:
                return
            if key not in self._handles:
                self._drop(key)

    def _relieve(self, device: str) -> None:
        """Drop every network on a kind of device that is not in use, for one that needs room."""
        from components.models.loading import free_cached_memory

        with self._lock:
            for key, resident in list(self._residents.items()):
                if resident.device == device and key not in self._handles:
                    self._drop(key)
        free_cached_memory()

    def _drop(self, key: Key) -> None:
        from components.models.sharing import return_freed_memory

        logger.info("dropping %s (%s)", *key[:2])
        del self._residents[key]
        return_freed_memory()

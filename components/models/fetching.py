"""Fetching weights: whoever waits is told how far it is, and may leave; nothing half is ever used.

Several who wait for the same files share one fetch; it stops when the last of them has left. What
has come until then stays in a file of its own beside the place where it belongs, and the next
fetch goes on from there. Only what is whole, and what the Hub says it should be, gets its name.
"""

from __future__ import annotations

import copy
import hashlib
import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from huggingface_hub.utils._headers import build_hf_headers
from huggingface_hub.utils._http import get_session, hf_raise_for_status

from components.errors import AppError, CheckpointError
from components.models.asking import RemoteFile
from components.models.troubles import OutOfReachError, hub_trouble, is_disk_full, sentence

logger = logging.getLogger(__name__)

Tell = Callable[[str, float], None]  # hears what is going on, and the share that is behind

_TRIES = 2  # in a row that bring nothing new, before the Hub counts as out of reach
_EVERY = 0.4  # seconds between two words to somebody who waits
_SHA256 = re.compile(r"[0-9a-f]{64}")
_POINTER = b"version https://git-lfs"


def silent(_message: str, _done: float) -> None:
    """Tell nobody."""


def megabytes(count: float) -> str:
    """Write a number of bytes as in "440 MB"; the Hub counts 1 MB as 1,000,000 bytes."""
    return f"{count / 1e6:,.0f} MB" if count >= 1e7 else f"{count / 1e6:,.1f} MB"


class _StoppedError(Exception):
    """Nobody waits any more."""


@dataclass(eq=False)
class _Fetch:
    """One fetch of the files of one checkpoint, in a thread of its own."""

    folder: Path
    files: Sequence[RemoteFile]
    timeout: float
    before: _Fetch | None  # the one that was stopped, and may not have ended yet
    waiting: int = 0
    come: int = 0  # bytes that are here
    is_stopped: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    error: AppError | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name="fetch", daemon=True).start()

    @property
    def total(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def message(self) -> str:
        name = self.files[0].model_id
        if not self.come:
            return f"{name}: {megabytes(self.total)} to fetch"
        return f"Fetching {name}: {megabytes(self.come)} of {megabytes(self.total)}"

    def _run(self) -> None:
        try:
            if self.before is not None:
                self.before.over.wait()
            self.before = None
            for file in self.files:
                self._fetch(file)
        except _StoppedError:
            logger.info("nobody waits for %s any more", self.files[0].model_id)
        except AppError as error:
            self.error = error
        except Exception as error:
            logger.warning("%s was not fetched", self.files[0].model_id, exc_info=True)
            self.error = hub_trouble(self.files[0].model_id, error)
        finally:
            self.over.set()

    def _fetch(self, file: RemoteFile) -> None:
        target, partial = self.folder / file.name, self.folder / f".{file.name}.partial"
        if target.exists():
            self.come += file.size
            return
        before = self.come
        try:
            self._complete(file, partial, before)
        except OSError as error:
            if is_disk_full(error):  # what fills the disk up helps nobody
                partial.unlink(missing_ok=True)
            raise
        _refuse_damaged(file, partial)
        partial.replace(target)

    def _complete(self, file: RemoteFile, partial: Path, before: int) -> None:
        """Bring `partial` to its full size, going on from what is there, also after a break."""
        idle, error = 0, None
        while (had := size_of(partial)) < file.size:
            if idle == _TRIES:
                raise OutOfReachError(_broken_off(file, had)) from error
            self.come = before + had
            error = self._stream(file, partial, before, had)
            idle = 0 if size_of(partial) > had else idle + 1
        self.come = before + file.size

    def _stream(self, file: RemoteFile, partial: Path, before: int, had: int) -> Exception | None:
        """Append what comes to `partial`; gives what broke it off, if something did.

        Raises CheckpointError when the Hub answers with a refusal.
        """
        headers: dict[str, str] = build_hf_headers(token=False) | {"Accept-Encoding": "identity"}
        headers |= {"Range": f"bytes={had}-"} if had else {}
        asked = get_session().stream("GET", file.url, headers=headers, timeout=self.timeout)
        try:
            with partial.open("ab") as place, asked as response:
                hf_raise_for_status(response)
                if had and response.status_code != 206:  # it begins anew
                    place.truncate(0)
                    self.come = before
                self._append(response, place)
        except _StoppedError:
            raise
        except Exception as error:
            if is_disk_full(error):
                raise
            if getattr(error, "response", None) is not None:  # it answered
                raise hub_trouble(file.model_id, error) from error
            logger.info("%s of %s broke off", file.name, file.model_id, exc_info=True)
            return error
        return None

    def _append(self, response: Any, place: Any) -> None:
        for chunk in response.iter_bytes():
            if self.is_stopped:
                raise _StoppedError
            place.write(chunk)
            self.come += len(chunk)


class Fetches:
    """The fetches that are under way, each shared by all who wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[Path, _Fetch] = {}

    def wait(self, folder: Path, files: Sequence[RemoteFile], timeout: float, tell: Tell) -> None:
        """Fetch `files` into `folder`, and tell how far it is until they are there.

        What `tell` raises is raised here; the fetch goes on as long as somebody else waits. The
        Hub may be silent for `timeout` seconds. Raises CheckpointError.
        """
        fetch = self._join(folder, files, timeout)
        try:
            tell(fetch.message, 0.0)
            while not fetch.over.wait(_EVERY):
                tell(fetch.message, fetch.come / max(1, fetch.total))
        finally:
            self._leave(folder, fetch)
        if fetch.error is not None:
            raise copy.copy(fetch.error)  # raising one in many threads would grow one traceback

    def _join(self, folder: Path, files: Sequence[RemoteFile], timeout: float) -> _Fetch:
        with self._lock:
            fetch = self._running.get(folder)
            if fetch is None or fetch.is_stopped or fetch.over.is_set():
                fetch = self._running[folder] = _Fetch(folder, files, timeout, before=fetch)
                fetch.start()
            fetch.waiting += 1
            return fetch

    def _leave(self, folder: Path, fetch: _Fetch) -> None:
        with self._lock:
            fetch.waiting -= 1
            if not fetch.waiting:
                fetch.is_stopped = True
            if fetch.over.is_set() and self._running.get(folder) is fetch:
                del self._running[folder]


def size_of(file: Path) -> int:
    """Give the bytes of a file, 0 of one that is not there, or no longer."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _broken_off(file: RemoteFile, had: int) -> str:
    kept = f"The {megabytes(had)} that came are kept, and the next try goes on from there."
    return (
        f"The Hub stopped sending {file.model_id} after {megabytes(had)} of "
        f"{megabytes(file.size)}. {kept if had else 'Try again later.'} The bundled models still "
        "work."
    )


def _refuse_damaged(file: RemoteFile, partial: Path) -> None:
    """Refuse, and drop, what is whole but not what it should be."""
    trouble = weights_trouble(partial)
    if size_of(partial) > file.size:
        trouble = "arrived damaged (it is longer than the Hub says)."
    elif trouble is None and _SHA256.fullmatch(file.etag):
        with partial.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != file.etag:
                trouble = "arrived damaged (its checksum is not the Hub's)."
    if trouble is not None:
        partial.unlink(missing_ok=True)
        raise CheckpointError(
            sentence(file.model_id, trouble, "Nothing of it is kept. Try again, or choose another.")
        )


def weights_trouble(file: Path) -> str | None:
    """Say what is wrong with a file with weights, judged by its header and its size."""
    size = file.stat().st_size
    with file.open("rb") as content:
        begin = content.read(len(_POINTER))
    if begin == _POINTER:
        return "has a pointer of Git LFS in place of its weights."
    if size < 10 or not 2 <= int.from_bytes(begin[:8], "little") <= size - 8:
        return "has damaged weights: the file does not begin as one with tensors does."
    return None

"""One question to the Hub, answered within seconds or not at all."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

import huggingface_hub
from huggingface_hub import errors as hub_errors
from huggingface_hub.utils._headers import build_hf_headers
from huggingface_hub.utils._http import get_session, hf_raise_for_status

from components.models.troubles import BUNDLED_GO_ON, OutOfReachError, hub_trouble

logger = logging.getLogger(__name__)
T = TypeVar("T")

_LONGEST_HEADER = 25_000_000  # bytes; the format itself allows four times as many


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository at one commit, as the Hub describes it."""

    model_id: str
    name: str
    commit: str
    size: int  # bytes
    etag: str  # of a large file its SHA-256

    @property
    def url(self) -> str:
        """Where it can be had."""
        return huggingface_hub.hf_hub_url(self.model_id, self.name, revision=self.commit)


def ask(model_id: str, name: str, timeout: float, revision: str | None = None) -> Any:
    """Ask once for commit and size of a file; None when the repository has no such file.

    No token is sent: what is private to the operator must not be open to visitors.
    """
    url = huggingface_hub.hf_hub_url(model_id, name, revision=revision)
    try:
        found = within(
            timeout + min(1, timeout / 2),  # looking up the address counts for none of its timeouts
            lambda: huggingface_hub.get_hf_file_metadata(url, token=False, timeout=timeout),
        )
    except hub_errors.EntryNotFoundError:
        return None
    except Exception as error:
        logger.info("the Hub did not give %s of %s", name, model_id, exc_info=True)
        raise hub_trouble(model_id, error) from error
    if found.commit_hash is None:  # the login page of a hotel answers everything, for one
        raise OutOfReachError(
            f"What answers at the Hub's address is not the Hub, and {model_id} was not fetched "
            f"before. {BUNDLED_GO_ON}"
        )
    return found


def read_header(file: RemoteFile, timeout: float) -> dict[str, Any] | None:
    """Read which tensors a file with weights holds, without fetching it; None if it won't say."""
    try:
        return within(timeout + 1, lambda: _header(file, timeout))
    except Exception:
        logger.info("no header of %s of %s", file.name, file.model_id, exc_info=True)
        return None


def within(seconds: float, call: Callable[[], T]) -> T:
    """Give what `call` gives, or raise TimeoutError; a call that hangs is left behind."""
    answer: Future[T] = Future()
    threading.Thread(target=_answer, args=(answer, call), name="hub", daemon=True).start()
    try:
        return answer.result(seconds)
    finally:
        del answer  # else the error, its traceback and this frame keep each other alive


def _answer(answer: Future[T], call: Callable[[], T]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # noqa: BLE001  handed on to the one who waits
        answer.set_exception(error)


def _header(file: RemoteFile, timeout: float) -> dict[str, Any] | None:
    begin = _read(file, 0, 8, timeout)
    length = int.from_bytes(begin, "little")
    if not 2 <= length <= _LONGEST_HEADER:
        return None
    header = json.loads(_read(file, 8, length, timeout))
    return header if isinstance(header, dict) else None


def _read(file: RemoteFile, start: int, count: int, timeout: float) -> bytes:
    headers = build_hf_headers(token=False) | {"Range": f"bytes={start}-{start + count - 1}"}
    content = b""
    with get_session().stream("GET", file.url, headers=headers, timeout=timeout) as response:
        hf_raise_for_status(response)
        if response.status_code != 206:  # it would send the whole file
            raise ValueError("no part of a file can be had")
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) >= count:
                break
    return content[:count]

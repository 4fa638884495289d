"""A class that answers over real HTTP, on loopback: a few threads, one kept connection each."""

from __future__ import annotations

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_local = threading.local()


def post(url: str, path: str, body: Any) -> tuple[int, Any]:
    """Post JSON, or bytes as they are; give the status and what was answered."""
    kept: dict[str, http.client.HTTPConnection] = _local.__dict__.setdefault("kept", {})
    server = urlsplit(url).netloc
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = kept.setdefault(server, http.client.HTTPConnection(server, timeout=60))
    try:
        return _post(connection, path, sent)
    except (OSError, http.client.HTTPException):  # the server closes what is idle for seconds
        connection.close()
        return _post(connection, path, sent)


def _post(connection: http.client.HTTPConnection, path: str, sent: bytes) -> tuple[int, Any]:
    connection.request("POST", f"/classroom/{path}", sent, {"content-type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read() or b"null")


@dataclass
class Class:
    """A room with its pupils; `seconds` are those of every answer."""

    url: str
    size: int
    threads: int = 20
    seconds: list[float] = field(default_factory=list)

    def __enter__(self) -> Class:
        self.pool = ThreadPoolExecutor(self.threads)
        room = self.ok("open", {})
        self.code, self.token = room["code"], room["token"]
        joined = self.pool.map(lambda _: self.ok(f"{self.code}/join", {}), range(self.size))
        self.pupils = [one["pupil"] for one in joined]
        return self

    def __exit__(self, *_: Any) -> None:
        self.ok(f"{self.code}/close", {"token": self.token})
        self.pool.shutdown()

    def ok(self, path: str, body: Any) -> Any:
        status, said = post(self.url, path, body)
        assert status == 200, said
        return said

    def answer(self, number: int, words: list[str]) -> None:
        """Let every pupil look, answer, and look again."""
        list(self.pool.map(lambda i: self._one(i, number, words[i % len(words)]), range(self.size)))

    def reveal(self) -> Any:
        return self.ok(f"{self.code}/reveal", {"token": self.token})

    def _one(self, i: int, number: int, word: str) -> None:
        me = {"pupil": self.pupils[i]}
        assert self.ok(f"{self.code}/look", {**me, "seen": -1})["number"] == number
        begin = time.perf_counter()
        told = self.ok(f"{self.code}/answer", {**me, "number": number, "answer": word})
        self.seconds.append(time.perf_counter() - begin)
        assert told == {"yours": word}
        assert self.ok(f"{self.code}/look", {**me, "seen": -1})["yours"] == word

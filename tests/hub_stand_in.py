"""A stand-in for the Hub: a real HTTP server on loopback that answers as the Hub does.

The owner in an id chooses the answer: `have/FOLDER` serves the files of that folder; every owner
in TROUBLES fails in its own way.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "a" * 40
TROUBLES: dict[str, tuple[int, dict[str, str]]] = {
    "nosuch": (
        401,
        {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Invalid username or password."},
    ),
    "nosuch404": (
        404,
        {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"},
    ),
    "gated": (
        401,
        {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access to this model is restricted."},
    ),
    "disabled": (403, {"X-Error-Message": "Access to this resource is disabled."}),
    "forbidden": (403, {"X-Error-Message": "Forbidden"}),
    "boom": (503, {}),
    "rate": (429, {}),
    "portal": (200, {}),  # the login page of a hotel: no Hub, though it answers
}


class HubStandIn(ThreadingHTTPServer):
    """Serves `folder`; `requests` lists what was asked for, `tokens` what was sent along."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.requests: list[str] = []
        self.tokens: list[str] = []
        self.delay = 0.0  # seconds before each answer
        self.broken: set[str] = set()  # files that are answered with 503

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(folder: Path) -> Iterator[HubStandIn]:
    """Serve `folder` from a thread until the block ends."""
    server = HubStandIn(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: HubStandIn
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        path = self.path.split("?")[0].strip("/")
        self.server.requests.append(f"{self.command} {path}")
        self.server.tokens.extend(self.headers.get_all("Authorization") or [])
        time.sleep(self.server.delay)
        parts = path.split("/")
        owner = parts[2 if parts[0] == "api" else 0] if len(parts) > 2 else ""
        if owner in TROUBLES:
            self._answer(*TROUBLES[owner])
        elif owner == "have" and parts[0] == "api":
            described = {"id": "/".join(parts[2:4]), "sha": COMMIT, "siblings": []}
            self._answer(200, {"Content-Type": "application/json"}, json.dumps(described).encode())
        elif owner == "have":  # have/FOLDER/resolve/REVISION/FILE
            self._file(parts[1], "/".join(parts[4:]))
        else:
            self._answer(*TROUBLES["nosuch404"])

    do_GET = do_HEAD  # noqa: N815

    def _file(self, folder: str, name: str) -> None:
        file = self.server.folder / folder / name
        if name in self.server.broken:
            self._answer(503, {})
        elif file.is_file():
            content = file.read_bytes()
            tag = hashlib.sha256(content).hexdigest()
            self._answer(200, {"X-Repo-Commit": COMMIT, "ETag": f'"{tag}"'}, content)
        else:
            missing = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            self._answer(404, {"X-Repo-Commit": COMMIT, **missing})

    def _answer(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass

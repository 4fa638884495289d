"""A stand-in for the Hub: a real HTTP server on loopback that answers as the Hub does.

The owner in an id chooses the answer: `have/FOLDER` serves the files of that folder; every owner
in TROUBLES fails in its own way. What lies in FOLDER-converted is what the Hub's bot proposes for
`have/FOLDER`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "a" * 40
CONVERTED = "c" * 40  # the commit that the Hub's bot proposes, as refs/pr/2
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
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
        self.set_right()
        self.gate = threading.Event()  # what is sent while it is closed stops half-way
        self.gate.set()
        self.ranges: list[str] = []  # parts of files that were asked for

    def set_right(self) -> None:
        """Serve everything as it is."""
        self.broken: set[str] = set()  # files that are answered with 503
        self.trouble: dict[str, int] = {}  # how a file is answered when it is fetched
        self.cut: dict[str, int] = {}  # how often a file breaks off half-way
        self.pointers: set[str] = set()  # files of which a pointer of Git LFS is sent
        self.proposer = "SFconvertbot"
        self.takes_ranges = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of those who leave in the middle: some tests do."""

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
        command = self.command if self._wants_all() else "PART"
        self.server.requests.append(f"{command} {path}")
        self.server.tokens.extend(self.headers.get_all("Authorization") or [])
        time.sleep(self.server.delay)
        parts = path.split("/")
        owner = parts[2 if parts[0] == "api" else 0] if len(parts) > 2 else ""
        if owner in TROUBLES:
            self._answer(*TROUBLES[owner])
        elif owner == "have" and parts[-1] == "discussions":
            self._discussions("/".join(parts[2:4]))
        elif owner == "have" and parts[0] == "api":
            described = {"id": "/".join(parts[2:4]), "sha": COMMIT, "siblings": []}
            self._answer(200, {"Content-Type": "application/json"}, json.dumps(described).encode())
        elif owner == "have":  # have/FOLDER/resolve/REVISION/FILE
            is_proposed = parts[3] in ("refs%2Fpr%2F2", CONVERTED)
            folder = f"{parts[1]}-converted" if is_proposed else parts[1]
            self._file(folder, "/".join(parts[4:]), CONVERTED if is_proposed else COMMIT)
        else:
            self._answer(*TROUBLES["nosuch404"])

    do_GET = do_HEAD  # noqa: N815

    def _discussions(self, model_id: str) -> None:
        place = self.server.folder / f"{model_id.split('/')[1]}-converted"
        proposal = {
            "title": "Adding `safetensors` variant of this model",
            "num": 2,
            "author": {"name": self.server.proposer},
            "createdAt": "2023-03-01T12:00:00.000Z",
            "status": "open",
            "repo": {"name": model_id, "type": "model"},
            "isPullRequest": True,
        }
        found = [proposal] if place.is_dir() else []
        answer = {"discussions": found, "count": len(found), "start": 0}
        self._answer(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())

    def _file(self, folder: str, name: str, commit: str) -> None:
        file = self.server.folder / folder / name
        is_fetched = self.command == "GET"
        if name in self.server.broken:
            self._answer(503, {})
        elif is_fetched and self._wants_all() and name in self.server.trouble:
            self._answer(self.server.trouble[name], {})
        elif file.is_file():
            content = POINTER if name in self.server.pointers else file.read_bytes()
            tag = hashlib.sha256(content).hexdigest()
            self._content(name, content, {"X-Repo-Commit": commit, "ETag": f'"{tag}"'})
        else:
            missing = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            self._answer(404, {"X-Repo-Commit": commit, **missing})

    def _wants_all(self) -> bool:
        """Whether it is the file that is asked for, not its header."""
        return not re.fullmatch(r"bytes=\d+-\d+", self.headers.get("Range") or "")

    def _content(self, name: str, content: bytes, headers: dict[str, str]) -> None:
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if part is None or not self.server.takes_ranges:
            self._answer(200, headers, content, name)
            return
        self.server.ranges.append(part[0])
        start, end = int(part[1]), int(part[2] or len(content) - 1)
        where = {"Content-Range": f"bytes {start}-{end}/{len(content)}"}
        self._answer(206, headers | where, content[start : end + 1], name)

    def _answer(
        self, status: int, headers: dict[str, str], body: bytes = b"", name: str = ""
    ) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        half = len(body) // 2
        self.wfile.write(body[:half])
        if self._wants_all() and name.endswith(".safetensors"):
            if self.server.cut.get(name, 0):
                self.server.cut[name] -= 1
                self.close_connection = True
                return
            self.wfile.flush()
            self.server.gate.wait(60)
        with contextlib.suppress(OSError):  # whoever asked may have left
            self.wfile.write(body[half:])

    def log_message(self, *_args: object) -> None:
        pass

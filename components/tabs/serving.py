"""What stands between the page and the network: limits, headers, and Gradio's own files."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import brotli
import gradio as gr

from components.config import MAX_BODY_BYTES

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Callable[[], Awaitable[Message]], Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_TOO_LARGE = (
    f"What was sent is too large, or does not say how large it is. At most {MAX_BODY_BYTES:,} "
    "bytes are read."
)
_NO_ADDRESS = "This address has characters in it that cannot be printed. Type it anew."
_MOST_DROPPED = 32 * 1024**2  # bytes
_DROPPED_SECONDS = 20.0
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio compiles its views
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-ancestors 'self' https://huggingface.co",
        "object-src 'none'",
        "base-uri 'self'",
    )
)
_HEADERS: Headers = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
]
_PACKED = frozenset({".js", ".css", ".svg"})  # files of text; pictures and fonts are packed already


class Guard:
    """ASGI middleware: refuses large bodies, and tells browsers what may run.

    Gradio reads a body of any size into memory.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Refuse a request, or hand it on and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        refusal = _refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_guarded)
            return
        await _drop_body(receive)
        status, sentence = refusal
        body = json.dumps({"detail": sentence}).encode()
        await _answer(send_guarded, status, [(b"content-type", b"application/json")], body)


async def _drop_body(receive: Callable[[], Awaitable[Message]]) -> None:
    """Read a refused body away: who still sends when the connection closes never learns why."""
    dropped = 0
    with anyio.move_on_after(_DROPPED_SECONDS):
        while dropped < _MOST_DROPPED:
            message = await receive()
            dropped += len(message.get("body", b""))
            if not message.get("more_body", False):  # the end, or the client is gone
                return


def _refusal(scope: Message) -> tuple[int, str] | None:
    """Give the status and the sentence for a request that is not handed on."""
    if not scope["path"].isprintable():  # Gradio builds addresses of it, and fails
        return 400, _NO_ADDRESS
    return None if _is_readable(dict(scope["headers"])) else (413, _TOO_LARGE)


def _is_readable(headers: dict[bytes, bytes]) -> bool:
    length = headers.get(b"content-length", b"")
    if not length:
        return b"transfer-encoding" not in headers  # then there is no body
    return length.isdigit() and len(length) < 16 and int(length) <= MAX_BODY_BYTES


class AssetCache:
    """ASGI middleware: gives out Gradio's scripts and styles from memory, packed once.

    Gradio packs each of them anew for every visitor, which costs more than all else a page needs.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._root = Path(gr.__file__).parent / "templates" / "frontend"
        self._kept: dict[tuple[str, bool], tuple[Headers, bytes]] = {}
        self._paths = {f"/{p.relative_to(self._root).as_posix()}": p for p in self._files()}

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Answer for a file of Gradio's, or hand the request on."""
        is_read = scope["type"] == "http" and scope["method"] == "GET"
        path = self._paths.get(scope["path"]) if is_read else None
        if path is None:
            await self._app(scope, receive, send)
            return
        takes_brotli = b"br" in dict(scope["headers"]).get(b"accept-encoding", b"")
        key = (scope["path"], takes_brotli)
        if key not in self._kept:  # packing takes long: not in the thread that serves all
            self._kept[key] = await anyio.to_thread.run_sync(_read, path, takes_brotli)
        await _answer(send, 200, *self._kept[key])

    def _files(self) -> Iterable[Path]:
        return (path for path in (self._root / "assets").rglob("*") if path.is_file())


def _read(path: Path, takes_brotli: bool) -> tuple[Headers, bytes]:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = [
        (b"content-type", kind.encode()),
        (b"cache-control", b"public, max-age=31536000, immutable"),  # their names have a checksum
        (b"vary", b"accept-encoding"),
    ]
    content = path.read_bytes()
    if takes_brotli and path.suffix in _PACKED:
        content = brotli.compress(content, quality=9)
        headers.append((b"content-encoding", b"br"))
    return headers, content


async def _answer(send: Send, status: int, headers: Headers, body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})

"""Requests that no page would send, for the fuzzing in the gate and the long one in the bench."""

from __future__ import annotations

import http.client
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
from hypothesis import strategies as st

PATIENCE = 60  # seconds; who waits longer found a hang
_PAYLOADS = (
    "",
    "[MASK]",
    "[MASK] " * 40,
    "\x00\x1b[31m\x7f",
    "\u202eabc\u2066",
    "e\u0301" * 300,
    "../../etc/passwd",
    "file:///etc/passwd",
    "<script>window.__pwn=1</script>",
    "{{7*7}} ${7*7} %s %n",
    "a" * 3_000,
    "bert-mini",
    "NaN",
    "1e999",
)
_texts = st.sampled_from(_PAYLOADS) | st.text(
    st.characters(exclude_categories=()),  # lone surrogates too
    max_size=40,
)
_plain = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()  # NaN and the infinities too
    | _texts
)
_values = st.recursive(
    _plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)
_bodies = (
    st.binary(max_size=200)
    | st.sampled_from([b"[" * 50_000, b'{"data":' * 5_000, b'{"data": [' + b"9" * 10_000 + b"]}"])
    | _values.map(lambda value: json.dumps(value).encode())
    | st.dictionaries(
        st.sampled_from(["data", "session_hash", "event_data", "fn_index", "trigger_id", "x"]),
        _values,
    ).map(lambda value: json.dumps(value).encode())
)


@dataclass(frozen=True)
class Server:
    """A running app; what it answers is an answer or a refusal in words, or this fails."""

    url: str
    endpoints: Mapping[str, int]  # public names, and how many values each takes

    @classmethod
    def of(cls, demo: gr.Blocks) -> Server:
        public = [fn for fn in demo.fns.values() if fn.api_visibility == "public"]
        takes = {str(fn.api_name): len(inspect.signature(fn.fn).parameters) for fn in public}
        return cls(str(demo.local_url), takes)

    def call(self, name: str, values: list[Any]) -> None:
        """Ask an endpoint in the two steps of plain HTTP."""
        path = f"/gradio_api/call/{name}"
        status, said = self._ask("POST", path, json.dumps({"data": values}).encode())
        if status != 200:
            _is_refusal(status, said)
            return
        status, said = self._ask("GET", f"{path}/{json.loads(said)['event_id']}")
        assert status == 200, said
        kind, told = _last_event(said)
        assert kind in ("complete", "error"), said
        if kind == "error":
            _is_sentence(told["error"])

    def send(self, path: str, body: bytes) -> None:
        """Send raw bytes; whatever comes is a refusal in words, or an event that was taken."""
        status, said = self._ask("POST", path, body)
        if status != 200:
            _is_refusal(status, said)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


def calls(server: Server) -> st.SearchStrategy[tuple[str, list[Any]]]:
    """Give endpoints with values: about as many as it takes, texts more often than not."""
    values = st.lists(_texts | _values, max_size=9)
    return st.tuples(st.sampled_from(sorted(server.endpoints)), values).flatmap(
        lambda drawn: st.tuples(
            st.just(drawn[0]),
            st.just(drawn[1])
            | st.lists(
                _texts | _values,
                min_size=server.endpoints[drawn[0]],
                max_size=server.endpoints[drawn[0]],
            ),
        )
    )


def bodies(server: Server) -> st.SearchStrategy[tuple[str, bytes]]:
    """Give paths that take a body, some of them of nothing that is there, with bodies."""
    some = sorted(server.endpoints)[0]
    paths = st.sampled_from(
        [
            "/gradio_api/queue/join",
            "/gradio_api/cancel",
            "/gradio_api/reset",
            "/classroom/open",
            "/classroom/none/join",
            *(
                f"/gradio_api/{way}/{name}"
                for way in ("call", "call/v2", "run")
                for name in (some, "none", "%00")
            ),
        ]
    )
    return st.tuples(paths, _bodies)


def _last_event(stream: str) -> tuple[str, Any]:
    events = [lines.split("\n") for lines in stream.strip().split("\n\n")]
    named = [e for e in events if e[0] != "event: heartbeat"]
    return named[-1][0].removeprefix("event: "), json.loads(named[-1][1].removeprefix("data: "))


def _is_refusal(status: int, said: str) -> None:
    assert 400 <= status < 500, (status, said[:500])
    _is_sentence(json.loads(said)["detail"])


def _is_sentence(told: Any) -> None:
    assert isinstance(told, str), told
    assert " " in told, told
    assert "Traceback" not in told, told
    assert "/site-packages" not in told, told
    assert "went wrong here" not in told, told  # a fault of ours, and in the log

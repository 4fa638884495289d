from __future__ import annotations

import http.client
import json
import re
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest
from playwright.sync_api import expect

from components.config import MAX_BODY_BYTES, MAX_FILE_BYTES, MAX_PASSAGE
from components.tabs import serving
from components.tabs.serving import AssetCache, Guard
from tests.loops import finish

CHUNKED = (b"transfer-encoding", b"chunked")


def served(
    middleware: Any, path: str = "/", method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Ask a middleware, whose app answers "inside"."""
    sent: list[Any] = []

    async def inside(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    named = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": named}
    finish(middleware(inside)(scope, receive, send))
    given = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], given, sent[1]["body"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"content_length": "0"}, 200),
        ({"content_length": str(MAX_BODY_BYTES)}, 200),
        ({"content_length": str(MAX_BODY_BYTES + 1)}, 413),
        ({"content_length": "9" * 5_000}, 413),
        ({"content_length": "-1"}, 413),
        ({"content_length": "١"}, 413),
        ({"transfer_encoding": "chunked"}, 413),
    ],
)
def test_a_body_is_read_only_if_it_says_that_it_is_small(
    headers: dict[str, str], status: int
) -> None:
    found, given, body = served(Guard, "/x", "POST", **headers)
    assert found == status
    assert (body == b"inside") == (status == 200)
    assert "default-src 'self'" in given["content-security-policy"]
    assert given["x-content-type-options"] == "nosniff"
    if status == 413:
        assert "too large" in json.loads(body)["detail"]


@pytest.mark.parametrize("path", ["/gradio_api/call/v2/\x00", "/\n", "/\x7f"])
def test_an_address_that_cannot_be_printed_is_refused(path: str) -> None:
    status, _, body = served(Guard, path)
    assert status == 400
    assert "characters" in json.loads(body)["detail"]


def test_the_longest_passage_and_file_are_small_enough_however_they_are_written() -> None:
    longest = json.dumps({"data": ["😀" * MAX_PASSAGE]})  # as \ud83d\ude00
    assert len(longest) < MAX_BODY_BYTES
    assert MAX_FILE_BYTES + 10_000 < MAX_BODY_BYTES


@pytest.mark.parametrize("accept_encoding", ["gzip, br", "gzip"])
def test_scripts_come_from_memory_and_are_the_files(accept_encoding: str) -> None:
    cache = AssetCache(lambda *_: None)  # type: ignore[arg-type]
    path = next(p for p in cache._paths if re.search(r"/index-[^/]*\.js$", p))
    status, given, body = served(AssetCache, path, accept_encoding=accept_encoding)
    is_packed = given.get("content-encoding") == "br"
    assert (status, is_packed) == (200, "br" in accept_encoding)
    assert (brotli.decompress(body) if is_packed else body) == cache._paths[path].read_bytes()
    assert "javascript" in given["content-type"]
    assert "immutable" in given["cache-control"]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/assets/../index.html", "GET"),
        ("/assets/none.js", "GET"),
        ("/assets", "GET"),
        ("/", "GET"),
    ],
)
def test_anything_else_is_left_to_gradio(path: str, method: str) -> None:
    assert served(AssetCache, path, method)[2] == b"inside"


def test_the_server_sends_them(app_url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(app_url, timeout=60) as response:
        page = response.read().decode()
        assert "object-src 'none'" in response.headers["content-security-policy"]
    script = re.search(r"assets/[\w.-]+\.js", page)
    assert script
    with opener.open(f"{app_url}{script[0]}", timeout=60) as response:
        assert "immutable" in response.headers["cache-control"]
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, 16 * 1024**2])
def test_who_sends_too_much_is_told_so_and_the_connection_is_not_torn(
    app_url: str, size: int
) -> None:
    connection = http.client.HTTPConnection(urlsplit(app_url).netloc, timeout=60)
    connection.request("POST", "/gradio_api/queue/join", b"x" * size)
    answer = connection.getresponse()
    assert answer.status == 413
    assert "too large" in json.loads(answer.read())["detail"]
    connection.close()


def test_what_never_ends_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_MOST_DROPPED", 10_000)
    read = []

    async def receive() -> Any:
        read.append(1_000)
        return {"type": "http.request", "body": b"x" * 1_000, "more_body": True}

    async def send(_message: Any) -> None:
        pass

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [CHUNKED]}
    finish(Guard(None)(scope, receive, send))  # type: ignore[arg-type]
    assert sum(read) == 10_000


@pytest.mark.browser
def test_a_full_queue_says_so_and_keeps_what_was_typed(
    browser: Any, app_demo: Any, app_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.new_page()
    page.goto(app_url)
    finding = page.locator("#fill_mask-finding")
    expect(finding).to_contain_text("“capital”")
    monkeypatch.setattr(app_demo._queue, "max_size", 0)
    page.get_by_label("Sentence").fill("She drank a cup of ___.")
    page.get_by_role("button", name="Fill the blank").click()
    expect(page.get_by_test_id("toast-body")).to_contain_text("busy")
    expect(page.get_by_label("Sentence")).to_have_value("She drank a cup of ___.")
    monkeypatch.undo()
    page.get_by_role("button", name="Fill the blank").click()
    expect(finding).not_to_contain_text("“capital”")
    page.context.close()


@pytest.mark.browser
def test_nothing_of_another_server_is_shown_or_run(browser: Any, app_url: str) -> None:
    page = browser.new_page()
    blocked: list[str] = []
    page.on("console", lambda m: blocked.append(m.text))
    page.goto(app_url)
    page.evaluate(
        """() => { const i = new Image(); i.src = 'http://127.0.0.1:9/x.png';
        document.body.append(i);
        const s = document.createElement('script'); s.src = 'http://127.0.0.1:9/x.js';
        document.body.append(s); }"""
    )
    page.wait_for_timeout(300)
    refused = [text for text in blocked if "Content Security Policy" in text]
    assert len(refused) == 2, blocked
    page.context.close()

"""Every public endpoint and every address that takes a body, asked what nobody would ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import app
from components.models.manager import ModelManager
from tests import attack

FEW = settings(
    deadline=None,
    derandomize=True,  # the gate asks the same questions each time, the bench new ones
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def server(models: ModelManager) -> Iterator[attack.Server]:
    demo = app.create_app(models)
    demo.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
    yield attack.Server.of(demo)
    demo.close()


def test_any_values_are_answered_or_refused_in_words(server: attack.Server) -> None:
    @settings(FEW, max_examples=300)
    @given(attack.calls(server))
    def ask(call: tuple[str, list[Any]]) -> None:
        server.call(*call)

    ask()
    server.call("fill_mask", ["Paris is the [MASK] of France.", "bert-mini", 5, ""])


def test_any_bytes_are_refused_in_words(server: attack.Server) -> None:
    @settings(FEW, max_examples=200)
    @given(attack.bodies(server))
    def send(request: tuple[str, bytes]) -> None:
        server.send(*request)

    send()
    server.call("fill_mask", ["Paris is the [MASK] of France.", "bert-mini", 5, ""])


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("call/none", {"data": []}, 404),
        ("run/none", {"data": []}, 404),
        ("run/fill_mask", {"data": ["a [MASK]", "bert-mini", 5, ""]}, 404),  # not past the queue
        ("call/v2/none", {}, 404),
        ("call/v2/fill_mask", {"no_such_argument": 1}, 422),
        ("queue/join", {"data": [], "fn_index": 10**6, "session_hash": "x"}, 404),
        ("queue/join", {"data": [], "session_hash": "x"}, 400),
    ],
)
def test_what_is_not_there_is_refused_with_a_status_and_a_sentence(
    server: attack.Server, path: str, body: Any, status: int
) -> None:
    found, said = server._ask("POST", f"/gradio_api/{path}", json.dumps(body).encode())
    assert found == status, said
    assert " " in json.loads(said)["detail"]


@pytest.mark.parametrize("values", [[], ["a [MASK]", "bert-mini"], [{"path": "/etc/passwd"}] * 4])
def test_values_that_gradio_cannot_read_are_refused_in_words(
    server: attack.Server, values: list[Any]
) -> None:
    server.call("fill_mask", values)

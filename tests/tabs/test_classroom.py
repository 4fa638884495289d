from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

import app
from components.models.families import Task
from components.models.manager import ModelManager
from components.tabs import classroom as tab
from components.tabs.room_routes import MAX_BODY
from components.tasks import classroom
from tests.crowd_of_pupils import Class, post
from tests.pages import endpoint_of, handler_of

PAYLOAD = '<img src=x onerror="window.__pwn=1">'


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[Any]:
    built = app.create_app(models)
    built.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
    yield built
    built.close()


@pytest.fixture(scope="module")
def url(demo: Any) -> str:
    return str(demo.local_url)


@pytest.fixture
def ask(demo: Any) -> Callable[..., str]:
    """Ask a class as its teacher's page does."""
    run = handler_of(demo, "classroom-steered", "submit")

    def asks(code: str, token: str, row: int = 0) -> str:
        task, text, second = tab.READY[row]
        steered = json.dumps({"code": code, "token": token})
        return str(run(task.value, text, second, "bert-mini", steered)[0])

    return asks


def test_a_class_of_forty_answers_ten_questions_and_nothing_is_lost(
    url: str, ask: Callable[..., str]
) -> None:
    with Class(url, 40, threads=8) as pupils:
        for number in range(1, 11):
            assert f"Question {number} is asked" in ask(pupils.code, pupils.token)
            pupils.answer(number, ["river", "house", PAYLOAD])
            seen = pupils.ok(f"{pupils.code}/steer", {"token": pupils.token})
            assert (seen["joined"], seen["answered"], seen["phase"]) == (40, 40, "asked")
            assert "river" not in json.dumps(seen), "nothing of an answer before the reveal"
            shown = pupils.reveal()
            assert shown["phase"] == "shown"
            assert "Class, 40 answers" in shown["answers"]
            assert "14 · 35 %" in shown["answers"]
            assert "<img" not in shown["answers"]
            assert pupils.reveal() == shown, "a second press shows the same"


def test_every_ready_made_question_can_be_asked(demo: Any) -> None:
    for task, text, second in tab.READY:
        model = demo.models.get("bert-mini", task)
        assert classroom.ask(model, text, second).task is task


def test_a_pupil_gets_nothing_new_until_there_is(url: str, ask: Callable[..., str]) -> None:
    with Class(url, 1) as pupils:
        me = {"pupil": pupils.pupils[0]}
        first = pupils.ok(f"{pupils.code}/look", {**me, "seen": -1})
        assert first["phase"] == "waiting"
        assert pupils.ok(f"{pupils.code}/look", {**me, "seen": first["version"]}) == {}
        ask(pupils.code, pupils.token)
        next_one = pupils.ok(f"{pupils.code}/look", {**me, "seen": first["version"]})
        assert (next_one["phase"], next_one["typed"]) == ("asked", True)


@pytest.mark.parametrize("act", ["steer", "reveal", "close", "qr"])
def test_stolen_steering_is_refused_in_words_and_does_nothing(
    url: str, ask: Callable[..., str], act: str
) -> None:
    with Class(url, 1) as pupils:
        ask(pupils.code, pupils.token)
        stolen: list[Any] = ["", "x", pupils.pupils[0], None, 7, ["x"], {"a": 1}, "\ud800"]
        for token in stolen:
            said = post(url, f"{pupils.code}/{act}", {"token": token, "address": "http://x/"})
            assert said[0] == 403
            assert "only from the page that opened it" in said[1]["detail"]
        assert pupils.ok(f"{pupils.code}/steer", {"token": pupils.token})["phase"] == "asked"
        assert "only from the page" in ask(pupils.code, "stolen")


def test_a_wrong_code_says_so(url: str, ask: Callable[..., str]) -> None:
    for act in ("join", "look", "answer", "steer", "reveal", "close"):
        status, said = post(url, f"wr0ng/{act}", {})
        assert status == 404
        assert "There is no room WR0NG" in said["detail"]
    assert "There is no room WR0NG" in ask("wr0ng", "x")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no JSON object"),
        (b"[]", "no JSON object"),
        (b"[" * 4_000, "no JSON object"),
        (b"\xff", "no JSON object"),
        (b"{" + b" " * MAX_BODY, "too long"),
        ({"answer": "x" * 500}, "not in room"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(url: str, body: Any, said: str) -> None:
    with Class(url, 0) as pupils:
        status, told = post(url, f"{pupils.code}/answer", body)
        assert status in (400, 403)
        assert said in told["detail"]
        assert post(url, f"{pupils.code}/steal", {})[0] == 400


def test_long_and_late_answers_are_refused_and_the_first_one_stays(
    url: str, ask: Callable[..., str]
) -> None:
    with Class(url, 1) as pupils:
        ask(pupils.code, pupils.token)
        pupils.answer(1, ["river"])
        path, me = f"{pupils.code}/answer", {"pupil": pupils.pupils[0]}
        assert post(url, path, {**me, "number": 1, "answer": "x" * 200})[0] == 400
        assert post(url, path, {**me, "number": 2, "answer": "late"})[0] == 400
        assert "1 · 100 %" in pupils.reveal()["answers"]
        assert "Too late" in post(url, path, {**me, "number": 1, "answer": "late"})[1]["detail"]


def test_only_an_address_of_the_web_becomes_a_qr_code(url: str) -> None:
    with Class(url, 0) as pupils:
        path, token = f"{pupils.code}/qr", {"token": pupils.token}
        good = {**token, "address": f"http://10.0.0.1/?room={pupils.code}"}
        assert "<svg" in pupils.ok(path, good)["qr"]
        for bad in ("javascript:alert(1)", "", "http://" + "x" * 999, "http://ä/", None):
            assert post(url, path, {**token, "address": bad})[0] == 400


def test_without_a_room_the_page_invites_and_a_made_up_one_is_refused(demo: Any) -> None:
    run = handler_of(demo, "classroom-steered", "submit")
    values = (Task.FILL_MASK.value, "a [MASK]", "", "bert-mini")
    assert "Open a room" in run(*values, "")[0]
    for made_up in ("x", "[]", '{"code": 1}', "[" * 1_999, "x" * 9_999):
        assert "no room that it can steer" in run(*values, made_up)[0]


def test_the_endpoint_counts_answers_beside_the_models(demo: Any) -> None:
    endpoint = endpoint_of(demo, "classroom")
    told = endpoint("the [MASK]", answers=["cat", "cat", "dog"])
    assert [share["pupils"] for share in told["shares"]][:2] == [2, 1]
    with pytest.raises(gr.Error, match="too many answers"):
        endpoint(answers=["x"] * 1_001)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_teacher_and_two_pupils_go_through_a_question_with_reloads(  # noqa: PLR0915
    open_page: Callable[..., Any], app_url: str, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    teacher = open_page("Classroom", width=width, dark=dark)
    room = teacher.locator("#classroom-room")
    room.get_by_role("button", name="Open a room").click()
    code = room.locator(".lab-room-head .lab-room-code")
    expect(code).to_have_text(re.compile(r"^[A-Z0-9]{5}$"))
    expect(room.locator(".lab-room-qr svg")).to_be_visible()
    pupils = [open_page(width=390, dark=dark) for _ in range(2)]
    for pupil in pupils:
        pupil.goto(f"{app_url}?room={code.inner_text().lower()}")
        expect(pupil.locator(".lab-room-asked")).to_contain_text("about to come")
    expect(room.locator(".lab-room-counts")).to_contain_text("2 in the room")
    teacher.locator("#classroom-run").click()
    expect(teacher.locator("#classroom-finding")).to_contain_text("Question 1 is asked")
    for pupil, word in zip(pupils, ("river", PAYLOAD), strict=True):
        expect(pupil.locator(".lab-room-asked")).to_contain_text("Question 1")
        pupil.get_by_label("Your answer").fill(word)
        pupil.get_by_role("button", name="Send").click()
        expect(pupil.locator(".lab-room-yours")).to_contain_text(f"“{word}” has arrived")
    pupils[0].reload()
    expect(pupils[0].locator(".lab-room-yours")).to_contain_text("“river” has arrived")
    teacher.reload()
    teacher.get_by_role("tab", name="Classroom", exact=True).click()
    expect(room.locator(".lab-room-counts")).to_contain_text("2 in the room · 2 answered")
    room.get_by_role("button", name="Show the answers").click()
    for page in (teacher, *pupils):
        expect(page.locator(".lab-room-answers")).to_contain_text("Class, 2 answers")
        expect(page.locator(".lab-room-answers")).to_contain_text(PAYLOAD)
        assert page.evaluate("window.__pwn") is None
        sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(sideways) <= 0
    if "SHOTS" in os.environ:
        teacher.screenshot(path=f"{os.environ['SHOTS']}/teacher-{width}.png", full_page=True)
        pupils[0].screenshot(path=f"{os.environ['SHOTS']}/pupil-{width}.png", full_page=True)
    for pupil in pupils:  # a phone that asks after the room is closed is told 404, in its console
        pupil.goto("about:blank")
    room.get_by_role("button", name="Close the room").click()
    expect(room.locator(".lab-room-said")).to_contain_text("closed")

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext
from playwright.sync_api import Route, expect

from components.models.manager import ModelManager
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view
from components.tabs.first_screen import FirstScreen
from tests.pages import handler_of

SKIPPED = {"__type__": "update"}


@contextmanager
def served(session: str) -> Iterator[None]:
    """Be the request of one visitor's page, as Gradio sets it round every event."""
    request: Any = SimpleNamespace(session_hash=session)
    token = LocalContext.request.set(request)
    yield
    LocalContext.request.reset(token)


def test_it_is_drawn_once_for_visitors_who_come_together() -> None:
    drawn: list[int] = []
    screen = FirstScreen(lambda: (True, [drawn.append(1), "x"]))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: screen.values(), range(8)))
    assert answers == [[None, "x"]] * 8
    assert drawn == [1]


def test_what_is_no_answer_is_shown_and_not_kept() -> None:
    answers = iter([(False, ["refused"]), (True, ["answer"]), (True, ["never"])])
    screen = FirstScreen(lambda: next(answers))
    assert [screen.values() for _ in range(3)] == [["refused"], ["answer"], ["answer"]]


def test_one_that_comes_late_leaves_the_result_of_its_visitor_and_comes_when_asked_again() -> None:
    started, go_on = threading.Event(), threading.Event()

    def draw() -> tuple[bool, list[Any]]:
        started.set()
        assert go_on.wait(10)
        return True, ["first"]

    screen = FirstScreen(draw)

    def asked_by(session: str) -> list[Any]:
        with served(session):
            return screen.values()

    with ThreadPoolExecutor(2) as pool:
        mine = pool.submit(asked_by, "mine")
        other = pool.submit(asked_by, "other's")
        started.wait(10)
        while len(screen._asked) < 2:  # both are under way
            pass
        with served("mine"):
            screen.overtaken()
        go_on.set()
        assert mine.result(10) == [SKIPPED]
        assert other.result(10) == ["first"]
    assert asked_by("mine") == ["first"]  # only where nothing came is it asked for again
    assert screen._asked == {}


def test_a_run_before_it_was_asked_for_changes_nothing() -> None:
    screen = FirstScreen(lambda: (True, ["first"]))
    with served("mine"):
        screen.overtaken()
        assert screen.values() == ["first"]


def test_a_run_of_the_page_overtakes_the_first_screen_that_is_under_way(
    models: ModelManager,
) -> None:
    started, go_on = threading.Event(), threading.Event()

    def run(text: str) -> str:
        if text == "example":
            started.set()
            assert go_on.wait(10)
        return text

    with gr.Blocks() as demo:
        text = gr.Textbox("example", elem_id="text")
        page = Page(demo, models, gr.HTML())
        finding = finding_view("tried")
        tab = Tab("tried", "Tried", lambda _: None)
        wire(page, tab, [text.submit], run, [text], [finding], endpoint=run)
    first = handler_of(demo, "tried-finding", "first_shown")
    submit = handler_of(demo, "text", "submit")

    def first_for_me() -> Any:
        with served("mine"):
            return first()[0]

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(first_for_me)
        started.wait(10)
        with served("mine"):
            assert submit("typed")[0] == "typed"
        go_on.set()
        assert late.result(10) == SKIPPED


@pytest.mark.browser
def test_only_the_tab_that_is_open_asks_and_a_part_when_it_is_chosen(
    open_page: Callable[..., Any],
) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if r.method == "POST" else None)
    expect(page.locator("#fill_mask-finding .lab-waiting")).to_have_count(0)
    page.get_by_role("tab", name="Vectors", exact=True).click()
    expect(page.locator("#embeddings-finding .lab-headline")).to_be_visible()
    expect(page.locator("#embeddings-finding .lab-waiting")).to_have_count(0)
    assert len(asked) <= 2, asked  # the first tab's, where it was still under way, and this one's
    page.get_by_role("tab", name="Sentences", exact=True).click()
    expect(page.locator("#sentence_vectors-finding .lab-headline")).to_be_visible()
    expect(page.locator("#sentence_vectors-finding .lab-waiting")).to_have_count(0)
    assert len(asked) <= 3, asked


@pytest.mark.browser
def test_a_lost_question_and_a_lost_answer_leave_no_tab_waiting(browser: Any, app_url: str) -> None:
    page = browser.new_page()
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        if len(lost) == 1:
            route.abort()  # Gradio starts the page anew
        elif len(lost) == 2:  # as one that came late is answered
            response = route.fetch()
            left = {"data": [SKIPPED for _ in response.json()["data"]]}
            route.fulfill(response=response, json=response.json() | left)
        else:
            route.fallback()

    page.route("**/gradio_api/run/**", lose)
    page.goto(app_url)
    expect(page.locator("#fill_mask-finding")).to_contain_text("“capital”", timeout=60_000)
    assert len(lost) == 3
    page.context.close()

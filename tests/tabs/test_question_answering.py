from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gradio_client import Client

from components.models.manager import ModelManager
from components.tabs import question_answering as tab

Open = Callable[..., Any]
QUESTION = "#question_answering-question textarea"
PASSAGE = "#question_answering-passage textarea"


@pytest.fixture(scope="module")
def client(models: ModelManager) -> Iterator[Client]:
    import app

    demo = app.create_app(models)
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, **app.launch_options())
    yield Client(url, verbose=False, ssl_verify=False)
    demo.close()


def test_the_endpoint_answers_with_places_of_the_passage(client: Client) -> None:
    passage = "the boats ran past\r\n the mill"
    answer = client.predict("where", passage, top_k=3, api_name="/question_answering")
    assert [passage[slice(*a["span"])] for a in answer["answers"]] == [
        a["text"] for a in answer["answers"]
    ]
    assert len(answer["answers"]) == 3
    assert isinstance(answer["has_answer"], bool)


@pytest.mark.parametrize(
    ("question", "passage", "said"),
    [
        ("", "the boats", "The question is empty"),
        ("who", "  ", "The passage is empty"),
        ("why " * 450, "mill " * 600, "The question is too long"),
        ("[SEP] " * 300, "mill", "The question is too long"),
    ],
)
def test_the_endpoint_refuses_in_words(
    client: Client, question: str, passage: str, said: str
) -> None:  # H28, H31
    with pytest.raises(Exception, match=said):
        client.predict(question, passage, api_name="/question_answering")


def test_each_example_says_what_it_shows() -> None:
    assert len({label for label, _, _ in tab.EXAMPLES}) == len(tab.EXAMPLES)
    assert all(question.endswith("?") and passage for _, question, passage in tab.EXAMPLES)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_so_is_what_is_asked_next(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Question answering", width=width, dark=dark)
    answer = page.locator("#question_answering-reading mark")
    expect(answer).to_have_text("self-attention", timeout=30_000)
    passage = page.locator(".lab-passage")
    expect(passage).to_have_text(tab.EXAMPLES[0][2])
    page.locator(PASSAGE).fill("The library was opened in 1987 by the mayor.")
    question = page.locator(QUESTION)
    question.fill("When was the library opened?")
    question.press("Enter")
    expect(answer).to_contain_text("1987", timeout=30_000)
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) == 0


@pytest.mark.browser
def test_a_span_of_the_list_lights_up_in_the_passage(open_page: Open) -> None:
    from playwright.sync_api import expect

    page = open_page("Question answering")
    entries = page.locator("#question_answering-reading [data-lights]")
    expect(entries).to_have_count(5, timeout=30_000)
    second = entries.nth(1).locator(".lab-bar-label").text_content()
    lit = page.locator(".lab-passage .lab-lit")
    expect(lit).to_have_count(0)
    entries.nth(1).hover()
    assert "".join(lit.all_text_contents()) == second
    page.get_by_role("heading", name="Encoder Lab").hover()
    expect(lit).to_have_count(0)
    entries.nth(1).click()
    page.get_by_role("heading", name="Encoder Lab").hover()
    assert "".join(lit.all_text_contents()) == second
    expect(entries.nth(1)).to_have_attribute("aria-pressed", "true")
    entries.nth(1).press("Enter")
    expect(entries.nth(1)).to_have_attribute("aria-pressed", "false")


@pytest.mark.browser
def test_an_answer_far_down_is_scrolled_into_sight(open_page: Open) -> None:
    from playwright.sync_api import expect

    page = open_page("Question answering")
    page.get_by_role("button", name="A long passage, read in windows").click()
    expect(page.locator(".lab-window")).to_have_count(3, timeout=30_000)
    expect(page.locator(".lab-passage mark")).to_contain_text("1986")
    inside = """() => { const box = document.querySelector('.lab-passage').getBoundingClientRect();
        const mark = document.querySelector('.lab-passage mark').getBoundingClientRect();
        return mark.top >= box.top && mark.bottom <= box.bottom; }"""
    page.wait_for_function(inside)


@pytest.mark.browser
def test_hostile_text_is_shown_and_what_was_typed_stays(open_page: Open) -> None:  # H38, H03
    from playwright.sync_api import expect

    page = open_page("Question answering")
    expect(page.locator(".lab-passage")).to_be_visible(timeout=30_000)
    hostile = (
        '<img src=x onerror="window.__pwn=1"> <mask> ${window.__pwn=1} {{1}} <script>1</script>'
    )
    page.locator(PASSAGE).fill(hostile)
    page.get_by_role("button", name="Find the answer").click()
    expect(page.locator(".lab-passage")).to_have_text(hostile)
    assert page.evaluate("window.__pwn") is None
    question = page.locator(QUESTION)
    question.fill("   ")
    page.get_by_role("button", name="Find the answer").click()
    expect(page.get_by_role("alert")).to_contain_text("The question is empty")
    expect(page.locator(".lab-passage")).to_have_count(0)
    assert page.locator(PASSAGE).input_value() == hostile

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from components.models.manager import ModelManager
from tests.pages import endpoint_of, handler_of

OpenPage = Callable[..., Any]
HOSTILE = '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script>'


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    import app

    return app.create_app(models)


def test_programs_get_every_text_with_its_scores(demo: gr.Blocks) -> None:
    answer = endpoint_of(demo, "sentiment")("i love this tool\n\nthe soup was cold")
    assert [text["text"] for text in answer["texts"]] == ["i love this tool", "the soup was cold"]
    assert answer["labels"] == ("NEGATIVE", "POSITIVE")
    assert answer["scale"] == "one of"


@pytest.mark.parametrize("text", ["", " \n ", "x" * 100_001])
def test_programs_are_told_what_cannot_be_used(demo: gr.Blocks, text: str) -> None:
    with pytest.raises(gr.Error):
        endpoint_of(demo, "sentiment")(text)


def test_a_file_is_read_instead_of_the_lines(demo: gr.Blocks) -> None:
    run = handler_of(demo, "sentiment-run")
    file = b"id,text\n1,from the file"
    _finding, cards, table, _windows, link, _status = run("bert-mini", "typed", "lines", 512, file)
    assert "from the file" in cards
    assert "typed" not in cards
    assert table["data"][0][0] == "from the file"
    assert "Download" in link


def test_a_bad_file_is_refused_though_the_lines_are_good(demo: gr.Blocks) -> None:
    run = handler_of(demo, "sentiment-run")
    finding, *others, _status = run("bert-mini", "typed", "lines", 512, b"")
    assert "The file is empty" in finding
    assert others == [None] * 4


def test_an_example_takes_the_place_of_a_file(demo: gr.Blocks) -> None:
    row = ["a\nb", "lines", 512]
    assert handler_of(demo, "sentiment-examples")(row) == (*row, None)


def test_lines_are_texts_and_a_document_is_one(demo: gr.Blocks) -> None:
    ask, text = endpoint_of(demo, "sentiment"), "the river ran past\n\nthe soup was cold " * 9
    assert len(ask(text)["texts"]) == 10
    (one,) = ask(text, reading="document", window=32)["texts"]
    assert len(one["windows"]) > 2
    run = handler_of(demo, "sentiment-run")
    _finding, cards, _table, windows, *_ = run("bert-mini", text, "document", 32, None)
    assert cards.count("lab-curve-step") == len(one["windows"]) == len(windows["data"])
    with pytest.raises(gr.Error, match="Give “lines” or “document”"):
        ask(text, reading="whole")
    assert "lab-passage" in cards


def labels(page: Any) -> list[str]:
    verdicts = page.locator("#sentiment-cards .lab-verdict").all_inner_texts()
    return [verdict.split()[0] for verdict in verdicts]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_examples_come_out_right(open_page: OpenPage, width: int, dark: bool) -> None:
    page = open_page("Sentiment", width=width, dark=dark)
    cards = page.locator("#sentiment-cards")
    cards.get_by_text("This course is excellent.").wait_for()
    assert labels(page) == ["POSITIVE", "NEGATIVE", "POSITIVE"]
    page.locator("#sentiment-text textarea").fill("I hated every minute of it.\nWhat a lovely day!")
    page.get_by_role("button", name="Classify").click()
    cards.get_by_text("What a lovely day!").wait_for()
    assert labels(page) == ["NEGATIVE", "POSITIVE"]


@pytest.mark.browser
def test_a_file_goes_in_and_the_table_comes_out(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("Sentiment")
    page.locator("#sentiment-cards .lab-card").first.wait_for()
    rows = "\n".join(f'{i};"A wonderful film; number {i}"' for i in range(30))
    page.locator("#sentiment-file input[type=file]").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": f"Id;Review\n{rows}".encode()}
    )
    page.locator("#sentiment-finding").get_by_text("30 texts: 30 POSITIVE").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert download.value.suggested_filename == "sentiment.csv"
    download.value.save_as(tmp_path / "sentiment.csv")
    text = (tmp_path / "sentiment.csv").read_text(encoding="utf-8-sig")
    table = list(csv.reader(io.StringIO(text)))
    assert len(table) == 31
    assert table[30][:2] == ["A wonderful film; number 29", "POSITIVE"]
    page.get_by_text("No opinion at all", exact=True).click()
    page.locator("#sentiment-cards").get_by_text("The meeting is on Tuesday.").wait_for()


@pytest.mark.browser
def test_a_file_that_is_no_csv_is_refused_in_words(open_page: OpenPage) -> None:
    page = open_page("Sentiment")
    page.locator("#sentiment-cards .lab-card").first.wait_for()
    page.locator("#sentiment-file input[type=file]").set_input_files(
        {"name": "a.xlsx", "mimeType": "application/zip", "buffer": b"PK\x03\x04" + bytes(99)}
    )
    page.get_by_text("This is a spreadsheet or an archive").wait_for()
    assert page.locator("#sentiment-cards .lab-card").count() == 0
    assert "excellent" in page.locator("#sentiment-text textarea").input_value()


@pytest.mark.browser
def test_a_long_review_is_said_to_be_read_in_windows(
    open_page: OpenPage,
) -> None:  # H23
    page = open_page("Sentiment")
    page.locator("#sentiment-cards .lab-card").first.wait_for()
    page.locator("#sentiment-text textarea").fill("good film " * 400)
    page.get_by_role("button", name="Classify").click()
    page.get_by_text("all 802 tokens were read in 2 windows").wait_for()
    assert labels(page) == ["POSITIVE"]


@pytest.mark.browser
def test_hostile_text_is_shown_and_never_runs(open_page: OpenPage) -> None:  # H38
    page = open_page("Sentiment")
    page.locator("#sentiment-text textarea").fill(HOSTILE)
    page.get_by_role("button", name="Classify").click()
    page.locator("#sentiment-cards").get_by_text("<script>", exact=False).wait_for()
    page.locator("#sentiment-model input").fill(HOSTILE)
    page.keyboard.press("Enter")
    page.locator("#sentiment-finding").get_by_text("<script>", exact=False).wait_for()
    assert page.evaluate("window.__pwn") is None


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_long_letter_is_read_in_windows_that_light_up(
    open_page: OpenPage, width: int, dark: bool
) -> None:  # H23
    from playwright.sync_api import expect

    page = open_page("Sentiment", width=width, dark=dark)
    page.locator("#sentiment-cards .lab-bar").first.wait_for()
    page.get_by_role("button", name="A long letter, by windows").click()
    cards = page.locator("#sentiment-cards")
    expect(cards).to_contain_text("tokens were read in")
    steps = cards.locator(".lab-curve-step")
    assert steps.count() > 5
    assert {"lab-yes", "lab-no"} <= set(
        " ".join(steps.nth(i).get_attribute("class") for i in range(steps.count())).split()
    )
    steps.nth(1).click()
    expect(cards.locator(".lab-lit").first).to_be_visible()
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0

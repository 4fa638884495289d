from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from components.models.families import Task
from components.models.manager import ModelManager
from components.tabs import compare as tab
from components.tabs.task_fields import task_fields
from components.tasks import compare

Open = Callable[..., Any]


def test_every_task_that_can_be_compared_is_offered_with_its_texts() -> None:
    assert list(tab.PANELS) == list(compare.RUNNERS)
    for task, panel in tab.PANELS.items():
        compare.Given(**{field.name: field.default for field in panel.fields})
        assert all(len(example) == len(panel.fields) for example in panel.examples)
        text = next(field for field in panel.fields if field.name == "text")
        assert text.limit == compare.RUNNERS[task].limit


@pytest.mark.parametrize("task", compare.RUNNERS)
def test_every_example_is_answered(models: ModelManager, task: Task) -> None:
    panel = tab.PANELS[task]
    for example in panel.examples:
        given = compare.Given(
            **{field.name: text for field, text in zip(panel.fields, example, strict=True)}
        )
        asked = compare.bundled(task)
        result = compare.predict(models.get, asked, task, given)
        assert len(result.answered) == len(asked) > 1


def test_the_texts_and_models_of_the_chosen_task_are_taken() -> None:
    words = ["a [MASK]", ["bert-mini"], ["x/y, z"]]
    values = [*words, "fine", [], [], "who", "a passage", ["m"], ["h"]]
    with gr.Blocks():
        fields = task_fields("x", tab.PANELS, tab._models)
    taken = {task: tab._given(fields, task, values) for task in tab.PANELS}
    assert taken == {
        Task.FILL_MASK: (compare.Given("a [MASK]"), ["bert-mini", "x/y", " z"]),
        Task.SENTIMENT: (compare.Given("fine"), []),
        Task.QUESTION_ANSWERING: (compare.Given("a passage", "who"), ["m", "h"]),
    }


def finding(page: Any) -> Any:
    return page.locator("#compare-finding .lab-headline")


def expect_text(where: Any, *texts: str) -> None:
    from playwright.sync_api import expect

    for text in texts:
        expect(where).to_contain_text(text, timeout=30_000)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_page_opens_with_an_answer_and_gives_another(
    open_page: Open, width: int, dark: bool
) -> None:
    page = open_page("Compare", width=width, dark=dark)
    expect_text(finding(page), "“capital”")
    asked = compare.bundled(Task.FILL_MASK)
    assert page.locator("#compare-cards .lab-model-card").count() == len(asked)
    expect_text(page.locator("#compare-cards .lab-model-card").first, "Accuracy", "In memory")
    page.locator("#compare-chart .bars .point").first.wait_for(timeout=60_000)
    page.locator("#compare-tradeoff .scatterlayer .point").first.wait_for(timeout=60_000)

    page.locator("#compare-fill-mask-text textarea").fill("She drank a cup of ___.")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect_text(page.locator("#compare-cards .lab-model-card").first, "tea", "was read as [MASK]")

    page.locator("#tab-compare").get_by_label("Sentiment", exact=True).click()
    expect_text(finding(page), "say “POSITIVE”")
    page.locator("#tab-compare").get_by_label("Fill-mask", exact=True).click()
    expect_text(page.locator("#compare-cards .lab-model-card").first, "tea")
    typed = page.locator("#compare-fill-mask-text textarea").input_value()
    assert typed == "She drank a cup of ___."  # nothing that was typed is lost
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) == 0


@pytest.mark.browser
def test_what_cannot_be_used_is_said_where_it_belongs(open_page: Open) -> None:
    page = open_page("Compare")
    expect_text(finding(page), "“capital”")
    hub = page.locator("#compare-fill-mask-hub input")
    hub.fill("/etc")
    hub.press("Enter")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect_text(page.locator("#compare-cards .lab-model-refused").last, "is no model id")  # H16
    expect_text(finding(page), "“capital”")
    hostile = '<img src=x onerror="window.__pwn=1"> the river'
    page.locator("#compare-fill-mask-text textarea").fill(hostile)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect_text(page.locator("#compare-finding [role=alert]"), "no blank")  # H01, H38
    assert page.evaluate("window.__pwn") is None
    assert page.locator("#compare-cards .lab-model-card").count() == 0
    assert page.locator("#compare-fill-mask-text textarea").input_value() == hostile

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from components.models.families import Task
from components.models.manager import ModelManager
from components.tabs import head_map as tab
from components.tasks.followed import CASES, Given
from tests.pages import endpoint_of, handler_of

OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    import app

    return app.create_app(models)


def test_every_task_whose_answer_can_be_followed_is_offered() -> None:
    assert list(tab.PANELS) == [task for task in CASES if task is not Task.SENTENCE_ORDER]
    for panel in tab.PANELS.values():
        Given(**{field.name: field.default for field in panel.fields})
        assert all(len(example) == len(panel.fields) for example in panel.examples)
        assert panel.examples[0] == tuple(field.default for field in panel.fields)


@pytest.mark.parametrize("task", tab.PANELS)
def test_every_example_is_answered(demo: gr.Blocks, task: Task) -> None:
    panel = tab.PANELS[task]
    for example in panel.examples:
        names = [field.name for field in panel.fields]
        given = dict(zip(names, example, strict=True))
        answer = endpoint_of(demo, "head_map")(**given, task=task.value)
        assert len(answer["heads"]) == len(answer["layers"]) == 3
        assert answer["together"] is None


def test_programs_get_the_numbers_of_heads_and_of_a_set(demo: gr.Blocks) -> None:
    ask = endpoint_of(demo, "head_map")
    answer = ask("the river [MASK] past", heads="1.0, 1.1 1.2 1.3", by="mean")
    assert answer["by"] == "mean"
    assert answer["together"]["chosen"] == ((1, 0), (1, 1), (1, 2), (1, 3))
    layer = answer["layers"][1]
    assert answer["together"]["joint"]["score"] == pytest.approx(layer["score"], abs=1e-4)
    for wrong in ({"heads": "x"}, {"by": "x"}, {"task": "x"}):
        with pytest.raises(gr.Error):
            ask("the river [MASK] past", **wrong)


def _values(demo: gr.Blocks, elem_id: str, event: str = "click") -> list[Any]:
    component = next(b for b in demo.blocks.values() if getattr(b, "elem_id", None) == elem_id)
    run = next(f for f in demo.fns.values() if (component._id, event) in f.targets)
    return [field.value for field in run.inputs]


def _together(demo: gr.Blocks) -> Any:
    part = next(
        b for b in demo.blocks.values() if getattr(b, "elem_id", None) == "head_map-together"
    )
    return next(f for f in demo.fns.values() if f.outputs and f.outputs[0] is part)


def test_the_chosen_heads_are_measured_apart_from_the_map(demo: gr.Blocks) -> None:
    run = _together(demo)
    values = [field.value for field in run.inputs]
    assert "No heads are chosen" in run.fn(gr.Progress(), *values)[0]
    drawn = run.fn(gr.Progress(), "0.1, 2.3", *values[1:])[0]
    assert "Without head 2 of layer 1 and head 4 of layer 3 together" in drawn
    assert "lab-refused" in run.fn(gr.Progress(), "<b>", *values[1:])[0]


def test_the_map_is_drawn_for_the_chosen_task_and_its_own_model(demo: gr.Blocks) -> None:
    run, values = handler_of(demo, "head_map-run"), _values(demo, "head_map-run")
    finding, drawn, *_ = run(Task.SENTIMENT.value, *values[1:])
    assert "POSITIVE" in finding or "NEGATIVE" in finding
    assert drawn.count("lab-cell") >= 15
    values[3] = "no blank here"
    finding, drawn, *_ = run(Task.FILL_MASK.value, *values[1:])
    assert "There is no blank yet" in finding  # H01
    assert drawn is None


def _headline(page: Any) -> Any:
    return page.locator("#head_map-finding .lab-headline")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_answered_and_a_new_text_gets_a_new_map(
    open_page: OpenPage, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Head map", width=width, dark=dark)
    expect(_headline(page)).to_contain_text(re.compile("head .+ of layer|No single head"))
    cells = page.locator("#head_map-map .lab-cell")
    expect(cells).to_have_count(6 * 13)
    page.locator("#head_map-fill-mask-text textarea").fill("She drank a cup of ___.")
    page.locator("#head_map-run").click()
    expect(page.locator("#head_map-finding")).to_contain_text("___ was read as [MASK].")
    page.locator("#head_map-task").get_by_text("Sentiment", exact=True).click()
    expect(page.locator("#head_map-finding")).to_contain_text(re.compile("POSITIVE|NEGATIVE"))
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0


@pytest.mark.browser
def test_cells_are_chosen_by_click_and_by_keyboard_and_measured_together(
    open_page: OpenPage,
) -> None:
    from playwright.sync_api import expect

    page = open_page("Head map")
    cells = page.locator("#head_map-map .lab-cell")
    together = page.locator("#head_map-together .lab-headline")
    cells.nth(0).click()
    cells.nth(14).click()  # at once, before the first is answered: both count
    expect(together).to_contain_text("head 1 of layer 1 and head 2 of layer 2 together")
    expect(page.locator("#head_map-map .lab-cell[aria-pressed=true]")).to_have_count(2)
    cells.nth(14).press("ArrowRight")
    page.keyboard.press("Enter")
    expect(together).to_contain_text("the 3 chosen heads together")
    page.locator("#head_map-by").get_by_text("mean").click()  # the choice outlasts a new map
    expect(page.locator("#head_map-map")).to_contain_text("its average over all tokens")
    expect(page.locator("#head_map-map .lab-cell[aria-pressed=true]")).to_have_count(3)
    expect(together).to_contain_text("the 3 chosen heads together")
    cells.nth(12).click()  # all heads of layer 1
    expect(together).to_contain_text("the 14 chosen heads together")
    page.get_by_role("button", name="Choose none").click()
    expect(together).to_contain_text("No heads are chosen yet")


@pytest.mark.browser
def test_logits_can_be_shown_and_another_answer_followed(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Head map")
    page.get_by_role("button", name="Logits").click()
    expect(page.locator("#head_map-map")).to_contain_text("as a change of its logit")
    expect(page.locator("#head_map-map .lab-cell .lab-in-points").first).to_be_hidden()
    other = page.locator("#head_map-answers .lab-bar").nth(1)
    name = other.locator(".lab-bar-label").inner_text()
    other.click()
    expect(page.locator("#head_map-answer textarea, #head_map-answer input")).to_have_value(name)
    expect(page.locator("#head_map-map")).to_contain_text(f"What “{name}” loses or gains")
    expect(page.locator("#head_map-map")).to_contain_text("as a change of its logit")

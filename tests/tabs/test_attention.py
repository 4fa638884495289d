from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

import app
from components.models.manager import ModelManager
from components.tabs import attention
from components.tabs.attention import EXAMPLES
from components.tasks.attention import View
from tests.pages import endpoint_of, handler_of

OpenPage = Callable[..., Any]
MODES = [(1280, False), (390, True)]


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> Iterator[gr.Blocks]:
    built = app.create_app(models)
    yield built
    built.close()


def _values(**changes: Any) -> list[Any]:
    values: dict[str, Any] = {
        "task": "feature-extraction",
        "model": "bert-mini",
        "text": "the river ran past",
        "pair": "",
        "view": "head",
        "layer": 0,
        "head": 0,
        "token": 0,
        "mix": "head",
        "sides": "all",
        "joined": False,
        "bare": False,
        "order": "previous",
    }
    return list({**values, **changes}.values())


def test_a_slider_follows_the_model_and_leaves_the_visitor_in_peace() -> None:  # H36
    assert attention._follow(3, 11, 2).value == 2  # what is out of reach is brought back
    within = attention._follow(3, 1, 1)
    assert within.maximum == 3
    assert "value" not in within.constructor_args  # else a slider on the move would jump back
    alone = attention._follow(1, 5, 1)  # Gradio refuses a slider without length
    assert (alone.maximum, alone.value, alone.interactive) == (2, 1, False)


def test_another_task_brings_its_example_unless_something_was_typed() -> None:
    assert attention._example_for("next-sentence-prediction", *EXAMPLES[0][1:]) == EXAMPLES[2][1:]
    kept = attention._example_for("next-sentence-prediction", "my own words", "")
    assert kept == (gr.skip(), gr.skip())


@pytest.mark.parametrize("view", list(View))
def test_every_view_is_answered_in_the_page(demo: gr.Blocks, view: View) -> None:
    run = handler_of(demo, "attention-run")
    finding, picture, panels, *_ = run(*_values(view=view.value, layer=1, head=2, token=3))
    assert "Head 2 of layer 1" in finding
    assert picture["view"] == view.value
    assert ("matrices" in picture) == (view in (View.HEAD, View.MATRIX))
    assert ("match" in picture) == (view is View.MATCH)
    assert "previous token" in panels


def test_a_text_without_a_blank_is_refused_with_an_offer(demo: gr.Blocks) -> None:
    run = handler_of(demo, "attention-run")
    finding, picture, *_ = run(*_values(task="fill-mask"))
    assert "Use “the river ran [MASK]”" in finding
    assert picture is None


def test_programs_get_every_task_and_mixture(demo: gr.Blocks) -> None:
    endpoint = endpoint_of(demo, "attention")
    plain = endpoint("the river ran past", layer=1, head=2)
    assert plain["answer"] is None
    assert json.loads(json.dumps(plain)) == plain
    filled = endpoint("the ___ ran past", task="fill-mask", mix="rollout")
    assert "fills the blank" in filled["answer"]
    with pytest.raises(gr.Error, match="task must be one of"):
        endpoint("the river", task="translation")
    with pytest.raises(gr.Error, match="mix must be one of"):
        endpoint("the river", mix="sum")
    with pytest.raises(gr.Error, match="first must be"):
        endpoint("the river", first=-1)


def _slider(page: Any, name: str) -> Any:
    return page.locator(f"#attention-{name} input[type=range]")


def _view(page: Any, label: str) -> None:
    page.locator("#attention-view label", has_text=label).click()
    page.locator(
        f".lab-attention[data-view={dict(zip(_LABELS, View, strict=True))[label]}]"
    ).wait_for()


_LABELS = ("Lines", "Matrix", "Layer", "All heads", "Query · key")


def _wait_for_ink(page: Any, canvas: str) -> None:
    """Wait until something is drawn: a canvas of a tab that was hidden could have no size."""
    page.wait_for_function(
        "c => c.width > 50 && c.getContext('2d').getImageData(0, 0, c.width, c.height)"
        ".data.some(value => value > 0)",
        arg=page.locator(canvas).element_handle(),
    )


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), MODES)
def test_the_example_is_answered_and_every_view_is_drawn(
    open_page: OpenPage, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention", width=width, dark=dark)
    finding = page.locator("#attention-finding")
    expect(finding).to_contain_text("fills the blank")
    expect(finding).to_contain_text("Head 3 of layer 1")
    labels = page.locator(".lab-attention-from .lab-token span")
    expect(labels).to_have_text(
        ["[CLS]", "paris", "is", "the", "[MASK]", "of", "france", ".", "[SEP]"]
    )
    _wait_for_ink(page, ".lab-attention-columns canvas")
    _wait_for_ink(page, ".lab-attention-grid canvas")
    for label in _LABELS[1:]:
        _view(page, label)
        _wait_for_ink(page, ".lab-attention-sheet canvas")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    _view(page, "Lines")
    page.get_by_role("button", name="the cat the mat", exact=True).click()
    expect(labels).to_have_text(["[CLS]", "the", "cat", "the", "mat", "[SEP]"])  # H34


@pytest.mark.browser
def test_a_head_is_found_by_what_it_does_and_chosen_in_every_picture(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 3 of layer 1")
    page.get_by_role("button", name="Head 1", exact=True).click()
    expect(headline).to_contain_text("Head 1 of layer 1")
    expect(_slider(page, "head")).to_have_value("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(headline).to_contain_text("Head 3 of layer 1")
    expect(page.locator(".lab-head:focus")).to_have_attribute("aria-label", "Head 3")
    best = page.locator("[data-pick]", has_text="previous token").first
    layer, head = (best.get_attribute("data-pick") or "").split(",")
    best.click()
    expect(headline).to_contain_text(f"Head {int(head) + 1} of layer {int(layer) + 1}")
    _view(page, "All heads")
    page.get_by_role("button", name="Head 5 of layer 4").click()
    expect(headline).to_contain_text("Head 5 of layer 4")
    expect(page.locator(".lab-attention")).to_have_attribute("data-view", "head")


@pytest.mark.browser
def test_tokens_and_cells_are_read_by_pointer_and_by_keyboard(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    token = page.locator(".lab-attention-from .lab-token")
    token.nth(4).hover()
    says = page.locator(".lab-attention-says")
    expect(says).to_contain_text("“[MASK]” looks at")
    token.nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("“paris” looks at")
    page.locator(".lab-attention-to .lab-token").nth(2).focus()
    expect(says).to_contain_text("“is” is looked at by")
    page.keyboard.press("Escape")
    expect(says).to_contain_text("shares out 100 %")
    _view(page, "Matrix")
    page.locator(".lab-attention-sheet").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(says).to_contain_text("“paris” looks at “paris”")
    _view(page, "Query · key")
    page.locator(".lab-attention-sheet").focus()
    page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("of “[MASK]” with “[CLS]” becomes a weight of")
    page.keyboard.press("Enter")
    expect(_slider(page, "token")).to_have_value("0")


@pytest.mark.browser
def test_the_picture_follows_the_size_of_the_window_and_the_mode(open_page: OpenPage) -> None:
    page = open_page("Attention")
    canvas = page.locator(".lab-attention-grid canvas")
    page.locator(".lab-head").first.wait_for()
    fits = "c => c.width > 0 && Math.abs(c.width - c.parentElement.clientWidth) <= 1"
    page.wait_for_function(fits, arg=canvas.element_handle())
    wide = canvas.evaluate("c => c.width")
    page.get_by_role("tab", name="Fill-mask", exact=True).click()
    page.set_viewport_size({"width": 390, "height": 900})  # while the tab is hidden
    page.get_by_role("tab", name="Attention", exact=True).click()
    page.wait_for_function(fits, arg=canvas.element_handle())
    assert canvas.evaluate("c => c.width") != wide
    light = canvas.evaluate(_PIXEL)
    page.evaluate("document.body.classList.add('dark')")
    changed = f"([c, light]) => ({_PIXEL})(c).join() !== light.join()"
    page.wait_for_function(changed, arg=[canvas.element_handle(), light])


_PIXEL = "c => [...c.getContext('2d').getImageData(20, 20, 1, 1).data]"  # of the first thumbnail


_CHOOSE_QUICKLY = """async (heads) => {
  for (const head of heads) {
    document.querySelectorAll('.lab-head')[head].click();
    await new Promise((done) => setTimeout(done, 150));
  }
}"""


@pytest.mark.browser
def test_of_quick_choices_the_last_one_counts(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 3 of layer 1")
    page.locator(".lab-head").nth(11).wait_for()
    # A slow network, so that clicks come while an answer is on its way: on a fast one all of them
    # are sent before the first counts as pending, and nothing can be lost.
    slow = {"offline": False, "latency": 1000, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    page.evaluate(_CHOOSE_QUICKLY, [1, 3, 0])
    expect(headline).to_contain_text("Head 1 of layer 1")
    expect(_slider(page, "head")).to_have_value("1")
    pressed = page.locator(".lab-attention-grid .lab-head[aria-pressed=true]")
    expect(pressed).to_have_attribute("aria-label", "Head 1")


@pytest.mark.browser
def test_layers_follow_the_model_and_a_refusal_keeps_them(open_page: OpenPage) -> None:  # H36
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 3 of layer 1")
    _slider(page, "layer").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(headline).to_contain_text("of layer 6")
    page.locator("#attention-model input").click()
    page.get_by_role("option", name="DistilBERT, miniature").click()
    expect(headline).to_contain_text("of layer 3")
    expect(_slider(page, "layer")).to_have_attribute("max", "3")
    expect(_slider(page, "layer")).to_have_value("3")
    page.locator("#attention-text textarea").fill("  ")
    page.locator("#attention-run").click()
    expect(headline).to_contain_text("The text is empty")
    expect(page.locator(".lab-attention")).to_be_hidden()
    expect(_slider(page, "layer")).to_have_value("3")


@pytest.mark.browser
def test_hostile_text_stays_text_and_a_long_one_is_drawn_whole(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    page.get_by_role("button", name="the cat the mat", exact=True).click()
    text = page.locator("#attention-text textarea")
    hostile = '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script> ${1} {{x}}'
    text.fill(hostile)  # H38
    page.locator("#attention-run").click()
    labels = page.locator(".lab-attention-from .lab-token span")
    expect(labels.nth(1)).to_have_text("<")
    assert page.evaluate("window.__pwn") is None
    assert page.locator(".lab-attention img").count() == 0
    text.fill(("the river ran past the mill. " * 80)[:1990])  # H35
    page.locator("#attention-run").click()
    expect(labels).to_have_count(482, timeout=60_000)
    _view(page, "Matrix")
    page.locator(".lab-attention-sheet").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".lab-attention-says")).to_contain_text("“[CLS]” looks at “[CLS]”")


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["png", "svg", "csv"])
def test_the_picture_can_be_saved(open_page: OpenPage, kind: str) -> None:
    page = open_page("Attention")
    page.locator(".lab-head").first.wait_for()
    with page.expect_download() as waiting:
        page.locator(f"[data-save={kind}]").click()
    content = waiting.value.path().read_bytes()
    assert waiting.value.suggested_filename == f"attention-head.{kind}"
    if kind == "png":
        assert content.startswith(b"\x89PNG")
    else:
        said = content.decode("utf-8-sig")
        assert "[MASK]" in said
        assert kind == "csv" or "bert-mini (BERT miniature) · Paris is the [MASK]" in said

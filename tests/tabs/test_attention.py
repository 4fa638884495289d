from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from components.tabs import attention

OpenPage = Callable[..., Any]
MODES = [(1280, False), (390, True)]


def test_a_slider_follows_the_model_and_leaves_the_visitor_in_peace() -> None:  # H36
    assert attention._follow(3, 11, 2).value == 2  # what is out of reach is brought back
    within = attention._follow(3, 1, 1)
    assert within.maximum == 2
    assert "value" not in within.constructor_args  # else a slider on the move would jump back
    alone = attention._follow(1, 5, 0)  # Gradio refuses a slider without length
    assert (alone.maximum, alone.value, alone.interactive) == (1, 0, False)


def _slider(page: Any, name: str) -> Any:
    return page.locator(f"#attention-{name} input[type=range]")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), MODES)
def test_the_example_is_answered_and_a_change_redraws(
    open_page: OpenPage, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention", width=width, dark=dark)
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 2 of layer 0")
    expect(headline).to_contain_text("% of its attention")
    labels = page.locator(".lab-attention-from .lab-token span")
    expected = "[CLS] the cat sat on the mat because it was tired . [SEP]"
    expect(labels).to_have_text(expected.split())
    _wait_for_ink(page, ".lab-attention-columns canvas")
    _wait_for_ink(page, ".lab-attention-grid canvas")

    page.get_by_role("button", name="the cat the mat", exact=True).click()
    expect(labels).to_have_text(["[CLS]", "the", "cat", "the", "mat", "[SEP]"])  # H34
    page.locator("#attention-heat-map .heatmaplayer image").wait_for()
    ticks = page.locator("#attention-heat-map .ytick text")
    expect(ticks).to_have_text(["[CLS]", "the", "cat", "the", "mat", "[SEP]"])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def _wait_for_ink(page: Any, canvas: str) -> None:
    """Wait until something is drawn: a canvas of a tab that was hidden could have no size."""
    page.wait_for_function(
        "c => c.width > 50 && c.getContext('2d').getImageData(0, 0, c.width, c.height)"
        ".data.some(value => value > 0)",
        arg=page.locator(canvas).element_handle(),
    )


@pytest.mark.browser
def test_heads_are_chosen_by_click_and_by_keyboard(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 2 of layer 0")
    page.get_by_role("button", name="Head 1", exact=True).click()
    expect(headline).to_contain_text("Head 1 of layer 0")
    expect(_slider(page, "head")).to_have_value("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(headline).to_contain_text("Head 3 of layer 0")
    expect(page.locator(".lab-head[aria-pressed=true]")).to_have_text("3")
    expect(page.locator(".lab-head:focus")).to_have_text("3")  # the keyboard goes on from here


@pytest.mark.browser
def test_a_token_shows_only_its_links(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    token = page.locator(".lab-attention-from .lab-token")
    token.nth(2).hover()
    says = page.locator(".lab-attention-says")
    expect(says).to_contain_text("“cat” looks at")
    token.nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("“the” looks at")
    page.locator(".lab-attention-to .lab-token").nth(2).focus()
    expect(says).to_contain_text("“cat” is looked at by")
    page.keyboard.press("Escape")
    expect(says).to_contain_text("Every row sums to one")


@pytest.mark.browser
def test_the_picture_follows_the_size_of_the_window_and_the_mode(open_page: OpenPage) -> None:
    page = open_page("Attention")
    canvas = page.locator(".lab-attention-grid canvas")
    page.locator(".lab-head").first.wait_for()
    fits = "c => c.width > 0 && c.width === c.parentElement.clientWidth"
    page.wait_for_function(fits, arg=canvas.element_handle())
    wide = canvas.evaluate("c => c.width")
    page.get_by_role("tab", name="Fill-mask", exact=True).click()
    page.set_viewport_size({"width": 390, "height": 900})  # while the tab is hidden
    page.get_by_role("tab", name="Attention", exact=True).click()
    page.wait_for_function(fits, arg=canvas.element_handle())
    assert canvas.evaluate("c => c.width") != wide
    light = canvas.evaluate(_EDGE)
    page.evaluate("document.body.classList.add('dark')")
    changed = f"([c, light]) => ({_EDGE})(c).join() !== light.join()"
    page.wait_for_function(changed, arg=[canvas.element_handle(), light])


_EDGE = "c => [...c.getContext('2d').getImageData(8, 40, 1, 1).data]"  # of the first thumbnail


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
    expect(headline).to_contain_text("Head 2 of layer 0")
    page.locator("#attention-heat-map .heatmaplayer image").wait_for()
    # A slow network, so that clicks come while an answer is on its way: on a fast one all of them
    # are sent before the first counts as pending, and nothing can be lost.
    slow = {"offline": False, "latency": 1000, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    page.evaluate(_CHOOSE_QUICKLY, [1, 3, 0])
    expect(headline).to_contain_text("Head 0 of layer 0")
    expect(_slider(page, "head")).to_have_value("0")
    expect(page.locator(".lab-head[aria-pressed=true]")).to_have_text("0")


@pytest.mark.browser
def test_the_surprise_that_the_tab_promises_is_there(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("previous token")
    _slider(page, "layer").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(headline).to_contain_text("Head 2 of layer 3")
    page.get_by_role("button", name="Head 1", exact=True).click()
    page.locator(".lab-attention-from .lab-token").nth(8).hover()
    expect(page.locator(".lab-attention-says")).to_contain_text("“it” looks at “cat”")


@pytest.mark.browser
def test_layers_follow_the_model_and_a_refusal_keeps_them(open_page: OpenPage) -> None:  # H36
    from playwright.sync_api import expect

    page = open_page("Attention")
    headline = page.locator("#attention-finding .lab-headline")
    expect(headline).to_contain_text("Head 2 of layer 0")
    _slider(page, "layer").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(headline).to_contain_text("of layer 5")
    page.locator("#attention-model input").click()
    page.get_by_role("option", name="DistilBERT").click()
    expect(headline).to_contain_text("of layer 2")
    expect(_slider(page, "layer")).to_have_attribute("max", "2")
    expect(_slider(page, "layer")).to_have_value("2")
    page.locator("#attention-text textarea").fill("  ")
    page.locator("#attention-run").click()
    expect(headline).to_contain_text("The text is empty")
    expect(page.locator(".lab-attention")).to_be_hidden()
    expect(_slider(page, "layer")).to_have_value("2")


@pytest.mark.browser
def test_hostile_text_stays_text_and_a_long_one_is_drawn_in_parts(open_page: OpenPage) -> None:
    from playwright.sync_api import expect

    page = open_page("Attention")
    text = page.locator("#attention-text textarea")
    hostile = '<img src=x onerror="window.__pwn=1"> <b>x</b> <script>1</script> ${1} {{x}}'
    text.fill(hostile)  # H38
    page.locator("#attention-run").click()
    says = page.locator(".lab-attention-from .lab-token span")
    expect(says.nth(1)).to_have_text("<")
    assert page.evaluate("window.__pwn") is None
    assert page.locator(".lab-attention img").count() == 0
    text.fill("the river ran past the mill. " * 30)  # H35
    page.locator("#attention-run").click()
    expect(page.locator("#attention-finding")).to_contain_text("Tokens 0 to 127 of 212 are drawn")
    expect(says).to_have_count(128)
    _slider(page, "first").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#attention-finding")).to_contain_text("Tokens 1 to 128 of 212 are drawn")

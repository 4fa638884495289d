from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import app
from components.models.manager import ModelManager
from tests.pages import endpoint_of

Open = Callable[..., Any]


def test_programs_choose_the_token(models: ModelManager) -> None:
    demo = app.create_app(models)
    ask = endpoint_of(demo, "input_embeddings")
    first, last = ask("the river ran", "the mill", position=1), ask("the river ran", "the mill")
    assert (first["position"], last["position"]) == (1, 6)
    assert [part["row"] for part in last["parts"]][1:] == [6, 1]
    assert first["parts"][0]["vector"]["first"] != last["parts"][0]["vector"]["first"]
    demo.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_example_is_added_up_and_a_token_pressed_is_looked_at(
    open_page: Open, width: int, dark: bool
) -> None:
    from playwright.sync_api import expect

    page = open_page("Tokens", "Into layer 1", width=width, dark=dark)
    finding = page.locator("#input_embeddings-finding")
    expect(finding).to_contain_text("“playing” at position", timeout=30_000)
    expect(page.locator("#input_embeddings-addition .lab-sum-row")).to_have_count(5)
    page.locator("#input_embeddings-strip .lab-token", has_text="dog").click()
    expect(finding).to_contain_text("“dog” at position 2")
    expect(page.locator("#input_embeddings-position input, #input_embeddings-position textarea")
           ).to_have_value("2")  # fmt: skip
    page.get_by_role("button", name="dog bites man / man bites dog").click()
    expect(finding).to_contain_text("“dog” at position 7")
    expect(finding).to_contain_text("stands at position 1 too")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

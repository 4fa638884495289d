"""The attention tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.config import ASSETS
from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    model_picker,
    numbers_view,
    text_box,
)
from components.tasks import attention
from components.tasks.attention import AttentionResult
from components.views import attention as views
from components.views import markup

EXAMPLES = (
    ("The cat sat on the mat because it was tired.", ""),
    ("The bank is near the river.", ""),
    ("The weather is nice today.", "Let's go for a walk."),
    ("the cat the mat", ""),
)
LABELS = tuple(f"{text} / {pair}" if pair else text for text, pair in EXAMPLES)
GUIDE = markup.guide(
    "In every layer each head lets every token collect something from all the others. A line, or "
    "a cell, is the part of its attention that one token gives to another; a row sums to one.",
    "Go to layer 3, head 1, and point at “it”: has this head found out what the word stands for? "
    "Then put “dirty” in place of “tired” and look again.",
)
_START = {"layer": 0, "head": 2}
_UNKNOWN = 11  # the last layer and head of a base model, until a model has said what it has


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][0], "Text", lines=2)
            pair = text_box(TAB.id, "pair", "", "Second text (optional)", lines=1)
            submit = gr.Button("Show attention", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            ready = examples(TAB.id, [text, pair], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            with gr.Row():
                layer = _index_slider("layer", "Layer (0 is the first)", _START["layer"])
                head = _index_slider("head", "Head (0 is the first)", _START["head"])
            first = _index_slider("first", "First token drawn", 0, visible=False)
            picture = gr.HTML(
                html_template=(ASSETS / "attention.html").read_text(encoding="utf-8"),
                js_on_load=(ASSETS / "attention.js").read_text(encoding="utf-8"),
                apply_default_css=False,
                elem_id=f"{TAB.id}-picture",
            )
            heat_map = gr.Plot(show_label=False, elem_id=f"{TAB.id}-heat-map")
            shares = gr.HTML(elem_id=f"{TAB.id}-shares")
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(
        model_id: str, text: str, pair: str, layer: int, head: int, first: int
    ) -> tuple[Any, ...]:
        model = page.model(model_id, Task.ENCODER, attentions=True)
        # the number of a slider may be empty
        layer, head, first = (value or 0 for value in (layer, head, first))
        result = attention.predict(model, text, pair, layer=layer, head=head, first=first)
        drawings = (views.finding, views.picture, views.heat_map, views.shares, views.table)
        return (
            *(draw(result) for draw in drawings),
            _follow(result.layers, layer, result.layer),
            _follow(result.heads, head, result.head),
            _window(result, first),
        )

    def endpoint(
        text: str,
        pair: str = "",
        model: str = default_for(Task.ENCODER),
        layer: int = 0,
        head: int = 0,
        first: int = 0,
    ) -> dict[str, Any]:
        """Give the attention weights of one head: a row for each token that looks.

        Args:
            text: up to 2,000 characters
            pair: a second text, or nothing
            model: a bundled model, or an id of the Hub
            layer: 0 is the first
            head: 0 is the first
            first: the first of the 128 tokens, at the most, that are given
        """
        loaded = page.models.get(model, Task.ENCODER, attentions=True)
        result = attention.predict(loaded, text, pair, layer=layer, head=head, first=first)
        return views.numbers(result)

    wire(
        page,
        TAB,
        [submit.click, text.submit, pair.submit, model_id.change]
        + [control.input for control in (layer, head, first)],
        run,
        [model_id, text, pair, layer, head, first],
        [finding, picture, heat_map, shares, table, layer, head, first],
        endpoint=endpoint,
        picks=[(picture, head)],
        examples=ready,
    )


def _index_slider(name: str, label: str, value: int, **options: Any) -> gr.Slider:
    return gr.Slider(
        0,
        _UNKNOWN,
        value=value,
        step=1,
        precision=0,
        label=label,
        interactive=True,
        buttons=[],  # its reset is no input, and would leave the picture behind
        elem_id=f"{TAB.id}-{name}",
        **options,
    )


def _follow(count: int, asked: int, given: int, **options: Any) -> gr.Slider:
    """Let a slider end where the model does; its value changes only if it has to.

    A value that was sent back would undo what the visitor did with the slider in the meantime.
    """
    if asked != given:
        options["value"] = given
    # Gradio refuses a slider without length, so a model with one layer gets one that is fixed
    return gr.Slider(maximum=max(count - 1, 1), interactive=count > 1, **options)


def _window(result: AttentionResult, asked: int) -> gr.Slider:
    start, stop = result.window
    starts = len(result.tokens) - (stop - start) + 1
    return _follow(starts, asked, start, visible=starts > 1)


TAB = Tab(id="attention", title="Attention", build=build)

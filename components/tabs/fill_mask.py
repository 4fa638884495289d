"""The fill-mask tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import MAX_TOP_K
from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    clickable,
    columns,
    examples,
    finding_view,
    model_picker,
    numbers_view,
    text_box,
)
from components.tabs.ways import ways_on
from components.tasks import fill_mask
from components.views import fill_mask as views
from components.views import markup

EXAMPLES = (
    "Paris is the [MASK] of France.",
    "The capital of France is [MASK].",
    "The bank is near the [MASK].",
    "She drank a cup of [MASK] and read the [MASK].",
)
GUIDE = markup.guide(
    "The model reads the words on both sides of the blank at once, and gives every entry of its "
    "vocabulary a probability.",
    "Hide “France” as well by clicking it, then put “city” into the first blank: does the second "
    "one still know the country?",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0], "Sentence")
            submit = gr.Button("Fill the blank", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            with gr.Accordion("Options", open=False):
                top_k = gr.Slider(1, MAX_TOP_K, value=5, step=1, label="Candidates for each blank")
                only = gr.Textbox("", label="Only these words", info="Separated by commas.")
            ready = examples(TAB.id, [text], [[e] for e in EXAMPLES], EXAMPLES)
        with panel:
            finding = finding_view(TAB.id)
            strip = clickable(elem_id=f"{TAB.id}-strip")
            chart = clickable(elem_id=f"{TAB.id}-chart")
            ways_on(page.ways, TAB.id, Task.FILL_MASK, model_id, text)
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(model_id: str, text: str, top_k: int, only: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.FILL_MASK)
        try:
            result = fill_mask.predict(model, text, top_k=top_k, only=only.split(","))
        except fill_mask.NoBlankError as error:  # nothing is wrong: a word can still be hidden
            return views.no_blank(error), views.strip(error), None, None
        return tuple(
            draw(result) for draw in (views.finding, views.strip, views.bar_chart, views.table)
        )

    def endpoint(
        text: str, model: str = default_for(Task.FILL_MASK), top_k: int = 5, only: str = ""
    ) -> dict[str, Any]:
        """Rank the words that fill each [MASK] of a text.

        Args:
            text: up to 2,000 characters with at least one [MASK], <mask> or ___
            model: a bundled model, or an id of the Hub
            top_k: candidates for each blank, 1 to 50
            only: words to choose from, separated by commas; empty for the whole vocabulary
        """
        loaded = page.models.get(model, Task.FILL_MASK)
        return asdict(fill_mask.predict(loaded, text, top_k=top_k, only=only.split(",")))

    wire(
        page,
        TAB,
        [submit.click, text.submit, model_id.change, top_k.release, only.submit],
        run,
        [model_id, text, top_k, only],
        [finding, strip, chart, table],
        endpoint=endpoint,
        edits=text,
        examples=ready,
    )


TAB = Tab(id="fill_mask", title="Fill-mask", build=build, short="Predict")

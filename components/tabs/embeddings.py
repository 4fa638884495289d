"""The vectors tab: the numbers that a text becomes."""

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
from components.tasks import embeddings
from components.views import embeddings as views
from components.views import markup

EXAMPLES = (
    "Transformers changed NLP.",
    "The bank is near the river.",
    "buffalo buffalo buffalo buffalo",
    "Unbelievably, the dog barked.",
)
GUIDE = markup.guide(
    "A row is one token, and its stripe holds all its numbers from left to right: white is zero, "
    "blue above, orange below. The slider goes from the embeddings through the layers. A last "
    "layer's row is what the module calls a contextual embedding, and what every head reads.",
    "Choose “buffalo buffalo buffalo buffalo” and push the slider to the embeddings: four equal "
    "words have almost equal rows, for they differ in their places alone. At which layer can you "
    "tell them apart?",
)
MEANING = markup.aside(
    "What does one number mean?",
    "By itself, nothing that has a name: the network chose its own axes while it was trained. What "
    "counts is the direction of a whole row, and how near it lies to others: see “One word” and "
    "“Sentences”.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0], "Text", lines=2)
            submit = gr.Button("Show the vectors", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            ready = examples(TAB.id, [text], [[e] for e in EXAMPLES], EXAMPLES)
        with panel:
            finding = finding_view(TAB.id)
            shape = gr.HTML(elem_id=f"{TAB.id}-shape")
            strips = gr.HTML(
                html_template=(ASSETS / "embeddings.html").read_text(encoding="utf-8"),
                js_on_load=(ASSETS / "embeddings.js").read_text(encoding="utf-8"),
                apply_default_css=False,
                elem_id=f"{TAB.id}-strips",
            )
            gr.HTML(GUIDE)
            loud = gr.HTML(elem_id=f"{TAB.id}-loud")
            gr.HTML(MEANING)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)
                link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(model_id: str, text: str) -> tuple[Any, ...]:
        result = embeddings.predict(page.model(model_id, Task.ENCODER), text)
        drawings = (views.finding, views.shape, views.strips, views.loud, views.table)
        return tuple(draw(result) for draw in (*drawings, views.download))

    def endpoint(
        text: str, model: str = default_for(Task.ENCODER), layer: int = -1
    ) -> dict[str, Any]:
        """Give the vectors of the first 32 tokens of a text.

        Args:
            text: up to 2,000 characters
            model: a bundled model, or an id of the Hub
            layer: 0 for the embeddings, 1 for the first layer, -1 for the last
        """
        result = embeddings.predict(page.models.get(model, Task.ENCODER), text)
        return views.numbers(result, embeddings.pick_step(result, layer))

    wire(
        page,
        TAB,
        [submit.click, text.submit, model_id.change],
        run,
        [model_id, text],
        [finding, shape, strips, loud, table, link],
        endpoint=endpoint,
        examples=ready,
    )


TAB = Tab(id="embeddings", title="Vectors", build=build, short="Numbers")

"""The page Models: which family to choose, and what each one is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.models.catalog import CATALOG
from components.models.choices import CHOICES, DEFAULT_NEED
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view, numbers_view
from components.tasks import families
from components.views import families as views
from components.views import markup
from components.views.anatomy import anatomy_bars

GUIDE = markup.guide(
    "What the papers say of the full-size models stands on plain ground with its source; what was "
    "measured of our miniatures stands on tinted ground. The two are not to be mixed: ours "
    "read a small fraction of the text.",
    "Choose “The best accuracy”: do our miniatures come in the order that the papers promise? What "
    "would you have to give each of them to make the race fair?",
)


def build(page: Page) -> None:
    """Lay out the page, and wire it."""
    with gr.Column(elem_classes="lab-page"):
        need = gr.Radio(
            [(choice.label, known.value) for known, choice in CHOICES.items()],
            value=DEFAULT_NEED.value,
            label="What matters most to you?",
            interactive=True,
            elem_id=f"{TAB.id}-need",
        )
        finding = finding_view(TAB.id)
        picks = gr.HTML(elem_id=f"{TAB.id}-picks")
        bars = gr.HTML(elem_id=f"{TAB.id}-anatomy")
        cards = gr.HTML(elem_id=f"{TAB.id}-cards")
        gr.HTML(GUIDE)
        with gr.Accordion("All numbers", open=False):
            ids = [card.id for card in CATALOG]
            figures = numbers_view(TAB.id, views.figure_headers(ids), name="figures")
            table = numbers_view(TAB.id, views.HEADERS)
            numbers_view(
                TAB.id, views.PUBLISHED_HEADERS, name="published", value=views.published_table()
            )

    def run(need: str) -> tuple[Any, ...]:
        result = families.predict(page.models.settings.models_dir, need)
        return (
            *(draw(result) for draw in (views.finding, views.picks)),
            anatomy_bars(result.miniatures),
            *(draw(result) for draw in (views.cards, views.figure_table, views.table)),
        )

    def endpoint(need: str = DEFAULT_NEED.value) -> dict[str, Any]:
        """Say which family to choose for a need, and give all figures of the bundled models.

        Args:
            need: small-download, fast-answers, low-memory, best-accuracy, cheap-training,
                long-passages or sentence-pairs
        """
        return asdict(families.predict(page.models.settings.models_dir, need))

    wire(
        page,
        TAB,
        [need.input],
        run,
        [need],
        [finding, picks, bars, cards, figures, table],
        endpoint=endpoint,
    )


TAB = Tab(id="families", title="Models", build=build)

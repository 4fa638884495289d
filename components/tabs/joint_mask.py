"""Several blanks filled in three ways, a part of the fill-mask tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

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
from components.tasks import fill_mask, joint_mask
from components.views import fill_mask as fill_mask_views
from components.views import joint_mask as views
from components.views import markup

EXAMPLES = (
    "He lives in [MASK] [MASK], California.",
    "She drank a cup of [MASK] and read the [MASK].",
    "The capital of [MASK] is [MASK].",
    "They moved to [MASK] [MASK] City.",
)
GUIDE = markup.guide(
    "Three ways to fill the same blanks. Beside each word stands its probability at the moment "
    "when it was chosen; “together” is the joint probability of all of them. A word that differs "
    "from the joint choice is marked.",
    "Choose “She drank a cup of …”. On its own, the second blank does not know what the first "
    "became. Then put one word in by clicking it: how does the other blank's list change?",
)
ORDER = markup.aside(
    "What “together” means.",
    "The model gives a probability to one blank at a time, and none to words that stand together. "
    "The chain rule makes one: the first word with all blanks hidden, times the second with the "
    "first filled in, and so on. An order had to be chosen: here it is left to right. The other "
    "way round (“right to left”) the product is another number, because the model never learned "
    "to make the two agree. So compare fillings with each other, and do not take the number as "
    "the one true probability.",
)
BEAM = markup.aside(
    "The search.",
    "Trying every pair of 30,000 words would take a billion readings. A beam keeps only the most "
    "probable beginnings, and goes on from those. For two blanks it finds the best of all pairs "
    "that begin with one of the words kept.",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0], "Sentence with several blanks")
            submit = gr.Button("Fill them together", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            beam = gr.Slider(
                1,
                joint_mask.MAX_BEAM,
                value=5,
                step=1,
                label="Width of the beam",
                info="How many beginnings are kept.",
                elem_id=f"{TAB.id}-beam",
            )
            ready = examples(TAB.id, [text], [[e] for e in EXAMPLES], EXAMPLES)
        with panel:
            finding = finding_view(TAB.id)
            strip = clickable(elem_id=f"{TAB.id}-strip")
            cards = gr.HTML(elem_id=f"{TAB.id}-cards")
            search = gr.HTML(elem_id=f"{TAB.id}-search")
            gr.HTML(GUIDE + ORDER + BEAM)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)

    def run(model_id: str, text: str, beam: int) -> tuple[Any, ...]:
        model = page.model(model_id, Task.FILL_MASK)
        try:
            result = joint_mask.predict(model, text, beam=beam)
        except fill_mask.NoBlankError as error:  # nothing is wrong: a word can still be hidden
            return fill_mask_views.no_blank(error), views.strip(error), None, None, None
        drawings = (views.finding, views.strip, views.cards, views.search, views.table)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        text: str, model: str = default_for(Task.FILL_MASK), beam: int = 5
    ) -> dict[str, Any]:
        """Fill several [MASK] of a text in three ways: each alone, the surest first, jointly.

        Args:
            text: up to 2,000 characters with one to five [MASK], <mask> or ___
            model: a bundled model, or an id of the Hub
            beam: how many beginnings the joint search keeps, 1 to 10
        """
        loaded = page.models.get(model, Task.FILL_MASK)
        return views.numbers(joint_mask.predict(loaded, text, beam=beam))

    wire(
        page,
        TAB,
        [submit.click, text.submit, model_id.change, beam.release],
        run,
        [model_id, text, beam],
        [finding, strip, cards, search, table],
        endpoint=endpoint,
        edits=text,
        examples=ready,
    )


TAB = Tab(
    id="joint_mask",
    title="Several blanks",
    build=build,
    within="fill_mask",
    short="Several blanks",
)

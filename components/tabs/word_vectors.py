"""One word in many sentences, a part of the vectors tab."""

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
from components.tasks import occurrences, word_vectors
from components.views import markup
from components.views import word_vectors as views

EXAMPLES = (
    (
        "bank",
        "The bank is near the river.\nWe sat on the grassy bank and watched the boats.\n"
        "The river broke its bank after the storm.\nTrees grow along the bank of the stream.",
        "The bank raised its rates.\nShe put her money in the bank.\n"
        "The bank refused to give him a loan.\nHe works for a large bank in London.",
    ),
    (
        "spring",
        "Flowers bloom in spring.\nThe snow melts every spring.\n"
        "They married in the spring of 1960.\nLast spring was warm and wet.",
        "The spring in the mattress broke.\nA metal spring pulls the door shut.\n"
        "The clock is driven by a coiled spring.\nPress the spring until it clicks.",
    ),
    (
        "mouse",
        "The cat caught a mouse in the barn.\nA mouse ate the cheese.\n"
        "The mouse ran into its hole.\nAn owl hunts the mouse at night.",
        "Click the left button of the mouse.\nThe computer came with a keyboard and a mouse.\n"
        "Move the mouse to point at the icon.\nMy wireless mouse needs a new battery.",
    ),
    (
        "Washington",
        "Washington was the first president of the United States.\n"
        "General Washington led the army across the river.\nWashington was born in 1732.\n"
        "Martha married Washington in 1759.",
        "She moved to Washington last year.\nThe train to Washington leaves at noon.\n"
        "The museums of Washington are free.\nIt rained in Washington all week.",
    ),
    (
        "the",
        "The cat sat on the mat.\nHe closed the door.\nIn the end, nothing happened.",
        "",
    ),
)
LABELS = (
    "bank: of a river, for money",
    "spring: the season, the coil",
    "mouse: the animal, the device",
    "Washington: the person, the city",
    "the: no senses to tell apart",
)
GUIDE = markup.guide(
    "Each point is the same word in another sentence. The slider takes all points through the "
    "layers, on one map: the two directions in which they are spread most, over all layers "
    "together (each layer around its own middle). The lines below say the same in cosines: 1 is "
    "the same direction, 0 has nothing in common.",
    "Push the slider to the embeddings: no context yet, so nothing but its place in the sentence "
    "moves the word. Then write “The bank was closed.” as a further line of sense A: on which side "
    "does the model put it?",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    info = f"One sentence a line, at most {occurrences.MAX_SENTENCES}."
    boxes = {"lines": 4, "max_lines": 12, "info": info}
    with columns() as (entry, panel, options):
        with entry:
            word = text_box(
                TAB.id, "word", EXAMPLES[0][0], "Word", max_length=occurrences.MAX_WORD,
                info="In capitals or not.",
            )  # fmt: skip
            sense_a = text_box(TAB.id, "sense-a", EXAMPLES[0][1], "Sense A", **boxes)
            boxes["info"] = f"{info} Empty: no senses are told apart."
            sense_b = text_box(TAB.id, "sense-b", EXAMPLES[0][2], "Sense B", **boxes)
            submit = gr.Button("Compare the word", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            ready = examples(TAB.id, [word, sense_a, sense_b], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            picture = gr.HTML(
                html_template=(ASSETS / "word_vectors.html").read_text(encoding="utf-8"),
                js_on_load=(ASSETS / "word_vectors.js").read_text(encoding="utf-8"),
                apply_default_css=False,
                elem_id=f"{TAB.id}-picture",
            )
            chart = gr.Plot(show_label=False, elem_id=f"{TAB.id}-chart", elem_classes="lab-plot")
            gr.HTML(GUIDE)
            chance = gr.HTML(elem_id=f"{TAB.id}-chance")
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(model_id: str, word: str, sense_a: str, sense_b: str) -> tuple[Any, ...]:
        result = word_vectors.predict(page.model(model_id, Task.ENCODER), word, sense_a, sense_b)
        drawings = (views.finding, views.picture, views.chart, views.chance, views.table)
        return tuple(draw(result) for draw in (*drawings, views.download))

    def endpoint(
        word: str = EXAMPLES[0][0],
        sense_a: str = EXAMPLES[0][1],
        sense_b: str = EXAMPLES[0][2],
        model: str = default_for(Task.ENCODER),
    ) -> dict[str, Any]:
        """Compare the vectors of one word in several sentences, in every layer.

        Args:
            word: a word that stands in the sentences, or several words
            sense_a: up to 12 sentences, one a line
            sense_b: sentences with the word in another sense; empty for none
            model: a bundled model, or an id of the Hub
        """
        loaded = page.models.get(model, Task.ENCODER)
        return views.numbers(word_vectors.predict(loaded, word, sense_a, sense_b))

    wire(
        page,
        TAB,
        [submit.click, word.submit, model_id.change],
        run,
        [model_id, word, sense_a, sense_b],
        [finding, picture, chart, chance, table, link],
        endpoint=endpoint,
        edits=word,
        examples=ready,
    )


TAB = Tab(
    id="word_vectors",
    title="One word in many sentences",
    build=build,
    within="embeddings",
    short="One word",
)

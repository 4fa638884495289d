"""The named-entities tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import MAX_REVIEW
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
from components.tasks import token_classification
from components.views import markup
from components.views import token_classification as views

EXAMPLES = (
    "Marie Curie was born in Warsaw and worked at the University of Paris.",
    "Washington lived in Washington.",
    "Zlatan Ibrahimović left Manchester United for the Los Angeles Galaxy in 2018.",
    "apple pie is not made by Apple, and turkey is not from Turkey.",
    "Zoe\u0308 Mu\u0308ller ☕ met 李雷 and דוד כהן in São Paulo.",
)
LABELS = (
    "People, places, a university",
    "One name, two meanings",
    "Rare names, many pieces",
    "A capital letter makes a name?",
    "Accents, emoji, other scripts",
)
GUIDE = markup.guide(
    "The model gives every piece a label: B- begins a name, I- goes on with it, O is outside. What "
    "a name is, pieces must be joined for, and there are four usual ways. A dashed line marks what "
    "not all of them find.",
    "Choose “Rare names, many pieces”, and find a name that one way cuts in two. Then type a "
    "sentence twice, with and without its capital letters: which names are left?",
)
WHY = markup.aside(
    "What is a word?",
    "Where a vocabulary marks the pieces inside a word (##ing), words are known. Elsewhere "
    "(RoBERTa, ALBERT, DeBERTa) transformers takes everything up to the next space for one word, "
    "so a comma belongs to the name before it: first, average and max then light it up, too.",
) + markup.aside(
    "What did ours read?",
    "roberta-mini learned names from WikiGold and WNUT-17: encyclopedia sentences and posts of "
    "social media, all in English. Companies, bands and teams are ORG; products, works and peoples "
    "are MISC. Its head was trained on the first piece of every word alone: “first” is how it is "
    "meant to be read, and what it says of other pieces is a guess.",
)
_EMPTY = "() => ''"


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                EXAMPLES[0],
                "Text",
                lines=3,
                max_lines=12,
                max_length=MAX_REVIEW,
                info=f"Up to {MAX_REVIEW:,} characters; a long one is read in windows.",
            )
            submit = gr.Button("Find the names", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.TOKEN_CLASSIFICATION)
            position = text_box(
                TAB.id,
                "position",
                "",
                "Piece looked at",
                info="Counted from 0, special tokens left out. Empty: the first of interest.",
                max_length=6,
            )
            ready = examples(TAB.id, [text], [[line] for line in EXAMPLES], LABELS)
        with panel:
            finding = finding_view(TAB.id)
            reading = gr.HTML(elem_id=f"{TAB.id}-reading")
            ways = gr.HTML(elem_id=f"{TAB.id}-ways")
            strip = clickable("pick.js", elem_id=f"{TAB.id}-strip")
            scores = gr.HTML(elem_id=f"{TAB.id}-scores")
            gr.HTML(GUIDE + WHY)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)
                pieces = numbers_view(TAB.id, views.PIECE_HEADERS, name="pieces")
            link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(model_id: str, text: str, position: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.TOKEN_CLASSIFICATION)
        result = token_classification.predict(model, text, position=position)
        drawings = (
            views.finding,
            views.reading,
            views.ways,
            views.pieces,
            views.piece_bars,
            views.table,
            views.piece_table,
            views.download,
        )
        return tuple(draw(result) for draw in drawings)

    def endpoint(text: str, model: str = default_for(Task.TOKEN_CLASSIFICATION)) -> dict[str, Any]:
        """Find the named entities of a text: every piece's label, and what four strategies join.

        Args:
            text: up to 10,000 characters; a long one is read in overlapping windows
            model: a bundled model, or an id of the Hub
        """
        loaded = page.models.get(model, Task.TOKEN_CLASSIFICATION)
        return asdict(token_classification.predict(loaded, text))

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    # another text, or other pieces of it: the position of the old one means nothing there
    changed = [submit.click, text.submit, model_id.change]
    anew = gr.on(changed, None, None, position, js=_EMPTY, **glue)
    chosen = ready.chosen(**glue).then(None, None, position, js=_EMPTY, **glue)
    wire(
        page,
        TAB,
        [position.submit],
        run,
        [model_id, text, position],
        [finding, reading, ways, strip, scores, table, pieces, link],
        endpoint=endpoint,
        picks=[(strip, position)],
        after=[anew, chosen],
    )


TAB = Tab(
    id="token_classification",
    title="Named entities",
    build=build,
    needs=Task.TOKEN_CLASSIFICATION,
)

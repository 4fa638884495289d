"""What enters layer 1, a part of the Tokens tab."""

from __future__ import annotations

from dataclasses import asdict
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
from components.tasks import input_embeddings
from components.views import input_embeddings as views
from components.views import markup

EXAMPLES = (
    ("My dog is cute.", "He likes playing."),
    ("The dog saw the other dog.", ""),
    ("The bank is near the river.", "The bank raised its rates."),
    ("dog bites man", "man bites dog"),
)
LABELS = tuple(f"{text} / {pair}" if pair else text for text, pair in EXAMPLES)
GUIDE = markup.guide(
    "A token is looked up in one table by its id, its position in a second and its segment in a "
    "third. The rows found are added, number by number; LayerNorm brings the sum to a common "
    "measure, and that is all that layer 1 is given.",
    "Choose “The dog saw the other dog”, and press one “dog”, then the other: which of the rows "
    "changes? Choose DeBERTa and press them again: where has the position gone?",
)
WHY = markup.aside(
    "Why add a position?",
    "Attention looks at all tokens at once, in no order. Without the position “dog bites man” and "
    "“man bites dog” would be the same heap of words. The length of a vector is the root of the "
    "sum of its squared numbers.",
)
_EMPTY = "() => ''"


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][0], "Text", lines=2)
            pair = text_box(TAB.id, "pair", EXAMPLES[0][1], "Second text (optional)", lines=1)
            submit = gr.Button("Add them up", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            position = text_box(
                TAB.id,
                "position",
                "",
                "Token looked at",
                info="Its position, counted from 0. Empty: the last word.",
                max_length=6,
            )
            ready = examples(TAB.id, [text, pair], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            strip = clickable("pick.js", elem_id=f"{TAB.id}-strip")
            addition = gr.HTML(elem_id=f"{TAB.id}-addition")
            gr.HTML(GUIDE + WHY)
            with gr.Accordion("All numbers", open=False):
                vectors = numbers_view(TAB.id, views.VECTOR_HEADERS, name="vectors", wrap=True)
                table = numbers_view(TAB.id, views.HEADERS)

    def run(model_id: str, text: str, pair: str, position: str) -> tuple[Any, ...]:
        # the network of the attention tab: one less to load
        model = page.model(model_id, Task.ENCODER, attentions=True)
        result = input_embeddings.predict(model, text, pair, position=position)
        drawings = (views.finding, views.token_row, views.addition, views.vector_table, views.table)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        text: str, pair: str = "", model: str = default_for(Task.ENCODER), position: int = -1
    ) -> dict[str, Any]:
        """Take apart what enters layer 1 at one token: token + position + segment.

        Args:
            text: up to 2,000 characters
            pair: a second text, or nothing
            model: a bundled model, or an id of the Hub
            position: the token looked at, 0 is the first; -1 for the last word
        """
        loaded = page.models.get(model, Task.ENCODER, attentions=True)
        at = None if position == -1 else position
        return asdict(input_embeddings.predict(loaded, text, pair, position=at))

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    # another text, or other pieces of it: the position of the old one means nothing there
    changed = [submit.click, text.submit, pair.submit, model_id.change]
    anew = gr.on(changed, None, None, position, js=_EMPTY, **glue)
    chosen = ready.chosen(**glue).then(None, None, position, js=_EMPTY, **glue)
    wire(
        page,
        TAB,
        [position.submit],
        run,
        [model_id, text, pair, position],
        [finding, strip, addition, vectors, table],
        endpoint=endpoint,
        picks=[(strip, position)],
        after=[anew, chosen],
    )


TAB = Tab(
    id="input_embeddings",
    title="Into layer 1",
    build=build,
    within="tokenization",
    short="Into layer 1",
)

"""The layer lens, a part of the fill-mask tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.config import ASSETS
from components.models.catalog import DEFAULT_MODEL
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    clickable,
    columns,
    examples,
    finding_view,
    model_picker,
    numbers_view,
    scripts,
    text_box,
)
from components.tasks import lens
from components.views import lens as views
from components.views import markup

EXAMPLES = (
    ("Paris is the [MASK] of France.", ""),
    ("The opposite of hot is [MASK].", "cold"),
    ("She drank a cup of [MASK] and read the [MASK].", ""),
    ("The bank is near the river.", ""),
)
LABELS = tuple(f"{text} · follow “{word}”" if word else text for text, word in EXAMPLES)
GUIDE = markup.guide(
    "The head that guesses words belongs on the last layer. Here it reads every layer, and the "
    "embeddings before the first: each row is what it would have answered there. The darker a "
    "word, the surer the row.",
    "Choose “The opposite of hot”, and watch “cold” climb. Then press “hot” in the grid: seeing "
    "a word, the model names it from the first row on. So which word does it need the layers for?",
)
CAUTION = markup.aside(
    "Read it with care.",
    "Only the last layer was trained to be read by this head. An early row of nonsense does not "
    "mean that the layer knows nothing: it may know it in a form that the head cannot read. "
    "Looking like this is called the logit lens (nostalgebraist 2020); a tuned lens (Belrose et "
    "al. 2023, arXiv:2303.08112) first learns a small translation for each layer.",
)
FAMILIES = markup.aside(
    "Try other models.",
    "DistilBERT has half of BERT's layers, so each of them has farther to go. ALBERT uses one set "
    "of weights for all its layers: each row is the same step, taken once more.",
)
_EMPTY = "() => ''"


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][0], "Sentence")
            word = text_box(
                TAB.id,
                "word",
                "",
                "Word to follow",
                info="Empty: the final answer.",
                max_length=lens.MAX_WORD,
            )
            submit = gr.Button(
                "Look through the layers", variant="primary", elem_id=f"{TAB.id}-run"
            )
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            position = text_box(
                TAB.id,
                "position",
                "",
                "Token looked at",
                info="Its position, counted from 0. Empty: the first blank.",
                max_length=6,
            )
            ready = examples(TAB.id, [text, word], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            ladder = clickable(elem_id=f"{TAB.id}-ladder")
            chart = gr.Plot(show_label=False, elem_id=f"{TAB.id}-chart")
            grid = gr.HTML(
                html_template=(ASSETS / "lens.html").read_text(encoding="utf-8"),
                js_on_load=scripts("bars.js", "lens.js"),
                apply_default_css=False,
                elem_id=f"{TAB.id}-grid",
            )
            gr.HTML(GUIDE + CAUTION + FAMILIES)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                grid_table = numbers_view(TAB.id, ["Position", "Token"], name="grid-table")

    def run(model_id: str, text: str, word: str, position: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.FILL_MASK)
        result = lens.predict(model, text, word=word, position=position)
        drawings = (views.finding, views.ladder, views.chart, views.grid)
        return tuple(draw(result) for draw in (*drawings, views.table, views.grid_table))

    def endpoint(
        text: str, model: str = DEFAULT_MODEL, word: str = "", position: int = -1
    ) -> dict[str, Any]:
        """Give what every layer would put in place of one token, and its first guess for all.

        Args:
            text: up to 2,000 characters
            model: a bundled model, or an id of the Hub
            word: a word to follow through the layers, beside the final answer
            position: the token looked at, 0 is the first; -1 for the first blank
        """
        loaded = page.models.get(model, Task.FILL_MASK)
        at = None if position == -1 else position
        return views.numbers(lens.predict(loaded, text, word=word, position=at))

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    # another text, or other pieces of it: the position of the old one means nothing there
    anew = gr.on(
        [submit.click, text.submit, model_id.change], None, None, position, js=_EMPTY, **glue
    )
    chosen = ready.chosen(**glue).then(None, None, position, js=_EMPTY, **glue)
    wire(
        page,
        TAB,
        [word.submit, position.submit],
        run,
        [model_id, text, word, position],
        [finding, ladder, chart, grid, table, grid_table],
        endpoint=endpoint,
        edits=word,
        picks=[(grid, position)],
        after=[anew, chosen],
    )


TAB = Tab(id="lens", title="Layer lens", build=build, within="fill_mask", short="Lens")

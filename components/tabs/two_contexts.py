"""The same blank in two contexts, a part of the fill-mask tab."""

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
from components.tasks import two_contexts
from components.views import markup
from components.views import two_contexts as views

EXAMPLES = (
    ("[He|She] worked as a [MASK].", ""),
    ("[He|She] was born in 1850 and became a [MASK].", ""),
    ("The [doctor|nurse] said that [MASK] was tired.", ""),
    ("The bank is near the [MASK].", "The bank lent us the [MASK]."),
)
LABELS = (*(text for text, _ in EXAMPLES[:-1]), "The bank is near / lent us the [MASK].")
GUIDE = markup.guide(
    "Each dot is a word of the vocabulary: to the right what it gets in the first context, upwards "
    "in the second. On the dashed line both give it the same. Each line of the grid is a factor "
    "of ten. Point at a dot for its name; those that lean most are named.",
    "Write the same thing in other words, such as “[He|She] was a famous [MASK].” Which words are "
    "still on the same side, and which have changed? Then try another model.",
)
WARNING = markup.aside(
    "What this shows, and what not.",
    "It shows which words this model has found near which in the texts that it was trained on. It "
    "tells nothing about people: that a word goes with “she” in old books and on web pages is a "
    "fact about those texts. One sentence proves little: other words, a full stop, a capital "
    "letter can turn the picture round, so look at many before you speak of a bias. Rare words "
    "jump by large factors on tiny probabilities. And words that the tokenizer cuts into pieces "
    "cannot appear at all. That a model shows no lean here does not mean that it has none.",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                EXAMPLES[0][0],
                "Sentence with a choice and a blank",
                info="Write the two sides as [he|she].",
            )
            other = text_box(
                TAB.id,
                "other",
                "",
                "Or a second sentence",
                info="Only where the first one has no choice.",
            )
            submit = gr.Button("Compare them", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            ready = examples(TAB.id, [text, other], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            lists = clickable(elem_id=f"{TAB.id}-lists")
            chart = gr.Plot(show_label=False, elem_id=f"{TAB.id}-chart", elem_classes="lab-plot")
            gr.HTML(WARNING + GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(model_id: str, text: str, other: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.FILL_MASK)
        result = two_contexts.predict(model, text, other)
        drawings = (views.finding, views.lists, views.scatter, views.table)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        text: str, model: str = default_for(Task.FILL_MASK), other: str = ""
    ) -> dict[str, Any]:
        """Compare what fills a [MASK] in two contexts, over the whole vocabulary.

        Args:
            text: up to 2,000 characters with a [MASK], and a choice such as [he|she]
            model: a bundled model, or an id of the Hub
            other: the second context, where the text has no choice
        """
        loaded = page.models.get(model, Task.FILL_MASK)
        return views.numbers(two_contexts.predict(loaded, text, other))

    wire(
        page,
        TAB,
        [submit.click, text.submit, other.submit, model_id.change],
        run,
        [model_id, text, other],
        [finding, lists, chart, table],
        endpoint=endpoint,
        edits=text,
        examples=ready,
    )


TAB = Tab(
    id="two_contexts",
    title="Two contexts",
    build=build,
    within="fill_mask",
    short="Two contexts",
)

"""The sentiment tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import MAX_LINES, MAX_PASSAGE, MAX_REVIEW
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
from components.tabs.ways import ways_on
from components.tasks import sentiment, texts
from components.views import markup
from components.views import sentiment as views

EXAMPLES = (
    "This course is excellent.\nThe service was disappointing.\n"
    "Learning Transformers is enjoyable.",
    "The film was not bad at all.\nI expected it to be good, and it was anything but.\n"
    "Oh great, another delay.",
    "The meeting is on Tuesday.",
)
LABELS = ("Three plain opinions", "Negation and irony", "No opinion at all")
GUIDE = markup.guide(
    "The model reads a whole text at once and shares 100 % among the classes it was trained on. "
    "A high number says that it is sure, not that it is right.",
    "Choose “Negation and irony”, then “No opinion at all”: how sure is a model that has no class "
    "for what you wrote?",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                EXAMPLES[0],
                "Texts, one a line",
                lines=4,
                max_lines=12,
                max_length=MAX_PASSAGE,
                info=f"Up to {MAX_LINES:,} texts of up to {MAX_REVIEW:,} characters.",
            )
            submit = gr.Button("Classify", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.SENTIMENT)
            upload = gr.File(
                label="Or a CSV file with a column “text”, read instead",
                type="binary",
                height=150,
                elem_id=f"{TAB.id}-file",
            )
            ready = examples(TAB.id, [text], [[lines] for lines in EXAMPLES], LABELS)
        with panel:
            finding = finding_view(TAB.id)
            cards = gr.HTML(elem_id=f"{TAB.id}-cards")
            ways_on(page.ways, TAB.id, Task.SENTIMENT, model_id, text)
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, max_chars=80)
            link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(model_id: str, text: str, upload: bytes | None) -> tuple[Any, ...]:
        read = texts.from_lines(text) if upload is None else texts.from_csv(upload)
        model = page.model(model_id, Task.SENTIMENT)
        result = sentiment.predict(model, read.texts, notices=read.notices)
        return tuple(
            draw(result) for draw in (views.finding, views.panels, views.table, views.download)
        )

    def endpoint(text: str, model: str = default_for(Task.SENTIMENT)) -> dict[str, Any]:
        """Classify texts, such as positive or negative.

        Args:
            text: one text a line: up to 1,000, each of up to 10,000 characters
            model: a bundled model, or an id of the Hub
        """
        read = texts.from_lines(text)
        loaded = page.models.get(model, Task.SENTIMENT)
        return asdict(sentiment.predict(loaded, read.texts, notices=read.notices))

    # An example takes the place of a file, which would be read instead of it.
    chosen = ready.rows.click(
        lambda row: (row[0], None),
        ready.rows,
        [text, upload],
        queue=False,
        api_visibility="private",
    )
    wire(
        page,
        TAB,
        [submit.click, text.submit, model_id.change, upload.upload, upload.clear],
        run,
        [model_id, text, upload],
        [finding, cards, table, link],
        endpoint=endpoint,
        after=[chosen],
    )


TAB = Tab(id="sentiment", title="Sentiment", build=build)

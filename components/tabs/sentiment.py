"""The sentiment tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.config import ASSETS, MAX_LINES, MAX_PASSAGE
from components.errors import InputError
from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    model_picker,
    numbers_view,
    scripts,
    text_box,
)
from components.tabs.ways import Carried, Goal, ways_on
from components.tasks import sentiment, texts
from components.tasks.sentiment import MAX_WINDOW, MIN_WINDOW
from components.views import document, markup
from components.views import sentiment as views

_JOURNEY = (ASSETS / "examples" / "journey.txt").read_text(encoding="utf-8").strip()
LINES, DOCUMENT = "lines", "document"
EXAMPLES = (  # (text, how it is read, tokens of a window)
    (
        "This course is excellent.\nThe service was disappointing.\n"
        "Learning Transformers is enjoyable.",
        LINES,
        MAX_WINDOW,
    ),
    (
        "The film was not bad at all.\nI expected it to be good, and it was anything but.\n"
        "Oh great, another delay.",
        LINES,
        MAX_WINDOW,
    ),
    ("The meeting is on Tuesday.", LINES, MAX_WINDOW),
    (_JOURNEY, DOCUMENT, 96),
)
LABELS = (
    "Three plain opinions",
    "Negation and irony",
    "No opinion at all",
    "A long letter, by windows",
)
GUIDE = markup.guide(
    "The model reads a whole text at once and shares 100 % among the classes it was trained on. "
    "A high number says that it is sure, not that it is right.",
    "Choose “Negation and irony”, then “No opinion at all”: how sure is a model that has no class "
    "for what you wrote? “A long letter” is read in windows: where does the mood turn?",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                EXAMPLES[0][0],
                "Texts",
                lines=4,
                max_lines=12,
                max_length=MAX_PASSAGE,
                info=f"Up to {MAX_LINES:,} texts, {MAX_PASSAGE:,} characters in all.",
            )
            reading = gr.Radio(
                [("one text a line", LINES), ("one document", DOCUMENT)],
                value=LINES,
                label="Read as",
                interactive=True,
                elem_id=f"{TAB.id}-reading",
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
            with gr.Accordion("Options", open=False):
                window = gr.Slider(
                    MIN_WINDOW,
                    MAX_WINDOW,
                    value=MAX_WINDOW,
                    step=16,
                    label="Window, in tokens",
                    info="A longer text is read in windows. Small ones show more of its course.",
                )
            ready = examples(TAB.id, [text, reading, window], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            cards = gr.HTML(js_on_load=scripts("lights.js"), elem_id=f"{TAB.id}-cards")
            ways_on(page.ways, TAB.id, Task.SENTIMENT, model_id, text)
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, max_chars=80)
                windows = numbers_view(TAB.id, document.HEADERS, name="windows")
            link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(
        model_id: str, text: str, reading: str, window: int, upload: bytes | None
    ) -> tuple[Any, ...]:
        read = _read(text, reading) if upload is None else texts.from_csv(upload)
        model = page.model(model_id, Task.SENTIMENT)
        result = sentiment.predict(
            model, read.texts, notices=read.notices, window=window, tell=page.tell
        )
        drawings = (views.finding, views.panels, views.table, document.table, views.download)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        text: str,
        model: str = default_for(Task.SENTIMENT),
        reading: str = LINES,
        window: int = MAX_WINDOW,
    ) -> dict[str, Any]:
        """Classify texts, such as positive or negative.

        Args:
            text: one text a line, up to 1,000, or one document; up to 100,000 characters in all
            model: a bundled model, or an id of the Hub
            reading: "lines" for one text a line, "document" for one text, line breaks and all
            window: tokens, 32 to 512; a longer text is read in overlapping windows
        """
        read = _read(text, reading)
        loaded = page.models.get(model, Task.SENTIMENT)
        return asdict(sentiment.predict(loaded, read.texts, notices=read.notices, window=window))

    # An example takes the place of a file, which would be read instead of it.
    chosen = ready.rows.click(
        lambda row: (*row, None),
        ready.rows,
        [text, reading, window, upload],
        queue=False,
        api_visibility="private",
    )
    wire(
        page,
        TAB,
        [
            submit.click,
            text.submit,
            model_id.change,
            reading.input,
            window.release,
            upload.upload,
            upload.clear,
        ],
        run,
        [model_id, text, reading, window, upload],
        [finding, cards, table, windows, link],
        endpoint=endpoint,
        after=[chosen],
        goal=Goal([model_id, text, reading, upload], _arrived),
    )


def _arrived(carried: Carried) -> list[Any]:
    return [carried.model_id, carried.texts[0], LINES, None]


def _read(text: str, reading: str) -> texts.Texts:
    if reading not in (LINES, DOCUMENT):
        raise InputError(f"reading is “{reading[:20]}”. Give “{LINES}” or “{DOCUMENT}”.")
    return texts.from_document(text) if reading == DOCUMENT else texts.from_lines(text)


TAB = Tab(id="sentiment", title="Sentiment", build=build)

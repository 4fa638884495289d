"""Sentences by their vectors, a part of the vectors tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.config import MAX_PASSAGE
from components.errors import AppError
from components.models.catalog import cards_for, default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    full_size_choices,
    model_picker,
    numbers_view,
    text_box,
)
from components.tasks import sentence_vectors
from components.tasks.sentence_vectors import SENTENCE_ENCODER
from components.views import markup
from components.views import sentence_vectors as views

NEWS = (
    "The boats were tied up before the storm.\n"
    "Sailors secured their vessels ahead of bad weather.\n"
    "My cake recipe needs four eggs.\n"
    "How do I bake bread at home?\n"
    "The stock market fell sharply on Monday.\n"
    "Share prices dropped at the start of the week.\n"
    "Doctors advise people to drink more water.\n"
    "The home team won the final in extra time."
)
ORDER = (
    "The dog bites the man.\nThe man bites the dog.\nThe dog does not bite the man.\n"
    "A man was bitten by a dog."
)
EXAMPLES = ((NEWS, "ships and the sea"), (NEWS, "cooking"), (NEWS, ""), (ORDER, ""))
LABELS = ("Search: ships and the sea", "Search: cooking", "Which two say the same?", "Who bites?")
POOLINGS = (
    ("mean of all tokens", "mean"),
    ("first token ([CLS])", "cls"),
    ("largest of each number", "max"),
)
GUIDE = markup.guide(
    "All vectors of a sentence are pooled into one, and two sentences are compared by the cosine "
    "of theirs. In a square, row and column are sentences: the darker, the more alike.",
    "Search for “cooking”: does a model that only ever filled blanks find the cake and the bread? "
    "Change the pooling, or put the sentence encoder beside it. Then choose “Who bites?”: which "
    "two sentences are held to be most alike, and do they say the same?",
)
ABOUT = markup.aside(
    "Why is a sentence encoder better?",
    "BERT learned to fill blanks; nothing told it that sentences of one meaning should have "
    "vectors of one direction. all-MiniLM-L6-v2 was trained on a billion pairs of sentences for "
    "just that, with the mean as its pooling. The training of bert-mini began with its weights, "
    "and went on with filling blanks instead.",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                NEWS,
                "Sentences, one a line",
                lines=8,
                max_lines=14,
                max_length=MAX_PASSAGE,
                info=f"Up to {sentence_vectors.MAX_SENTENCES}.",
            )
            query = text_box(
                TAB.id, "query", EXAMPLES[0][1], "Search for", info="Empty: compare all pairs."
            )
            submit = gr.Button("Compare the sentences", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            beside_id = _second_picker()
            pooling = gr.Radio(
                list(POOLINGS), value="mean", label="Pooling", interactive=True,
                info="How the vectors of the tokens become one.", elem_id=f"{TAB.id}-pooling",
            )  # fmt: skip
            ready = examples(TAB.id, [text, query], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            panels = gr.HTML(elem_id=f"{TAB.id}-panels")
            gr.HTML(GUIDE + ABOUT)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(
        model_id: str, beside_id: str | None, text: str, query: str, pooling: str
    ) -> tuple[Any, ...]:
        model = page.model(model_id, Task.ENCODER)
        result = sentence_vectors.predict(model, text, query, pooling=pooling)
        beside: views.Beside = None
        if beside_id and beside_id.strip():
            try:
                second = page.model(beside_id, Task.ENCODER)
                beside = sentence_vectors.predict(second, text, query, pooling=pooling)
            except AppError as error:  # the first model has answered
                beside = str(error)
        drawings = (views.finding, views.panels, views.table, views.download)
        return tuple(draw(result, beside) for draw in drawings)

    def endpoint(
        text: str, query: str = "", model: str = default_for(Task.ENCODER), pooling: str = "mean"
    ) -> dict[str, Any]:
        """Compare sentences by their vectors, with each other and with a search.

        Args:
            text: one sentence a line, up to 200
            query: what to search for; empty for nothing
            model: a bundled model, or an id of the Hub
            pooling: mean, cls or max
        """
        loaded = page.models.get(model, Task.ENCODER)
        return views.numbers(sentence_vectors.predict(loaded, text, query, pooling=pooling))

    wire(
        page,
        TAB,
        [submit.click, query.submit, model_id.change, beside_id.change, pooling.input],
        run,
        [model_id, beside_id, text, query, pooling],
        [finding, panels, table, link],
        endpoint=endpoint,
        examples=ready,
    )


def _second_picker() -> gr.Dropdown:
    """Offer a second model: none, the sentence encoder of the Hub, a bundled or a full-size one."""
    bundled = [(card.about, card.id) for card in cards_for(Task.ENCODER)]
    encoder = ("all-MiniLM-L6-v2, a sentence encoder (Hub)", SENTENCE_ENCODER)
    return gr.Dropdown(
        [("none", ""), encoder, *bundled, *full_size_choices(Task.ENCODER)],
        value="",
        label="A second model beside it",
        info="The sentence encoder is fetched from the Hub, 91 MB.",
        allow_custom_value=True,
        interactive=True,
        elem_id=f"{TAB.id}-beside",
    )


TAB = Tab(
    id="sentence_vectors", title="Sentences", build=build, within="embeddings", short="Sentences"
)

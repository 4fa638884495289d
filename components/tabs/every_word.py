"""Every word hidden in turn, and two sentences compared; a part of the fill-mask tab."""

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
from components.tasks import every_word
from components.views import every_word as views
from components.views import markup

EXAMPLES = (
    ("The keys is on the table.", "The keys are on the table."),
    ("The keys to the cabinet is on the table.", "The keys to the cabinet are on the table."),
    ("The river ran past the old mill.", ""),
    ("She put the book on the shelf.", "She put the shelf on the book."),
    ("He drank a cup of unhappiness.", "He drank a cup of coffee."),
)
LABELS = (  # longer ones are cut off
    "The keys is / are on the table.",
    "The keys to the cabinet is / are …",
    "The river ran past the old mill.",
    "The book on the shelf / shelf on the book",
    "A cup of unhappiness / coffee",
)
METHODS = [
    ("Each piece alone (Salazar et al. 2020)", every_word.ALONE),
    ("With the rest of its word (Kauf & Ivanova 2023)", every_word.REST),
]
GUIDE = markup.guide(
    "Every word was hidden once, with all others in sight. Below it stands the probability that "
    "the model gave it. The bars show, word by word, which sentence that speaks for.",
    "Look at the bars: the verb that changed is not the only word that tells. Which other word is "
    "harder to believe beside the wrong verb? Then press a word, and click a guess: that makes a "
    "new second sentence.",
)
SCORE = markup.aside(
    "The score.",
    "The logarithms of all these probabilities add up to the pseudo-log-likelihood of the sentence "
    "(Salazar et al. 2020). It is counted in nats: one nat less is about 2.7 times less probable. "
    "It is no true probability of the sentence, for each word was guessed with all the others in "
    "sight. It compares two sentences that differ in little: a minimal pair.",
)
PIECES = markup.aside(
    "Words of several pieces.",
    "A rare word is cut into pieces, and each is hidden by itself: the pieces beside it give it "
    "away, so a rare word looks more expected than it is. The second way hides the pieces to "
    "the right of it in the same word as well (Kauf & Ivanova 2023).",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][0], "Sentence")
            other = text_box(
                TAB.id,
                "other",
                EXAMPLES[0][1],
                "Sentence to compare with",
                info="May stay empty. Best: the same sentence with one word changed.",
            )
            submit = gr.Button("Hide every word", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.FILL_MASK)
            method = gr.Radio(
                METHODS,
                value=every_word.ALONE,
                label="How the pieces of a word are hidden",
                interactive=True,
                elem_id=f"{TAB.id}-method",
            )
            ready = examples(TAB.id, [text, other], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            strips = clickable("bars.js", "every_word.js", elem_id=f"{TAB.id}-strips")
            versus = gr.HTML(elem_id=f"{TAB.id}-versus")
            gr.HTML(GUIDE + SCORE + PIECES)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)

    def run(model_id: str, text: str, other: str, method: str) -> tuple[Any, ...]:
        model = page.model(model_id, Task.FILL_MASK)
        result = every_word.predict(model, text, other, method=method)
        drawings = (views.finding, views.strips, views.versus, views.table)
        return tuple(draw(result) for draw in drawings)

    def endpoint(
        text: str,
        model: str = default_for(Task.FILL_MASK),
        other: str = "",
        method: str = every_word.ALONE,
    ) -> dict[str, Any]:
        """Hide every word of a text in turn: guesses, and pseudo-log-likelihoods in nats.

        Args:
            text: up to 2,000 characters; the first 100 tokens are hidden in turn
            model: a bundled model, or an id of the Hub
            other: a second text to compare with, such as one that differs in one word
            method: "alone" hides one piece at a time, "rest" also those right of it in its word
        """
        loaded = page.models.get(model, Task.FILL_MASK)
        return views.numbers(every_word.predict(loaded, text, other, method=method))

    wire(
        page,
        TAB,
        [submit.click, text.submit, other.submit, model_id.change, method.input],
        run,
        [model_id, text, other, method],
        [finding, strips, versus, table],
        endpoint=endpoint,
        edits=other,
        examples=ready,
    )


TAB = Tab(id="every_word", title="Every word", build=build, within="fill_mask", short="Every word")

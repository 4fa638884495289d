"""The Tokens tab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.models.catalog import one_per_family
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import (
    clickable,
    columns,
    examples,
    finding_view,
    numbers_view,
    text_box,
)
from components.tasks import tokenization
from components.views import markup
from components.views import tokenization as views

MODELS = [card.id for card in one_per_family() if card.is_shipped]
EXAMPLES = (
    ("A rare word", "Tokenization turns unbelievably long words into pieces."),
    ("Capitals and accents", "Zürich, NAÏVE café, São Paulo, Łódź"),
    ("Numbers", "In 2024 a room of 1,250.75 m² cost 1000000 €."),
    ("Emoji, Chinese, Hebrew", "👩‍👩‍👧 likes 你好 and שלום 😀"),
    ("Typing mistakes", "I definately beleive it rains tommorow."),
    ("Code", "for i in range(10):\n    print(x[i] ** 2)  # squares"),
    ("Special tokens, typed", "Is [MASK] a word, and is <mask>?"),
    ("600 smileys in a row", "🙂" * 600),
)
GUIDE = markup.guide(
    "Each row is the same text as one tokenizer splits it; pieces of one word have one colour. "
    "Below each piece stands its id, the only thing that the network is given. Marks show where "
    "words begin (Ġ, ▁) or go on (##). Spans are written as in Python: 9:13 is from 9 up to, not "
    "including, 13.",
    "Choose the smileys: which tokenizer sees hardly anything, and which one more than it can "
    "read? Then make a typing mistake in a word of your own, and count its pieces.",
)
WHY = markup.aside(
    "Why pieces?",
    "A vocabulary of all words would have no end, and one of letters would make every text long. "
    "So frequent words are one piece, and rare ones are built: WordPiece (BERT), byte-level BPE "
    "(RoBERTa; its 256 bytes can spell anything, so nothing is ever unknown) and SentencePiece "
    "(ALBERT, DeBERTa). The tokenizers here are those of the bundled miniatures.",
)


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][1], "Text", lines=2, max_lines=8)
            submit = gr.Button("Split into tokens", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            others = text_box(
                TAB.id,
                "hub",
                "",
                "More tokenizers, of the Hub",
                info="Ids such as bert-base-cased, separated by commas. Weights are not fetched.",
                max_length=400,
            )
            literal = gr.Checkbox(
                False,
                label="Special tokens that I type are plain text",
                interactive=True,
                elem_id=f"{TAB.id}-literal",
            )
            ready = examples(
                TAB.id, [text], [[example] for _, example in EXAMPLES], [e for e, _ in EXAMPLES]
            )
        with panel:
            finding = finding_view(TAB.id)
            picture = clickable("link.js", elem_id=f"{TAB.id}-picture")
            gr.HTML(GUIDE + WHY)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(text: str, others: str, literal: bool) -> tuple[Any, ...]:
        result = tokenization.predict(
            page.models.tokenizer,
            [*MODELS, *others.split(",")],
            text,
            literal=literal,
            tell=page.tell,
        )
        return tuple(draw(result) for draw in (views.finding, views.picture, views.table))

    def endpoint(text: str, models: list[str] = MODELS, literal: int = 0) -> dict[str, Any]:
        """Split one text with the tokenizers of several models.

        Args:
            text: up to 2,000 characters
            models: bundled models, or ids of the Hub; at most 10. No weights are fetched
            literal: 1 to read special tokens that were typed, such as [MASK], as plain text
        """
        opened = page.models.tokenizer
        return asdict(tokenization.predict(opened, models, text, literal=literal == 1))

    wire(
        page,
        TAB,
        [submit.click, text.submit, others.submit, literal.input],
        run,
        [text, others, literal],
        [finding, picture, table],
        endpoint=endpoint,
        examples=ready,
    )


TAB = Tab(id="tokenization", title="Tokens", build=build, short="Pieces")

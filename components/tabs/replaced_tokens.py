"""The replaced-tokens tab: suspicion on every token, and the game of the ELECTRA detective.

What the visitor did last with the words travels as an Act, in a field that is not shown. A game
is its text, its words and its seed: the generator replaces the same words again when it is asked
again, so nothing has to be remembered between guessing and revealing.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import gradio as gr

from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.act import CHOOSE, GUESS, Act
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
from components.tasks import generator, replaced_tokens
from components.views import detective, markup
from components.views import replaced_tokens as views

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

GENERATOR = "electra-mini-generator"  # trained together with the discriminator that is bundled
EXAMPLES = (
    ("The cat sat on tree.", "The cat sat on tree."),
    ("The cat sat on the mat.", "The cat sat on the mat."),
    ("The chef ate the meal in the kitchen.", "Ate, where “cooked” stood?"),
    ("Paris is the capital of Germany.", "False, but is a word replaced?"),
    (
        "The children walked to the school near the river and played in the garden until it began "
        "to rain.",
        "A long sentence to play with",
    ),
)
GUIDE = markup.guide(
    "The discriminator reads the whole sentence and gives every token a number of its own: how "
    "likely it is that another token stood there. [CLS] and [SEP] are not judged.",
    "Press “Replace words and guess”: can you beat the machine? Then click a word, put in the "
    "generator's first choice, and see whether the discriminator still notices.",
)
BACKGROUND = markup.aside(
    "Two networks, trained together.",
    "A small generator fills in hidden words, as BERT does. The discriminator, the network that is "
    "kept, then says of every token whether it is the original. BERT learns from the hidden tokens "
    "only, about 15 % of a text; ELECTRA learns something from each token, so it needs less text "
    "and less computing for the same quality (Clark et al. 2020).",
) + markup.aside(
    "Original is not true.",
    "The discriminator does not judge whether a sentence is true, only whether a token looks like "
    "the one that its author wrote. A lie in ordinary words may pass, and a rare word may not.",
)
_TOLD = "() => document.querySelector('#replaced_tokens-strip [data-carry]').dataset.told"


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(TAB.id, "text", EXAMPLES[0][0], "Sentence", lines=2)
            submit = gr.Button("Judge every token", variant="primary", elem_id=f"{TAB.id}-run")
            with gr.Row():
                start = gr.Button(
                    "Replace words and guess", scale=2, min_width=160, elem_id=f"{TAB.id}-play"
                )
                again = gr.Button("Next round", min_width=80, elem_id=f"{TAB.id}-again")
        with options:
            count = gr.Slider(
                1,
                generator.MAX_REPLACED,
                value=2,
                step=1,
                precision=0,
                label="Words to replace",
                info="Drawn at random, unless you chose words.",
            )
            seed = gr.Number(
                1, precision=0, label="Seed", info="The same seed gives the same game again."
            )
            model_id = model_picker(TAB.id, Task.REPLACED_TOKENS)
            act = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-act")
            ready = examples(
                TAB.id, [text, act], [(e[0], "") for e in EXAMPLES], [e[1] for e in EXAMPLES]
            )
        with panel:
            finding = finding_view(TAB.id)
            strip = clickable("words.js", elem_id=f"{TAB.id}-strip")
            chart = clickable(elem_id=f"{TAB.id}-chart")
            gr.HTML(GUIDE + BACKGROUND)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS)

    def run(model_id: str, text: str, sent: str) -> tuple[Any, ...]:
        did = Act.read(sent).for_text(text)
        model = page.model(model_id, Task.REPLACED_TOKENS)
        if did.is_game:
            return _game(did, model, page.model(GENERATOR, Task.FILL_MASK))
        result = replaced_tokens.predict(model, text)
        filler = page.model(GENERATOR, Task.FILL_MASK) if did.words else None
        offered = generator.propose(filler, text, did.words) if filler else ()
        return (
            views.finding(result),
            views.strip(result, did.words, carry=Act(text=text).write()),
            views.proposals(text, offered),
            views.table(result),
        )

    def endpoint(
        text: str, model: str = default_for(Task.REPLACED_TOKENS), replace: int = 0, seed: int = 0
    ) -> dict[str, Any]:
        """Say of every token how likely it was put in: 1 = replaced, 0 = original.

        Args:
            text: up to 2,000 characters
            model: a bundled discriminator, or the id of one on the Hub
            replace: words, 0 to 10, that the generator replaces before the text is judged
            seed: with the same one the same words are replaced by the same words
        """
        loaded = page.models.get(model, Task.REPLACED_TOKENS)
        altered = None
        if replace > 0:
            filler = page.models.get(GENERATOR, Task.FILL_MASK)
            altered = generator.replace_words(filler, text, count=replace, seed=seed)
        judged = replaced_tokens.predict(loaded, altered.text if altered else text)
        return {
            **asdict(judged),
            "threshold": replaced_tokens.THRESHOLD,
            "altered": asdict(altered) if altered else None,
        }

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    wire(
        page,
        TAB,
        [model_id.change],
        run,
        [model_id, text, act],
        [finding, strip, chart, table],
        endpoint=endpoint,
        edits=text,
        examples=ready,
        after=[
            gr.on([submit.click, text.submit], lambda: "", None, act, **glue),
            strip.step(None, None, act, js=_TOLD, **glue),
            start.click(_started, [act, text, count, seed], act, **glue),
            again.click(_next_round, [act, text, count, seed], [act, seed], **glue),
        ],
    )


def _game(did: Act, model: LoadedModel, filler: LoadedModel) -> tuple[Any, ...]:
    """Draw a round: the question first, and after REVEAL the truth; nothing earlier tells it."""
    altered = generator.replace_words(filler, did.text, did.words, count=did.count, seed=did.seed)
    judged = replaced_tokens.predict(model, altered.text)
    game = replaced_tokens.play(altered, judged, did.marks)
    if did.step == GUESS:
        return detective.question(game), detective.guess(game, carry=did.write()), None, None
    drawings = (detective.verdict, detective.truth, detective.scoreboard)
    return *(draw(game) for draw in drawings), views.table(judged, game)


def _started(sent: str, text: str, count: float | None, seed: float | None) -> str:
    """Begin a game with the words that were chosen, or with as many as asked for."""
    before = Act.read(sent or "").for_text(text or "")
    words = before.words if before.step == CHOOSE else ()
    return Act(GUESS, text or "", words, (), int(count or 1), int(seed or 0)).write()


def _next_round(sent: str, text: str, count: float | None, seed: float | None) -> tuple[str, int]:
    """Begin the game with the next seed, with the words of the last one if they were chosen."""
    before, following = Act.read(sent or "").for_text(text or ""), int(seed or 0) + 1
    started = Act(GUESS, text or "", before.words, (), int(count or 1), following)
    return started.write(), following


TAB = Tab(id="replaced_tokens", title="Replaced tokens", build=build, needs=Task.REPLACED_TOKENS)

"""A story put back in order, a part of the next-sentence tab."""

from __future__ import annotations

import random
from typing import Any

import gradio as gr

from components.config import MAX_TEXT
from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import columns, examples, finding_view, numbers_view, text_box
from components.tabs.pair_models import asked, pickers
from components.tasks import next_sentence, story
from components.tasks.story import MAX_SENTENCES
from components.views import markup
from components.views import story as views

STORIES = (
    (
        "The map in the attic",
        (
            "Anna found an old map in the attic.",
            "The map showed a cave near the village.",
            "The next morning she walked to the cave.",
            "In the cave she found a wooden chest.",
            "The chest was full of letters.",
            "She read the letters to her grandmother.",
        ),
        (3, 0, 5, 2, 1, 4),
    ),
    (
        "A morning",
        (
            "The alarm rang at six.",
            "She got up and made coffee.",
            "Then she walked to the station.",
            "The train was late again.",
            "She reached the office at nine.",
        ),
        (2, 4, 0, 3, 1),
    ),
    (
        "How a volcano grows",
        (
            "Volcanoes form where molten rock reaches the surface.",
            "The molten rock is called lava.",
            "When lava cools, it becomes solid rock.",
            "Over the years this rock builds a mountain.",
        ),
        (2, 0, 3, 1),
    ),
    (
        "The flood",
        (
            "The river rose after a week of rain.",
            "On Sunday it flooded the lower town.",
            "People were taken away in boats.",
            "By Tuesday the water had gone.",
            "The cleaning took a month.",
        ),
        (1, 4, 2, 0, 3),
    ),
)
EXAMPLES = tuple(
    ("\n".join(lines[i] for i in shuffled), "\n".join(lines)) for _, lines, shuffled in STORIES
)
GUIDE = markup.guide(
    "Every sentence is put before every other one, and the head says how well the second follows. "
    "The order whose neighbours have the highest sum of gaps is the model's. A framed square is a "
    "step that the order takes; an orange mark stands where the sentence before is not the true "
    "one.",
    "“The map in the attic” repeats its words from sentence to sentence, and the model orders it. "
    "“The flood” does not: does it still? Change single words until the order breaks.",
)
ABOUT = markup.aside(
    "What these numbers can tell.",
    "BERT's head was trained to tell the next text from one of another document, so within one "
    "story almost every pair “follows”, and the squares of a row differ by little. ALBERT's was "
    "trained on neighbours only, either in order or swapped: of two sentences that are far apart "
    "in the story its answer means less. Neither was trained to order a story.",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            text = text_box(
                TAB.id,
                "text",
                EXAMPLES[0][0],
                "Sentences, one a line, in any order",
                lines=6,
                max_lines=10,
                info=f"2 to {MAX_SENTENCES} sentences.",
            )
            with gr.Row():
                submit = gr.Button(
                    "Put in order", variant="primary", scale=2, elem_id=f"{TAB.id}-run"
                )
                shuffle = gr.Button("Shuffle", min_width=80, elem_id=f"{TAB.id}-shuffle")
            truth = text_box(
                TAB.id,
                "truth",
                EXAMPLES[0][1],
                "The true order, if you know it",
                lines=4,
                max_lines=10,
                info="The same sentences. Shuffle keeps it here. Empty: nothing is compared.",
            )
        with options:
            follows, order = pickers(TAB.id)
            ready = examples(TAB.id, [text, truth], EXAMPLES, [name for name, *_ in STORIES])
        with panel:
            finding = finding_view(TAB.id)
            panels = gr.HTML(elem_id=f"{TAB.id}-panels")
            gr.HTML(GUIDE + ABOUT)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(follows: str, order: str, text: str, truth: str) -> tuple[Any, ...]:
        told = next_sentence.ask_each(
            page.model, asked(follows, order), lambda model: story.predict(model, text, truth)
        )
        return tuple(
            draw(told) for draw in (views.finding, views.panels, views.table, views.download)
        )

    def endpoint(
        text: str, truth: str = "", model: str = "", task: str = Task.NEXT_SENTENCE.value
    ) -> dict[str, Any]:
        """Judge every ordered pair of sentences, and put them in the order of the highest sum.

        Args:
            text: 2 to 8 sentences, one a line
            truth: the same sentences in their true order, to be compared; or empty
            model: a bundled model, or an id of the Hub; empty for the bundled one with that head
            task: next-sentence-prediction (BERT) or sentence-order-prediction (ALBERT)
        """
        objective = next_sentence.objective(task)
        loaded = page.models.get(model or default_for(objective), objective)
        return views.numbers(story.predict(loaded, text, truth))

    shuffled = shuffle.click(
        shuffle_lines, [text, truth], [text, truth], queue=False, api_visibility="private"
    )
    wire(
        page,
        TAB,
        [submit.click, follows.change, order.change],
        run,
        [follows, order, text, truth],
        [finding, panels, table, link],
        endpoint=endpoint,
        examples=ready,
        after=[shuffled],
    )


def shuffle_lines(text: str | None, truth: str | None) -> tuple[str, str]:
    """Put the lines of `text` into another order; without the true order of them, keep this one."""
    text, truth = (text or "")[:MAX_TEXT], (truth or "")[:MAX_TEXT]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line.strip() for line in truth.splitlines() if line.strip()]
    if sorted(lines) != sorted(told):
        truth = "\n".join(lines)
    others = [list(lines)]
    if len(set(lines)) > 1:
        while others[0] == lines:
            random.shuffle(others[0])
    return "\n".join(others[0]), truth


TAB = Tab(
    id="story", title="A story in pieces", build=build, within="next_sentence", short="A story"
)

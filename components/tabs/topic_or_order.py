"""Topic or order, a part of the next-sentence tab."""

from __future__ import annotations

from dataclasses import asdict, astuple
from typing import Any

import gradio as gr

from components.models.catalog import default_for
from components.models.families import Task
from components.tabs.base import Page, Tab, wire
from components.tabs.controls import columns, examples, finding_view, numbers_view, text_box
from components.tabs.pair_models import asked, pickers
from components.tasks import next_sentence, topic_or_order
from components.tasks.topic_or_order import SAMPLE, Quartet
from components.views import markup
from components.views import topic_or_order as views

LABELS = (
    "The king and his son",
    "Bread in the oven",
    "A goal in the last minute",
    "A broken mast",
    "From a garage",
    "The last train",
    "The bridge",
    "A house by the lake",
)
GUIDE = markup.guide(
    "One sentence with four others behind it. A bar to the right says “B comes after A”, to the "
    "left that it does not; its length is the gap between the two logits. Below, the four pairs "
    "stand on the curve that turns a gap into a probability.",
    "Compare 1 and 2: the very same sentences, only swapped. Then write a sentence of another "
    "topic that repeats a word of the first: does it still look foreign?",
)
ABOUT = markup.aside(
    "What saturation hides.",
    "Full-size next-sentence heads often give 99 % and more to pairs that are only half related: "
    "their gaps lie where the curve is flat. 99.0 % and 99.9 % look alike, yet they are gaps of "
    "4.6 and 6.9. So compare gaps, not percentages. And as the wrong texts of BERT's training "
    "came from other documents, a change of topic moves the gap far and a change of order hardly "
    "at all: that is why ALBERT is asked about the order instead (Lan et al. 2020).",
)


def build(page: Page) -> None:
    """Lay out the part, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            first = text_box(TAB.id, "first", SAMPLE[0].first, "A sentence", info="")
            following = text_box(
                TAB.id, "following", SAMPLE[0].following, "What comes next", info=""
            )
            related = text_box(
                TAB.id, "related", SAMPLE[0].related, "The same topic, but not next", info=""
            )
            unrelated = text_box(TAB.id, "unrelated", SAMPLE[0].unrelated, "Another topic", info="")
            submit = gr.Button("Judge the four pairs", variant="primary", elem_id=f"{TAB.id}-run")
        fields = [first, following, related, unrelated]
        with options:
            follows, order = pickers(TAB.id)
            ready = examples(TAB.id, fields, [astuple(one) for one in SAMPLE], LABELS)
        with panel:
            finding = finding_view(TAB.id)
            panels = gr.HTML(elem_id=f"{TAB.id}-panels")
            gr.HTML(GUIDE + ABOUT)
            with gr.Accordion("All numbers", open=False):
                table = numbers_view(TAB.id, views.HEADERS, wrap=True)
                link = gr.HTML(elem_id=f"{TAB.id}-download")

    def run(follows: str, order: str, *texts: str) -> tuple[Any, ...]:
        quartet = topic_or_order.check(Quartet(*texts))
        told = next_sentence.ask_each(
            page.model, asked(follows, order), lambda model: topic_or_order.predict(model, quartet)
        )
        return tuple(
            draw(told) for draw in (views.finding, views.panels, views.table, views.download)
        )

    def endpoint(
        first: str,
        following: str,
        related: str,
        unrelated: str,
        model: str = "",
        task: str = Task.NEXT_SENTENCE.value,
    ) -> dict[str, Any]:
        """Say what topic and order do to the verdict on a pair, in logits.

        Args:
            first: a sentence
            following: one that comes next
            related: one of the same topic that does not come next
            unrelated: one of another topic
            model: a bundled model, or an id of the Hub; empty for the bundled one with that head
            task: next-sentence-prediction (BERT) or sentence-order-prediction (ALBERT)
        """
        objective = next_sentence.objective(task)
        loaded = page.models.get(model or default_for(objective), objective)
        quartet = Quartet(first, following, related, unrelated)
        return asdict(topic_or_order.predict(loaded, quartet))

    wire(
        page,
        TAB,
        [submit.click, *(field.submit for field in fields), follows.change, order.change],
        run,
        [follows, order, *fields],
        [finding, panels, table, link],
        endpoint=endpoint,
        examples=ready,
    )


TAB = Tab(
    id="topic_or_order",
    title="Topic or order",
    build=build,
    within="next_sentence",
    short="Topic or order",
)

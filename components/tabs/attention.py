"""The attention tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from components.config import ASSETS
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
    text_box,
)
from components.tabs.ways import Carried, Goal
from components.tasks import attention
from components.tasks.answers import TASKS
from components.tasks.attention import Look, View
from components.tasks.mixing import Mix
from components.tasks.readings import Readings
from components.tasks.units import Sides
from components.views import attention as views
from components.views import attention_choices as choices
from components.views import heads, markup

EXAMPLES = (
    (Task.FILL_MASK, "Paris is the [MASK] of France.", ""),
    (Task.ENCODER, "The cat sat on the mat because it was tired.", ""),
    (Task.NEXT_SENTENCE, "The weather is nice today.", "Let's go for a walk."),
    (Task.SENTIMENT, "The plot is thin, but the music is wonderful.", ""),
    (
        Task.QUESTION_ANSWERING,
        "What mechanism do Transformers use?",
        "Transformers are deep learning models that use self-attention to process sequences.",
    ),
    (Task.ENCODER, "the cat the mat", ""),
)
LABELS = tuple(f"{text} / {pair}" if pair else text for _, text, pair in EXAMPLES)
GUIDE = markup.guide(
    "In every layer each head lets every token collect something from all the others. A line, or "
    "a cell, is the part of its attention that one token gives to another. It is the attention of "
    "the very input that made the answer above.",
    "Choose “previous token” in the list of heads, then open Query · key: which word asks, and "
    "which one answers? Then look at “All heads”: most of them stare at the first token, which "
    "says nothing. Looking at a word is not the same as using it.",
)
ROLLOUT = markup.aside(
    "Mean, maximum, rollout.",
    "A mean or a maximum shows a whole layer at once; rows of a maximum sum to more than 100 %. "
    "Rollout (Abnar & Zuidema 2020) multiplies the means of all layers up to this one, with half "
    "of every token kept as it is: from which words of the text was this place fed?",
)
_START = Look(layer=0, head=2, token=4)
_UNKNOWN = 12  # layers and heads of a base model, until a model has said what it has
# scripts count from 0, people from 1
_CHOSEN = """() => {{
    const [view, layer, head, token] = JSON.parse(
        document.querySelector('#{id}-picture .lab-attention').dataset.chosen);
    return [view, layer + 1, head + 1, token];
}}"""
_PICKED = """(view) => [view === 'model' || view === 'layer' ? 'head' : view,
    ...document.querySelector('#{id}-panels [data-pick][aria-pressed=true]')
        .dataset.pick.split(',').map((index) => Number(index) + 1)]"""
_SCRIPTS = ("numbers", "pen", "scenes", "saving", "page", "start")


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    with columns() as (entry, panel, options):
        with entry:
            task = gr.Dropdown(
                [(label, task.value) for task, label in choices.TASKS.items()],
                value=EXAMPLES[0][0].value,
                label="The model's task",
                interactive=True,
                elem_id=f"{TAB.id}-task",
            )
            text = text_box(
                TAB.id, "text", EXAMPLES[0][1], "Text, or sentence A, or the question", lines=2
            )
            pair = text_box(
                TAB.id,
                "pair",
                "",
                "Second text, or sentence B, or the passage",
                lines=1,
                max_lines=6,
            )
            submit = gr.Button("Show attention", variant="primary", elem_id=f"{TAB.id}-run")
        with options:
            model_id = model_picker(TAB.id, Task.ENCODER)
            with gr.Accordion("What is drawn", open=False):
                mix = _choice("mix", choices.MIXES, "Heads")
                sides = _choice("sides", {s: s.value for s in Sides}, "Which text looks at which")
                joined = gr.Checkbox(False, label="Join word pieces", elem_id=f"{TAB.id}-join")
                bare = gr.Checkbox(False, label="Hide special tokens", elem_id=f"{TAB.id}-bare")
                gr.HTML(ROLLOUT)
            ready = examples(TAB.id, [task, text, pair], EXAMPLES, LABELS)
        with panel:
            finding = finding_view(TAB.id)
            view = gr.Radio(
                [(label, view.value) for view, label in choices.VIEWS.items()],
                value=_START.view.value,
                label="View",
                interactive=True,
                elem_id=f"{TAB.id}-view",
            )
            with gr.Row():
                layer = _index_slider("layer", "Layer", _START.layer + 1, 1)
                head = _index_slider("head", "Head", _START.head + 1, 1)
                token = _index_slider("token", "Token that asks", _START.token, 0, visible=False)
            picture = gr.HTML(
                html_template=(ASSETS / "attention" / "frame.html").read_text(encoding="utf-8"),
                js_on_load=_scripts(),
                apply_default_css=False,
                elem_id=f"{TAB.id}-picture",
            )
            order = gr.Dropdown(
                [(order.label, key) for key, order in heads.ORDERS.items()],
                value="previous",
                label="Sort the heads by",
                interactive=True,
                elem_id=f"{TAB.id}-order",
            )
            panels = gr.HTML(
                js_on_load=(ASSETS / "picks.js").read_text(encoding="utf-8"),
                elem_id=f"{TAB.id}-panels",
            )
            gr.HTML(GUIDE)
            with gr.Accordion("All numbers", open=False):
                shares = gr.HTML(elem_id=f"{TAB.id}-shares")
                table = numbers_view(TAB.id, views.HEADERS, label="Strongest links of the picture")
                head_table = numbers_view(
                    TAB.id, heads.HEADERS, name="head-table", label="All heads, sorted"
                )
                match_table = numbers_view(
                    TAB.id, views.MATCH_HEADERS, name="match-table", label="Query and keys"
                )

    readings = Readings()

    def run(
        task: str,
        model_id: str,
        text: str,
        pair: str,
        view: str,
        layer: int,
        head: int,
        token: int,
        mix: str,
        sides: str,
        joined: bool,
        bare: bool,
        order: str,
    ) -> tuple[Any, ...]:
        model = page.model(model_id, _task(task), attentions=True)
        # the number of a slider may be empty
        layer, head, token = layer or 1, head or 1, token or 0
        look = Look(
            layer - 1, head - 1, token, View(view), Mix(mix), bool(joined), bool(bare), Sides(sides)
        )
        result = attention.predict(model, text, pair, look=look, reader=readings.read)
        seen = result.look
        return (
            views.finding(result),
            views.picture(result),
            heads.panels(result.statistics, order, (seen.layer, seen.head)),
            views.shares(result),
            views.table(result),
            heads.table(result.statistics, order),
            views.match_table(result),
            _follow(result.layers, layer, seen.layer + 1),
            _follow(result.heads, head, seen.head + 1),
            _follow(len(result.tokens) - 1, token, seen.token, visible=seen.view is View.MATCH),
        )

    def endpoint(
        text: str,
        pair: str = "",
        model: str = default_for(Task.ENCODER),
        layer: int = 0,
        head: int = 0,
        first: int = 0,
        task: str = Task.ENCODER.value,
        mix: str = Mix.HEAD.value,
    ) -> dict[str, Any]:
        """Give the attention weights of one head, or of several mixed, and what every head does.

        Args:
            text: up to 2,000 characters; sentence A or the question in a task with two texts
            pair: a second text, or nothing
            model: a bundled model, or an id of the Hub
            layer: 0 is the first
            head: 0 is the first
            first: the first of the 128 rows, at the most, that are given
            task: feature-extraction to only read, fill-mask, next-sentence-prediction,
                text-classification or question-answering
            mix: head, mean, max or rollout
        """
        loaded = page.models.get(model, _task(task), attentions=True)
        if mix not in list(Mix):
            raise InputError(f"mix must be one of {', '.join(Mix)}.")
        if first < 0:
            raise InputError("first must be 0 or more.")
        result = attention.predict(loaded, text, pair, look=Look(layer, head, mix=Mix(mix)))
        return views.numbers(result, first)

    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    chosen = [view, layer, head, token]
    controls = [*chosen, mix, sides, joined, bare, order]
    wire(
        page,
        TAB,
        [submit.click, text.submit, pair.submit, model_id.change]
        + [control.input for control in controls],
        run,
        [task, model_id, text, pair, *controls],
        [finding, picture, panels, shares, table, head_table, match_table, layer, head, token],
        endpoint=endpoint,
        edits=text,
        examples=ready,
        after=[
            task.input(_example_for, [task, text, pair], [text, pair], **glue),
            picture.select(None, None, chosen, js=_CHOSEN.format(id=TAB.id), **glue),
            panels.select(None, [view], chosen[:3], js=_PICKED.format(id=TAB.id), **glue),
        ],
        goal=Goal([task, model_id, text, pair, view, layer, head], _arrived),
    )


def _arrived(carried: Carried) -> list[Any]:
    """Put what was carried here from another tab: a text, perhaps one head to look at."""
    at = [gr.skip()] * 3 if carried.head is None else ["head", *(n + 1 for n in carried.head)]
    return [carried.task, carried.model_id, *carried.texts, *at]


def _scripts() -> str:
    places = [ASSETS / "attention" / f"{name}.js" for name in _SCRIPTS]
    return "\n".join(place.read_text(encoding="utf-8") for place in places)


def _task(value: str) -> Task:
    if value not in [task.value for task in TASKS]:
        raise InputError(f"task must be one of {', '.join(TASKS)}.")
    return Task(value)


def _example_for(task: str, text: str, pair: str) -> tuple[Any, Any]:
    """Give a text that suits the task, unless the visitor has typed one."""
    if (text, pair) in [(t, p) for _, t, p in EXAMPLES]:
        return next((t, p) for wanted, t, p in EXAMPLES if wanted.value == task)
    return gr.skip(), gr.skip()


def _choice(name: str, labels: dict[Any, str], label: str) -> Any:
    offered = [(text, value.value) for value, text in labels.items()]
    return gr.Dropdown(
        offered, value=offered[0][1], label=label, interactive=True, elem_id=f"{TAB.id}-{name}"
    )


def _index_slider(name: str, label: str, value: int, first: int, **options: Any) -> gr.Slider:
    return gr.Slider(
        first,
        _UNKNOWN,
        value=value,
        step=1,
        precision=0,
        label=label,
        interactive=True,
        buttons=[],  # its reset is no input, and would leave the picture behind
        elem_id=f"{TAB.id}-{name}",
        **options,
    )


def _follow(last: int, asked: int, given: int, **options: Any) -> gr.Slider:
    """Let a slider end where the model does; its value changes only if it has to.

    A value that was sent back would undo what the visitor did with the slider in the meantime.
    """
    if asked != given:
        options["value"] = given
    # Gradio refuses a slider without length, so a model with one layer gets one that is fixed
    return gr.Slider(maximum=max(last, 2), interactive=last > 1, **options)


TAB = Tab(id="attention", title="Attention", build=build)

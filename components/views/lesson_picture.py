"""An encoder drawn as boxes, from the text to the answer, with what passes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from components.tasks.lesson_parts import Panel, Stage
from components.views.markup import EMPTY, join
from components.views.wording import shortened

WIDTH, HEIGHT, GAP = 320, 46, 16  # units of the drawing
LETTERS = 42  # that fit into a box
HIDDEN = "? Answer the question below"


def picture(stages: Sequence[Stage], *, is_told: bool, panel: Callable[[Panel], Markup]) -> Markup:
    """Draw the boxes, and beside them what is said of each; the first one is open."""
    tall = len(stages) * (HEIGHT + GAP) - GAP + 4
    boxes = [_box(stage, i, is_told or not stage.is_answer) for i, stage in enumerate(stages)]
    said = [
        _said(stage, i, is_told or not stage.is_answer, panel) for i, stage in enumerate(stages)
    ]
    return Markup(
        '<div class="lab-encoder"><svg viewBox="0 0 {} {}" role="group" '
        'aria-label="An encoder, from the text to the answer">{}</svg>'
        '<div class="lab-stages">{}<p class="lab-stage-along"><button type="button" '
        'class="lab-move" data-turn="-1">↑ Up</button><button type="button" class="lab-move" '
        'data-turn="1">↓ Down</button></p></div></div>'
    ).format(WIDTH, tall, join(boxes), join(said))


def _box(stage: Stage, number: int, is_open: bool) -> Markup:
    top = number * (HEIGHT + GAP) + 2
    summary = shortened(" ".join(stage.summary.split()), LETTERS) if is_open else HIDDEN
    arrow = EMPTY
    if number:
        arrow = Markup('<path class="lab-flow" d="M{} {}v{}m-4 -5l4 5l4 -5"/>').format(
            WIDTH // 2, top - GAP + 1, GAP - 3
        )
    return Markup(
        '{}<g class="lab-box" role="button" tabindex="0" data-stage="{}" aria-pressed="{}">'
        '<rect x="2" y="{}" width="{}" height="{}" rx="8"/>'
        '<text class="lab-box-name" x="14" y="{}">{}</text>'
        '<text class="lab-box-value" x="14" y="{}">{}</text></g>'
    ).format(
        arrow,
        number,
        "true" if number == 0 else "false",
        top,
        WIDTH - 4,
        HEIGHT,
        top + 19,
        stage.name,
        top + 37,
        summary,
    )


def _said(stage: Stage, number: int, is_open: bool, panel: Callable[[Panel], Markup]) -> Markup:
    return Markup(
        '<section class="lab-stage" data-said="{}" {}><h4>{}</h4><p>{}</p>{}</section>'
    ).format(
        number,
        EMPTY if number == 0 else Markup("hidden"),
        stage.name,
        stage.says if is_open else "Choose an answer to the question below; then it is shown here.",
        panel(stage.panel) if is_open else EMPTY,
    )

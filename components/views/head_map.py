"""The head map: one cell for each head, coloured by what the answer loses or gains without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from components.models.heads import Filler, Head
from components.tasks.head_map import Effect, HeadMapResult
from components.views.download import Cell, csv_link
from components.views.followed import answers as followed_answers
from components.views.markup import finding as draw_finding
from components.views.markup import join
from components.views.wording import name_of, percent, points, signed, signed_points

HEADERS = [
    "Layer",
    "Head",
    "Change of probability (points)",
    "Change of logit",
    "Probability without it",
    "Logit without it",
    "Its answer then",
]
SMALL = 0.01  # changes of the probability below one point count as small
SCALES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)  # probability at full colour; less than 5 points never is
_LOGIT_SCALES = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_HOW = {
    Filler.ZERO: "A head that is off gives zeros.",
    Filler.MEAN: "A head that is off gives every token its average over all tokens of this text.",
}
_BUTTONS = (  # see assets/head_map.js
    ("points", Markup(' aria-pressed="true"'), "Points"),
    ("logits", Markup(' aria-pressed="false"'), "Logits"),
    ("largest", "", "Choose the three largest"),
    ("clear", "", "Choose none"),
)


def finding(result: HeadMapResult) -> Markup:
    """State which head matters most, and how many hardly do."""
    return draw_finding(
        _headline(result), model_id=result.model_id, notices=tuple(_notices(result))
    )


def _headline(result: HeadMapResult) -> str:
    changes = [abs(effect.score_change) for row in result.heads for effect in row]
    small = sum(change < SMALL for change in changes)
    answer = result.followed.answer
    if small == len(changes):
        return (
            f"No single head decides: switching off any one of the {small} moves “{answer}” by "
            "less than 1 point."
        )
    most = result[result.strongest].score_change
    by = signed_points(abs(most)).lstrip("+")
    moved = (
        f"costs “{answer}” {by} points, more than any other"
        if most < 0
        else f"gives “{answer}” {by} points: it was in the way more than any other mattered"
    )
    return (
        f"Switching off {name_of(*result.strongest)} {moved}. "
        f"{small} of {len(changes)} heads matter less than 1 point."
    )


def _notices(result: HeadMapResult) -> Iterator[str]:
    followed = result.followed
    own = "" if followed.answer == result.own_answer else f" Its own is “{result.own_answer}”."
    yield (
        f"With all heads on, the model gives “{followed.answer}” {percent(followed.score)} "
        f"(logit {signed(followed.logit)}).{own}"
    )
    turned = sum(effect.own_answer != result.own_answer for row in result.heads for effect in row)
    if turned:
        other = result[result.strongest].own_answer
        instead = f" Without the strongest it is “{other}”." if other != result.own_answer else ""
        heads = "one head" if turned == 1 else f"any one of {turned} heads"
        yield f"Without {heads} the model's first answer is another one.{instead}"
    yield from result.notices


def answers(result: HeadMapResult) -> Markup:
    """Draw the best answers of the whole network; a click follows another one."""
    return followed_answers(
        result.followed, result.choices, "The model’s answers with all heads on."
    )


def head_map(result: HeadMapResult) -> Markup:
    """Draw a row of cells for each layer: every head alone, then all heads of the layer."""
    every = [effect for row in result.heads for effect in row]
    scale = scale_for([effect.score_change for effect in every], SCALES)
    logit_scale = scale_for([effect.logit_change for effect in every], _LOGIT_SCALES)
    count = len(result.heads[0])
    top = join([Markup('<th scope="col">{}</th>').format(head + 1) for head in range(count)])
    layers = enumerate(zip(result.heads, result.layers, strict=True))
    rows = [_row(layer, singles, whole, (scale, logit_scale)) for layer, (singles, whole) in layers]
    return Markup(
        '<div class="lab-map{}" data-measure="points">{}<div class="lab-map-scroll" tabindex="-1">'
        '<table><thead><tr><th scope="col">Head</th>{}'
        '<th scope="col" class="lab-map-all">all</th></tr></thead>'
        "<tbody>{}</tbody></table></div>{}</div>"
    ).format(
        " lab-map-wide" if count > 8 else "",
        _caption(result),
        top,
        join(rows),
        _legend(scale, logit_scale),
    )


def scale_for(changes: Sequence[float], steps: Sequence[float]) -> float:
    """Give the change that is drawn in full: the first step that no change passes, or the last."""
    largest = max(map(abs, changes), default=0.0)
    return next((step for step in steps if step >= largest), steps[-1])


def _caption(result: HeadMapResult) -> Markup:
    buttons = [
        Markup('<button type="button" data-do="{}"{}>{}</button>').format(do, pressed, label)
        for do, pressed, label in _BUTTONS
    ]
    return Markup(
        '<div class="lab-map-top"><p><b>What “{}” loses or gains when one head is switched off, '
        '<span class="lab-in-points">in percentage points</span>'
        '<span class="lab-in-logits">as a change of its logit, the raw score</span>.</b> {} '
        "<b>all</b>: every head of that layer at once, so that in this layer no token hears of "
        'any other; the rest of the layer still works.</p><p class="lab-map-buttons">{}</p></div>'
    ).format(result.followed.answer, _HOW[result.by], join(buttons))


def _row(
    layer: int, singles: Sequence[Effect], whole: Effect, scales: tuple[float, float]
) -> Markup:
    cells = [
        _cell(effect, scales, [(layer, head)], name_of(layer, head).capitalize())
        for head, effect in enumerate(singles)
    ]
    everything = [(layer, head) for head in range(len(singles))]
    last = _cell(whole, scales, everything, f"Layer {layer + 1}, all its heads")
    return Markup('<tr><th scope="row">Layer {}</th>{}{}</tr>').format(layer + 1, join(cells), last)


def _cell(effect: Effect, scales: tuple[float, float], heads: Sequence[Head], label: str) -> Markup:
    changes = (effect.score_change, effect.logit_change)
    shares = [min(1.0, abs(change) / scale) for change, scale in zip(changes, scales, strict=True)]
    said = (
        f"{label}: {points(effect.score_change)} (then {percent(effect.score)}), "
        f"logit {signed(effect.logit_change)}"
    )
    return Markup(
        '<td{}><button type="button" class="lab-cell lab-p-{} lab-l-{}" '
        'style="--p:{:.3f};--l:{:.3f}" data-heads="{}" data-size="{:.6f}" aria-pressed="false" '
        'aria-label="{}" title="{}"><span class="lab-in-points">{}</span>'
        '<span class="lab-in-logits">{}</span></button></td>'
    ).format(
        Markup(' class="lab-map-all"') if len(heads) > 1 else "",
        *("loss" if change < 0 else "gain" for change in changes),
        *shares,
        written(heads),
        abs(effect.score_change),
        said,
        said,
        _short(100 * effect.score_change),
        _short(effect.logit_change),
    )


def written(heads: Sequence[Head]) -> str:
    """Write heads as the task reads them."""
    return " ".join(f"{layer}.{head}" for layer, head in heads)


def _short(number: float) -> str:
    """Write a number for a cell: two digits that say something."""
    if abs(number) < 0.05:
        return "0"
    return f"{number:+.{0 if abs(number) >= 10 else 1}f}".replace("-", "−")


def _legend(scale: float, logit_scale: float) -> Markup:
    most = (("points", f"{100 * scale:.0f} points"), ("logits", f"{logit_scale:g}"))
    ends = [
        Markup('<span class="lab-in-{}">{}{} or more</span>').format(measure, sign, amount)
        for sign in "−+"
        for measure, amount in most
    ]
    return Markup(
        '<div class="lab-map-legend"><i aria-hidden="true"></i><p><span>the answer loses: the head '
        "was helping it</span><span>no change</span><span>the answer gains: the head was in its "
        'way</span></p><p class="lab-map-ends">{}</p><p>The colour is full at the next round '
        "number above the largest change of a single head, and at 5 points or a logit of 0.5 at "
        "the least, so that small differences look small.</p></div>"
    ).format(join(ends))


def table(result: HeadMapResult) -> list[list[Any]]:
    """List every head, and every layer as a whole, in reading order."""
    rows = []
    for layer, (singles, whole) in enumerate(zip(result.heads, result.layers, strict=True)):
        rows += [_numbers(layer, head, effect) for head, effect in enumerate(singles)]
        rows.append(_numbers(layer, "all", whole))
    return rows


def _numbers(layer: int, head: int | str, effect: Effect) -> list[Any]:
    return [
        layer + 1,
        head + 1 if isinstance(head, int) else head,
        signed_points(effect.score_change),
        signed(effect.logit_change),
        percent(effect.score),
        signed(effect.logit),
        effect.own_answer,
    ]


def download(result: HeadMapResult) -> Markup:
    """Offer the numbers, unrounded, as a file."""
    names = ["layer", "head", "probability_change", "logit_change", "probability", "logit"]
    rows: list[list[Cell]] = []
    for layer, (singles, whole) in enumerate(zip(result.heads, result.layers, strict=True)):
        rows += [_plain(layer, head, effect) for head, effect in enumerate(singles)]
        rows.append(_plain(layer, "all", whole))
    return csv_link("head-map.csv", [*names, "answer"], rows)


def _plain(layer: int, head: int | str, effect: Effect) -> list[Cell]:
    numbers = (effect.score_change, effect.logit_change, effect.score, effect.logit)
    at = head + 1 if isinstance(head, int) else head
    return [layer + 1, at, *(round(number, 6) for number in numbers), effect.own_answer]

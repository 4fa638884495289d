"""Several heads switched off together, beside what each of them does alone."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from components.models.heads import Head
from components.tasks.head_map import TogetherResult
from components.views.head_map import SCALES, scale_for
from components.views.markup import finding as draw_finding
from components.views.markup import hint, join
from components.views.wording import name_of, percent, points, signed, signed_points

_SHOWN = 8  # single heads that get a bar of their own
_ALIKE = 0.005  # sums nearer to each other than half a point are called the same
_WHY = (
    "Effects of heads do not add up. Heads stand in for each other, so that the first one lost is "
    "not missed and the second is (redundancy); after every layer its numbers are scaled anew "
    "(layer norm); later layers make up for what earlier ones left out; and no probability goes "
    "below 0 or above 100 %. So what heads do together has to be measured: it cannot be summed."
)


def nothing() -> Markup:
    """Ask for a choice of heads."""
    return hint(
        "No heads are chosen yet. Click two or more cells of the map: what the answer loses "
        "without all of them is measured, and shown beside the sum of the single effects."
    )


def panel(result: TogetherResult) -> Markup:
    """State what the chosen heads do together, and draw it beside what they do alone."""
    return draw_finding(_headline(result), notices=tuple(_notices(result))) + _chart(result)


def _headline(result: TogetherResult) -> str:
    answer, change = result.followed.answer, result.joint.score_change
    if len(result.chosen) == 1:
        return f"Without {name_of(*result.chosen[0])} “{answer}” changes by {points(change)}."
    heads = (
        " and ".join(name_of(*head) for head in result.chosen)
        if len(result.chosen) == 2
        else f"the {len(result.chosen)} chosen heads"
    )
    return (
        f"Without {heads} together “{answer}” changes by {points(change)}; "
        f"their single effects sum to {points(result.score_sum)}."
    )


def _notices(result: TogetherResult) -> Iterator[str]:
    joint = result.joint
    then = f"“{result.followed.answer}” then has {percent(joint.score)}"
    if joint.own_answer != result.own_answer:
        then += f", and the model's first answer is “{joint.own_answer}”"
    yield f"{then}. Its logit changes by {signed(joint.logit_change)}; the single changes of the " \
        f"logit sum to {signed(result.logit_sum)}."  # fmt: skip
    yield from result.notices
    if len(result.chosen) > 1:
        yield f"{_compared(joint.score_change, result.score_sum)} {_WHY}"


def _compared(joint: float, summed: float) -> str:
    """Say how the joint effect and the sum differ."""
    if abs(joint - summed) < _ALIKE:
        return "Here the two are nearly the same, which is no rule."
    gap = signed_points(abs(joint - summed)).lstrip("+")
    if joint * summed < 0:
        return f"Here even the sign is another: the two are {gap} points apart."
    more = "more" if abs(joint) > abs(summed) else "less"
    return f"Here the heads do {gap} points {more} together than the sum says."


def _chart(result: TogetherResult) -> Markup:
    shown = list(zip(result.chosen, result.singles, strict=True))[:_SHOWN]
    sums = (result.joint.score_change, result.score_sum)
    largest = scale_for([*sums, *(effect.score_change for _, effect in shown)], SCALES)
    rows = [_bar(_single(head), effect.score_change, largest) for head, effect in shown]
    if len(result.chosen) > _SHOWN:
        rows.append(
            Markup('<p class="lab-map-rest">and {} more heads alone</p>').format(
                len(result.chosen) - _SHOWN
            )
        )
    if len(result.chosen) > 1:
        rows.append(_bar("Sum of the single effects", sums[1], largest, css="lab-sum"))
        rows.append(_bar("Together, measured", sums[0], largest, css="lab-joint"))
    return Markup(
        '<section class="lab-panel lab-together"><h4>Change of the probability of “{}”; the bars '
        "end at {} points on either side</h4>{}</section>"
    ).format(result.followed.answer, f"{100 * largest:.0f}", join(rows))


def _single(head: Head) -> Markup:
    """Name a head alone, with the way to its attention."""
    return Markup(
        '{} alone <button type="button" class="lab-see" data-pick="{},{}" aria-pressed="false">'
        "see its attention</button>"
    ).format(name_of(*head).capitalize(), *head)


def _bar(label: str, change: float, largest: float, *, css: str = "") -> Markup:
    width = 50 * min(1.0, abs(change) / largest)
    side = f"right:50%;width:{width:.2f}%" if change < 0 else f"left:50%;width:{width:.2f}%"
    return Markup(
        '<div class="lab-change {}"><span>{}</span><span class="lab-change-track">'
        '<i class="lab-{}" style="{}"></i></span><b>{}</b></div>'
    ).format(css, label, "loss" if change < 0 else "gain", side, signed_points(change))

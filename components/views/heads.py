"""What heads do, in words, as bars to choose from, and as a table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from components.tasks.heads import HeadStatistics, Pattern, Target
from components.views.markup import join
from components.views.wording import name_of, percent

_NAMES: Mapping[Target, str] = {
    "previous": "the previous token",
    "next": "the next token",
    "itself": "the token itself",
    "first": "{}",
    "separator": "{}",
    "word": "“{}”",
    "other text": "the other text",
}
_TARGETS: tuple[Target, ...] = ("previous", "next", "itself", "first", "separator", "other text")
HEADERS = [
    "Layer",
    "Head",
    "Pattern",
    "Previous token",
    "Next token",
    "Token itself",
    "First token",
    "[SEP] or </s>",
    "Other text",
    "Entropy, bits",
    "Distance, tokens",
]
_TOLD = 6  # heads in the sorted list


@dataclass(frozen=True, slots=True)
class Order:
    """One way to sort heads, the largest first."""

    label: str
    of: Callable[[HeadStatistics], NDArray[np.float64]]  # (layers, heads)
    written: Callable[[float], str]
    target: Target | None = None  # the target whose share it is


def _by(target: Target, label: str) -> Order:
    return Order(label, lambda s: s.shares.get(target, np.zeros_like(s.entropy)), percent, target)


def _bits(value: float) -> str:
    return f"{abs(value):.2f} bits"


def _tokens(value: float) -> str:
    return f"{abs(value):.1f} tokens"


ORDERS: Mapping[str, Order] = {
    "previous": _by("previous", "attention to the previous token"),
    "next": _by("next", "attention to the next token"),
    "itself": _by("itself", "attention to the token itself"),
    "first": _by("first", "attention to the first token, [CLS] or <s>"),
    "separator": _by("separator", "attention to [SEP] or </s>"),
    "other text": _by("other text", "attention to the other text"),
    "broad": Order("spread: most even first", lambda s: s.entropy, _bits),
    "narrow": Order("spread: most focused first", lambda s: -s.entropy, _bits),
    "far": Order("distance: farthest first", lambda s: s.distance, _tokens),
}


def name(target: Target, token: str = "") -> str:
    """Say in words what a share is a share of."""
    return _NAMES[target].replace("{}", token)


def habit(pattern: Pattern, statistics: HeadStatistics) -> str:
    """Say what a head does, with the figure that says so."""
    if pattern.target is None:
        return (
            f"spreads its attention broadly: {percent(pattern.score)} of the entropy that looking "
            "everywhere alike would have"
        )
    what = name(pattern.target, statistics.tokens[pattern.target])
    manner = "mostly" if pattern.is_marked else "most often"
    return f"looks {manner} at {what} ({percent(pattern.score)} of its attention)"


def note(pattern: Pattern, statistics: HeadStatistics) -> str:
    """Name a head by its pattern, briefly."""
    figure = f"{100 * pattern.score:.0f} %"
    if pattern.target is None:
        return f"broad {figure}"
    what = name(pattern.target, statistics.tokens[pattern.target])
    short = what.removeprefix("the ").removeprefix("token ")
    if pattern.is_marked:
        return f"{short} {figure}"
    return f"mixed: {short.removesuffix(' token')} {figure}"


def panels(statistics: HeadStatistics, order: str, chosen: tuple[int, int]) -> Markup:
    """Draw which head is the strongest for each place to look at, and the heads in `order`."""
    return Markup('<div class="lab-panels">{}{}</div>').format(
        _specialists(statistics, chosen), _sorted(statistics, ORDERS[order], chosen)
    )


def _specialists(statistics: HeadStatistics, chosen: tuple[int, int]) -> Markup:
    rows = []
    for target in statistics.shares:
        best = statistics.strongest(target)
        what = name(target, statistics.tokens[target]).removeprefix("the ")
        at = best.layer, best.head
        rows.append(_row(what, _place(at), best.score, percent(best.score), at, chosen))
    return Markup(
        '<section class="lab-panel"><h4>Which head looks there most? Choose one to see it.</h4>'
        '<div class="lab-bars lab-picks">{}</div></section>'
    ).format(join(rows))


def _sorted(statistics: HeadStatistics, order: Order, chosen: tuple[int, int]) -> Markup:
    values = order.of(statistics)
    top = float(np.abs(values).max()) if order.target is None else 1.0
    rows = []
    for place in np.argsort(-values, axis=None, kind="stable")[:_TOLD]:
        at = divmod(int(place), statistics.heads)
        value = float(values[at])
        named = note(statistics.pattern(*at), statistics)
        part = abs(value) / (top or 1)
        rows.append(_row(_place(at), named, part, order.written(value), at, chosen))
    return Markup(
        '<section class="lab-panel"><h4>Heads by {}</h4><div class="lab-bars lab-picks">{}</div>'
        "</section>"
    ).format(order.label, join(rows))


def _place(at: tuple[int, int]) -> str:
    return name_of(*at)


def _row(
    label: str, below: str, part: float, figure: str, at: tuple[int, int], chosen: tuple[int, int]
) -> Markup:
    return Markup(
        '<button type="button" class="lab-bar{}" data-pick="{},{}" title="Look at this head">'
        '<span class="lab-bar-label">{}</span><span class="lab-bar-track">'
        '<span class="lab-bar-fill" style="width:{:.2f}%"></span></span>'
        '<span class="lab-bar-value">{}</span>'
        '<span class="lab-pick-name">{}</span></button>'
    ).format(" lab-picked" if at == chosen else "", *at, label, 100 * part, figure, below)


def table(statistics: HeadStatistics, order: str) -> list[list[str | int]]:
    """List the figures of every head, sorted as asked; empty where the input has no such place."""
    values = ORDERS[order].of(statistics)
    rows: list[list[str | int]] = []
    for place in np.argsort(-values, axis=None, kind="stable"):
        at = divmod(int(place), statistics.heads)
        rows.append(
            [
                *(number + 1 for number in at),
                note(statistics.pattern(*at), statistics),
                *(_figure(statistics, target, at) for target in _TARGETS),
                f"{abs(float(statistics.entropy[at])):.2f}",
                f"{float(statistics.distance[at]):.1f}",
            ]
        )
    return rows


def _figure(statistics: HeadStatistics, target: Target, at: tuple[int, int]) -> str:
    share = statistics.shares.get(target)
    return "" if share is None else percent(float(share[at]))

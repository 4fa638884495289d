"""The deletion test: probability while words are hidden, by each ranking and by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from components.tasks.attribution import AttributionResult, Method
from components.views.attribution import NAMES
from components.views.palette import caption, style
from components.views.wording import percent, shortened

HEADERS = ["Order", "Area under the curve"]
_LINES: dict[Method, dict[str, Any]] = {
    Method.OCCLUSION: {"color": "#0072b2", "width": 3},
    Method.GRADIENTS: {"color": "#009e73", "width": 3, "dash": "dash"},
    Method.ATTENTION: {"color": "#d55e00", "width": 3, "dash": "dot"},
}
_BAND = "rgba(128,138,148,.28)"
_MIDDLE = "rgba(128,138,148,.9)"


def verdict(result: AttributionResult) -> Markup:
    """Say whose order makes the answer fall sooner than chance, with the areas."""
    deletion = result.deletion
    areas, chance = deletion.areas(), deletion.random_areas()
    said = "; ".join(f"{NAMES[method]} {percent(areas[method])}" for method in Method)
    return Markup(
        '<section class="lab-panel lab-deletion"><h3>{}</h3><p>The test: hide the words for good, '
        "one after the other, in the order of each ranking. The sooner “{}” falls, the better the "
        "ranking knew what it rests on. The mean height of each curve (the area under it): {}. "
        "{} random orders: from {} to {}.</p></section>"
    ).format(
        _headline(areas, chance),
        shortened(result.followed.answer, 30),
        said,
        len(chance),
        percent(chance[0]),
        percent(chance[-1]),
    )


def _headline(areas: dict[str, float], chance: Sequence[float]) -> str:
    """Compare attention with chance, and with the best of the others."""
    attention = areas[Method.ATTENTION]
    best = min((m for m in Method if m is not Method.ATTENTION), key=lambda m: areas[m])
    better = sum(attention < area for area in chance)
    beaten = f"The order of attention beats {better} of {len(chance)} random orders"
    if attention <= areas[best]:
        return f"{beaten}, and here no other order beats it"
    won = sum(areas[best] < area for area in chance)
    return f"{beaten}; that of {NAMES[best].lower()} beats {won}"


def chart(result: AttributionResult) -> go.Figure:
    """Draw the probability against the share of words hidden, over the band of random orders."""
    deletion = result.deletion
    figure = style(go.Figure(), height=400)
    x = [count / deletion.hidden[-1] for count in deletion.hidden]
    random = np.array(deletion.random)  # (orders, points)
    name = f"{len(random)} random orders: all of them, and their mean"
    group = {"legendgroup": "random", "hoverinfo": "skip", "mode": "lines"}
    edge = {**group, "line": {"width": 0}, "showlegend": False}
    figure.add_scatter(x=x, y=random.max(axis=0), **edge)
    figure.add_scatter(x=x, y=random.min(axis=0), fill="tonexty", fillcolor=_BAND, **edge)
    middle = {**group, "line": {"color": _MIDDLE, "width": 2}}
    figure.add_scatter(x=x, y=random.mean(axis=0), name=name, **middle)
    for method, line in _LINES.items():
        figure.add_scatter(
            x=x,
            y=deletion.curves[method],
            name=f"{NAMES[method]}: {percent(deletion.areas()[method])}",
            mode="lines+markers",
            line=line,
            hovertemplate=f"{NAMES[method]}: %{{y:.2%}} with %{{x:.0%}} hidden<extra></extra>",
        )
    figure.update_xaxes(title="words hidden", tickformat=".0%", range=[0, 1])
    figure.update_yaxes(title="probability of the answer", tickformat=".0%", range=[0, 1.02])
    figure.update_layout(
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, margin_t=8
    )
    read = shortened(" / ".join(result.texts), 90)
    caption(figure, [f"{result.model_id}, “{result.followed.answer[:40]}”", read], below=55)
    return figure


def table(result: AttributionResult) -> list[list[str]]:
    """List the area under every curve, with the points of it."""
    deletion = result.deletion
    rows = [
        [NAMES[method], percent(deletion.areas()[method]), *map(percent, deletion.curves[method])]
        for method in Method
    ]
    for number, curve in enumerate(deletion.random, start=1):
        rows.append([f"Random {number}", percent(deletion.area(curve)), *map(percent, curve)])
    return rows


def headers(result: AttributionResult) -> list[str]:
    """Name the columns of `table`."""
    return [*HEADERS, *(f"{count} hidden" for count in result.deletion.hidden)]

"""Quality against latency: one dot a model, so that what speed costs can be seen."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go
from markupsafe import escape

from components.models.evaluation import Figure
from components.tasks.compare import CompareResult, Entry
from components.views.compare_chart import short_name
from components.views.palette import FAMILY_COLOURS, caption, style
from components.views.wording import millions, milliseconds, percent

_LINE = 44  # characters of a line, so that it fits a phone
_HEIGHT = 270  # pixels between the axes
_TITLE = 38  # of the larger title
_PLOT = 0.72  # share of the width that dots may use; their names stand right of it
_SAME = 0.9  # of the time: not called faster
_SIZES = (11, 30)  # pixels of the dot of the smallest and the largest model


def scatter(result: CompareResult) -> go.Figure | None:
    """Draw accuracy over the median time; None unless two models were measured."""
    measured = [(e, e.accuracy) for e in result.answered if e.accuracy is not None]
    if result.figure is None or len(measured) < 2:
        return None
    entries, accuracies = [entry for entry, _ in measured], [value for _, value in measured]
    figure = go.Figure(_dots(entries, accuracies))
    style(figure)
    _set_axes(figure, entries, accuracies, result.figure)
    _name_dots(figure, entries, accuracies)
    said = headline(measured).replace(" %", "\u00a0%")  # a number and its unit stay together
    lines = [str(escape(line)) for line in textwrap.wrap(said, _TITLE)]
    figure.add_annotation(
        text="<br>".join(f"<b>{line}</b>" for line in lines), x=0, y=1, xref="paper",
        yref="paper", xanchor="left", yanchor="bottom", align="left", yshift=10,
        showarrow=False, font_size=15,
    )  # fmt: skip
    figure.update_layout(margin_t=24 + 20 * len(lines), showlegend=False)
    caption(figure, _caption(result.figure), below=58)
    margin = figure.layout.margin
    return figure.update_layout(height=_HEIGHT + margin.t + margin.b)


def headline(measured: Sequence[tuple[Entry, float]]) -> str:
    """Say who is right most often, and what the fastest gives up for its speed."""
    best, highest = max(measured, key=lambda pair: pair[1])
    fastest, lower = min(measured, key=lambda pair: pair[0].latency.median)
    ratio = fastest.latency.median / best.latency.median
    if best is fastest:
        return f"{best.model_id} is right most often, and the fastest"
    if ratio > _SAME:
        return f"{best.model_id} is right most often, and none is clearly faster"
    return (
        f"{best.model_id} is right most often; {fastest.model_id} needs {ratio:.2f}× its time and "
        f"is right in {percent(lower)}, not {percent(highest)}"
    )


def _dots(entries: Sequence[Entry], accuracies: Sequence[float]) -> go.Scatter:
    spans = [entry.latency for entry in entries]
    return go.Scatter(
        x=[1000 * span.median for span in spans],
        y=list(accuracies),
        mode="markers",
        cliponaxis=False,
        marker={
            "color": [FAMILY_COLOURS[entry.model_type] for entry in entries],
            "size": _diameters([entry.parameters for entry in entries]),
            "line": {"width": 1, "color": "rgba(128,138,148,.9)"},
            "opacity": 1,
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [1000 * (span.slowest - span.median) for span in spans],
            "arrayminus": [1000 * (span.median - span.fastest) for span in spans],
            "color": "#7b8794",
            "thickness": 1.2,
            "width": 3,
        },
        hovertext=[_hover(e, a) for e, a in zip(entries, accuracies, strict=True)],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _diameters(parameters: Sequence[int]) -> list[float]:
    """Give dots whose areas are to one another as the parameters, none too small to see."""
    most = max(parameters)
    return [max(_SIZES[0], _SIZES[1] * math.sqrt(count / most)) for count in parameters]


def _hover(entry: Entry, accuracy: float) -> str:
    return str(
        escape(
            f"{entry.model_id}: {percent(accuracy)}, {milliseconds(entry.latency.median)}, "
            f"{millions(entry.parameters)} parameters"
        )
    )


def _set_axes(
    figure: go.Figure, entries: Sequence[Entry], accuracies: Sequence[float], measured: Figure
) -> None:
    slowest = 1000 * max(entry.latency.slowest for entry in entries)
    low, high = _room(accuracies)
    figure.update_xaxes(
        domain=[0, _PLOT], range=[0, 1.08 * slowest], nticks=5, tickangle=0,
        title_text="time of a forward pass, in ms",
    )  # fmt: skip
    figure.update_yaxes(range=[low, high], tickformat=".0%", title_text=str(escape(measured.label)))


def _room(accuracies: Sequence[float]) -> tuple[float, float]:
    spare = max(0.01, 0.2 * (max(accuracies) - min(accuracies)))
    return min(accuracies) - spare, max(accuracies) + spare


def _name_dots(figure: go.Figure, entries: Sequence[Entry], accuracies: Sequence[float]) -> None:
    """Write the names in a column beside the dots, in their order, so that none covers another."""
    order = sorted(range(len(entries)), key=lambda i: accuracies[i])
    low, high = _room(accuracies)
    slowest = 1000 * max(entry.latency.slowest for entry in entries)
    for place, i in enumerate(order):
        figure.add_annotation(
            x=1000 * entries[i].latency.median, y=accuracies[i], xref="x", yref="y",
            ax=1.13 * slowest, ay=low + (high - low) * (place + 0.5) / len(order),
            axref="x", ayref="y", text=str(escape(short_name(entries[i]))), xanchor="left",
            showarrow=True, arrowhead=0, arrowwidth=1, arrowcolor="rgba(128,138,148,.7)",
            font_size=13,
        )  # fmt: skip


def _caption(measured: Figure) -> list[str]:
    lines = [
        f"Up: {measured.meaning}",
        "It does not begin at 0. Area of a dot: parameters. Line: fastest to slowest run.",
    ]
    return [part for line in lines for part in textwrap.wrap(line, _LINE)]

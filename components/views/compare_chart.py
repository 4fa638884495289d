"""The answers of several models as bars: how probable each is, and the time it took."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go
from markupsafe import escape
from plotly.subplots import make_subplots

from components.models.catalog import find_card
from components.tasks.compare import CompareResult, Entry
from components.views.palette import FAMILY_COLOURS, caption, style
from components.views.wording import milliseconds, percent, shortened

_LABEL = 22  # characters of an answer beside a bar
_NAME = 18  # characters of a name
_LINE = 44  # characters of a line under the chart, so that it fits a phone
_GAP = 84  # pixels between the two rows of bars


def chart(result: CompareResult) -> go.Figure | None:
    """Draw the probability of each answer over the time it took; None when nobody answered."""
    entries = result.answered
    if not entries:
        return None
    titles = ("Probability of its answer", "Time of a pass (median, range)")
    blanks = max(len(entry.answer) for entry in entries)
    bars = 34 * len(entries) * (blanks + 1)  # pixels
    gap = _GAP / (bars + _GAP)
    figure = make_subplots(rows=2, cols=1, vertical_spacing=gap, subplot_titles=titles)
    figure.update_annotations(font_size=14, x=0, xanchor="left")
    for blank in range(blanks):
        figure.add_trace(_probabilities(entries, blank), row=1, col=1)
    figure.add_trace(_times(entries), row=2, col=1)
    style(figure, height=210 + bars)
    _set_axes(figure, entries)
    figure.update_layout(barmode="group", bargap=0.35, showlegend=False, margin_t=34)
    caption(figure, _caption(result), below=34)
    return figure


def _probabilities(entries: Sequence[Entry], blank: int) -> go.Bar:
    said = {i: e.answers[blank][0] for i, e in enumerate(entries) if blank < len(e.answers)}
    return go.Bar(
        x=[choice.score for choice in said.values()],
        y=list(said),
        orientation="h",
        marker_color=[FAMILY_COLOURS[entries[i].model_type] for i in said],
        text=[_plain(f"{shortened(c.text, _LABEL)} · {percent(c.score)}") for c in said.values()],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{text}<extra></extra>",
    )


def _times(entries: Sequence[Entry]) -> go.Bar:
    spans = [entry.latency for entry in entries]
    return go.Bar(
        x=[1000 * span.median for span in spans],
        y=list(range(len(entries))),
        orientation="h",
        marker_color=[FAMILY_COLOURS[entry.model_type] for entry in entries],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [1000 * (span.slowest - span.median) for span in spans],
            "arrayminus": [1000 * (span.median - span.fastest) for span in spans],
            "color": "#7b8794",
            "thickness": 1.5,
        },
        hovertext=[milliseconds(span.median) for span in spans],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _set_axes(figure: go.Figure, entries: Sequence[Entry]) -> None:
    names = [_plain(short_name(entry)) for entry in entries]
    figure.update_yaxes(
        tickvals=list(range(len(entries))),
        ticktext=names,  # positions, not names: two models may have one name
        range=[len(entries) - 0.5, -0.5],
        showgrid=False,
        ticklabelstandoff=6,
    )
    marks = [0, 0.25, 0.5, 0.75, 1]
    figure.update_xaxes(range=[0, 1.3], tickvals=marks, tickformat=".0%", row=1, col=1)
    figure.update_xaxes(rangemode="tozero", ticksuffix=" ms", row=2, col=1)


def _caption(result: CompareResult) -> list[str]:
    """Say under the chart, in short lines, what was asked, and which models are miniatures."""
    given = result.given
    asked = f"{given.question} — {given.text}" if given.question else given.text
    small = [entry.model_id for entry in result.answered if find_card(entry.model_id)]
    lines = textwrap.wrap(f"“{shortened(asked, 2 * _LINE)}”", _LINE)
    return lines + (textwrap.wrap(f"Miniatures: {', '.join(small)}", _LINE) if small else [])


def short_name(entry: Entry) -> str:
    """Give the family of a bundled model, else the end of its id."""
    card = find_card(entry.model_id)
    return card.family.name if card else shortened(entry.model_id.rpartition("/")[2], _NAME)


def _plain(text: str) -> str:
    """Keep plotly from reading <s> or <b> as formatting."""
    return str(escape(text))

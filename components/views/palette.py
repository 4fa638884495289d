"""What every Plotly figure shares: type, colours that work on light and dark paper, margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from markupsafe import escape

# Okabe-Ito, told apart by the colour-blind; the same as --lab-bert and so on in assets/style.css
FAMILY_COLOURS: Mapping[str, str] = {
    "bert": "#0072b2",
    "roberta": "#d55e00",
    "albert": "#009e73",
    "distilbert": "#56b4e9",
    "electra": "#cc79a7",
    "deberta-v2": "#e69f00",
}
FONT = "Source Sans Pro, system-ui, sans-serif"
MONO = "IBM Plex Mono, ui-monospace, monospace"
_INK = "#6c7a88"  # about 4.4 : 1 on white and on dark; on screen style.css does better
_GRID = "rgba(128,138,148,.25)"

# One hue from paper to ink: see-through at nothing, so that it begins with any paper. The steps
# follow the square root: an attention of 4 % is a fifth of the way.
_STEPS = tuple(i / 10 for i in range(11))
STRENGTH = [(step**2, f"rgba(30,125,190,{0.03 + 0.97 * step:.2f})") for step in _STEPS]


def style(figure: go.Figure, *, height: int | None = None) -> go.Figure:
    """Give `figure` the house style, `height` in pixels; returns the same figure."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        font={"family": FONT, "size": 13, "color": _INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"font": {"family": MONO, "size": 13}},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": _INK, "activecolor": _INK},
    )
    # "allow": measuring every label for overflow takes seconds where there are a hundred
    axes = {"gridcolor": _GRID, "zeroline": False, "automargin": True, "ticklabeloverflow": "allow"}
    figure.update_xaxes(axes)
    figure.update_yaxes(axes)
    return figure


def caption(figure: go.Figure, lines: Sequence[str], *, below: int) -> None:
    """Write plain `lines` under a figure, `below` pixels under its axis.

    So a picture that is taken along says what it shows.
    """
    figure.add_annotation(
        text="<br>".join(str(escape(line)) for line in lines), x=0, y=0, xref="paper",
        yref="paper", xanchor="left", yanchor="top", align="left", yshift=-below, showarrow=False,
        font_size=12,
    )  # fmt: skip
    figure.update_layout(margin_b=below + 8 + 18 * len(lines))

"""The curves of a fine-tuning, and where its vectors lie before and after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from markupsafe import escape
from plotly.subplots import make_subplots

from components.tasks.fine_tune import Data, FineTuneResult
from components.training.progress import Moment, Plan
from components.views.palette import style
from components.views.wording import shortened

_BLUE, _ORANGE, _GREY = "#1e7dbe", "#d07020", "#6c7a88"
# Okabe-Ito, then marks: ten labels are told apart by both
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")
_MARKS = ("circle", "diamond", "square", "cross", "triangle-up", "star")


def curves(moments: Sequence[Moment], data: Data, plan: Plan, frozen: int) -> go.Figure:
    """Draw loss and held-out accuracy over the passes, with what they are to be compared to."""
    figure = make_subplots(
        rows=1, cols=2, subplot_titles=("Loss: lower is better", "Held-out lines right")
    )
    steps = [moment for moment in moments if moment.loss is not None]
    measured = [moment for moment in moments if moment.held_out is not None]
    passes = [moment.epoch for moment in measured]
    held = len(data.lines(held_out=True))
    figure.add_scatter(
        x=[m.epoch for m in steps], y=[m.loss for m in steps], name="lines it learns from",
        mode="lines", line={"color": _BLUE, "width": 2}, row=1, col=1,
    )  # fmt: skip
    figure.add_scatter(
        x=passes, y=[m.held_out.loss for m in measured if m.held_out], name="held-out lines",
        mode="lines+markers", line={"color": _ORANGE, "width": 3}, row=1, col=1,
    )  # fmt: skip
    figure.add_scatter(
        x=passes, y=[m.held_out.right for m in measured if m.held_out], name="held-out lines",
        mode="lines+markers", line={"color": _ORANGE, "width": 3}, showlegend=False, row=1, col=2,
    )  # fmt: skip
    for right, name, place in (
        (frozen, "frozen vectors", "top left"),
        (data.majority, "commonest label", "bottom right"),
    ):
        figure.add_hline(
            y=right, line={"color": _GREY, "dash": "dot"}, annotation_text=name,
            annotation_position=place, row=1, col=2,
        )  # fmt: skip
    figure.update_xaxes(range=[0, plan.epochs], title="epochs")
    figure.update_yaxes(rangemode="tozero", row=1, col=1)
    figure.update_yaxes(range=[0, held * 1.08], row=1, col=2)
    style(figure, height=320)
    figure.update_layout(
        legend={"orientation": "h", "y": -0.22}, margin_t=34, uirevision="curves", transition=None
    )
    return figure


def vectors(result: FineTuneResult) -> go.Figure:
    """Draw every line's [CLS] vector before and after, on one map with the same scale."""
    figure = make_subplots(
        rows=1, cols=2, subplot_titles=("Before", "After"), shared_yaxes="all", shared_xaxes="all"
    )
    labels = np.array(result.data.labels)
    held = np.array(result.data.is_held_out)
    for column, places in enumerate((result.places_before, result.places_after), start=1):
        for label, name in enumerate(result.data.names):
            own = np.flatnonzero(labels == label)
            figure.add_scatter(
                x=places[own, 0], y=places[own, 1], mode="markers", name=str(escape(name)),
                legendgroup=str(label), showlegend=column == 1,
                text=[str(escape(shortened(result.data.texts[i], 80))) for i in own],
                hovertemplate="%{text}<extra></extra>",
                marker={
                    "color": _COLOURS[label % len(_COLOURS)],
                    "symbol": [
                        _MARKS[label % len(_MARKS)] + ("-open" if held[i] else "") for i in own
                    ],
                    "size": 9,
                },
                row=1, col=column,
            )  # fmt: skip
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(showticklabels=False)
    style(figure, height=380)
    figure.update_layout(legend={"orientation": "h", "y": -0.08}, margin_t=34)
    return figure

"""The attention result as lines and thumbnails (data for assets/attention.js), heat map, table."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup
from numpy.typing import NDArray

from components.tasks.attention import AttentionResult, Share, Target
from components.views.markup import Bar, bars
from components.views.markup import finding as draw_finding
from components.views.palette import MONO, STRENGTH, style
from components.views.wording import percent

HEADERS = ["Position", "Token", "looks at position", "Token there", "Weight"]
_MAX_ROWS = 100  # of the table
_MAX_LABEL = 12  # characters of a token on an axis

_NAMES: Mapping[Target, str] = {
    "itself": "the token itself",
    "previous": "the previous token",
    "next": "the next token",
    "first": "{}",
    "separator": "{}",
    "word": "“{}”",
    "other text": "the other text",
}


def _name(share: Share) -> str:
    return _NAMES[share.target].replace("{}", share.token)


def finding(result: AttentionResult) -> Markup:
    """State where the chosen head looks, by measured shares of its attention."""
    return draw_finding(
        f"Head {result.head} of layer {result.layer} {_habit(result.shares)}",
        model_id=result.model_id,
        notices=(*result.notices, *_window_notices(result)),
    )


def _habit(shares: tuple[Share, ...]) -> str:
    """Say what the head does more than a head that looks everywhere alike."""
    telling = [share for share in shares if share.score > 1.5 * share.even]
    if not telling:
        largest = max(shares, key=lambda share: share.score - share.even)
        return (
            f"spreads its attention evenly: {_name(largest)} gets {percent(largest.score)}, and "
            f"would get {percent(largest.even)} if it looked everywhere alike"
        )
    most = telling[0]
    manner = "mostly" if most.score >= 0.5 else "most often"
    return f"looks {manner} at {_name(most)} ({percent(most.score)} of its attention)"


def _window_notices(result: AttentionResult) -> Iterator[str]:
    start, stop = result.window
    if stop - start < len(result.tokens):
        rest = float(result.outside[result.head].mean())
        yield (
            f"Tokens {start} to {stop - 1} of {len(result.tokens)} are drawn. All of them were "
            f"read, so the drawn part of a row no longer sums to one: on average {percent(rest)} "
            "of it lies outside. “First token drawn” moves the window."
        )


def picture(result: AttentionResult) -> dict[str, Any]:
    """Give assets/attention.js what it draws: every head of the layer, as bytes.

    A byte is 255 times the square root of a weight: small weights keep their differences, and
    the square root is what is drawn as strength.
    """
    start, stop = result.window
    return {
        "tokens": list(result.tokens[start:stop]),
        "special": [sequence is None for sequence in result.sequence_ids[start:stop]],
        "layer": result.layer,
        "head": result.head,
        "heads": result.heads,
        "weights": _bytes(result.shown),  # (heads, queries, keys)
        "outside": _bytes(result.outside),  # (heads, queries)
    }


def _bytes(weights: NDArray[np.float32]) -> str:
    scaled = np.round(255 * np.sqrt(np.clip(weights, 0, 1))).astype(np.uint8)
    return base64.b64encode(scaled.tobytes()).decode("ascii")


def heat_map(result: AttentionResult) -> go.Figure:
    """Draw the chosen head as a matrix: a row for each token that looks, the first on top."""
    start, stop = result.window
    weights = result.shown[result.head]  # (queries, keys)
    labels = [_label(token) for token in result.tokens[start:stop]]
    gap = 1 if len(labels) <= 40 else 0  # pixels
    places = np.arange(len(labels), dtype=np.float32)  # repeated tokens must not share a place
    heat = go.Heatmap(
        x=places,
        y=places,
        z=weights,
        text=[labels] * len(labels),  # the axis leaves labels out where they would overlap
        hovertemplate="%{y} looks at %{text}: %{z:.2%}<extra></extra>",
        colorscale=STRENGTH,
        zmin=0,
        zmax=1,
        xgap=gap,
        ygap=gap,
        colorbar={
            "tickvals": [0, 0.25, 0.5, 1],
            "ticktext": ["0", "25 %", "50 %", "100 %"],
            "thickness": 10,
            "outlinewidth": 0,
        },
    )
    row = 24 if len(labels) <= 24 else 16 if len(labels) <= 64 else 12  # pixels
    figure = style(go.Figure(heat), height=150 + row * max(len(labels), 8))
    step = -(-len(labels) // 40)
    _axis(figure.layout.xaxis, places[::step], labels[::step], "… looks at this one", tickangle=-60)
    _axis(figure.layout.yaxis, places, labels, "this token …", autorange="reversed")
    return figure


def _axis(axis: Any, places: Any, labels: list[str], title: str, **more: Any) -> None:
    size = 12 if len(labels) <= 64 else 9
    font = {"family": MONO, "size": size}
    axis.update(tickvals=places, ticktext=labels, tickfont=font, title=title, **more)
    axis.update(showgrid=False, ticks="")


def _label(token: str) -> str:
    """Shorten a token, and keep Plotly from reading <s> as a tag."""
    short = token if len(token) <= _MAX_LABEL else token[: _MAX_LABEL - 1] + "…"
    return html.escape(short, quote=False)


def shares(result: AttentionResult) -> Markup:
    """Draw what part of the head's attention goes where, beside an even spread."""
    rows = [
        Bar(_name(share).removeprefix("the "), share.score, remark=_remark(share))
        for share in result.shares
    ]
    return Markup(
        '<section class="lab-panel"><h4>Where head {} of layer {} looks, as part of all its '
        "attention. The parts overlap; spread evenly, one token would get {}.</h4>{}</section>"
    ).format(result.head, result.layer, percent(1 / len(result.tokens)), bars(rows))


def _remark(share: Share) -> str:
    """Say what many tokens together would get anyway."""
    return (
        f"spread evenly it would be {percent(share.even)}" if share.target == "other text" else ""
    )


def table(result: AttentionResult) -> list[list[str | int]]:
    """List the strongest links of the chosen head, over everything that was read."""
    weights = result.weights[result.head]  # (queries, keys)
    strongest = np.argsort(-weights, axis=None, kind="stable")[:_MAX_ROWS]
    links = zip(*np.unravel_index(strongest, weights.shape), strict=True)
    return [
        [int(i), result.tokens[i], int(j), result.tokens[j], percent(float(weights[i, j]))]
        for i, j in links
    ]


def numbers(result: AttentionResult) -> dict[str, Any]:
    """Give programs the chosen head: tokens, weights of the window, and where it looks."""
    start, stop = result.window
    return {
        "model_id": result.model_id,
        "layer": result.layer,
        "head": result.head,
        "layers": result.layers,
        "heads": result.heads,
        "first": start,
        "tokens": list(result.tokens[start:stop]),
        "weights": result.shown[result.head].round(6).astype(float).tolist(),  # (queries, keys)
        "outside": result.outside[result.head].round(6).astype(float).tolist(),  # (queries,)
        "shares": [asdict(share) for share in result.shares],
        "notices": list(result.notices),
    }

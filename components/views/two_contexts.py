"""Two contexts as a scatter of the vocabulary, lists of tilted words, and a table."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from components.tasks.two_contexts import FLOOR, Tilted, TwoContextsResult
from components.views.markup import Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.palette import MONO, style
from components.views.wording import percent, shortened

HEADERS = ["Token", "Id", "In the first", "In the second", "Times as probable in the first"]
_NAMED = 6  # words named in the picture, of either side
_COLOURS = ("#1e7dbe", "#b85000")  # the first context, the second: as in the bars
_WIDE, _HIGH = 1.2, 0.17  # powers of ten that a name takes up, on a phone
_LISTED = 200  # rows of the table


def finding(result: TwoContextsResult) -> Markup:
    """State the most tilted word of either side, and how far the two lists are apart."""
    headline = "; ".join(
        f"“{words[0].word}” is {_factor(words[0])} as probable with “{context.name}”"
        for words, context in zip(_sides(result), result.contexts, strict=True)
        if words
    )
    return draw_finding(
        headline or "The two contexts give every word the same probability",
        model_id=result.model_id,
        notices=(_apart(result), *result.notices),
    )


def _sides(result: TwoContextsResult) -> tuple[Sequence[Tilted], Sequence[Tilted]]:
    return result.first, result.second


def _factor(word: Tilted) -> str:
    """Write how many times a word is likelier on the side that it leans to."""
    factor = math.exp(min(abs(word.tilt), 700))
    if factor < 9.95:
        return f"{factor:.1f} times"
    return f"{factor:,.0f} times" if factor < 1e6 else "> 1,000,000 times"


def _apart(result: TwoContextsResult) -> str:
    told = " and ".join(
        f"“{c.best.word}” ({percent(c.best.score)}) with “{c.name}”" for c in result.contexts
    )
    return (
        f"The best guess is {told}. To make one list of probabilities of the other, "
        f"{percent(result.moved)} of all probability would have to move."
    )


def scatter(result: TwoContextsResult) -> go.Figure:
    """Draw each word at its probability in both contexts, on logarithmic axes of one scale."""
    figure = style(go.Figure(), height=520)
    figure.add_trace(_line(result))
    figure.add_trace(_cloud(result))
    for words, colour, place in zip(
        _sides(result), _COLOURS, ("bottom center", "top center"), strict=True
    ):
        figure.add_trace(_named(words[:_NAMED], colour, place))
    low, high = _range(result)
    ticks = list(range(math.ceil(low), 1))
    names = [f"{100 * 10.0**tick:g} %" if tick >= -6 else f"10<sup>{tick}</sup>" for tick in ticks]
    axis = {"type": "log", "range": [low, high], "tickvals": [10.0**tick for tick in ticks]}
    first, second = (html.escape(c.name, quote=False) for c in result.contexts)
    figure.update_xaxes(**axis, ticktext=names, title=f"probability with “{first}”")
    figure.update_yaxes(**axis, ticktext=names, title=f"probability with “{second}”")
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def _range(result: TwoContextsResult) -> tuple[float, float]:
    """Give one range for both axes, in powers of ten, with room for the names."""
    both = [value for p in result.points for value in (p.first, p.second)]
    return max(math.log10(min(both)), -12) - 0.3, min(math.log10(max(both)) + 0.6, 0.3)


def _line(result: TwoContextsResult) -> go.Scatter:
    low, high = (10.0**end for end in _range(result))
    line = {"color": "rgba(128,138,148,.6)", "width": 1, "dash": "dash"}
    return go.Scatter(x=[low, high], y=[low, high], mode="lines", line=line, hoverinfo="skip")


def _cloud(result: TwoContextsResult) -> go.Scatter:
    return go.Scatter(
        x=np.array([p.first for p in result.points], np.float32),
        y=np.array([p.second for p in result.points], np.float32),
        text=[_label(p) for p in result.points],
        mode="markers",
        marker={"size": 5, "color": "rgba(108,122,136,.45)"},
        hovertemplate="%{text}: %{x:.2%} and %{y:.2%}<extra></extra>",
    )


def _named(words: Sequence[Tilted], colour: str, place: str) -> go.Scatter:
    return go.Scatter(
        x=[p.first for p in words],
        y=[p.second for p in words],
        text=_uncrowded(words),
        hovertext=[_label(p) for p in words],
        mode="markers+text",
        textposition=place,
        textfont={"family": MONO, "size": 13},
        marker={"size": 9, "color": colour},
        hovertemplate="%{hovertext}: %{x:.2%} and %{y:.2%}<extra></extra>",
    )


def _uncrowded(words: Sequence[Tilted]) -> list[str]:
    """Name words in the picture, save those whose names would lie on one that is there already."""
    placed: list[tuple[float, float]] = []
    names = []
    for word in words:
        x, y = math.log10(word.first), math.log10(word.second)
        is_free = all(abs(x - a) > _WIDE or abs(y - b) > _HIGH for a, b in placed)
        names.append(_label(word) if is_free else "")
        placed += [(x, y)] if is_free else []
    return names


def _label(word: Tilted) -> str:
    """Keep Plotly from reading a token such as <s> as a tag."""
    return html.escape(shortened(word.word, 24), quote=False)


def lists(result: TwoContextsResult) -> Markup:
    """Draw the words that lean most to either side; the bars of both sides have one scale."""
    longest = max((abs(word.tilt) for side in _sides(result) for word in side), default=1.0)
    panels = [
        Markup('<section class="lab-panel"><h4>More probable with “{}”</h4>{}</section>').format(
            context.name,
            bars([_bar(result, word, longest) for word in words])
            if words
            else "No word leans to this side.",
        )
        for words, context in zip(_sides(result), result.contexts, strict=True)
    ]
    return Markup('<div class="lab-panels lab-tilted">{}</div>{}').format(
        join(panels), _said(result)
    )


def _bar(result: TwoContextsResult, word: Tilted, longest: float) -> Bar:
    """Draw by how much a word leans, as a logarithm: twice as long is the factor squared."""
    both = zip((word.first, word.second), result.contexts, strict=True)
    return Bar(
        word.word,
        abs(word.tilt) / longest,
        remark=", ".join(f"{percent(score)} with “{context.name}”" for score, context in both),
        tone="yes" if word.tilt > 0 else "no",
        value=_factor(word).replace(" times", " ×"),
    )


def _said(result: TwoContextsResult) -> Markup:
    """Say what is listed and drawn, and what is not."""
    left = " and ".join(percent(share) for share in result.left_out)
    return Markup('<p class="lab-aside">{}</p>').format(
        f"Listed are words that get at least {percent(FLOOR)} in one of the contexts; the bars "
        "show the factor, on a logarithmic scale. The picture "
        f"has the {len(result.points):,} most probable of {result.vocabulary:,} entries of the "
        f"vocabulary; all others together have {left} of the probability."
    )


def table(result: TwoContextsResult) -> list[list[str | int]]:
    """List the listed words of either side, then the most probable of all."""
    words = dict.fromkeys((*result.first, *result.second, *result.points[:_LISTED]))
    return [
        [p.token, p.token_id, percent(p.first), percent(p.second), f"{_ratio(p):.3g}"]
        for p in words
    ]


def _ratio(word: Tilted) -> float:
    return math.exp(max(-700.0, min(word.tilt, 700.0)))


def numbers(result: TwoContextsResult) -> dict[str, Any]:
    """Give programs what the page shows; tilts are in nats, above 0 towards the first context."""
    return {
        "model_id": result.model_id,
        "contexts": [asdict(context) for context in result.contexts],
        "moved": result.moved,
        "left_out": list(result.left_out),
        "first": [{**asdict(word), "tilt": word.tilt} for word in result.first],
        "second": [{**asdict(word), "tilt": word.tilt} for word in result.second],
        "points": [[p.token, p.first, p.second] for p in result.points],
        "notices": list(result.notices),
    }

"""A text that was read in windows: a curve of their scores along it, and the text to find them in.

Drawn by the sentiment tab. A window that is pointed at lights up in the text: assets/lights.js.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from components.tasks.sentiment import Classified, Scale, SentimentResult, Window
from components.views.markup import join
from components.views.wording import percent, shortened, signed

HEADERS = ["Text", "Window", "From", "To", "Tokens", "Label", "Score"]  # then each label's logit
_QUOTED = 80  # characters of a text in the table


def followed(result: SentimentResult, text: Classified) -> int:
    """Give the index of the label whose scores make the curve: the one that the text has most."""
    return text.top if len(result.labels) > 1 else 0


def said(text: Classified) -> str:
    """Say how a long text was read, and how its windows are combined."""
    return (
        f"Longer than is read at once: all {text.tokens:,} tokens were read in "
        f"{len(text.windows)} windows, each sharing a quarter of its length with the one before, "
        "and judged by the mean of their logits, weighted by the tokens of each."
    )


def curve(result: SentimentResult, text: Classified, tones: Sequence[str]) -> Markup:
    """Draw each window where it lies in the text, as high as its score; `tones` are of labels."""
    label = followed(result, text)
    scale = _Scale(result, text, label)
    steps = [
        _step(result, text, number, scale, tones[_top(window)])
        for number, window in enumerate(text.windows)
    ]
    spots = " ".join(
        f"{_middle(text, window):.2f},{100 - scale.height(window.scores[label]):.2f}"
        for window in text.windows
    )
    name = result.labels[label] if len(result.labels) > 1 else "Score"
    return Markup(
        '<figure class="lab-curve"><figcaption>{} of every window, along the text; the broken line '
        'is the whole text. Point at a window or click it to see it in the text.</figcaption>'
        '<div class="lab-curve-axis" aria-hidden="true"><span>{}</span><span>{}</span>'
        '<span>{}</span></div><div class="lab-curve-field"><svg viewBox="0 0 100 100" '
        'preserveAspectRatio="none" aria-hidden="true"><line class="lab-curve-whole" x1="0" '
        'x2="100" y1="{:.2f}" y2="{:.2f}"></line><polyline points="{}"></polyline></svg>{}</div>'
        "</figure>"
    ).format(
        name, *scale.ticks, *[100 - scale.height(text.scores[label])] * 2, spots, join(steps)
    )  # fmt: skip


class _Scale:
    """From a score to a height in percent: 0 to 100 %, or from the lowest number to the highest."""

    def __init__(self, result: SentimentResult, text: Classified, label: int) -> None:
        numbers = [window.scores[label] for window in text.windows]
        is_number = result.scale is Scale.NUMBER
        self.low, self.high = (min(numbers), max(numbers)) if is_number else (0.0, 1.0)
        write = signed if is_number else lambda share: f"{100 * share:.0f} %"
        self.ticks = (write(self.high), write((self.low + self.high) / 2), write(self.low))

    def height(self, score: float) -> float:
        """Give how high a score stands."""
        return 100 * (score - self.low) / ((self.high - self.low) or 1)


def _top(window: Window) -> int:
    return max(range(len(window.scores)), key=window.scores.__getitem__)


def _middle(text: Classified, window: Window) -> float:
    return 50 * sum(window.span) / len(text.text)


def _step(
    result: SentimentResult, text: Classified, number: int, scale: _Scale, tone: str
) -> Markup:
    window, share = text.windows[number], 100 / len(text.text)
    begin, end = window.span
    label = followed(result, text)
    return Markup(
        '<button type="button" class="lab-curve-step lab-{}" data-lights="{}" aria-pressed="false" '
        'style="left:{:.2f}%;width:{:.2f}%;--height:{:.2f}%" title="{}" aria-label="{}"></button>'
    ).format(
        tone, number, share * begin, share * (end - begin), scale.height(window.scores[label]),
        *[f"Window {number + 1}: characters {begin:,} to {end:,}, {_verdict(result, window)}"] * 2,
    )  # fmt: skip


def _verdict(result: SentimentResult, window: Window) -> str:
    if result.scale is Scale.NUMBER:
        return ", ".join(signed(score) for score in window.scores)
    top = _top(window)
    return f"{result.labels[top]} {percent(window.scores[top])}"


def passage(text: Classified) -> Markup:
    """Draw the text, cut wherever a window begins or ends, so that each can be lit."""
    edges = {edge for window in text.windows for edge in window.span}
    cuts = sorted({0, len(text.text), *edges})
    return Markup(
        '<div class="lab-passage lab-long" role="region" aria-label="Text" tabindex="0">{}</div>'
    ).format(join([_piece(text, *piece) for piece in pairwise(cuts)]))


def _piece(text: Classified, begin: int, end: int) -> Markup:
    inside = [
        str(number)
        for number, window in enumerate(text.windows)
        if window.span[0] <= begin and end <= window.span[1]
    ]
    return Markup('<span data-lit-by="{}">{}</span>').format(" ".join(inside), text.text[begin:end])


def table(result: SentimentResult) -> dict[str, Any]:
    """List the windows of every long text, with label, score and logits."""
    rows = [
        [
            shortened(text.text, _QUOTED), number, *window.span, window.tokens,
            result.labels[_top(window)] if len(result.labels) > 1 else "", _score(result, window),
            *(signed(logit) for logit in window.logits),
        ]
        for text in result.texts
        for number, window in enumerate(text.windows, start=1)
    ]  # fmt: skip
    return {"headers": [*HEADERS, *(f"Logit {label}" for label in result.labels)], "data": rows}


def _score(result: SentimentResult, window: Window) -> str:
    score = window.scores[_top(window)]
    return signed(score) if result.scale is Scale.NUMBER else percent(score)

"""A text, or a pair, as the network reads it: a row of tokens, grouped by segment."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from markupsafe import Markup

from components.models.encoding import Encoding
from components.views.markup import EMPTY, join

HEADERS = ["Position", "Token", "Id", "Segment"]


def segment_row(encoding: Encoding, *, pressed: int | None = None) -> Markup:
    """Draw every token in its place, special ones included, each with its segment below it.

    With `pressed`, one of the positions, every token is a button (see assets/pick.js).
    """
    groups = [_group(encoding, list(run), segment, pressed) for segment, run in _runs(encoding)]
    return Markup('<div class="lab-segments">{}</div>').format(join(groups))


def table(encoding: Encoding) -> list[list[str | int]]:
    """List position, token, id and segment of every token."""
    return [
        [position, encoding.tokens[position], token_id, segment_name(segment)]
        for position, (token_id, segment) in enumerate(
            zip(encoding.input_ids, _segments(encoding), strict=True)
        )
    ]


def segment_name(segment: int | None) -> str:
    """Write a token_type_id with the letter that people use for it, as in "A (0)"."""
    return "none" if segment is None else f"{'AB'[segment]} ({segment})"


def _segments(encoding: Encoding) -> tuple[int | None, ...]:
    return encoding.token_type_ids or (None,) * len(encoding)


def _runs(encoding: Encoding) -> Iterator[tuple[int | None, Iterator[int]]]:
    segments = _segments(encoding)
    return groupby(range(len(encoding)), key=lambda position: segments[position])


def _group(
    encoding: Encoding, positions: list[int], segment: int | None, pressed: int | None
) -> Markup:
    chips = join([_chip(encoding, position, segment, pressed) for position in positions])
    if segment is None:
        return Markup('<div class="lab-segment"><div class="lab-tokens">{}</div></div>').format(
            chips
        )
    return Markup(
        '<div class="lab-segment lab-segment-{}"><p>Segment {} <small>{} tokens, '
        'token_type_id {}</small></p><div class="lab-tokens">{}</div></div>'
    ).format(segment, "AB"[segment], len(positions), segment, chips)


def _chip(encoding: Encoding, position: int, segment: int | None, pressed: int | None) -> Markup:
    frame = Markup('<span class="lab-token{}" title="position {}, id {}"{}>{}{}</span>')
    choice = EMPTY
    if pressed is not None:
        frame = Markup(
            '<button type="button" class="lab-token{}" title="position {}, id {}"{}>{}{}</button>'
        )
        choice = Markup(' data-value="{}" aria-pressed="{}" tabindex="{}"').format(
            position, str(position == pressed).lower(), 0 if position == pressed else -1
        )
    return frame.format(
        " lab-special" if encoding.sequence_ids[position] is None else "",
        position,
        encoding.input_ids[position],
        choice,
        encoding.tokens[position],
        EMPTY if segment is None else Markup("<small>{}</small>").format(segment),
    )

"""What topic and order do to a verdict: the gaps, the curve that saturates, a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp

from markupsafe import Markup

from components.tasks.next_sentence import Refusal
from components.tasks.topic_or_order import Kind, Told, TopicOrOrderResult, Variant
from components.views.download import Cell, csv_link
from components.views.markup import finding as draw_finding
from components.views.markup import join, model_line
from components.views.next_sentence import WORDINGS, unsaid
from components.views.wording import percent, shortened, signed

HEADERS = ["Model", "Pair", "A", "B", "Probability of “B comes after A”", "Logit", "Other logit",
           "Gap", "Gap against “comes next”"]  # fmt: skip
SAID: Mapping[Kind, str] = {
    Kind.NEXT: "the next sentence",
    Kind.SWAPPED: "only the order differs: the same two, swapped",
    Kind.SAME_TOPIC: "the same topic, but not next",
    Kind.OTHER_TOPIC: "only the topic differs: something else",
}
_END = 10.0  # gap at the ends of the pictures
_WIDTH, _HEIGHT = 600, 240  # of the curve
_CLOSE = 20.0  # how near two dots of it may come before their numbers are stacked
_CELL = 200  # characters of a sentence


def finding(told: Sequence[Told]) -> Markup:
    """State by how many logits topic and order move each verdict."""
    return draw_finding(" ".join(map(_headline, told)), notices=_notices(told))


def _headline(told: Told) -> str:
    if isinstance(told, Refusal):
        return unsaid(told)
    return (
        f"{told.family}: another topic moves the gap by {abs(told.effects.topic):.2f} logits, the "
        f"other order by {abs(told.effects.order):.2f}."
    )


def _notices(told: Sequence[Told]) -> list[str]:
    notices: list[str] = []
    for one in _answered(told):
        notices += one.notices
        notices.append(
            f"{one.family} on eight quartets of this page, in the mean: another topic lowers the "
            f"gap by {_plain(one.usual.topic)}, the other order by {_plain(one.usual.order)}, the "
            f"same topic but not next by {_plain(one.usual.near)}."
        )
    return list(dict.fromkeys(notices))


def _plain(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _answered(told: Sequence[Told]) -> Iterator[TopicOrOrderResult]:
    return (one for one in told if isinstance(one, TopicOrOrderResult))


def panels(told: Sequence[Told]) -> Markup:
    """Draw for each model the four gaps, and where they lie on the curve of probabilities."""
    return Markup('<div class="lab-panels lab-quartet">{}</div>').format(
        join([_panel(one) for one in told])
    )


def _panel(told: Told) -> Markup:
    question = WORDINGS[told.task].question
    if isinstance(told, Refusal):
        return Markup(
            '<section class="lab-panel"><h4>{}</h4><p class="lab-unsaid">{}</p></section>'
        ).format(question, told.reason)
    rows = [_row(number, one) for number, one in enumerate(told.variants, start=1)]
    return Markup(
        '<section class="lab-panel"><h4>{}</h4>{}<div class="lab-quartet-rows">{}</div>{}</section>'
    ).format(question, model_line(told.model_id), join(rows), _curve(told))


def _row(number: int, variant: Variant) -> Markup:
    gap = variant.judgement.gap
    share = 50 * min(abs(gap) / _END, 1)
    return Markup(
        '<div class="lab-quartet-row"><p><b>{}</b> {}<small><bdi>{}</bdi> → <bdi>{}</bdi></small>'
        '</p><span class="lab-quartet-track"><span class="lab-quartet-fill {}" '
        'style="width:{:.2f}%"></span></span><span class="lab-bar-value">{}</span>'
        '<span class="lab-bar-value">{}</span></div>'
    ).format(
        number, SAID[variant.kind], variant.first, variant.second,
        "lab-quartet-yes" if gap >= 0 else "lab-quartet-no", share, signed(gap),
        percent(variant.judgement.scores[0]),
    )  # fmt: skip


def _curve(told: TopicOrOrderResult) -> Markup:
    """Draw the probability over the gap, a sigmoid, and the four pairs on it."""
    steps = [(_END * (i / 50 - 1)) for i in range(101)]
    path = " ".join(f"{_across(x):.1f},{_up(_sigmoid(x)):.1f}" for x in steps)
    dots = [
        Markup(
            '<g><circle cx="{:.1f}" cy="{:.1f}" r="6"></circle><text x="{:.1f}" y="{:.1f}">{}'
            "</text></g>"
        ).format(x, y, x, y - 13 - 16 * level, number)
        for number, x, y, level in _dots(told.variants)
    ]
    ends = join(
        [
            Markup('<text class="lab-quartet-tick" x="{}" y="{}">{}</text>').format(x, y, said)
            for x, y, said in (
                (42, _HEIGHT - 6, "gap −10"),
                (_WIDTH / 2, _HEIGHT - 6, "0: 50 %"),
                (_WIDTH - 30, _HEIGHT - 6, "+10"),
            )
        ]
    )
    said = "; ".join(
        f"{SAID[one.kind]}: gap {signed(one.judgement.gap)}, {percent(one.judgement.scores[0])}"
        for one in told.variants
    )
    return Markup(
        '<figure class="lab-quartet-curve"><svg viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<polyline points="{}"></polyline>{}{}</svg><figcaption>Probability over gap. Where the '
        "curve is flat, logits apart look alike in percent: the head is saturated.</figcaption>"
        "</figure>"
    ).format(_WIDTH, _HEIGHT, said, path, join(dots), ends)


def _dots(variants: Sequence[Variant]) -> Iterator[tuple[int, float, float, int]]:
    """Give number, place and level of each pair: the numbers of close ones are stacked."""
    spots = [
        (_across(max(-_END, min(one.judgement.gap, _END))), _up(one.judgement.scores[0]), number)
        for number, one in enumerate(variants, start=1)
    ]
    level, last = 0, -_CLOSE
    for x, y, number in sorted(spots):
        level = level + 1 if x - last < _CLOSE else 0
        last = x
        yield number, x, y, level


def _across(gap: float) -> float:
    return _WIDTH / 2 + (_WIDTH / 2 - 14) * gap / _END


def _up(score: float) -> float:
    return _HEIGHT - 34 - (_HEIGHT - 110) * score


def _sigmoid(gap: float) -> float:
    return 1 / (1 + exp(-gap))


def table(told: Sequence[Told]) -> list[list[str]]:
    """List the four pairs of each model."""
    return [
        [
            one.model_id,
            SAID[v.kind],
            shortened(v.first, _CELL),
            shortened(v.second, _CELL),
            percent(v.judgement.scores[0]),
            *(signed(logit) for logit in v.judgement.logits),
            signed(v.judgement.gap),
            signed(v.judgement.gap - one.variants[0].judgement.gap),
        ]
        for one in _answered(told)
        for v in one.variants
    ]


def download(told: Sequence[Told]) -> Markup:
    """Offer the pairs as a file, with plain numbers."""
    rows: list[list[Cell]] = [
        [
            one.model_id, SAID[v.kind], v.first, v.second,
            *(
                round(n, 6)
                for n in (
                    v.judgement.scores[0], *v.judgement.logits, v.judgement.gap,
                    v.judgement.gap - one.variants[0].judgement.gap,
                )
            ),
        ]
        for one in _answered(told)
        for v in one.variants
    ]  # fmt: skip
    return csv_link("topic-or-order.csv", HEADERS, rows)

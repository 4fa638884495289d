"""The judgement of a pair as a sentence, two bars with their logits, and the segment row."""

from __future__ import annotations

from markupsafe import Markup

from components.tasks.next_sentence import Judgement, NextSentenceResult
from components.views import tokens
from components.views.markup import Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, signed

ANSWERS = ("B follows A", "B does not follow A")  # by index of the logits
HEADERS = ["Answer", "Probability", "Logit"]

_TONES = ("yes", "no")
_SCALE_END = 12.0  # gap at the ends of the scale; trained heads seldom go beyond
# Gaps at which the probability of "follows" reaches these values: log(p / (1 - p)).
_TICKS = ((-9.21, "0.01 %"), (-4.6, "1 %"), (0.0, "50 %"), (4.6, "99 %"), (9.21, "99.99 %"))


def finding(result: NextSentenceResult) -> Markup:
    """State the verdict in words, with its probability."""
    judgement = result.judgement
    index = 0 if judgement.follows else 1
    return draw_finding(
        f"{ANSWERS[index]} ({percent(judgement.scores[index])})",
        model_id=result.model_id,
        notices=result.notices,
    )


def segment_row(result: NextSentenceResult) -> Markup:
    """Draw the pair as the network read it, each token with its segment."""
    return tokens.segment_row(result.encoding)


def bar_chart(result: NextSentenceResult) -> Markup:
    """Draw both probabilities, each with its logit beside it, and the gap between the logits."""
    judgement = result.judgement
    rows = [
        Bar(answer, score, remark=f"logit {signed(logit)}", tone=tone)
        for answer, score, logit, tone in zip(
            ANSWERS, judgement.scores, judgement.logits, _TONES, strict=True
        )
    ]
    return Markup('<div class="lab-pair">{}{}</div>').format(bars(rows), _gap(judgement))


def _gap(judgement: Judgement) -> Markup:
    """Draw the gap on a scale that shows how percentages crowd together at its ends."""
    ticks = [
        Markup('<span class="lab-gap-tick" style="left:{:.2f}%">{}</span>').format(_place(at), name)
        for at, name in _TICKS
    ]
    return Markup(
        '<div class="lab-gap"><p>Logit gap <b>{}</b>: the first logit minus the second. '
        "Next-sentence heads saturate: 99 % is common even for half-related pairs, "
        'so read the gap.</p><div class="lab-gap-scale" role="img" aria-label="{}">'
        '<span class="lab-gap-mark lab-gap-{}" style="left:{:.2f}%"></span>{}</div>'
        '<p class="lab-caption">Probability of “{}”, along the gap</p></div>'
    ).format(
        signed(judgement.gap),
        f"A gap of {signed(judgement.gap)} gives {percent(judgement.scores[0])} for “{ANSWERS[0]}”",
        "yes" if judgement.follows else "no",
        _place(judgement.gap),
        join(ticks),
        ANSWERS[0],
    )


def _place(gap: float) -> float:
    """Give the place of `gap` on the scale, in percent of its width."""
    inside = max(-_SCALE_END, min(gap, _SCALE_END))
    return 50 + 50 * inside / _SCALE_END


def table(result: NextSentenceResult) -> list[list[str]]:
    """List both answers with probability and logit."""
    judgement = result.judgement
    return [
        [answer, percent(score), signed(logit)]
        for answer, score, logit in zip(ANSWERS, judgement.scores, judgement.logits, strict=True)
    ]


def token_table(result: NextSentenceResult) -> list[list[str | int]]:
    """List every token with its segment."""
    return tokens.table(result.encoding)

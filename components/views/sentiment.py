"""Classified texts as cards with bars; many of them as counts, the extremes and a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from components.tasks.sentiment import Classified, Scale, SentimentResult
from components.views import document
from components.views.download import Cell, csv_link
from components.views.markup import Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened

HEADERS = ["Text", "Label", "Score"]  # then one column for each label, then READ

_READ = "Tokens read"
_CARDS = 6  # texts shown one by one; of more, a summary
_QUOTED = 400  # characters shown of one text
_QUOTED_SHORTLY = 120  # ... in a summary
_EXTREMES = 3  # texts shown at each end of a summary
_TONES = {"POSITIVE": "yes", "NEGATIVE": "no"}  # every other name stays neutral
_UNNAMED = re.compile(r"LABEL_\d+")


def finding(result: SentimentResult) -> Markup:
    """State the label of the one text, or how many texts got which."""
    texts = result.texts
    headline = _verdict(result, texts[0]) if len(texts) == 1 else _totals(result)
    return draw_finding(
        headline, model_id=result.model_id, notices=[*result.notices, *_notices(result)]
    )


def panels(result: SentimentResult) -> Markup:
    """Draw each text with the bars of all classes, or the summary of many texts."""
    if len(result.texts) > _CARDS:
        return _summary(result)
    cards = _cards(result, result.texts)
    if len(result.texts) == 1 and result.texts[0].windows:
        return Markup("{}{}").format(cards, document.passage(result.texts[0]))
    return cards


def table(result: SentimentResult) -> dict[str, Any]:
    """List the texts with label, score, every class and how much of them was read."""
    write = _number if result.scale is Scale.NUMBER else percent
    rows = [
        [text.text, _label(result, text), *(write(score) for score in _numbers(text)), _read(text)]
        for text in result.texts
    ]
    return {"headers": [*HEADERS, *result.labels, _READ], "data": rows}


def download(result: SentimentResult) -> Markup:
    """Offer the table as a file, with plain numbers."""
    rows: list[list[Cell]] = [
        [text.text, _label(result, text), *(round(s, 6) for s in _numbers(text)), _read(text)]
        for text in result.texts
    ]
    return csv_link("sentiment.csv", [*HEADERS, *result.labels, _READ], rows)


def _numbers(text: Classified) -> tuple[float, ...]:
    return (text.scores[text.top], *text.scores)


def _read(text: Classified) -> str:
    return f"{text.tokens_read} of {text.tokens}"


def _number(value: float) -> str:
    return f"{value:.2f}"


def _label(result: SentimentResult, text: Classified) -> str:
    if result.scale is Scale.NUMBER:
        return result.labels[text.top] if len(result.labels) > 1 else ""
    return ", ".join(result.labels[i] for i in text.chosen) or "no label"


def _verdict(result: SentimentResult, text: Classified) -> str:
    """Say in a few words what a text was given."""
    if result.scale is Scale.NUMBER:
        return ", ".join(_number(score) for score in text.scores)
    if not text.chosen:
        return "no label reaches 50 %"
    return ", ".join(f"{result.labels[i]} ({percent(text.scores[i])})" for i in text.chosen)


def _totals(result: SentimentResult) -> str:
    if result.scale is Scale.NUMBER:
        tops = [text.scores[text.top] for text in result.texts]
        return f"{len(tops):,} texts, from {_number(min(tops))} to {_number(max(tops))}"
    given = [f"{count:,} {result.labels[i]}" for i, count in enumerate(_counts(result)) if count]
    return f"{len(result.texts):,} texts: {', '.join(given) or 'no label reaches 50 %'}"


def _counts(result: SentimentResult) -> list[int]:
    return [sum(i in text.chosen for text in result.texts) for i in range(len(result.labels))]


def _notices(result: SentimentResult) -> list[str]:
    notices = [_meaning(result)] if _meaning(result) else []
    if all(_UNNAMED.fullmatch(label) for label in result.labels):
        notices.append(
            "This model does not name its classes: what they mean is not said here, and not "
            "guessed. Its card on the Hub may tell."
        )
    long = sum(bool(text.windows) for text in result.texts)
    if long and len(result.texts) > _CARDS:
        notices.append(
            f"{long:,} longer text{'s were' if long > 1 else ' was'} read in windows: the mean of "
            "their logits, weighted by tokens, is what counts."
        )
    cut = [text for text in result.texts if text.tokens_read < text.tokens]
    if cut and len(result.texts) > _CARDS:
        many = "s are" if len(cut) > 1 else " is"
        notices.append(
            f"{len(cut):,} text{many} longer than the {cut[0].tokens_read} tokens that the model "
            "reads, and judged by the beginning."
        )
    return notices


def _meaning(result: SentimentResult) -> str:
    labels = result.labels
    if result.scale is Scale.NUMBER:
        return "This model gives a number, not a class: its scale is its own, and no percentage."
    if result.scale is Scale.ANY_OF:
        return "Each label is judged on its own, so the numbers need not add up to 100 %."
    if len(labels) != 2:
        return ""
    only = f"This model knows only {labels[0]} and {labels[1]}"
    if {label.upper() for label in labels} == set(_TONES):
        return f"{only}; it cannot answer neutral."
    return f"{only}: it must choose one of them."


def _cards(
    result: SentimentResult, texts: Sequence[Classified], *, quoted: int = _QUOTED
) -> Markup:
    return Markup('<div class="lab-cards">{}</div>').format(
        join([_card(result, text, quoted) for text in texts])
    )


def _card(result: SentimentResult, text: Classified, quoted: int) -> Markup:
    return Markup(
        '<article class="lab-card"><div class="lab-judged"><p class="lab-quote">{}</p>'
        '<p class="lab-verdict lab-{}">{}</p></div>{}{}</article>'
    ).format(
        shortened(text.text, quoted),
        _tone(result, text.top) if text.chosen else "muted",
        "" if result.scale is Scale.NUMBER else _verdict(result, text),
        _read_how(result, text),
        _scores(result, text),
    )


def _read_how(result: SentimentResult, text: Classified) -> Markup:
    """Say what of a long text was read; the curve of its windows stands below."""
    if text.windows:
        tones = [_tone(result, i) for i in range(len(result.labels))]
        return Markup('<p class="lab-notice">{}</p>{}').format(
            document.said(text), document.curve(result, text, tones)
        )
    if text.tokens_read == text.tokens:
        return Markup("")
    return Markup('<p class="lab-notice">Only the first {} of {} tokens were read.</p>').format(
        text.tokens_read, text.tokens
    )


def _scores(result: SentimentResult, text: Classified) -> Markup:
    if result.scale is Scale.NUMBER:
        return join([_score(result, i, score) for i, score in enumerate(text.scores)])
    order = sorted(range(len(result.labels)), key=lambda i: -text.scores[i])
    if len(order) <= 3:  # few classes keep their places, so that cards can be compared
        order.sort()
    return bars([_bar(result, i, text.scores[i]) for i in order])


def _bar(result: SentimentResult, index: int, score: float, remark: str = "") -> Bar:
    return Bar(result.labels[index], score, remark=remark, tone=_tone(result, index))


def _tone(result: SentimentResult, index: int) -> str:
    return _TONES.get(result.labels[index].upper(), "muted")


def _score(result: SentimentResult, index: int, value: float) -> Markup:
    name = result.labels[index] if len(result.labels) > 1 else "Score"
    return Markup('<p class="lab-number"><span>{}</span> <b>{}</b></p>').format(
        name, _number(value)
    )


def _summary(result: SentimentResult) -> Markup:
    ranked = sorted(result.texts, key=lambda text: text.scores[text.top])
    most, least = (
        ("Highest", "Lowest") if result.scale is Scale.NUMBER else ("Most confident", "Least sure")
    )
    ends = ((most, ranked[: -_EXTREMES - 1 : -1]), (least, ranked[:_EXTREMES]))
    panels = [
        _panel(heading, _cards(result, texts, quoted=_QUOTED_SHORTLY)) for heading, texts in ends
    ]
    return Markup('{}<div class="lab-panels">{}</div>').format(_shares(result), join(panels))


def _shares(result: SentimentResult) -> Markup:
    """Draw which share of the texts got each label."""
    if result.scale is Scale.NUMBER:
        return Markup("")
    total = len(result.texts)
    rows = [
        _bar(result, i, count / total, f"{count:,} of {total:,} texts")
        for i, count in enumerate(_counts(result))
    ]
    return _panel(
        "Share of the texts", Markup('<div class="lab-shares">{}</div>').format(bars(rows))
    )


def _panel(heading: str, content: Markup) -> Markup:
    return Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(heading, content)

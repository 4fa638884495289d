"""The question-answering result: the passage with the answer lit up, its rivals, the windows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from components.tasks.question_answering import QuestionAnsweringResult
from components.tasks.span_search import Answer, Evidence, Window
from components.views.markup import EMPTY, Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened

HEADERS = ["Rank", "From", "To", "Score", "Start logit", "End logit", "Sum", "Window", "Span"]
NO_ANSWER = "no answer in this passage"
_LONG = 900  # characters from which on a passage is set smaller, and scrolls
_QUOTED, _LABEL, _CELL = 100, 60, 200  # characters of a span; one can be a whole page


def finding(result: QuestionAnsweringResult) -> Markup:
    """State the best answer, or that the passage has none."""
    return draw_finding(_headline(result), model_id=result.model_id, notices=_notices(result))


def _headline(result: QuestionAnsweringResult) -> str:
    if not result.answers:
        return "No answer: this model can read no word of the passage"
    if not result.has_answer:
        return f"No answer in this passage ({percent(result.no_answer.score)})"
    best = result.answers[0]
    return Markup("{} answers the question ({})").format(_quoted(best), percent(best.score))


def _quoted(answer: Answer) -> Markup:
    return Markup("“<bdi>{}</bdi>”").format(shortened(answer.text, _QUOTED))


def _notices(result: QuestionAnsweringResult) -> Sequence[str]:
    notices = list(result.notices)
    if result.answers and not result.has_answer:
        best = result.answers[0]
        notices.append(
            Markup("The best span, {}, has a raw sum of {}; “no answer” has {}.").format(
                _quoted(best), _raw(best.logit), _raw(result.no_answer.logit)
            )
        )
    return notices


def reading(result: QuestionAnsweringResult) -> Markup:
    """Draw the passage, how it was read, and the list whose entries light up in it."""
    return Markup('<div class="lab-reading">{}{}{}</div>').format(
        passage(result), windows(result), bar_chart(result)
    )


def passage(result: QuestionAnsweringResult) -> Markup:
    """Draw the passage as typed, the best span marked; pieces know which spans they are in.

    However spans overlap, every character is drawn once: the marked one is the best, and the
    others wait for a pointer, see assets/lights.js.
    """
    begin, end = result.answers[0].span if result.answers else (0, 0)
    best = Markup('<mark class="lab-answer">{}</mark>').format(_pieces(result, begin, end))
    is_long = len(result.passage) > _LONG or result.passage.count("\n") > 12
    return Markup(
        '<div class="lab-passage{}{}" role="region" aria-label="Passage" tabindex="0">{}{}{}</div>'
    ).format(
        " lab-long" if is_long else "",
        "" if result.has_answer else " lab-beaten",
        _pieces(result, 0, begin),
        best if result.answers else EMPTY,
        _pieces(result, end, len(result.passage)),
    )


def _pieces(result: QuestionAnsweringResult, begin: int, end: int) -> Markup:
    """Cut a stretch of the passage wherever a span begins or ends."""
    edges = {edge for answer in result.answers for edge in answer.span if begin < edge < end}
    cuts = sorted({begin, *edges, end})
    return join([_piece(result, *piece) for piece in pairwise(cuts)])


def _piece(result: QuestionAnsweringResult, begin: int, end: int) -> Markup:
    text = _as_typed(result.passage[begin:end])
    inside = [
        str(number)
        for number, answer in enumerate(result.answers)
        if answer.span[0] <= begin and end <= answer.span[1]
    ]
    if not inside:
        return text
    return Markup('<span data-lit-by="{}">{}</span>').format(" ".join(inside), text)


def _as_typed(text: str) -> Markup:
    """Escape `text` so that the browser keeps every character: it drops a carriage return."""
    return Markup("&#13;").join(text.split("\r"))


def bar_chart(result: QuestionAnsweringResult) -> Markup:
    """Draw each span, and no answer among them, with its share and its raw sum."""
    drawn = [_bar(result, number) for number in range(len(result.answers))]
    none = Bar(NO_ANSWER, result.no_answer.score, remark=_sum(result, result.no_answer), tone="no")
    place = sum(answer.logit >= result.no_answer.logit for answer in result.answers)
    return Markup(
        '<section class="lab-panel lab-rivals"><h4>The best spans: point at or click one to '
        'see it in the passage</h4>{}<p class="lab-shares">{}</p></section>'
    ).format(
        bars([*drawn[:place], none, *drawn[place:]]),
        f"Each number is the share among all {result.compared:,} spans of up to "
        f"{result.max_answer_length} tokens and “no answer”: the softmax of the raw sums below the "
        "spans, start + end.",
    )


def _bar(result: QuestionAnsweringResult, number: int) -> Bar:
    answer = result.answers[number]
    return Bar(
        shortened(answer.text, _LABEL),
        answer.score,
        remark=_sum(result, answer),
        tone="" if result.has_answer else "muted",
        lights=number,
    )


def _sum(result: QuestionAnsweringResult, evidence: Evidence) -> str:
    sign, end = ("+", evidence.end_logit) if evidence.end_logit >= 0 else ("−", -evidence.end_logit)
    parts = f"{_raw(evidence.start_logit)} {sign} {_raw(end)} = {_raw(evidence.logit)}"
    where = f" · window {evidence.window + 1}" if len(result.windows) > 1 else ""
    return parts + where


def windows(result: QuestionAnsweringResult) -> Markup:
    """Say in which windows the passage was read, and draw where they lie and which one won."""
    if len(result.windows) == 1:
        return Markup('<p class="lab-windows-said">{}</p>').format(
            f"Read whole, in one window of {result.windows[0].tokens} tokens, question included."
        )
    return Markup(
        '<p class="lab-windows-said">{}</p><div class="lab-windows" aria-hidden="true">{}{}</div>'
    ).format(
        _said(result),
        join([_window(result, number) for number in range(len(result.windows))]),
        _needle(result),
    )


def _said(result: QuestionAnsweringResult) -> str:
    said = (
        f"Too long to read at once: read in {len(result.windows)} windows of up to "
        f"{result.window_length} tokens, question included, each sharing {result.overlap} with the "
        "one before. "
    )
    if not result.answers:
        return said
    number = result.answers[0].window
    begin, end = result.windows[number].span
    return said + (
        f"The best raw sum stands in window {number + 1}, characters {begin:,} to {end:,}."
    )


def _window(result: QuestionAnsweringResult, number: int) -> Markup:
    window = result.windows[number]
    won = bool(result.answers) and result.answers[0].window == number
    left, width = _share(result, window.span)
    return Markup(
        '<span class="lab-window{}" style="left:{:.2f}%;width:{:.2f}%;top:{}rem" title="{}"></span>'
    ).format(" lab-won" if won else "", left, width, 0.8 * (number % 2), _told(number, window))


def _told(number: int, window: Window) -> str:
    best = "no word" if window.best_logit is None else f"best raw sum {_raw(window.best_logit)}"
    begin, end = window.span
    return (
        f"Window {number + 1}: characters {begin:,} to {end:,}, {best}, "
        f"no answer {_raw(window.no_answer_logit)}"
    )


def _needle(result: QuestionAnsweringResult) -> Markup:
    if not result.answers:
        return EMPTY
    left, _ = _share(result, result.answers[0].span)
    return Markup('<span class="lab-needle" style="left:{:.2f}%"></span>').format(left)


def _share(result: QuestionAnsweringResult, span: tuple[int, int]) -> tuple[float, float]:
    scale = 100 / len(result.passage)
    return scale * span[0], scale * (span[1] - span[0])


def table(result: QuestionAnsweringResult) -> list[list[str | int]]:
    """List place, score and logits of every span, then of no answer."""
    rows: list[list[str | int]] = [
        [rank, *answer.span, *_numbers(answer), shortened(answer.text, _CELL)]
        for rank, answer in enumerate(result.answers, start=1)
    ]
    return [*rows, ["–", "–", "–", *_numbers(result.no_answer), NO_ANSWER]]


def _numbers(evidence: Evidence) -> list[str | int]:
    logits = (evidence.start_logit, evidence.end_logit, evidence.logit)
    return [percent(evidence.score), *(_raw(logit) for logit in logits), evidence.window + 1]


def _raw(logit: float) -> str:
    return f"{logit:.2f}".replace("-", "−")

"""The scores of answers: a finding, data for assets/answer_scores.js, two tables and a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from components.tasks.answer_scores import AnswerScoresResult, lead
from components.tasks.question_answering import QuestionAnsweringResult
from components.tasks.span_search import Evidence, Window
from components.views.arrays import packed
from components.views.download import Cell, csv_link
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened, signed

HEADERS = [
    "Question", "Rank", "Span", "From", "To", "Sum", "Start logit", "End logit", "Score",
    "Window", "“No answer” is ahead by",
]  # fmt: skip
WINDOW_HEADERS = [
    "Question", "Window", "From", "To", "Tokens", "Best raw sum", "No answer",
    "Best, softmax of this window alone",
]  # fmt: skip
NO_ANSWER = "no answer"
_QUOTED, _CELL = 80, 200  # characters of a span
_SCALE = 100  # logits travel as hundredths: two bytes each
_FARTHEST = 32_000  # ... and no farther than two bytes go


def finding(result: AnswerScoresResult) -> Markup:
    """State how far the best span is from "no answer", or for how many questions it is ahead."""
    return draw_finding(
        _headline(result.results),
        model_id=result.model_id,
        notices=[*result.notices, _windows_said(result.results)],
    )


def _headline(results: Sequence[QuestionAnsweringResult]) -> str:
    if len(results) > 1:
        above = sum(result.has_answer for result in results)
        return (
            f"{len(results)} questions: for {above} of them a span scores higher than “no answer”"
        )
    behind = lead(results[0])
    if behind is None:
        return "No answer: this model can read no word of the passage"
    best = Markup("“<bdi>{}</bdi>”").format(shortened(results[0].answers[0].text, _QUOTED))
    where = "above" if behind <= 0 else "below"
    return Markup("The best span is {}, {:.2f} {} “no answer”").format(best, abs(behind), where)


def _windows_said(results: Sequence[QuestionAnsweringResult]) -> str:
    first = results[0]
    if len(first.windows) == 1:
        return f"The passage was read whole, {first.windows[0].tokens} tokens with the question."
    return (
        f"The passage was read in {len(first.windows)} windows of up to {first.window_length} "
        f"tokens that share {first.overlap}. Raw sums are compared, never a softmax of each window."
    )


def picture(result: AnswerScoresResult) -> dict[str, Any]:
    """Give what assets/answer_scores.js draws; spans count code points."""
    return {
        "model": result.model_id,
        "passage": result.passage,
        "pieces": packed(result.pieces, np.int32),
        "scale": _SCALE,
        "questions": [
            {
                "question": one.question,
                "start": _hundredths(track.start),
                "end": _hundredths(track.end),
                "ahead": lead(one),
                "none": _evidence(one.no_answer),
                "answers": [
                    {"span": list(a.span), "text": shortened(a.text, _CELL), **_evidence(a)}
                    for a in one.answers
                ],
                "windows": [
                    {"span": list(w.span), "best": w.best_logit, "none": w.no_answer_logit}
                    for w in one.windows
                ],
            }
            for one, track in zip(result.results, result.tracks, strict=True)
        ],
    }


def _hundredths(logits: NDArray[np.float32]) -> str:
    whole = np.clip(np.rint(logits.astype(float) * _SCALE), -_FARTHEST, _FARTHEST)
    return packed(whole, np.int16)


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "start": evidence.start_logit,
        "end": evidence.end_logit,
        "sum": evidence.logit,
        "score": evidence.score,
        "window": evidence.window,
    }


def _rows(result: AnswerScoresResult) -> Iterator[tuple[str, int, str, Any, Evidence, float]]:
    """List question, rank, text, span, scores and what "no answer" is ahead by."""
    for one in result.results:
        for rank, found in enumerate(one.answers, start=1):
            ahead_of = one.no_answer.logit - found.logit
            yield one.question, rank, found.text, found.span, found, ahead_of
        yield one.question, 0, NO_ANSWER, ("–", "–"), one.no_answer, 0.0


def table(result: AnswerScoresResult) -> list[list[str | int]]:
    """List the spans of every question, best first, then no answer."""
    return [
        [
            question, rank or "–", shortened(text, _CELL), *span, signed(e.logit),
            signed(e.start_logit), signed(e.end_logit), percent(e.score), e.window + 1,
            signed(ahead) if rank else "–",
        ]
        for question, rank, text, span, e, ahead in _rows(result)
    ]  # fmt: skip


def window_table(result: AnswerScoresResult) -> list[list[str | int]]:
    """List what every window had to offer to every question."""
    return [
        [one.question, number, *window.span, window.tokens, *_offered(window)]
        for one in result.results
        for number, window in enumerate(one.windows, start=1)
    ]


def _offered(window: Window) -> tuple[str, str, str]:
    nothing = signed(window.no_answer_logit)
    if window.best_logit is None or window.own_score is None:
        return "no word", nothing, "–"
    return signed(window.best_logit), nothing, percent(window.own_score)


def download(result: AnswerScoresResult) -> Markup:
    """Offer the spans of every question as a file, with plain numbers."""
    rows: list[list[Cell]] = [
        [
            question, rank, text, *span, *(round(n, 6) for n in (e.logit, e.start_logit,
            e.end_logit, e.score)), e.window + 1, round(ahead, 6) if rank else "",
        ]
        for question, rank, text, span, e, ahead in _rows(result)
    ]  # fmt: skip
    return csv_link("answers.csv", HEADERS, rows)


def numbers(result: AnswerScoresResult) -> dict[str, Any]:
    """Give programs everything: the answers, and the logits of every piece of the passage."""
    return {
        "model_id": result.model_id,
        "passage": result.passage,
        "pieces": result.pieces.tolist(),
        "questions": [
            {
                **asdict(one),
                "no_answer_ahead": lead(one),
                "start_logits": track.start.round(4).tolist(),
                "end_logits": track.end.round(4).tolist(),
            }
            for one, track in zip(result.results, result.tracks, strict=True)
        ],
        "notices": list(result.notices),
    }

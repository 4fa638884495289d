"""What each model says of a pair: a sentence, bars with logits, the gap, and what was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from components.models.families import Task
from components.tasks.next_sentence import NextSentenceResult, Refusal, Verdict
from components.views import tokens
from components.views.markup import Bar, bars, join, model_line
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened, signed


@dataclass(frozen=True, slots=True)
class Wording:
    """An objective in words; the answers stand by index of the logits."""

    question: str
    answers: tuple[str, str]
    turned: tuple[str, str]  # the same answers, said of the pair B, A
    unsaid: str  # what a model without the head cannot say
    remark: str  # on how to read the gap


WORDINGS: Mapping[Task, Wording] = {
    Task.NEXT_SENTENCE: Wording(
        question="Does B follow A, or is it from elsewhere?",
        answers=("B follows A", "B does not follow A"),
        turned=("A follows B", "A does not follow B"),
        unsaid="whether B follows A",
        remark="Next-sentence heads saturate: 99 % is common even for half-related pairs, so read "
        "the gap.",
    ),
    Task.SENTENCE_ORDER: Wording(
        question="Right order, or were the two swapped?",
        answers=("the order is right", "the two were swapped"),
        turned=("the order is right", "the two were swapped"),
        unsaid="in which order A and B belong",
        remark="It takes for granted that A and B are neighbours: of two that are not, its answer "
        "means nothing.",
    ),
}
HEADERS = ["Model", "Answer", "Probability", "Logit", "Probability, swapped", "Logit, swapped"]
TOKEN_HEADERS = ["Model", *tokens.HEADERS]

_ID = 60  # characters of what was typed as a model
_TONES = ("yes", "no")
_SCALE_END = 12.0  # gap at the ends of the scale; trained heads seldom go beyond
# Gaps at which the probability of index 0 reaches these values: log(p / (1 - p)).
_TICKS = ((-9.21, "0.01 %"), (-4.6, "1 %"), (0.0, "50 %"), (4.6, "99 %"), (9.21, "99.99 %"))


def finding(verdicts: Sequence[Verdict]) -> Markup:
    """State each verdict in words, and what becomes of it when the sentences are swapped."""
    return draw_finding(" ".join(map(_verdict, verdicts)), notices=[_turned(verdicts)])


def _verdict(verdict: Verdict) -> str:
    if isinstance(verdict, Refusal):
        return unsaid(verdict)
    wording = WORDINGS[verdict.task]
    index = 0 if verdict.judgement.follows else 1
    score = percent(verdict.judgement.scores[index])
    return f"{verdict.family}: {wording.answers[index]} ({score})."


def unsaid(refused: Refusal) -> str:
    """Say in a few words what a model could not be asked."""
    name, what = shortened(refused.model_id, _ID), WORDINGS[refused.task].unsaid
    return f"{name} cannot say {what}." if name else f"Nobody said {what}."


def _turned(verdicts: Sequence[Verdict]) -> str:
    """Say whose verdict turns with the order of the two sentences."""
    said = []
    for result in _answered(verdicts):
        index = 0 if result.swapped.follows else 1
        does = "keeps" if result.swapped.follows == result.judgement.follows else "turns"
        phrase = WORDINGS[result.task].turned[index]
        score = percent(result.swapped.scores[index])
        said.append(f"{result.family} {does} its verdict: {phrase} ({score})")
    return f"With B put first, {'; '.join(said)}."


def _answered(verdicts: Sequence[Verdict]) -> Iterator[NextSentenceResult]:
    return (verdict for verdict in verdicts if isinstance(verdict, NextSentenceResult))


def bar_chart(verdicts: Sequence[Verdict]) -> Markup:
    """Draw for each question both probabilities with their logits, and the gap between these."""
    return _side_by_side([_panel(verdict) for verdict in verdicts])


def segment_row(verdicts: Sequence[Verdict]) -> Markup:
    """Draw the pair as each network read it, each token with its segment."""
    read = [
        _section(f"What {result.family} reads", tokens.segment_row(result.encoding))
        for result in _answered(verdicts)
    ]
    return _side_by_side(read)


def _side_by_side(sections: Sequence[Markup]) -> Markup:
    return Markup('<div class="lab-panels lab-verdicts">{}</div>').format(join(sections))


def _section(heading: str, content: Markup) -> Markup:
    return Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(heading, content)


def _panel(verdict: Verdict) -> Markup:
    question = WORDINGS[verdict.task].question
    if isinstance(verdict, Refusal):
        return _section(question, Markup('<p class="lab-unsaid">{}</p>').format(verdict.reason))
    notices = [Markup('<p class="lab-notice">{}</p>').format(n) for n in verdict.notices]
    pair = Markup('<div class="lab-pair">{}{}</div>').format(bars(_bars(verdict)), _gap(verdict))
    return _section(question, join([model_line(verdict.model_id), *notices, pair]))


def _bars(result: NextSentenceResult) -> list[Bar]:
    judgement = result.judgement
    return [
        Bar(answer, score, remark=f"logit {signed(logit)}", tone=tone)
        for answer, score, logit, tone in zip(
            WORDINGS[result.task].answers, judgement.scores, judgement.logits, _TONES, strict=True
        )
    ]


def _gap(result: NextSentenceResult) -> Markup:
    """Draw both gaps on a scale that shows how percentages crowd together at its ends."""
    wording, judgement, swapped = WORDINGS[result.task], result.judgement, result.swapped
    return Markup(
        '<div class="lab-gap"><p>Logit gap <b>{}</b>, swapped <b>{}</b>: the first logit minus the '
        'second. {}</p><div class="lab-gap-scale" role="img" aria-label="{}">{}{}{}</div>'
        '<p class="lab-caption">Probability of “{}”: ● as typed, ○ swapped</p></div>'
    ).format(
        signed(judgement.gap),
        signed(swapped.gap),
        wording.remark,
        f"A gap of {signed(judgement.gap)} gives {percent(judgement.scores[0])} for "
        f"“{wording.answers[0]}”; swapped it is {signed(swapped.gap)}, "
        f"{percent(swapped.scores[0])} for “{wording.turned[0]}”",
        _mark(swapped.gap, "lab-gap-swapped"),
        _mark(judgement.gap, "lab-gap-typed"),
        join([_tick(at, name) for at, name in _TICKS]),
        wording.answers[0],
    )


def _mark(gap: float, css: str) -> Markup:
    side = "yes" if gap >= 0 else "no"
    return Markup(
        '<span class="lab-gap-mark {} lab-gap-{}" style="left:{:.2f}%"></span>'
    ).format(css, side, _place(gap))  # fmt: skip


def _tick(at: float, name: str) -> Markup:
    return Markup('<span class="lab-gap-tick" style="left:{:.2f}%">{}</span>').format(
        _place(at), name
    )


def _place(gap: float) -> float:
    """Give the place of `gap` on the scale, in percent of its width."""
    inside = max(-_SCALE_END, min(gap, _SCALE_END))
    return 50 + 50 * inside / _SCALE_END


def table(verdicts: Sequence[Verdict]) -> list[list[str]]:
    """List both answers of each model with probability and logit, as typed and swapped."""
    rows: list[list[str]] = []
    for verdict in verdicts:
        if isinstance(verdict, Refusal):
            rows.append([shortened(verdict.model_id, _ID), "no answer", "", "", "", ""])
            continue
        for index, answer in enumerate(WORDINGS[verdict.task].answers):
            typed, swapped = verdict.judgement, verdict.swapped
            numbers = [
                text
                for judged in (typed, swapped)
                for text in (percent(judged.scores[index]), signed(judged.logits[index]))
            ]
            rows.append([verdict.model_id, answer, *numbers])
    return rows


def token_table(verdicts: Sequence[Verdict]) -> list[list[str | int]]:
    """List every token that each model read, with its segment."""
    return [
        [result.model_id, *row]
        for result in _answered(verdicts)
        for row in tokens.table(result.encoding)
    ]

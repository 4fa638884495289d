"""The lesson: the row of steps, one step with its question, the goals at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup

from components.models.catalog import find_card
from components.tasks.lesson import LESSON, LessonResult, Walk
from components.tasks.lesson_parts import Panel, Question, Row, Unit
from components.tasks.lesson_steps import GOALS, STEPS
from components.views import wording
from components.views.lesson_picture import picture
from components.views.markup import EMPTY, join
from components.views.markup import finding as draw_finding

LETTERS = "ABCDEFGH"
_KINDS: Mapping[Unit, Callable[[float], str]] = {
    Unit.SHARE: wording.percent,
    Unit.COSINE: wording.cosine,
    Unit.LENGTH: lambda number: f"length {number:.2f}",
    Unit.PARAMETERS: lambda number: wording.millions(int(number)),
    Unit.COUNT: lambda number: f"{number:,.0f}",
}


def nav(walk: Walk = LESSON) -> Markup:
    """Draw the row of steps: what a press takes along is their number and their own text."""
    buttons = [
        Markup(
            '<li><button type="button" data-step="{}" data-default="{}" {}>'
            '<span class="lab-walk-number" aria-hidden="true">{}</span>'
            '<span class="lab-walk-title">{}</span></button></li>'
        ).format(
            number,
            step.text,
            Markup('aria-current="step"') if number == 1 else EMPTY,
            number,
            step.title,
        )
        for number, step in enumerate(walk.steps, start=1)
    ]
    return Markup(
        '<nav class="lab-walk {}" aria-label="{}s of the {}" data-walk="{}" data-asking="{}">'
        "<ol>{}</ol>"
        '<p class="lab-walk-score"><span role="status"></span> <button type="button" '
        'class="lab-see" data-forget hidden>Start over</button></p></nav>'
    ).format(
        "lab-walk-quiz" if walk.is_quiz else "",
        walk.noun.capitalize(),
        walk.name,
        walk.name,
        len(walk.live),
        join(buttons),
    )


def finding(result: LessonResult) -> Markup:
    """Name the step; once it is answered, say whether that was right, and what is."""
    live = result.live
    headline = f"{result.number}. {result.step.title}"
    if live is not None and result.chosen is not None:
        headline = f"{'Right' if result.is_right else 'Not this time'}. {live.question.finding}"
    return draw_finding(
        headline,
        model_id=live.model_id if live and find_card(live.model_id) else "",
        notices=result.notices,
    )


def body(result: LessonResult, walk: Walk = LESSON) -> Markup:
    """Draw a step: the idea, what can be seen, the question, and once answered what came out."""
    verdict = EMPTY
    if result.chosen is not None:
        verdict = Markup('data-verdict="{}"').format("right" if result.is_right else "wrong")
    return Markup(
        '<article class="lab-lesson" data-walk="{}" data-key="{}" data-number="{}" data-text="{}" '
        "{}>"
        '<h3 tabindex="-1">{}</h3><p class="lab-lead">{}</p>{}{}{}</article>'
    ).format(
        walk.name,
        result.step.key,
        result.number,
        result.text,
        verdict,
        f"{walk.noun.capitalize()} {result.number} of {len(walk.steps)}: {result.step.title}",
        result.step.lead,
        _asked(result) if result.live else _goals(),
        EMPTY if walk.is_quiz and result.chosen is None else _way(result),
        _along(result.number, walk),
    )


def _asked(result: LessonResult) -> Markup:
    live = result.live
    assert live is not None, "the step asks"
    is_told = result.chosen is not None
    seen = join([_panel(panel) for panel in live.before])
    told = join([_panel(panel) for panel in live.after]) if is_told else EMPTY
    reason = Markup('<p class="lab-aside"><b>Why?</b> {}</p>').format(why(live.question))
    return Markup('{}<div class="lab-panels">{}</div>{}{}<div class="lab-panels">{}</div>').format(
        picture(live.stages, is_told=is_told, panel=_panel) if live.stages else EMPTY,
        seen,
        _question(result),
        reason if is_told else EMPTY,
        told,
    )


def why(question: Question) -> str:
    """Give the explanation, with its figures written as people read them."""
    if not question.figures:
        return question.why
    return question.why.format(*(_KINDS[one.unit](one.value) for one in question.figures))


def _question(result: LessonResult) -> Markup:
    assert result.live is not None, "the step asks"
    question = result.live.question
    buttons = [_choice(result, i, text) for i, text in enumerate(question.choices)]
    hint = "Choose first: then the answer is shown." if result.chosen is None else ""
    return Markup(
        '<section class="lab-ask" aria-label="Question"><p class="lab-asks">{}</p>'
        '<div class="lab-choices">{}</div><p class="lab-ask-hint">{}</p></section>'
    ).format(question.asks, join(buttons), hint)


def _choice(result: LessonResult, number: int, text: str) -> Markup:
    assert result.live is not None, "the step asks"
    is_told, mark = result.chosen is not None, ""
    if is_told and number == result.live.question.right:
        mark = "✓ the answer"
    if is_told and number == result.chosen:
        mark = f"{mark}, your choice" if mark else "your choice"
    css = "lab-right" if mark.startswith("✓") else "lab-chosen" if mark else ""
    return Markup(
        '<button type="button" class="lab-choice {}" data-choice="{}" {}>'
        '<span class="lab-letter" aria-hidden="true">{}</span><span>{}</span>{}</button>'
    ).format(
        css,
        number,
        Markup("disabled") if is_told else EMPTY,
        LETTERS[number],
        text,
        Markup("<small>{}</small>").format(mark) if mark else EMPTY,
    )


def _panel(panel: Panel) -> Markup:
    longest = max((abs(row.value) for row in panel.rows if row.value is not None), default=0) or 1
    whole = longest if panel.unit in (Unit.LENGTH, Unit.PARAMETERS, Unit.COUNT) else 1
    rows = [_row(row, panel.unit, whole) for row in panel.rows]
    return Markup(
        '<section class="lab-panel"><h4>{}</h4><div class="lab-rows">{}</div></section>'
    ).format(panel.heading, join(rows))


def _row(row: Row, unit: Unit, whole: float) -> Markup:
    numbers = ", ".join(f"{number:+.2f}".replace("-", "−") for number in row.numbers)
    said = "  ".join(filter(None, (row.text, f"{numbers}, …" if numbers else "")))
    text = Markup('<span class="lab-bar-remark">{}</span>').format(said) if said else EMPTY
    if row.value is None:
        return Markup('<div class="lab-row"><span class="lab-row-label">{}</span>{}</div>').format(
            row.label, Markup("<span>{}</span>").format(said) if said else EMPTY
        )
    width = min(100.0, max(0.0, 100 * row.value / whole))
    return Markup(
        '<div class="lab-bar lab-{}"><span class="lab-bar-label">{}</span>'
        '<span class="lab-bar-track"><span class="lab-bar-fill" style="width:{:.2f}%"></span>'
        '</span><span class="lab-bar-value">{}</span>{}</div>'
    ).format(row.tone or "plain", row.label, width, _KINDS[unit](row.value), text)


def _way(result: LessonResult) -> Markup:
    way = result.way
    return Markup(
        '<p class="lab-leave"><button type="button" class="lab-move" data-tab="{}" data-part="{}" '
        'data-runs="{}" data-fields="{}">Open the tab {}{}</button></p>'
    ).format(
        way.tab,
        way.part,
        int(way.runs and bool(result.fields)),
        json.dumps(result.fields),
        way.name,
        " with this text" if result.fields else "",
    )


def _along(number: int, walk: Walk) -> Markup:
    before = _move(number - 1, "← {}", walk) if number > 1 else Markup("<span></span>")
    behind = _move(number + 1, "Next: {} →", walk) if number < len(walk.steps) else EMPTY
    return Markup('<p class="lab-along">{}{}</p>').format(before, behind)


def _move(number: int, said: str, walk: Walk) -> Markup:
    return Markup('<button type="button" class="lab-move" data-to="{}">{}</button>').format(
        number, said.format(walk.steps[number - 1].title)
    )


def _goals() -> Markup:
    numbers = {step.key: number for number, step in enumerate(STEPS, start=1)}
    lines = [
        Markup("<li><p>{}</p><p>{}</p></li>").format(
            goal.text, join([_back(numbers[key]) for key in goal.steps])
        )
        for goal in GOALS
    ]
    return Markup('<ol class="lab-goals">{}</ol>').format(join(lines))


def _back(number: int) -> Markup:
    return Markup(
        '<button type="button" class="lab-see" data-to="{}">Step {}: {}</button> '
    ).format(number, number, STEPS[number - 1].title)

"""A classroom's room: what a teacher and a pupil see of it. Answers of pupils are hostile text."""

from __future__ import annotations

import re
from functools import cache

import segno
from markupsafe import Markup, escape

from components.config import ASSETS
from components.models.families import Task
from components.tasks.classroom import NO_ANSWER, ClassroomResult, Question, Share
from components.tasks.rooms import MAX_ANSWER, Seen
from components.views.markup import EMPTY, finding, join, model_line
from components.views.wording import percent, shortened

_ASKED = {
    Task.FILL_MASK: "Which word fills the blank?",
    Task.NEXT_SENTENCE: "Does B follow A?",
    Task.SENTIMENT: "Which is it?",
    Task.QUESTION_ANSWERING: "Where is the answer? Tap its first and its last word, or type it.",
}
_MASK = re.compile(r"\[\s*mask\s*\]|<\s*mask\s*>|_{3,}", re.IGNORECASE)


def invitation() -> Markup:
    """Say what to do before there is a room."""
    return finding(
        "Open a room, choose a question, and ask it.",
        notices=(
            "The class answers on phones; nobody sees the model's answer before you show it.",
        ),
    )


def asked_line(number: int, question: Question) -> Markup:
    """Say that a question was put to the class, and nothing of what the model answers."""
    return finding(
        f"Question {number} is asked: {_ASKED[question.task].split('?')[0]}?",
        model_id=question.model_id,
    )


def shell(code: str = "") -> Markup:
    """Give the room as the teacher's page begins; assets/classroom.js fills it."""
    return Markup(_read("classroom.html")).format(code=code)


def pupil_page(code: str) -> Markup:
    """Give the whole page of a pupil: light enough for a bad network, nothing else is fetched."""
    colours = _read("style.css").split(".gradio-container", 1)[0]  # the palette of all pages
    return Markup(_read("classroom_pupil.html")).format(
        code=code,
        style=Markup(colours + _read("classroom.css")),
        script=Markup(_read("classroom_pupil.js")),
        longest=MAX_ANSWER,
    )


def qr(address: str) -> Markup:
    """Draw an address as a QR code, dark on white in every mode, for that is what phones read."""
    code = segno.make(address, error="m", micro=False)
    size = code.symbol_size(border=4)
    drawing = code.svg_inline(border=4, dark="#000", light="#fff", omitsize=True)
    return Markup(
        '<div class="lab-room-qr" role="img" aria-label="{}" data-size="{}">{}</div>'
    ).format(f"QR code of {address}", size[0], Markup(drawing))


def asked(seen: Seen) -> Markup:
    """Draw the question that stands now."""
    question = seen.question
    if question is None:
        return Markup('<p class="lab-room-wait">The first question is about to come.</p>')
    texts = (question.text, question.second) if question.second else (question.text,)
    names = ("A ", "B ") if question.task is Task.NEXT_SENTENCE else ("", "")
    lines = [
        Markup('<p class="lab-room-text">{}{}</p>').format(
            Markup("<b>{}</b>").format(name) if name else EMPTY, _text(question, text, place)
        )
        for place, (name, text) in enumerate(zip(names, texts, strict=False))
    ]
    return Markup('<p class="lab-room-number">Question {}. {}</p>{}').format(
        seen.number, _ASKED[question.task], join(lines)
    )


def answers(result: ClassroomResult | None) -> Markup:
    """Draw the answers of the class beside the model's, two bars a row on one scale."""
    if result is None:
        return EMPTY
    rows = join([_row(share, result) for share in result.shares])
    others = f" {result.others} gave other answers." if result.others else ""
    return Markup(
        '<p class="lab-headline">{}</p><p class="lab-room-key"><span class="lab-room-class">'
        'Class, {} {}</span> <span class="lab-room-model">Model’s probability</span></p>'
        '<div class="lab-room-rows">{}</div><p class="lab-model">{}</p>{}{}'
    ).format(
        _headline(result),
        result.pupils,
        "answer" if result.pupils == 1 else "answers",
        rows,
        others.strip(),
        model_line(result.question.model_id),
        join([Markup('<p class="lab-notice">{}</p>').format(said) for said in result.notices]),
    )


def _headline(result: ClassroomResult) -> str:
    best = shortened(result.best, 60)
    most = max(result.shares, key=lambda share: share.pupils, default=None)
    if most is None or not most.pupils:
        return f"The model says “{best}”. Nobody has answered."
    share = _whole(most.pupils / result.pupils)
    if most.label == result.best:
        return f"Class and model agree: “{best}” ({share} of the class)."
    label = shortened(most.label, 60)
    return f"The class says “{label}” ({share}), the model “{best}”."


def _row(share: Share, result: ClassroomResult) -> Markup:
    part = share.pupils / result.pupils if result.pupils else 0.0
    score = share.score
    return Markup(
        '<div class="lab-room-row"><bdi class="lab-room-label">{}</bdi>'
        '<span class="lab-room-class"><i style="width:{:.2f}%"></i><span>{}</span></span>'
        '<span class="lab-room-model"><i style="width:{:.2f}%"></i><span>{}</span></span></div>'
    ).format(
        shortened(share.label, 80),
        100 * part,
        f"{share.pupils} · {_whole(part)}",
        100 * (score or 0.0),
        "no figure" if score is None else percent(score),
    )


def _whole(part: float) -> str:
    return f"{100 * part:.0f} %"  # of a class, decimals say nothing


def _text(question: Question, text: str, place: int) -> Markup:
    if question.task is Task.FILL_MASK:
        parts = _MASK.split(text, maxsplit=1)
        return Markup('<span class="lab-room-blank">&emsp;?&emsp;</span>').join(parts)
    if question.task is Task.QUESTION_ANSWERING and place == 1:
        words = re.split(r"(\s+)", text)
        return join(
            [
                Markup("<span data-word>{}</span>").format(word) if word.strip() else escape(word)
                for word in words
            ]
        )
    return Markup("{}").format(text)


def choices(question: Question | None) -> tuple[str, ...]:
    """Give what a pupil can press: the choices, or where the answer may be missing, that."""
    if question is None or question.choices:
        return question.choices if question else ()
    return (NO_ANSWER,) if question.task is Task.QUESTION_ANSWERING else ()


@cache
def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")

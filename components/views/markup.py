"""The few pieces of HTML that every tab is made of; escaping happens here, by MarkupSafe.

Whatever is put into a Markup template is escaped, so a text of a visitor, a token such as <s> or
a label of a stranger's checkpoint never becomes HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from components.models.catalog import find_card
from components.models.encoding import Span
from components.models.full_size import find_full_size
from components.views.wording import percent

EMPTY = Markup("")


@dataclass(frozen=True, slots=True)
class Edit:
    """What a click does to the text that a panel shows: put `text` in place of `span`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a label, a probability, and perhaps a remark, a tone of colour and a click.

    A click makes an `edit`, or shows the parts of the text that are marked with `lights`.
    """

    label: str
    score: float
    remark: str = ""
    tone: str = ""  # "", "yes", "no" or "muted": classes of assets/style.css
    edit: Edit | None = None
    lights: int | None = None  # see assets/lights.js
    title: str = ""  # what the edit does, unless it puts the label into the text
    value: str = ""  # what stands at its end in place of the percentage


def join(parts: Sequence[str]) -> Markup:
    """Put escaped pieces one behind the other."""
    return EMPTY.join(parts)


def button(content: str, edit: Edit, *, css: str, title: str) -> Markup:
    """Draw something that changes the text when it is clicked."""
    return Markup(
        '<button type="button" class="{}" title="{}" data-span="{},{}" data-put="{}">{}</button>'
    ).format(css, title, *edit.span, edit.text, content)


def editable(text: str, content: str, *, css: str) -> Markup:
    """Wrap buttons made by `button`: what they change is `text`."""
    return Markup('<div class="{}" data-text="{}">{}</div>').format(css, text, content)


def finding(headline: str, *, model_id: str = "", notices: Sequence[str] = ()) -> Markup:
    """State what was computed just now, by which model, and what the visitor should know of it."""
    lines = join([Markup('<p class="lab-notice">{}</p>').format(notice) for notice in notices])
    return Markup(
        '<div class="lab-finding" role="status"><h3 class="lab-headline">{}</h3>{}{}</div>'
    ).format(headline, model_line(model_id) if model_id else EMPTY, lines)


def model_line(model_id: str) -> Markup:
    """Name the model, and say of a miniature that it is one."""
    card = find_card(model_id)
    if card is None:
        return _hub_line(model_id)
    return Markup(
        '<p class="lab-model"><span class="lab-family lab-{}">{}</span> {} · a miniature: '
        "a small model that errs more often than the full-size one</p>"
    ).format(card.model_type, card.family.name, model_id)


def _hub_line(model_id: str) -> Markup:
    known = find_full_size(model_id)
    if known is None:
        return Markup('<p class="lab-model">{}</p>').format(model_id)
    return Markup(
        '<p class="lab-model"><span class="lab-family lab-{}">{}</span> {} · full size</p>'
    ).format(known.model_type, known.family.name, model_id)


def refusal(message: str, suggestion: str | None = None) -> Markup:
    """Say what was wrong with a value, with a button for the correction if there is one."""
    return _card("lab-refused", "alert", message, suggestion)


def hint(message: str, suggestion: str | None = None) -> Markup:
    """Say what to do next where nothing is wrong yet, with a button that does it."""
    return _card("lab-hint", "status", message, suggestion)


def _card(css: str, role: str, message: str, suggestion: str | None) -> Markup:
    offer = EMPTY
    if suggestion is not None:
        everything = Edit((0, 0), suggestion)
        put = button(
            f"Use “{suggestion}”", everything, css="lab-fix", title="Put this into the text"
        )
        offer = editable("", put, css="lab-offer")
    return Markup(
        '<div class="lab-finding {}" role="{}"><h3 class="lab-headline">{}</h3>{}</div>'
    ).format(css, role, message, offer)


def failure() -> Markup:
    """Say that the app, not the visitor, did something wrong."""
    return refusal(
        "Something went wrong here, and it was not your input. It has been written to the log; "
        "what you typed is still there. Try again, or try another model."
    )


def waiting(message: str) -> Markup:
    """Say what is going on before the first result is there."""
    return Markup(
        '<div class="lab-finding lab-waiting"><h3 class="lab-headline">{}</h3></div>'
    ).format(message)


def bars(rows: Sequence[Bar], *, text: str = "") -> Markup:
    """Draw probabilities as bars from 0 to 100 %, each with its number; clicks change `text`."""
    return editable(text, join([_bar(row) for row in rows]), css="lab-bars")


def _bar(row: Bar) -> Markup:
    inside = Markup(
        '<span class="lab-bar-label">{}</span><span class="lab-bar-track">'
        '<span class="lab-bar-fill" style="width:{:.2f}%"></span></span>'
        '<span class="lab-bar-value">{}</span>{}'
    ).format(
        row.label,
        100 * row.score,
        row.value or percent(row.score),
        Markup('<span class="lab-bar-remark">{}</span>').format(row.remark)
        if row.remark
        else EMPTY,
    )
    css = f"lab-bar lab-{row.tone}" if row.tone else "lab-bar"
    if row.lights is not None:
        return Markup(
            '<button type="button" class="{}" title="Show it in the text" data-lights="{}" '
            'aria-pressed="false">{}</button>'
        ).format(css, row.lights, inside)
    if row.edit is None:
        return Markup('<div class="{}">{}</div>').format(css, inside)
    title = row.title or f"Put “{row.label}” into the text"
    return button(inside, row.edit, css=css, title=title)


def guide(see: str, attempt: str) -> Markup:
    """Say in one line what the picture shows, and what to try that leads to a surprise."""
    return Markup(
        '<div class="lab-guide"><p><b>What you see.</b> {}</p><p><b>Try this.</b> {}</p></div>'
    ).format(escape(see), escape(attempt))


def aside(heading: str, text: str) -> Markup:
    """Tell in a short paragraph what stands behind a picture."""
    return Markup('<p class="lab-aside"><b>{}</b> {}</p>').format(escape(heading), escape(text))


def why_missing(reasons: Sequence[str]) -> Markup:
    """Say, folded away, why models are not offered: one sentence each."""
    lines = join([Markup("<li>{}</li>").format(reason) for reason in reasons])
    return Markup(
        '<details class="lab-missing"><summary>Why are some models missing?</summary>'
        "<ul>{}</ul></details>"
    ).format(lines)

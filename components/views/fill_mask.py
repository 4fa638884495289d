"""The fill-mask result as a sentence to click on, bars to choose from, and a table."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from components.tasks.fill_mask import Blank, FillMaskResult
from components.tasks.words import Word
from components.views.markup import EMPTY, Bar, Edit, bars, button, editable, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent

HEADERS = ["Blank", "Token", "Probability", "Id"]


def finding(result: FillMaskResult) -> Markup:
    """State the best candidate of each blank."""
    best = [_best(blank) for blank in result.blanks]
    if len(best) == 1:
        headline = f"{best[0]} fills the blank" if result.blanks[0].candidates else best[0]
    else:
        headline = "; ".join(f"blank {i}: {text}" for i, text in enumerate(best, start=1))
    return draw_finding(headline, model_id=result.model_id, notices=_notices(result))


def _best(blank: Blank) -> str:
    if not blank.candidates:
        return "none of the words asked for is one token"
    top = blank.candidates[0]
    return f"“{top.word}” ({percent(top.score)})"


def _notices(result: FillMaskResult) -> Sequence[str]:
    notices = list(result.notices)
    if len(result.blanks) > 1:
        notices.append(
            "Each blank is scored on its own, not jointly: the words need not fit together."
        )
    notices += [
        f"“{word}” is not one token here: {' + '.join(pieces)}. It gets no number."
        for word, pieces in result.not_tokens
    ]
    return notices


def strip(result: FillMaskResult) -> Markup:
    """Draw the sentence: a word is hidden by a click, a blank shows its best candidate."""
    parts: list[str] = []
    end, number = 0, 0
    for word in result.words:
        parts.append(result.text[end : word.span[0]])
        number += word.is_blank
        parts.append(_blank(result, number) if word.is_blank else _word(result, word))
        end = word.span[1]
    return editable(result.text, join([*parts, result.text[end:]]), css="lab-strip")


def _word(result: FillMaskResult, word: Word) -> Markup | str:
    text = result.text[slice(*word.span)]
    if not text[0].isalnum():
        return text
    return button(text, Edit(word.span, result.mask_token), css="lab-word", title="Hide this word")


def _blank(result: FillMaskResult, number: int) -> Markup:
    candidates = result.blanks[number - 1].candidates if number <= len(result.blanks) else ()
    label = Markup("<sub>{}</sub>").format(number) if len(result.blanks) > 1 else EMPTY
    return Markup('<span class="lab-blank" title="{}">{}{}</span>').format(
        result.mask_token, candidates[0].word if candidates else "?", label
    )


def bar_chart(result: FillMaskResult) -> Markup:
    """Draw the candidates of each blank; a click puts one into the sentence."""
    panels = [
        Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(
            f"Mask {number}" if len(result.blanks) > 1 else f"In place of {result.mask_token}",
            bars([_bar(blank, i) for i in range(len(blank.candidates))], text=result.text),
        )
        for number, blank in enumerate(result.blanks, start=1)
    ]
    return Markup('<div class="lab-panels">{}</div>').format(join(panels))


def _bar(blank: Blank, index: int) -> Bar:
    candidate = blank.candidates[index]
    return Bar(candidate.word, candidate.score, edit=Edit(blank.span, candidate.word))


def table(result: FillMaskResult) -> list[list[str | int]]:
    """List token, probability and id of every candidate, blank by blank."""
    return [
        [f"Mask {number}", candidate.token, percent(candidate.score), candidate.token_id]
        for number, blank in enumerate(result.blanks, start=1)
        for candidate in blank.candidates
    ]

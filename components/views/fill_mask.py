"""The fill-mask result as a sentence to click on, bars to choose from, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from components.models.encoding import Span
from components.tasks.fill_mask import Blank, FillMaskResult, NoBlankError
from components.tasks.words import Word
from components.views.markup import EMPTY, Bar, Edit, bars, button, editable, hint, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent

HEADERS = ["Blank", "Token", "Probability", "Id"]
_TOLD = 4  # blanks that the headline names


def finding(result: FillMaskResult) -> Markup:
    """State the best candidate of each blank."""
    best = [_best(blank) for blank in result.blanks]
    if len(best) == 1:
        headline = f"{best[0]} fills the blank" if result.blanks[0].candidates else best[0]
    else:
        told = [f"Blank {i}: {text}" for i, text in enumerate(best[:_TOLD], start=1)]
        more = [f"{len(best) - _TOLD} more below"] if len(best) > _TOLD else []
        headline = "; ".join(told + more)
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


def strip(result: FillMaskResult | NoBlankError) -> Markup:
    """Draw the sentence: a click hides a word, or puts a blank's best candidate in."""
    blanks = () if isinstance(result, NoBlankError) else result.blanks
    best = {b.span: b.candidates[0].word if b.candidates else "" for b in blanks}
    return sentence(result.text, result.words, result.mask_token, best)


def sentence(text: str, words: Sequence[Word], mask_token: str, best: Mapping[Span, str]) -> Markup:
    """Draw a text whose words a click hides, and whose blanks it fills with what is `best`."""
    numbers = {span: i for i, span in enumerate(best, start=1)}
    parts: list[str] = []
    end = 0
    for word in words:
        parts.append(text[end : word.span[0]])
        if word.is_blank:
            number = numbers.get(word.span, 0) if len(numbers) > 1 else 0
            parts.append(_blank(word, best.get(word.span, ""), number))
        else:
            parts.append(_word(text[slice(*word.span)], word, mask_token))
        end = word.span[1]
    return editable(text, join([*parts, text[end:]]), css="lab-strip")


def no_blank(error: NoBlankError) -> Markup:
    """Ask for a blank, and offer to hide the last word."""
    return hint(str(error), error.suggestion)


def _word(text: str, word: Word, mask_token: str) -> Markup | str:
    if not text[0].isalnum():
        return text
    return button(text, Edit(word.span, mask_token), css="lab-word", title="Hide this word")


def _blank(word: Word, best: str, number: int) -> Markup:
    label = Markup("<sub>{}</sub>").format(number) if number else EMPTY
    if not best:  # nothing was asked for it, or it was not read
        return Markup('<span class="lab-blank">?{}</span>').format(label)
    inside = Markup("{}{}").format(best, label)
    return button(inside, Edit(word.span, best), css="lab-word lab-blank", title="Put this word in")


def bar_chart(result: FillMaskResult) -> Markup:
    """Draw the candidates of each blank; a click puts one into the sentence."""
    panels = [
        Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(
            (f"Blank {number}" if len(result.blanks) > 1 else f"In place of {result.mask_token}")
            + ": click a word to put it in",
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
        [f"Blank {number}", candidate.token, percent(candidate.score), candidate.token_id]
        for number, blank in enumerate(result.blanks, start=1)
        for candidate in blank.candidates
    ]

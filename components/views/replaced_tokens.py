"""Suspicion on every token as a sentence to click on, what the generator offers, and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from components.tasks.generator import Proposal
from components.tasks.replaced_tokens import (
    THRESHOLD,
    JudgedWord,
    ReplacedTokensResult,
    Round,
    Suspicion,
)
from components.views.markup import Bar, Edit, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent

HEADERS = ["Token", "Characters", "Logit", "Suspicion", "Discriminator says", "Truth"]
_TOLD = 3  # tokens that the headline names
_LARGE = 40  # tokens that are drawn in large type


def finding(result: ReplacedTokensResult) -> Markup:
    """State which tokens look replaced; where none does, which one comes nearest."""
    suspects = sorted(
        (token for token in result.tokens if token.is_suspected), key=lambda token: -token.score
    )
    return draw_finding(
        _headline(result, suspects), model_id=result.model_id, notices=result.notices
    )


def _headline(result: ReplacedTokensResult, suspects: Sequence[Suspicion]) -> str:
    if not result.tokens:
        return "There is no token here to judge"
    if not suspects:
        nearest = max(result.tokens, key=lambda token: token.score)
        name = _name(result, nearest)
        return f"No token looks replaced; most suspicious is {name} ({percent(nearest.score)})"
    if len(suspects) == 1:
        name = _name(result, suspects[0])
        return f"{name[0].upper()}{name[1:]} looks replaced ({percent(suspects[0].score)})"
    told = ", ".join(f"{_name(result, t)} ({percent(t.score)})" for t in suspects[:_TOLD])
    more = f" and {len(suspects) - _TOLD} more" if len(suspects) > _TOLD else ""
    return f"{len(suspects)} of {len(result.tokens)} tokens look replaced: {told}{more}"


def _name(result: ReplacedTokensResult, token: Suspicion) -> str:
    """Name a token as the text spells it, and a piece with its word."""
    written = result.text[slice(*token.span)].strip() or token.token
    start = token.span[0]
    words = (result.text[slice(*w.span)] for w in result.words if w.span[0] <= start < w.span[1])
    whole = next(words, written)
    return f"“{whole}”" if whole == written else f"the piece “{written}” of “{whole}”"


def strip(result: ReplacedTokensResult, chosen: Sequence[int], *, carry: str) -> Markup:
    """Draw the sentence with its suspicion; words can be chosen, and `chosen` ones are.

    `carry` is what a click takes along, see assets/words.js.
    """

    def word(number: int, judged: JudgedWord) -> Markup:
        inside = pieces(result, judged)
        if not (judged.is_word and judged.tokens):
            return Markup('<span class="lab-suspect">{}</span>').format(inside)
        return pressable(inside, number, is_pressed=number in chosen, title="Choose this word")

    hint = (
        "Suspicion of each token, from 0 % (original) to 100 % (replaced). Click a word to choose "
        "it: see what the generator would put in its place, or have it replaced in a game."
    )
    return Markup('<div data-carry="{}" data-field="words" data-live="choose">{}{}</div>').format(
        carry, sentence(result, word), said(hint)
    )


def said(text: str) -> Markup:
    """Say what a picture shows, below it."""
    return Markup('<p class="lab-said">{}</p>').format(text)


def pressable(inside: str, number: int, *, is_pressed: bool, title: str) -> Markup:
    """Draw a word that can be pressed and let go, see assets/words.js."""
    return Markup(
        '<button type="button" class="lab-suspect" data-word="{}" aria-pressed="{}" title="{}">'
        "{}</button>"
    ).format(number, "true" if is_pressed else "false", title, inside)


def sentence(result: ReplacedTokensResult, draw: Callable[[int, JudgedWord], Markup]) -> Markup:
    """Draw the text: `draw` gives each word and punctuation mark, what is between stays."""
    parts: list[str] = []
    end = 0
    for number, judged in enumerate(result.words):
        parts += [result.text[end : judged.span[0]], draw(number, judged)]
        end = judged.span[1]
    size = " lab-small" if len(result.tokens) > _LARGE else ""
    return Markup('<div class="lab-suspects{}" dir="auto">{}</div>').format(
        size, join([*parts, result.text[end:]])
    )


def pieces(result: ReplacedTokensResult, judged: JudgedWord) -> Markup:
    """Draw a word as its tokens, each with its suspicion; what no token covers is left plain."""
    parts: list[str] = []
    end = judged.span[0]
    for number in judged.tokens:
        token = result.tokens[number]
        start, stop = max(token.span[0], end), min(token.span[1], judged.span[1])
        if start < stop:
            parts += [result.text[end:start], _piece(result.text[start:stop], token)]
            end = stop
    return join([*parts, result.text[end : judged.span[1]]])


def _piece(text: str, token: Suspicion) -> Markup:
    return Markup(
        '<span class="lab-piece{}" style="--strength:{:.3f}" title="token {}">{}'
        "<small>{}</small></span>"
    ).format(
        " lab-suspected" if token.is_suspected else "",
        token.score,
        token.token,
        text,
        percent(token.score),
    )


def proposals(text: str, offered: Sequence[Proposal]) -> Markup:
    """Draw what the generator would put in place of each chosen word; a click puts it in."""
    panels = [
        Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(
            f"In place of “{proposal.original}”: click a word to put it in. {_as_pieces(proposal)}",
            bars([*_own(proposal), *_others(proposal)], text=text),
        )
        for proposal in offered
    ]
    return Markup('<div class="lab-panels">{}</div>').format(join(panels))


def _as_pieces(proposal: Proposal) -> str:
    if len(proposal.pieces) == 1:
        return "The probability is the generator's."
    return (
        f"“{proposal.original}” is {len(proposal.pieces)} tokens ({' + '.join(proposal.pieces)}); "
        "the generator sees one blank for all of them."
    )


def _own(proposal: Proposal) -> list[Bar]:
    if proposal.original_score is None:
        return []
    return [Bar(proposal.original, proposal.original_score, "stands there now", tone="muted")]


def _others(proposal: Proposal) -> list[Bar]:
    return [
        Bar(other.word, other.score, edit=Edit(proposal.span, other.word))
        for other in proposal.candidates
    ]


def table(result: ReplacedTokensResult, game: Round | None = None) -> list[list[str]]:
    """List every judged token; the truth is known of a `game` only."""
    replaced = {
        number for word in (game.replaced if game else ()) for number in result.words[word].tokens
    }
    return [
        [
            token.token,
            f"{token.span[0]}–{token.span[1]}",
            f"{token.logit:.3f}",
            percent(token.score),
            "replaced" if token.is_suspected else "original",
            ("replaced" if number in replaced else "original") if game else "not known",
        ]
        for number, token in enumerate(result.tokens)
    ]


def rule() -> str:
    """Say when a token is called replaced."""
    return f"A token is called replaced above {THRESHOLD:.0%}".replace("%", " %")

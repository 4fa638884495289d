"""Every word with what stands there and what was expected; two sentences word by word; a table.

What the model would put in place of each token travels with the page as data attributes, which
assets/every_word.js shows when a token is pressed.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from components.tasks.every_word import ALONE, REST, Difference, EveryWordResult, Piece, Sentence
from components.views.markup import EMPTY, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened, signed

HEADERS = ["Sentence", "Token", "Probability", "Alone (nats)", "With the rest (nats)", "Guesses"]
_QUOTED = 60  # characters of a sentence in the headline
_DARKEST = -math.log(1e-4)  # nats of surprise from which on a token is as dark as it gets
_CLOSE = 0.05  # nats: below that, no preference is claimed
_LARGE = 24  # tokens that are drawn in large type
_METHODS = {ALONE: "each piece hidden alone", REST: "the rest of its word hidden too"}


def finding(result: EveryWordResult) -> Markup:
    """State which sentence the model prefers, or which word it expected least."""
    headline = _preferred(result) if result.second else _least(result)
    return draw_finding(
        headline, model_id=result.model_id, notices=(*_scores(result), *result.notices)
    )


def _preferred(result: EveryWordResult) -> str:
    if result.second is None or abs(result.gain) < _CLOSE:
        return f"The model has no preference: {abs(result.gain):.2f} nats lie between the two"
    better = result.second if result.gain > 0 else result.first
    return f"The model prefers “{shortened(better.text, _QUOTED)}” by {abs(result.gain):.2f} nats"


def _least(result: EveryWordResult) -> str:
    scored = [piece for piece in result.first.pieces if not piece.is_blank]
    if not scored:
        return f"There is only a blank here: {_guessed(result.first.pieces[0])}"
    least = min(scored, key=lambda piece: _score(piece, result.method))
    return (
        f"Least expected is {_name(result.first, least)} "
        f"({percent(_share(least, result.method))}): {_guessed(least)}"
    )


def _guessed(piece: Piece) -> str:
    best = piece.guesses[0]
    return f"the model would put “{best.word}” there ({percent(best.score)})"


def _name(sentence: Sentence, piece: Piece) -> str:
    written = sentence.text[slice(*piece.span)] or piece.token
    whole = next(
        (sentence.text[slice(*w.span)] for w in sentence.words if piece in w.pieces), written
    )
    return f"“{whole}”" if whole == written else f"the piece “{written}” of “{whole}”"


def _scores(result: EveryWordResult) -> list[str]:
    """Write the pseudo-log-likelihood of a sentence alone, and the other one where they differ."""
    lines = []
    other = REST if result.method == ALONE else ALONE
    for number, sentence in enumerate(_sentences(result), start=1):
        if result.second is None:
            lines.append(f"Pseudo-log-likelihood: {_told(result, sentence)}.")
        if abs(sentence.score(other) - sentence.score(result.method)) > _CLOSE:
            name = f"Sentence {number}, with" if result.second else "With"
            lines.append(f"{name} {_METHODS[other]}: {_nats(sentence.score(other))} nats.")
    if result.second and result.first.tokens != result.second.tokens:
        lines.append(
            "The two have different numbers of tokens: the longer one loses some nats for that "
            "alone, so compare with care."
        )
    return lines


def _told(result: EveryWordResult, sentence: Sentence) -> str:
    score = _nats(sentence.score(result.method))
    return f"{score} nats over {sentence.tokens} tokens; nearer to 0 is more expected"


def _nats(number: float) -> str:
    return signed(round(number, 2) + 0.0)  # no minus before a nought


def _sentences(result: EveryWordResult) -> tuple[Sentence, ...]:
    return (result.first,) if result.second is None else (result.first, result.second)


def _score(piece: Piece, method: str) -> float:
    return float(getattr(piece, method))


def _share(piece: Piece, method: str) -> float:
    return math.exp(_score(piece, method))


def strips(result: EveryWordResult) -> Markup:
    """Draw every token with its probability; pressing one shows what was expected there."""
    sentences = _sentences(result)
    pressed = min(
        (piece for piece in sentences[-1].pieces if not piece.is_blank),
        key=lambda piece: _score(piece, result.method),
        default=sentences[-1].pieces[0],
    )
    drawn = [
        _strip(result, sentence, number if result.second else 0, pressed)
        for number, sentence in enumerate(sentences, start=1)
    ]
    return Markup(
        '<section class="lab-panel"><h4>Press a word to see what the model would put there. The '
        "stronger its shade, the less expected (full: 0.01 % or less).</h4>{}"
        '<div class="lab-every-detail" data-text=""><p aria-live="polite"></p>'
        '<div class="lab-bars"></div></div></section>'
    ).format(join(drawn))


def _strip(result: EveryWordResult, sentence: Sentence, number: int, pressed: Piece) -> Markup:
    parts: list[str] = []
    end = 0
    for word in sentence.words:
        parts.append(sentence.text[end : word.span[0]])
        parts.append(_word(result, sentence, word.pieces, pressed))
        end = word.span[1]
    label = Markup('<p class="lab-every-label">Sentence {}: {}</p>').format(
        number, _told(result, sentence)
    )
    css = "" if len(sentence.pieces) <= _LARGE else " lab-small"
    return Markup('{}<div class="lab-every{}" data-sentence="{}">{}</div>').format(
        label if number else EMPTY, css, sentence.text, join([*parts, sentence.text[end:]])
    )


def _word(
    result: EveryWordResult, sentence: Sentence, pieces: tuple[Piece, ...], pressed: Piece
) -> Markup:
    buttons = []
    for number, piece in enumerate(pieces):
        same = number > 0 and pieces[number - 1].span == piece.span  # bytes of one character
        written = sentence.text[slice(*piece.span)]
        shown = piece.token if same or not written else written
        buttons.append(_piece(result, sentence, piece, shown, is_pressed=piece is pressed))
    return Markup('<span class="lab-every-word">{}</span>').format(join(buttons))


def _piece(
    result: EveryWordResult, sentence: Sentence, piece: Piece, shown: str, *, is_pressed: bool
) -> Markup:
    own = "blank" if piece.is_blank else percent(_share(piece, result.method))
    surprise = 0.0 if piece.is_blank else min(1.0, -_score(piece, result.method) / _DARKEST)
    guesses = [[guess.word, float(f"{guess.score:.6g}")] for guess in piece.guesses]
    return Markup(
        '<button type="button" class="lab-piece lab-every-piece" style="--strength:{:.3f}" '
        'aria-pressed="{}" data-at="{},{}" data-name="{}" data-own="{}" data-guesses="{}">{}'
        "<small>{}</small></button>"
    ).format(
        surprise,
        "true" if is_pressed else "false",
        *piece.span,
        _name(sentence, piece),
        "" if piece.is_blank else own,
        json.dumps(guesses, ensure_ascii=False),
        shown,
        own,
    )


def versus(result: EveryWordResult) -> Markup:
    """Draw for each word by how many nats it speaks for the one sentence or the other."""
    if result.second is None:
        return EMPTY
    gains = [d.gain for d in result.differences]
    largest = max(1.0, *map(abs, (*gains, result.gain)))
    rows = join([_difference(d, largest) for d in result.differences])
    total = _lean("all words", result.gain, largest)
    return Markup(
        '<section class="lab-panel"><h4>Where the difference comes from: to the left a word speaks '
        "for sentence 1, to the right for sentence 2 (nats)</h4>"
        '<div class="lab-leans">{}{}</div></section>'
    ).format(rows, total)


def _difference(difference: Difference, largest: float) -> Markup:
    first, second = difference.first, difference.second
    is_same = (first or "").casefold() == (second or "").casefold()
    name = (second or "") if is_same else f"{first or '–'} / {second or '–'}"
    return _lean(name, difference.gain, largest, marked=not is_same)


def _lean(name: str, gain: float, largest: float, *, marked: bool = False) -> Markup:
    """Draw a bar from the middle: left in the colour of sentence 1, right in that of sentence 2."""
    width = 50 * min(1.0, abs(gain) / largest)
    side = "second" if gain > 0 else "first"
    return Markup(
        '<div class="lab-lean{}"><span class="lab-lean-label">{}</span>'
        '<span class="lab-lean-track"><span class="lab-lean-fill lab-lean-{}" '
        'style="width:{:.2f}%"></span></span><span class="lab-bar-value">{}</span></div>'
    ).format(" lab-lean-marked" if marked else "", name, side, width, _nats(gain))


def table(result: EveryWordResult) -> list[list[str | int]]:
    """List every token with its numbers and what was expected there."""
    return [
        [
            number,
            piece.token,
            "" if piece.is_blank else percent(_share(piece, result.method)),
            "" if piece.is_blank else signed(piece.alone),
            "" if piece.is_blank else signed(piece.rest),
            ", ".join(f"{guess.word} {percent(guess.score)}" for guess in piece.guesses),
        ]
        for number, sentence in enumerate(_sentences(result), start=1)
        for piece in sentence.pieces
    ]


def numbers(result: EveryWordResult) -> dict[str, Any]:
    """Give programs what the page shows; scores are in nats."""
    return {
        "model_id": result.model_id,
        "method": result.method,
        "sentences": [
            {
                "text": sentence.text,
                "tokens": sentence.tokens,
                ALONE: sentence.score(ALONE),
                REST: sentence.score(REST),
                "words": [asdict(word) for word in sentence.words],
            }
            for sentence in _sentences(result)
        ],
        "gain": result.gain,
        "differences": [{**asdict(d), "gain": d.gain} for d in result.differences],
        "notices": list(result.notices),
    }

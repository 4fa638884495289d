"""Fill-mask: what a masked language model would put into each blank (Devlin et al. 2019, 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_TEXT, MAX_TOP_K
from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.scores import best_first, softmax
from components.tasks.words import Word, check_text, split_words, with_mask

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_BLANKS = 20  # filled in one run: hundreds are megabytes of page, and fill the browser


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry of the vocabulary, and how probable it is in a blank."""

    token: str  # as in the vocabulary
    word: str  # without the marks of the family
    token_id: int
    score: float  # probability over the whole vocabulary


@dataclass(frozen=True, slots=True)
class Blank:
    """One mask: where it stands in the text, and its candidates, best first."""

    span: Span
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text with blanks as the model reads it."""

    text: str  # with the model's own mask token
    spellings: tuple[str, ...]  # other ways to write a blank that were met
    encoding: Encoding
    positions: tuple[int, ...]  # of the masks that were read, left to right; never none

    def unread(self, mask_token: str) -> int:
        """Count the blanks that stand where the model no longer reads."""
        return self.text.count(mask_token) - len(self.positions)


@dataclass(frozen=True, slots=True)
class FillMaskResult:
    """What fills each blank of `text`, left to right; every blank is scored on its own."""

    model_id: str
    text: str  # with the model's own mask token
    mask_token: str
    words: tuple[Word, ...]
    blanks: tuple[Blank, ...]
    not_tokens: tuple[tuple[str, tuple[str, ...]], ...]  # asked-for words that are several pieces
    notices: tuple[str, ...]


class NoBlankError(InputError):
    """The text has nothing to fill; its words are here to be hidden by a click."""

    def __init__(self, text: str, mask_token: str) -> None:
        self.text, self.mask_token = text, mask_token
        self.words = split_words(text, mask_token)
        known = [word for word in self.words if text[word.span[0]].isalnum()]
        start, end = known[-1].span if known else (len(text), len(text))
        super().__init__(
            f"There is no blank yet. Click a word to hide it, or write {mask_token} or ___ where "
            "a word is missing.",
            suggestion=text[:start] + mask_token + text[end:],
        )


def predict(
    model: LoadedModel, text: str, *, top_k: int = 5, only: Sequence[str] = ()
) -> FillMaskResult:
    """Rank the vocabulary, or the words `only`, at each blank of `text`; keep the `top_k` best.

    Scores are probabilities over the whole vocabulary, also with `only`. Raises NoBlankError for
    a text without a blank.
    """
    asked = _asked(only)
    reading = read_blanks(model, text)
    text, encoding, found = reading.text, reading.encoding, reading.positions
    positions = found[:MAX_BLANKS]
    logits = model.run([encoding], positions=[positions])[0]["logits"]  # (blanks, vocab)
    scores = softmax(logits)
    wanted, not_tokens = _sort_out(model, asked)
    words = split_words(text, model.mask_token)
    spans = [word.span for word in words if word.is_blank]
    return FillMaskResult(
        model_id=model.id,
        text=text,
        mask_token=model.mask_token,
        words=words,
        blanks=tuple(
            Blank(span, _candidates(model, row, wanted if asked else None, _clamped(top_k)))
            for span, row in zip(spans, scores, strict=False)
        ),
        not_tokens=not_tokens,
        notices=_notices(model, reading),
    )


def read_blanks(model: LoadedModel, text: str) -> Reading:
    """Read a text with blanks, however they are spelled.

    Raises NoBlankError for a text without a blank, and InputError where all of them come too late.
    """
    text, spellings = with_mask(check_text(text, "The text"), model.mask_token)
    if model.mask_token not in text:
        raise NoBlankError(text, model.mask_token)
    encoding = model.encode(text, literal=False)
    positions = encoding.positions_of(model.mask_token_id)
    if not positions:
        raise InputError(
            f"The blank stands after the first {len(encoding)} tokens, where the model stops "
            "reading. Shorten the text before it."
        )
    return Reading(text, spellings, encoding, positions)


def candidate(model: LoadedModel, token_id: int, score: float) -> Candidate:
    """Give an entry of the vocabulary with its probability in a blank."""
    token = model.token(token_id)
    return Candidate(token, model.readable(token), token_id, score)


def entry_of(model: LoadedModel, word: str) -> tuple[int | None, tuple[str, ...]]:
    """Give the id of `word` if it is one entry of the vocabulary, and the pieces it is made of."""
    pieces = model.pieces(word)
    is_entry = len(pieces) == 1 and pieces[0][0] != model.unknown_token_id
    return pieces[0][0] if is_entry else None, tuple(token for _, token in pieces)


def _clamped(top_k: int) -> int:
    return max(1, min(int(top_k), MAX_TOP_K))


def _asked(only: Sequence[str]) -> list[str]:
    if sum(map(len, only)) > MAX_TEXT:
        raise InputError(
            f"The list of words is too long: at most {MAX_TEXT:,} characters are read. Take some "
            "words away."
        )
    return [word.strip() for word in only if word.strip()]


def _sort_out(
    model: LoadedModel, asked: Sequence[str]
) -> tuple[list[int], tuple[tuple[str, tuple[str, ...]], ...]]:
    """Part the words asked for into token ids, and words that are not one token here."""
    ids: list[int] = []
    not_tokens: list[tuple[str, tuple[str, ...]]] = []
    for word in dict.fromkeys(asked):
        token_id, pieces = entry_of(model, word)
        if token_id is None:
            not_tokens.append((word, pieces))
        else:
            ids.append(token_id)
    return list(dict.fromkeys(ids)), tuple(not_tokens)


def _candidates(
    model: LoadedModel, scores: NDArray[np.float64], wanted: list[int] | None, top_k: int
) -> tuple[Candidate, ...]:
    if wanted is None:
        best = best_first(scores, top_k)
    else:
        best = np.asarray(wanted, dtype=int)
        best = best[np.argsort(-scores[best], kind="stable")]
    return tuple(candidate(model, int(i), float(scores[i])) for i in best)


def _notices(model: LoadedModel, reading: Reading) -> tuple[str, ...]:
    notices = list(model.notices)
    encoding, found = reading.encoding, len(reading.positions)
    unread = reading.unread(model.mask_token)
    if reading.spellings:
        notices.append(f"{' and '.join(reading.spellings)} was read as {model.mask_token}.")
    if found > MAX_BLANKS:
        notices.append(f"Only the first {MAX_BLANKS} of {found} blanks were filled.")
    if encoding.is_truncated:
        notices.append(
            f"Only the first {len(encoding)} of {encoding.full_length} tokens were read"
            + (f"; {unread} of the blanks came later." if unread else ".")
        )
    return tuple(notices)

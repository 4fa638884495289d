"""Replaced tokens: is each token the original one, or was it put in (Clark et al. 2020)?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding, Span
from components.tasks.generator import AlteredText
from components.tasks.scores import sigmoid
from components.tasks.words import check_text, split_words, tokens_by_word

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

THRESHOLD = 0.5  # a token is called replaced above it


@dataclass(frozen=True, slots=True)
class Suspicion:
    """How likely one token was put in; special tokens are not judged."""

    token: str  # as in the vocabulary
    span: Span  # characters of the text
    logit: float
    score: float  # its sigmoid: 1 = replaced, 0 = original
    is_suspected: bool  # whether the score is above the threshold


@dataclass(frozen=True, slots=True)
class JudgedWord:
    """A word or a punctuation mark, and what was said of its tokens."""

    span: Span
    is_word: bool  # a word or a number: what a visitor can choose
    tokens: tuple[int, ...]  # numbers among the judged tokens; none where it was not read
    is_suspected: bool  # whether one of its tokens is


@dataclass(frozen=True, slots=True)
class ReplacedTokensResult:
    """What the discriminator says of every token of `text` that it read."""

    model_id: str
    text: str
    tokens: tuple[Suspicion, ...]
    words: tuple[JudgedWord, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How well somebody guessed which words were replaced."""

    hits: int
    misses: int
    false_alarms: int


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the game, in numbers of the words of the altered text."""

    altered: AlteredText
    judged: ReplacedTokensResult
    marked: frozenset[int]  # what the visitor suspects
    replaced: frozenset[int]
    yours: Score
    machines: Score


def predict(model: LoadedModel, text: str) -> ReplacedTokensResult:
    """Judge every token of `text`; raises InputError for a text that is empty or too long."""
    text = check_text(text, "The sentence")
    encoding = model.encode(text)
    logits = model.run([encoding])[0]["logits"]  # (tokens,)
    judged = [i for i, number in enumerate(encoding.sequence_ids) if number is not None]
    tokens = suspicions(encoding, logits)
    return ReplacedTokensResult(
        model_id=model.id,
        text=text,
        tokens=tokens,
        words=_words(model, text, encoding, tokens, judged),
        notices=_notices(model, encoding),
    )


def suspicions(encoding: Encoding, logits: NDArray[np.floating]) -> tuple[Suspicion, ...]:
    """Read the logits (tokens,) of the head, special tokens left out."""
    scores = sigmoid(logits)  # (tokens,)
    return tuple(
        Suspicion(
            token=encoding.tokens[i],
            span=encoding.offsets[i],
            logit=float(logits[i]),
            score=float(scores[i]),
            is_suspected=bool(scores[i] > THRESHOLD),
        )
        for i, number in enumerate(encoding.sequence_ids)
        if number is not None
    )


def play(altered: AlteredText, judged: ReplacedTokensResult, marked: Sequence[int]) -> Round:
    """Score the words that a visitor marked, and those that the discriminator suspects.

    Punctuation marks are never replaced: neither side is asked about them, nor about what was not
    read.
    """
    asked = {i for i, word in enumerate(judged.words) if word.is_word and word.tokens}
    replaced = {
        i
        for i in asked
        if any(_overlap(judged.words[i].span, swap.span) for swap in altered.replacements)
    }
    suspected = {i for i in asked if judged.words[i].is_suspected}
    marks = asked & set(marked)
    return Round(
        altered=altered,
        judged=judged,
        marked=frozenset(marks),
        replaced=frozenset(replaced),
        yours=score(marks, replaced),
        machines=score(suspected, replaced),
    )


def score(guessed: Collection[int], replaced: Collection[int]) -> Score:
    """Count what was found, what was missed, and what was suspected for nothing."""
    hits = len(set(guessed) & set(replaced))
    return Score(hits, len(replaced) - hits, len(guessed) - hits)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _words(
    model: LoadedModel,
    text: str,
    encoding: Encoding,
    tokens: Sequence[Suspicion],
    judged: Sequence[int],
) -> tuple[JudgedWord, ...]:
    words = split_words(text, model.mask_token)
    number = {position: i for i, position in enumerate(judged)}
    return tuple(
        JudgedWord(
            span=word.span,
            is_word=word.is_letters(text),
            tokens=tuple(number[position] for position in positions),
            is_suspected=any(tokens[number[position]].is_suspected for position in positions),
        )
        for word, positions in zip(words, tokens_by_word(words, encoding), strict=True)
    )


def _notices(model: LoadedModel, encoding: Encoding) -> tuple[str, ...]:
    notices = list(model.notices)
    if encoding.is_truncated:
        notices.append(
            f"Only the first {len(encoding)} of {encoding.full_length} tokens were read."
        )
    return tuple(notices)

"""Where a word stands in sentences, and the tokens of each place: found by characters."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.words import Word, check_text, split_words, tokens_by_word

MAX_WORD = 60  # characters
MAX_SENTENCES = 12  # of each sense
MAX_OCCURRENCES = 30  # their pairs are drawn as a square


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence that the visitor gave: its sense, 0 or 1, and where the word stands in it."""

    name: str  # "A1" is the first of the first sense
    sense: int
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """The word in one place: of which sentence, and at which tokens of its encoding."""

    name: str  # that of the sentence, with a letter where the word stands in it more than once
    sense: int
    sentence: int  # number of the sentence, from 0
    span: Span
    positions: tuple[int, ...]


def read_sentences(word: str, senses: Sequence[str]) -> tuple[Sentence, ...]:
    """Read one sentence a line from each of `senses`, and look for `word` in them.

    Raises InputError when the word is in none of them, or when nothing was typed.
    """
    word = check_text(word.strip(), "The word", MAX_WORD)
    found: list[Sentence] = []
    for sense, typed in enumerate(senses):
        if not sense or typed.strip():
            check_text(typed, f"The box for sense {'AB'[sense]}")
        lines = [line.strip() for line in typed.splitlines() if line.strip()]
        found += [
            Sentence(f"{'AB'[sense]}{i}", sense, line, _spans(word, line))
            for i, line in enumerate(lines[:MAX_SENTENCES], start=1)
        ]
        if len(lines) > MAX_SENTENCES:
            raise InputError(
                f"Sense {'AB'[sense]} has {len(lines)} sentences, and at most {MAX_SENTENCES} are "
                "compared. Take some away."
            )
    if not any(sentence.spans for sentence in found):
        raise InputError(
            f"“{word}” stands in none of the sentences as a word of its own. Type a word that "
            "does.",
            suggestion=_shared_word([sentence.text for sentence in found]),
        )
    return tuple(found)


def find_occurrences(
    sentences: Sequence[Sentence], encodings: Sequence[Encoding]
) -> tuple[Occurrence, ...]:
    """Give every place of the word that was read, in the order of the sentences."""
    found: list[Occurrence] = []
    for number, (sentence, encoding) in enumerate(zip(sentences, encodings, strict=True)):
        places = tokens_by_word([Word(span) for span in sentence.spans], encoding)
        for i, (span, positions) in enumerate(zip(sentence.spans, places, strict=True)):
            if positions:
                letter = string.ascii_lowercase[i % 26] if len(places) > 1 else ""
                name = f"{sentence.name}{letter}"
                found.append(Occurrence(name, sentence.sense, number, span, positions))
    return tuple(found[:MAX_OCCURRENCES])


def place_notices(
    word: str, sentences: Sequence[Sentence], found: Sequence[Occurrence]
) -> Iterator[str]:
    """Say where the word was looked for in vain, and which of its places are not compared."""
    lacking = [sentence.name for sentence in sentences if not sentence.spans]
    if lacking:
        yield (
            f"“{word}” does not stand in {', '.join(lacking)} as a word of its own: left out. "
            "Other forms of a word, such as its plural, are other words here."
        )
    left = sum(len(sentence.spans) for sentence in sentences) - len(found)
    if left:
        places = "1 place" if left == 1 else f"{left} places"
        yield (
            f"{places} of “{word}” are not compared: they stand where the model stops reading, or "
            f"after the first {MAX_OCCURRENCES}."
        )


def _spans(word: str, text: str) -> tuple[Span, ...]:
    """Find `word` in `text`, in capitals or not; inside other words only where no script has case.

    Chinese or Thai put no spaces between words, and Arabic or Hebrew join some to the next.
    """
    exact = re.escape(word)
    whole = rf"(?<!\w){exact}(?!\w)" if word.lower() != word.upper() else exact
    return tuple(match.span() for match in re.finditer(whole, text, re.IGNORECASE))


def _shared_word(texts: Sequence[str]) -> str | None:
    """Give the longer word that most of `texts` have in common, if there is one."""
    counts: Counter[str] = Counter()
    for text in texts:
        words = {text[slice(*w.span)].casefold() for w in split_words(text, "[MASK]")}
        counts.update(w for w in words if len(w) > 3 and w.isalpha())
    best = max(counts, key=lambda w: (counts[w], len(w), w), default=None)
    return best if best is not None and counts[best] > 1 else None

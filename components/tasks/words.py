"""Words and blanks of a typed text: what a visitor can click, by character offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.config import MAX_TEXT
from components.errors import InputError
from components.models.encoding import Encoding, Span

# How people write a blank: [MASK], <mask>, [ Mask ], ___
_BLANK = re.compile(r"\[\s*mask\s*\]|<\s*mask\s*>|_{3,}", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a punctuation mark or a blank, at `span` of the text."""

    span: Span
    is_blank: bool = False

    def is_letters(self, text: str) -> bool:
        """Whether it is a word or a number of `text`: no punctuation mark, and no blank."""
        return not self.is_blank and text[self.span[0]].isalnum()


def check_text(text: object, name: str, limit: int = MAX_TEXT) -> str:
    """Give `text` back; raises InputError when it is empty or longer than `limit` characters."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{name} is empty. Type something, or choose an example.")
    if len(text) > limit:
        raise InputError(
            f"{name} is too long: {len(text):,} characters, and at most {limit:,} are read. "
            "Shorten it."
        )
    return text


def check_position(asked: object, count: int) -> int | None:
    """Give the position of a token that was `asked` for, of `count`; None when none was.

    Raises InputError for one that is not there.
    """
    typed = "" if asked is None else str(asked).strip()
    if not typed:
        return None
    if not typed.isdecimal() or len(typed) > 6 or int(typed) >= count:
        raise InputError(
            f"There is no token {typed[:20]}: this text has {count}, counted from 0, the first, to "
            f"{count - 1}, the last. Choose one of those, or leave the field empty."
        )
    return int(typed)


def with_mask(text: str, mask_token: str) -> tuple[str, tuple[str, ...]]:
    """Spell every blank as `mask_token`; give the text and the other spellings that were met."""
    met = dict.fromkeys(m.group() for m in _BLANK.finditer(text) if m.group() != mask_token)
    return _BLANK.sub(lambda _: mask_token, text), tuple(met)


def reading_notices(mask_token: str, spellings: Sequence[str], encoding: Encoding) -> Iterator[str]:
    """Say what was read otherwise than typed: blanks spelled anew, the end left out."""
    if spellings:
        yield f"{' and '.join(spellings)} was read as {mask_token}."
    if encoding.is_truncated:
        yield f"Only the first {len(encoding)} of {encoding.full_length} tokens were read."


def split_words(text: str, mask_token: str) -> tuple[Word, ...]:
    """Split `text` into words, punctuation and blanks, left to right."""
    words: list[Word] = []
    for part in re.split(f"({re.escape(mask_token)})", text):
        begin = words[-1].span[1] if words else 0
        begin = text.index(part, begin) if part else begin
        if part == mask_token:
            words.append(Word((begin, begin + len(part)), is_blank=True))
        else:
            spans = ((begin + m.start(), begin + m.end()) for m in _WORD.finditer(part))
            words.extend(Word(span) for span in spans)
    return tuple(words)


def tokens_by_word(words: Sequence[Word], encoding: Encoding) -> tuple[tuple[int, ...], ...]:
    """Give each of `words` the positions of its tokens in `encoding`; none where it was not read.

    A token that reaches over several words is given to each of them.
    """
    starts = [word.span[0] for word in words]
    found: list[list[int]] = [[] for _ in words]
    for position, (start, end) in enumerate(encoding.offsets):
        if encoding.sequence_ids[position] != 0:  # a special token
            continue
        for at in range(max(bisect_right(starts, start) - 1, 0), len(words)):
            if words[at].span[0] >= end:
                break
            if words[at].span[1] > start:
                found[at].append(position)
    return tuple(map(tuple, found))


def shared_out(
    words: Sequence[Word], encoding: Encoding, sequence: int = 0, most: int | None = None
) -> list[tuple[Span, list[int]]]:
    """Give each of `words` that was read with the positions of its tokens, the first `most` of all.

    The words are those of the text `sequence`. Every token belongs to exactly one word: the first
    that ends behind its start, so that a bare mark or a space goes with the word after it.
    """
    spans = [word.span for word in words]
    groups: dict[int, list[int]] = {}
    at = 0
    read = [i for i, found in enumerate(encoding.sequence_ids) if found == sequence]
    for position in read[:most] if spans else ():
        while at < len(spans) - 1 and spans[at][1] <= encoding.offsets[position][0]:
            at += 1
        groups.setdefault(at, []).append(position)
    return [(spans[number], positions) for number, positions in groups.items()]

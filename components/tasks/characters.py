"""Characters as people see them: no span may part an accent from its letter, or cut an emoji."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ZERO_WIDTH_JOINER = 0x200D
_FLAG_LETTERS = (0x1F1E6, 0x1F1FF)  # two of them make one flag
_EXTENDING = (
    (0x200C, 0x200D),  # zero width non-joiner and joiner
    (0x1160, 0x11FF),  # vowels and final consonants of a Korean syllable written in parts
    (0x1F3FB, 0x1F3FF),  # skin tones
    (0xE0020, 0xE007F),  # tags, in the flags of regions
)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Where spans of a text may begin and end, looked up by code point offset, 0 to its length.

    `begin[i]` is where a span that was to begin at i begins: spaces are passed over and the
    visible character is taken whole. `end[i]` is where a span that was to end before i ends.
    """

    begin: NDArray[np.int64]  # (characters + 1,)
    end: NDArray[np.int64]  # (characters + 1,)


def find_edges(text: str) -> Edges:
    """Find where visible characters begin and end (Unicode UAX 29, what matters of it here)."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    index, length = np.arange(len(codes)), len(codes)
    is_space, joined = _joined(codes)  # (characters,) each
    first = np.maximum.accumulate(np.where(joined, 0, index))  # of its visible character
    last = np.minimum.accumulate(np.where(joined, length, index)[::-1])[::-1]
    after = np.append(last[1:], length)  # one behind the visible character
    ahead = np.minimum.accumulate(np.where(is_space, length, index)[::-1])[::-1]
    behind = np.maximum.accumulate(np.where(is_space, -1, index))
    return Edges(
        begin=np.append(np.append(first, length)[ahead], length),
        end=np.append(0, np.append(after, 0)[behind]),  # behind is -1 where only spaces came
    )


def _joined(codes: NDArray[np.uint32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which characters are spaces, and which go on with the visible one before them."""
    kinds, where = np.unique(codes, return_inverse=True)
    letters = [chr(code) for code in kinds]
    is_space = np.array([letter.isspace() for letter in letters], dtype=bool)[where]
    extends = np.array([_extends(letter) for letter in letters], dtype=bool)[where]
    before = np.append(0, codes[:-1])
    joined = extends | ((before == _ZERO_WIDTH_JOINER) & ~is_space) | _second_of_flag(codes)
    joined &= ~np.append(True, is_space[:-1])  # nothing joins a space, or the start of the text
    return is_space, joined


def _extends(letter: str) -> bool:
    is_mark = unicodedata.category(letter).startswith("M")  # variation selectors are marks, too
    return is_mark or any(low <= ord(letter) <= high for low, high in _EXTENDING)


def _second_of_flag(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    low, high = _FLAG_LETTERS
    is_letter, index = (codes >= low) & (codes <= high), np.arange(len(codes))
    run = np.maximum.accumulate(np.where(is_letter, 0, index + 1))  # where its run of them began
    second: NDArray[np.bool_] = is_letter & ((index - run) % 2 == 1)
    return second

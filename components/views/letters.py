"""Characters that cannot be seen, written so that they can; and what a character is called."""

from __future__ import annotations

import unicodedata

_MARKED = {"\n": "⏎", "\t": "⇥", " ": "␣", "\x7f": "␡"}
_JOINER, _EMOJI = "\u200d", "\u2190"  # a joiner behind what lies above this makes one emoji
_PICTURES = 0x2400  # where Unicode keeps pictures of the first control characters


def visible(text: str, *, spaces: bool = False, parted: bool = False) -> str:
    """Write `text` so that nothing in it is invisible, and plain spaces too with `spaces`.

    With `parted` an accent that is a character of its own stands apart from its letter.
    """
    before = ("", *text)
    return "".join(
        c if c == _JOINER and b > _EMOJI else _shown(c, spaces, parted)
        for b, c in zip(before, text, strict=False)
    )


def isolated(text: str) -> str:
    """Keep what is read from the right from turning the sentence round it about."""
    from_right = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"\u2068{text}\u2069" if from_right else text


def _shown(character: str, spaces: bool, parted: bool) -> str:
    if character == " ":
        return "␣" if spaces else character
    if character in _MARKED:
        return _MARKED[character]
    if ord(character) < 0x20:  # the control characters of ASCII
        return chr(_PICTURES + ord(character))
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs", "Cs", "Co"):
        return f"[{code(character)}]"
    return f" + ◌{character}" if parted and unicodedata.combining(character) else character


def code(character: str) -> str:
    """Give the number of a character as Unicode writes it, as in U+00E9."""
    return f"U+{ord(character):04X}"


def described(cluster: str) -> str:
    """Say what a character is called, one name for each code point it is made of."""
    named = [f"{code(c)} {unicodedata.name(c, 'without a name')}" for c in cluster[:8]]
    more = [f"{len(cluster) - 8} more"] if len(cluster) > 8 else []
    return " + ".join(named + more)

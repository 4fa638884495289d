"""What a normalizer did to a text, step by step, in words that a pupil knows."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from markupsafe import Markup

from components.models.encoding import NormalizerStep
from components.views.letters import visible
from components.views.markup import join
from components.views.wording import shortened

_TOLD = 4  # changed places of one step that are shown
_LONGEST = 40  # characters of one of them

# The steps of the tokenizers library; one that is not here is shown by its name.
MEANINGS: Mapping[str, str] = {
    "clean_text": "control characters go, every kind of space becomes a plain one",
    "handle_chinese_chars": "a space is put on both sides of every Chinese character",
    "strip_accents": "accents are dropped",
    "StripAccents": "accents are dropped",
    "lowercase": "capitals become small letters",
    "Lowercase": "capitals become small letters",
    "NFC": "a letter and its accent become one character",
    "NFKC": "the same, and characters that look alike become one",
    "NFD": "a letter and its accent become two characters",
    "NFKD": "the same as NFD, and characters such as ½ and ﬁ become plain ones",
    "Replace": "",
    "Strip": "spaces at the ends go",
    "Prepend": "something is put in front",
    "Precompiled": "SentencePiece's own table of replacements",
    "Nmt": "odd spaces and control characters become plain ones",
    "ByteLevel": "every byte becomes a character",
}


def changes(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Give the places where `after` differs from `before`, word by word."""
    if before == after:
        return ()
    old, new = before.split(" "), after.split(" ")
    blocks = SequenceMatcher(None, old, new).get_opcodes()
    return tuple(
        (" ".join(old[a:b]), " ".join(new[c:d])) for kind, a, b, c, d in blocks if kind != "equal"
    )


def draw_steps(steps: Sequence[NormalizerStep]) -> Markup:
    """Draw the steps that changed something, and name those that did not."""
    if not steps:
        return Markup('<p class="lab-steps-none">No normalizer: the text is taken as it is.</p>')
    changed = [step for step in steps if step.before != step.after]
    idle = list(dict.fromkeys(step.name for step in steps if step.before == step.after))
    drawn = join([_step(step) for step in changed])
    rest = Markup('<p class="lab-steps-none">{}</p>').format(_idle(idle, changed))
    return Markup('<ol class="lab-steps">{}</ol>{}').format(drawn, rest if idle else "")


def _idle(idle: Sequence[str], changed: Sequence[NormalizerStep]) -> str:
    said = "also looked, and found nothing to change" if changed else "found nothing to change"
    return f"{', '.join(idle)} {said}."


def _step(step: NormalizerStep) -> Markup:
    found = changes(step.before, step.after)
    shown = join([_change(before, after) for before, after in found[:_TOLD]])
    more = f"and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    meaning = visible(step.detail, spaces=True) or MEANINGS.get(step.name, "")
    return Markup("<li><b>{}</b>: <span>{}</span> {}{}</li>").format(
        step.name, meaning, shown, more
    )


def _change(before: str, after: str) -> Markup:
    same_look = _composed(before) == _composed(after)
    old, new = (
        shortened(visible(text, spaces=True, parted=same_look), _LONGEST) or "nothing"
        for text in (before, after)
    )
    return Markup('<span class="lab-change"><bdi>{}</bdi> → <bdi>{}</bdi></span> ').format(old, new)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)

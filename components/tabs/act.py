"""Act: what a visitor did last with the words of a text, as it travels through the page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from components.config import MAX_TEXT
from components.tasks.words import split_words

CHOOSE, GUESS, REVEAL = "choose", "guess", "reveal"
_LONGEST = 20 * MAX_TEXT  # characters; a text with all its words marked is shorter
_MOST = 10**9  # of any number in it


@dataclass(frozen=True, slots=True)
class Act:
    """One step, and everything that it takes to draw what follows from it.

    It comes from the browser, so anybody can make one up: whatever is amiss reads as no act.
    """

    step: str = ""  # CHOOSE words to be replaced, GUESS which ones were, REVEAL them
    text: str = ""  # what the words are numbers of; of a game, the text before it
    words: tuple[int, ...] = ()  # chosen to be replaced
    marks: tuple[int, ...] = ()  # words of the altered text that the visitor suspects
    count: int = 2  # words to replace where none are chosen
    seed: int = 1

    @classmethod
    def read(cls, sent: str) -> Act:
        """Read what `write` wrote, or what a browser made of it."""
        try:
            values: Any = json.loads(sent) if len(sent) <= _LONGEST else None
        except (ValueError, RecursionError):
            return cls()
        match values:
            case {
                "step": str(step),
                "text": str(text),
                "words": list(words),
                "marks": list(marks),
                "count": int(count),
                "seed": int(seed),
            } if step in (CHOOSE, GUESS, REVEAL):
                return cls(
                    step, text, _numbers(words), _numbers(marks), _bound(count), _bound(seed)
                )
        return cls()

    def write(self) -> str:
        """Give it as JSON."""
        return json.dumps(asdict(self))

    @property
    def is_game(self) -> bool:
        """Whether the generator is to replace words."""
        return self.step in (GUESS, REVEAL)

    def for_text(self, text: str) -> Act:
        """Give what is left of it when `text` stands in the field by now.

        Chosen words stay chosen when others are put in their places; a game ends with its text.
        """
        stays = self.text == text or (self.step == CHOOSE and self._differs_in_words_only(text))
        return replace(self, text=text) if stays else Act(text=text)

    def _differs_in_words_only(self, text: str) -> bool:
        old, new = _written(self.text), _written(text)
        chosen = set(self.words)
        return len(old) == len(new) and all(
            i in chosen or pair[0] == pair[1] for i, pair in enumerate(zip(old, new, strict=True))
        )


def _written(text: str) -> list[str]:
    return [text[slice(*word.span)] for word in split_words(text, "[MASK]")]


def _numbers(values: list[Any]) -> tuple[int, ...]:
    return tuple(v for v in values if type(v) is int and 0 <= v < MAX_TEXT)


def _bound(value: int) -> int:
    return max(0, min(int(value), _MOST))

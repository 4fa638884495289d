"""One blank in two contexts: which words of the vocabulary the one makes likelier than the other.

Templates with a swapped word are an old way to look for what a model has picked up from its texts
(Kurita et al. 2019, arXiv:1906.07337); what they cannot show stands in tabs/two_contexts.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.tasks.fill_mask import Candidate, NoBlankError, Reading, candidate, read_blanks
from components.tasks.scores import best_first, log_softmax
from components.tasks.words import check_text, reading_notices, with_mask

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_POINTS = 2_000  # entries of the vocabulary that travel, those of the highest probability
TILTED = 8  # words listed for either side
FLOOR = 5e-4  # what a word must get in one of the contexts to be listed
_CHOICE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_LONGEST_NAME = 24  # characters


@dataclass(frozen=True, slots=True)
class Tilted:
    """A word with its probability in both contexts."""

    token: str  # as in the vocabulary
    word: str
    token_id: int
    first: float
    second: float

    @property
    def tilt(self) -> float:
        """Nats by which the first context makes it likelier; below 0 the second does."""
        return float(np.log(self.first) - np.log(self.second))


@dataclass(frozen=True, slots=True)
class Context:
    """One of the two contexts, and what fills the blank best there."""

    name: str  # what the visitor chose between, or "text 1"
    text: str  # with the model's own mask token
    best: Candidate


@dataclass(frozen=True, slots=True, eq=False)
class TwoContextsResult:
    """The same blank in two contexts."""

    model_id: str
    contexts: tuple[Context, Context]
    vocabulary: int  # entries that were scored
    points: tuple[Tilted, ...]  # at most MAX_POINTS, most probable first
    left_out: tuple[float, float]  # the probability of all others together, in each context
    first: tuple[Tilted, ...]  # most tilted to the first context, at least FLOOR in one
    second: tuple[Tilted, ...]
    moved: float  # total variation: the share of the probability that would have to move
    notices: tuple[str, ...]


def predict(model: LoadedModel, text: str, other: str = "") -> TwoContextsResult:
    """Score the vocabulary at the first blank of two contexts.

    They are the two sides of every choice "[he|she]" in `text`, or `text` and `other`. Raises
    NoBlankError without a blank, InputError for no second context, or for one too many.
    """
    names, texts = _contexts(model.mask_token, check_text(text, "The text"), other)
    readings = [_reading(model, one, name) for name, one in zip(names, texts, strict=True)]
    answers = model.run(
        [reading.encoding for reading in readings],
        positions=[reading.positions[:1] for reading in readings],
    )
    logs = np.stack([log_softmax(answer["logits"][0]) for answer in answers])  # (2, vocab)
    points = _points(model, logs)
    probable = [p for p in points if max(p.first, p.second) >= FLOOR] or list(points[:TILTED])
    by_tilt = sorted(probable, key=lambda point: -point.tilt)
    shares = np.exp(logs)
    shown = [point.token_id for point in points]
    return TwoContextsResult(
        model_id=model.id,
        contexts=(
            _context(model, names[0], readings[0], logs[0]),
            _context(model, names[1], readings[1], logs[1]),
        ),
        vocabulary=logs.shape[1],
        points=points,
        left_out=(_rest(shares[0], shown), _rest(shares[1], shown)),
        first=tuple(p for p in by_tilt[:TILTED] if p.tilt > 0),
        second=tuple(p for p in by_tilt[: -TILTED - 1 : -1] if p.tilt < 0),
        moved=float(np.abs(shares[0] - shares[1]).sum() / 2),
        notices=(*model.notices, *dict.fromkeys(_notices(model, readings))),
    )


def _contexts(mask_token: str, text: str, other: str) -> tuple[list[str], list[str]]:
    """Give the names and the texts of the two contexts."""
    if not other.strip():
        _check_blank(text, mask_token)
    choices = [[side.strip() for side in match.groups()] for match in _CHOICE.finditer(text)]
    if choices and other.strip():
        raise InputError(
            "The first text has a choice [a|b], so there are two contexts already. Empty the "
            "second text, or take the choice out."
        )
    if choices:
        texts = [_taking(text, side) for side in (1, 2)]
        names = [" … ".join(choice[side] or "nothing" for choice in choices) for side in (0, 1)]
        return [_short(name) for name in names], texts
    if not other.strip():
        raise InputError(
            "There is only one context. Write a choice such as [he|she] where the two differ, or "
            "type a second text."
        )
    return ["text 1", "text 2"], [text, check_text(other, "The second text")]


def _taking(text: str, side: int) -> str:
    return _CHOICE.sub(lambda match: match[side], text)


def _check_blank(text: str, mask_token: str) -> None:
    spelled = with_mask(text, mask_token)[0]
    if mask_token not in spelled:
        raise NoBlankError(spelled, mask_token)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _reading(model: LoadedModel, text: str, name: str) -> Reading:
    try:
        return read_blanks(model, text)
    except NoBlankError as error:
        raise InputError(
            f"There is no blank in the context “{name}”. Write {model.mask_token} or ___ where a "
            "word is missing; both contexts need one."
        ) from error


def _context(model: LoadedModel, name: str, reading: Reading, logs: NDArray[np.float64]) -> Context:
    best = int(logs.argmax())
    return Context(name, reading.text, candidate(model, best, float(np.exp(logs[best]))))


def _points(model: LoadedModel, logs: NDArray[np.float64]) -> tuple[Tilted, ...]:
    """Give the entries of the vocabulary that are most probable in either context."""
    points = []
    for token_id in map(int, best_first(logs.max(axis=0), MAX_POINTS)):
        token = model.token(token_id)
        first, second = (float(max(np.exp(row[token_id]), 1e-300)) for row in logs)
        points.append(Tilted(token, model.readable(token), token_id, first, second))
    return tuple(points)


def _rest(shares: NDArray[np.float64], shown: list[int]) -> float:
    return max(0.0, float(1 - shares[shown].sum()))


def _notices(model: LoadedModel, readings: list[Reading]) -> Iterator[str]:
    for reading in readings:
        yield from reading_notices(model.mask_token, reading.spellings, reading.encoding)
        if len(reading.positions) > 1:
            yield "There are several blanks: the first is compared, the others stay hidden."
    first, second = (len(reading.encoding) for reading in readings)
    if first != second:
        yield (
            f"The contexts are {first} and {second} tokens long, so the blank may stand at another "
            "position in each: a part of the difference can come from that alone."
        )

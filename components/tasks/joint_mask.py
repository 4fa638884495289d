"""Several blanks filled in three ways, and all three fillings judged by one measure.

A masked language model gives a probability for one blank at a time, and none for words that stand
together. The chain rule makes one of them: the first word with all blanks hidden, times the second
with the first filled in, and so on. An order has to be chosen, here left to right; as the model was
not trained to be consistent, another order gives another product (Young and You 2022,
arXiv:2301.00068), which is why the product taken right to left is told too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Span
from components.tasks.fill_mask import Reading, read_blanks
from components.tasks.scores import best_first, log_softmax
from components.tasks.words import Word, reading_notices, split_words

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_MASKS = 5
MAX_BEAM = 10
_COLUMNS = 6  # second words of the table of pairs

Filled = Mapping[int, int]  # the number of a blank to the id put into it


@dataclass(frozen=True, slots=True)
class Filling:
    """One entry of the vocabulary for each blank, left to right."""

    token_ids: tuple[int, ...]
    words: tuple[str, ...]
    steps: tuple[float, ...]  # probability of each, those left of it filled in, the others hidden

    @property
    def score(self) -> float:
        """The joint probability: the product of the steps."""
        return float(np.prod(self.steps))


@dataclass(frozen=True, slots=True)
class Way:
    """How one way of choosing filled the blanks."""

    id: str  # "alone", "surest" or "joint"
    order: tuple[int, ...]  # the blanks in the order in which they were filled
    chosen: tuple[float, ...]  # what each word's probability was when it was chosen, by blank
    filling: Filling
    backwards: float  # the product of the chain rule when it is taken right to left


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The joint probabilities of two blanks: the best first words, and second words for them."""

    firsts: tuple[str, ...]
    seconds: tuple[str, ...]
    scores: NDArray[np.float64]  # (firsts, seconds)
    joint: tuple[int, int]  # where the best pair stands: row, column
    alone: tuple[int, int]  # where the pair stands that is made of the best of each blank


@dataclass(frozen=True, slots=True, eq=False)
class JointMaskResult:
    """The blanks of `text` filled in three ways, and the best fillings that a beam search met."""

    model_id: str
    text: str  # with the model's own mask token
    mask_token: str
    words: tuple[Word, ...]
    spans: tuple[Span, ...]  # of the blanks that were filled
    ways: tuple[Way, ...]  # alone, surest first, jointly
    beam: tuple[Filling, ...]  # best first
    pairs: Pairs | None  # of two blanks
    notices: tuple[str, ...]

    def way(self, way_id: str) -> Way:
        """Give one of the three ways by its id."""
        return next(way for way in self.ways if way.id == way_id)


def predict(model: LoadedModel, text: str, *, beam: int = 5) -> JointMaskResult:
    """Fill every blank of `text`: each on its own, the surest first, and jointly.

    Jointly is a beam search, left to right, that keeps the `beam` best beginnings (1 to 10). For
    two blanks it is the best of all pairs that begin with one of the `beam` best first words.
    Raises NoBlankError without a blank, InputError for more than MAX_MASKS.
    """
    reading = read_blanks(model, text)
    found = len(reading.positions) + reading.unread(model.mask_token)
    if found > MAX_MASKS:
        raise InputError(
            f"There are {found} blanks, and at most {MAX_MASKS} are filled together: every one "
            "multiplies what there is to try. Put words into some of them."
        )
    width = max(1, min(int(beam), MAX_BEAM))
    together = _together(model, reading, width)
    ways = (_alone(model, reading), _surest(model, reading), _joint(model, reading, together[0]))
    words = split_words(reading.text, model.mask_token)
    spans = tuple(word.span for word in words if word.is_blank)[: len(reading.positions)]
    return JointMaskResult(
        model_id=model.id,
        text=reading.text,
        mask_token=model.mask_token,
        words=words,
        spans=spans,
        ways=ways,
        beam=together,
        pairs=_pairs(model, reading, ways, width) if len(spans) == 2 else None,
        notices=(*model.notices, *_notices(model, reading)),
    )


def _logs(
    model: LoadedModel, reading: Reading, boards: Sequence[tuple[Filled, Sequence[int]]]
) -> list[NDArray[np.float64]]:
    """Score the vocabulary in one batch: each of `boards` is what is filled and what is asked.

    Gives for each (asked, vocab), in nats.
    """
    encodings = [
        reading.encoding.put({reading.positions[b]: (model.token(i), i) for b, i in filled.items()})
        for filled, _ in boards
    ]
    places = [[reading.positions[blank] for blank in asked] for _, asked in boards]
    answers = model.run(encodings, positions=places)
    return [log_softmax(answer["logits"]) for answer in answers]


def _chain(
    model: LoadedModel, reading: Reading, ids: Sequence[int], order: Sequence[int]
) -> tuple[float, ...]:
    """Give the probability of each of `ids` when the blanks are filled in `order`, by step."""
    boards = [
        ({earlier: ids[earlier] for earlier in order[:step]}, [blank])
        for step, blank in enumerate(order)
    ]
    rows = _logs(model, reading, boards)
    return tuple(float(np.exp(row[0, ids[blank]])) for row, blank in zip(rows, order, strict=True))


def _filling(model: LoadedModel, ids: Sequence[int], steps: Sequence[float]) -> Filling:
    words = tuple(model.readable(model.token(i)) for i in ids)
    return Filling(tuple(ids), words, tuple(steps))


def _way(
    model: LoadedModel,
    reading: Reading,
    name: str,
    order: Sequence[int],
    chosen: Sequence[float],
    ids: Sequence[int],
) -> Way:
    blanks = range(len(ids))
    return Way(
        id=name,
        order=tuple(order),
        chosen=tuple(chosen),
        filling=_filling(model, ids, _chain(model, reading, ids, blanks)),
        backwards=float(np.prod(_chain(model, reading, ids, blanks[::-1]))),
    )


def _alone(model: LoadedModel, reading: Reading) -> Way:
    """Take the best of each blank while all of them are hidden, as transformers does."""
    blanks = range(len(reading.positions))
    (rows,) = _logs(model, reading, [({}, blanks)])  # (blanks, vocab)
    ids = [int(row.argmax()) for row in rows]
    return _way(model, reading, "alone", blanks, np.exp(rows.max(axis=1)).tolist(), ids)


def _surest(model: LoadedModel, reading: Reading) -> Way:
    """Fill the blank that the model is surest of, look again, and so on."""
    filled: dict[int, int] = {}
    chosen: dict[int, float] = {}
    while open_ := [b for b in range(len(reading.positions)) if b not in filled]:
        (rows,) = _logs(model, reading, [(filled, open_)])  # (open, vocab)
        row = int(rows.max(axis=1).argmax())
        filled[open_[row]] = int(rows[row].argmax())
        chosen[open_[row]] = float(np.exp(rows[row].max()))
    blanks = range(len(filled))
    ids, scores = [filled[b] for b in blanks], [chosen[b] for b in blanks]
    return _way(model, reading, "surest", tuple(filled), scores, ids)


def _together(model: LoadedModel, reading: Reading, width: int) -> tuple[Filling, ...]:
    """Search the best fillings left to right; of the beginnings the `width` best go on."""
    kept: list[tuple[tuple[int, ...], tuple[float, ...]]] = [((), ())]  # ids, logs of the steps
    for blank in range(len(reading.positions)):
        boards = [(dict(enumerate(ids)), [blank]) for ids, _ in kept]
        grown = [
            ((*ids, int(i)), (*steps, float(row[0, i])))
            for (ids, steps), row in zip(kept, _logs(model, reading, boards), strict=True)
            for i in best_first(row[0], width)
        ]
        kept = sorted(grown, key=lambda one: -sum(one[1]))[:width]
    return tuple(_filling(model, ids, np.exp(steps).tolist()) for ids, steps in kept)


def _joint(model: LoadedModel, reading: Reading, best: Filling) -> Way:
    blanks = range(len(best.token_ids))
    return _way(model, reading, "joint", blanks, best.steps, best.token_ids)


def _pairs(model: LoadedModel, reading: Reading, ways: Sequence[Way], width: int) -> Pairs:
    """Lay out the joint probabilities of two blanks, the best first words by the best second."""
    (first,) = _logs(model, reading, [({}, [0])])
    rows = best_first(first[0], width)
    logs = np.stack([r[0] for r in _logs(model, reading, [({0: int(i)}, [1]) for i in rows])])
    logs += first[0][rows][:, None]  # (firsts, vocab): joint
    alone, joint = (ways[at].filling.token_ids for at in (0, -1))
    best = best_first(logs.max(axis=0), _COLUMNS)
    columns = np.array(list(dict.fromkeys([*map(int, best), joint[1], alone[1]])))
    place = {int(i): at for at, i in enumerate(columns)}
    return Pairs(
        firsts=tuple(model.readable(model.token(int(i))) for i in rows),
        seconds=tuple(model.readable(model.token(int(i))) for i in columns),
        scores=np.exp(logs[:, columns]),
        joint=(rows.tolist().index(joint[0]), place[joint[1]]),
        alone=(rows.tolist().index(alone[0]), place[alone[1]]),
    )


def _notices(model: LoadedModel, reading: Reading) -> Iterator[str]:
    yield from reading_notices(model.mask_token, reading.spellings, reading.encoding)
    if unread := reading.unread(model.mask_token):
        yield f"{unread} of the blanks came later, and stayed empty."
    if len(reading.positions) == 1:
        yield (
            "There is one blank, so the three ways are one and the same. Hide another word by "
            "clicking it."
        )

"""A story in pieces: does any sentence follow any other, and in which order do all belong?

A pair head gives each ordered pair a gap, the logit of "B comes after A" minus the other one. An
order of the story is worth the sum of the gaps of its neighbours. The best of all orders is found
exactly, by dynamic programming over the sets of sentences already told (Held & Karp 1962). Sums of
gaps, not products of probabilities: those round to 1 where the head is saturated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.families import Task
from components.tasks.next_sentence import Refusal, judge_each
from components.tasks.texts import from_lines
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_SENTENCES = 8  # of which there are 40,320 orders

Order = tuple[int, ...]  # numbers of sentences as they were given, from 0


@dataclass(frozen=True, slots=True)
class Truth:
    """How the model's order compares with the one that was told to be the true one."""

    order: Order
    total: float  # the sum of its gaps
    place: int  # among all orders, 1 being the best; of equals the best place
    pairs_right: int  # pairs of sentences that the model's order has the right way round
    neighbours_right: int  # sentences that the model lets follow the one they follow in truth


@dataclass(frozen=True, slots=True, eq=False)
class StoryResult:
    """What a model trained on `task` says of every ordered pair, and the best order."""

    model_id: str
    family: str  # its name
    task: Task
    sentences: tuple[str, ...]  # as they were given
    logits: NDArray[np.float64]  # (A, B, 2): B comes after A, it does not; NaN where A is B
    scores: NDArray[np.float64]  # (A, B): probability that B comes after A; NaN where A is B
    order: Order
    total: float  # the sum of its gaps
    orders: int  # how many there are
    truth: Truth | None  # None: no true order was told
    notices: tuple[str, ...]

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Logit of "B comes after A" minus that of "it does not": (A, B)."""
        gaps: NDArray[np.float64] = self.logits[..., 0] - self.logits[..., 1]
        return gaps


Told = StoryResult | Refusal


def sentences_of(text: str) -> tuple[str, ...]:
    """Read a story, one sentence a line; raises InputError for too few or too many."""
    sentences = from_lines(check_text(text, "The story")).texts
    if len(sentences) < 2:
        raise InputError("One sentence is no story: type at least two, one a line.")
    if len(sentences) > MAX_SENTENCES:
        raise InputError(
            f"These are {len(sentences)} sentences, and at most {MAX_SENTENCES} are put in order: "
            f"they have {factorial(MAX_SENTENCES):,} orders already. Leave some out."
        )
    return sentences


def predict(model: LoadedModel, text: str, truth: str = "") -> StoryResult:
    """Judge every ordered pair of the sentences of `text`, one a line, and order them.

    `truth` may hold the same sentences in their true order. Raises InputError for what cannot be
    read.
    """
    sentences = sentences_of(text)
    count = len(sentences)
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    encodings = [model.encode(sentences[i], sentences[j]) for i, j in pairs]
    blank = next((e for e in encodings if not {0, 1} <= set(e.sequence_ids)), None)
    if blank is not None:  # characters of no width become no token
        raise InputError("One of the lines has nothing that the model can read. Type some words.")
    logits = np.full((count, count, 2), np.nan)
    scores = np.full((count, count), np.nan)
    for pair, judged in zip(pairs, judge_each(model, encodings), strict=True):
        logits[pair], scores[pair] = judged.logits, judged.scores[0]
    gaps = logits[..., 0] - logits[..., 1]
    order = best_order(gaps)
    true_order, notices = _true_order(sentences, truth)
    return StoryResult(
        model_id=model.id,
        family=model.family.name,
        task=model.task,
        sentences=sentences,
        logits=logits,
        scores=scores,
        order=order,
        total=worth(gaps, order),
        orders=factorial(count),
        truth=None if true_order is None else compare(gaps, order, true_order),
        notices=(*model.notices, *notices, *_cut(sum(e.is_truncated for e in encodings))),
    )


def best_order(gaps: NDArray[np.float64]) -> Order:
    """Find the order whose neighbours have the highest sum of `gaps` (A, B), exactly.

    For every set of sentences and the one told last, the best way to have told them is kept.
    """
    count = len(gaps)
    best = np.full((1 << count, count), -np.inf)
    before = np.zeros((1 << count, count), dtype=int)
    for first in range(count):
        best[1 << first, first] = 0.0
    for told in range(1, 1 << count):
        for last in range(count):
            for after in range(count):
                if told >> after & 1 or not told >> last & 1:
                    continue
                total, also = best[told, last] + gaps[last, after], told | 1 << after
                if total > best[also, after]:
                    best[also, after], before[also, after] = total, last
    told = (1 << count) - 1
    order = [int(best[told].argmax())]
    while len(order) < count:
        last = order[-1]
        order.append(int(before[told, last]))
        told ^= 1 << last
    return tuple(reversed(order))


def worth(gaps: NDArray[np.float64], order: Sequence[int]) -> float:
    """Add up the gaps of the neighbours of an order."""
    return float(gaps[list(order[:-1]), list(order[1:])].sum())


def compare(gaps: NDArray[np.float64], order: Order, true_order: Order) -> Truth:
    """Compare the model's order with the true one, and that one with all there are."""
    every = np.array(list(permutations(range(len(gaps)))))  # (orders, sentences)
    totals = gaps[every[:, :-1], every[:, 1:]].sum(axis=1)
    total = worth(gaps, true_order)
    place = {sentence: i for i, sentence in enumerate(order)}
    right = [place[a] < place[b] for i, a in enumerate(true_order) for b in true_order[i + 1 :]]
    follows = set(pairwise(order))
    return Truth(
        order=true_order,
        total=total,
        place=1 + int((totals > total + 1e-9).sum()),
        pairs_right=sum(right),
        neighbours_right=sum(p in follows for p in pairwise(true_order)),
    )


def _true_order(sentences: Sequence[str], truth: str) -> tuple[Order | None, tuple[str, ...]]:
    """Find the sentences of the true order among those given; each of equals is taken once."""
    if not truth.strip():
        return None, ()
    left = list(range(len(sentences)))
    order = []
    for line in from_lines(truth).texts:
        found = next((i for i in left if sentences[i] == line), None)
        if found is None:
            break
        left.remove(found)
        order.append(found)
    else:
        if not left:
            return tuple(order), ()
    return None, ("The true order holds other sentences than the story: it was not compared.",)


def _cut(count: int) -> tuple[str, ...]:
    return (f"{count} pairs were longer than the model reads, and cut.",) if count else ()

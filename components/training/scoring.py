"""Scores: SQuAD's exact match and F1, F1 of entities, the area under a curve. Pure functions."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(answer: str) -> list[str]:
    """Lower the case; drop punctuation and articles, as the SQuAD script does."""
    return ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split()


def exact_match(given: str, expected: list[str]) -> float:
    """Say 1 where the answer equals one of the expected ones, else 0."""
    return float(any(normalise(given) == normalise(answer) for answer in expected))


def f1(given: str, expected: list[str]) -> float:
    """Measure the overlap in words with the expected answer that fits best, 0…1."""
    return max(_f1(normalise(given), normalise(answer)) for answer in expected)


def _f1(given: list[str], expected: list[str]) -> float:
    shared = sum((Counter(given) & Counter(expected)).values())
    if shared == 0:
        return float(given == expected)
    return 2 * shared / (len(given) + len(expected))


Entity = tuple[str, int, int]  # type, first word, the word after the last


def entities(labels: Sequence[str]) -> list[Entity]:
    """Read entities off the words' labels in BIO2.

    An I- that continues nothing of its type begins an entity, as CoNLL's script has it.
    """
    found: list[Entity] = []
    for word, label in enumerate(labels):
        place, _, kind = label.partition("-")
        if not kind:
            continue
        if place == "I" and found and found[-1][0] == kind and found[-1][2] == word:
            found[-1] = (kind, found[-1][1], word + 1)
        else:
            found.append((kind, word, word + 1))
    return found


def entity_f1(given: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]) -> float:
    """Measure, over all sentences, the entities whose type and both edges are right, 0…1.

    Raises ValueError where a sentence has another number of labels in the one than in the other.
    """
    right = total = 0
    for ours, theirs in zip(given, expected, strict=True):
        if len(ours) != len(theirs):
            raise ValueError(f"{len(ours)} labels for {len(theirs)} words")
        found, wanted = entities(ours), entities(theirs)
        right += len({*found} & {*wanted})
        total += len(found) + len(wanted)
    return 2 * right / total if total else 1.0


def area_under_curve(scores: NDArray[np.floating], positive: NDArray[np.bool_]) -> float:
    """Give the chance that a positive scores above a negative (ROC AUC), ties halved."""
    values, place = np.unique(scores, return_inverse=True)
    counts = np.bincount(place, minlength=len(values))
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    hits = int(positive.sum())
    above = ranks[positive].sum() - hits * (hits + 1) / 2
    return float(above / (hits * (len(scores) - hits)))


def best_accuracy(scores: NDArray[np.floating], positive: NDArray[np.bool_]) -> float:
    """Give the accuracy at the best threshold."""
    sorted_positive = positive[np.argsort(-scores, kind="stable")]
    hits = np.concatenate([[0], np.cumsum(sorted_positive)])
    passed = np.concatenate([[0], np.cumsum(~sorted_positive)])
    return float((hits + (~positive).sum() - passed).max() / len(scores))

"""What a cosine is to be measured against: vectors that have nothing to do with each other.

The vectors of an encoder all lean the same way, so two unrelated ones have a high cosine as well
(anisotropy; Ethayarajh 2019, arXiv:1909.00512). Here that is measured, on a fixed sample of
sentences, and so is the mean that all vectors have in common: taken away, what is left differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding
from components.tasks.geometry import Floats, cosines

_BAND = (0.05, 0.95)  # nine of ten pairs lie between
SAMPLE = (
    "The train from the coast was two hours late.",
    "A good knife needs to be sharpened every week.",
    "She wrote the letter twice before she sent it.",
    "Most birds leave the valley in early autumn.",
    "The committee will vote on the plan tomorrow.",
    "Copper carries heat much better than glass does.",
    "His grandfather had been a baker in a small town.",
    "The second half of the match was far more exciting.",
    "Rain fell all night, and the cellar filled with water.",
    "You can pay by card or in cash at the door.",
    "The museum keeps its oldest maps in a dark room.",
    "Doctors recommend at least seven hours of sleep.",
    "They painted the kitchen yellow last summer.",
    "The moon was first visited by people in 1969.",
    "Too much salt ruined an otherwise perfect soup.",
    "The company sold its factory to a rival.",
    "Children learn new words faster than adults.",
    "A thin layer of ice covered the pond.",
    "The singer forgot the third verse of her own song.",
    "Farmers in the north grow mostly barley and oats.",
    "Nobody could explain why the lights went out.",
    "The bridge was closed for repairs until Friday.",
    "He keeps three bicycles and never rides any of them.",
    "The judge asked both lawyers to come forward.",
    "Volcanoes have shaped the whole island.",
    "Her first novel was translated into nine languages.",
    "The dog hid under the table during the storm.",
    "Prices rose more slowly than in the year before.",
    "Put the dough in a warm place for an hour.",
    "The old clock in the hall strikes every quarter.",
    "Soldiers guarded the gate day and night.",
    "An engineer showed us how the pump works.",
)


@dataclass(frozen=True, slots=True)
class Range:
    """The cosines of unrelated pairs: their mean, and between what nine of ten of them lie."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Of one layer: the mean vector of the sample, and the cosines of its unrelated pairs."""

    mean: Floats  # (hidden,)
    raw: Range  # of the vectors as they are
    centred: Range  # after the mean was taken away


def measure(
    vectors: NDArray[np.floating], sentences: Sequence[int], kinds: Sequence[int]
) -> Baseline:
    """Measure the sample's vectors (n, hidden) of one layer.

    A pair is unrelated when its two stand in different `sentences` and are of different `kinds`:
    the same word twice would be no baseline.
    """
    exact = vectors.astype(np.float64)
    mean: Floats = exact.mean(axis=0)
    where, what = np.asarray(sentences), np.asarray(kinds)
    unrelated = np.triu((where[:, None] != where) & (what[:, None] != what))  # (n, n)
    return Baseline(mean, _range(exact, unrelated), _range(exact - mean, unrelated))


def measure_tokens(
    states: Sequence[NDArray[np.float32]], encodings: Sequence[Encoding]
) -> tuple[Baseline, ...]:
    """Measure each layer by the tokens of the sample, special ones left out.

    `states` are (layers + 1, tokens, hidden), one for each of `encodings`.
    """
    picked = [
        [i for i, number in enumerate(encoding.sequence_ids) if number is not None]
        for encoding in encodings
    ]
    sentences = [number for number, rows in enumerate(picked) for _ in rows]
    kinds = [e.input_ids[i] for e, rows in zip(encodings, picked, strict=True) for i in rows]
    kept = [state[:, rows] for state, rows in zip(states, picked, strict=True)]
    vectors = np.concatenate(kept, axis=1)  # (layers + 1, tokens of all sentences, hidden)
    return tuple(measure(layer, sentences, kinds) for layer in vectors)


def _range(vectors: Floats, pairs: NDArray[np.bool_]) -> Range:
    found = cosines(vectors)[pairs]
    low, high = np.quantile(found, _BAND)
    return Range(float(found.mean()), float(low), float(high))

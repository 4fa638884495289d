"""One word in many sentences: how its vector changes with the context, layer by layer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Encoding
from components.tasks.baseline import SAMPLE, Baseline, Range, measure_tokens
from components.tasks.geometry import Floats, cosines, kept_spread, main_axes
from components.tasks.occurrences import (
    Occurrence,
    Sentence,
    find_occurrences,
    place_notices,
    read_sentences,
)

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

_MOST_WAYS = 2_000  # of dealing out the senses that are tried; beyond, so many are drawn at random


@dataclass(frozen=True, slots=True)
class Alike:
    """Mean cosines of pairs of occurrences; None where there is no such pair."""

    all: float
    within: float | None  # both of one sense
    between: float | None  # one of each
    random: Range  # of unrelated tokens of the sample

    @property
    def gap(self) -> float:
        """How far the senses are told apart: within less between."""
        return (self.within or 0) - (self.between or 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One layer; step 0 is the embeddings."""

    raw: Alike  # the vectors as they are
    centred: Alike  # after the mean of the sample was taken away
    at_home: int  # occurrences whose nearest other one, by centred cosine, is of their sense
    kept: float  # share of the spread of this layer's vectors that the flat map keeps


@dataclass(frozen=True, slots=True)
class Verdict:
    """The layer that tells two senses apart best, and what chance would do."""

    best: int  # a step, 1 or later; judged by the centred gap
    chance: float  # share of the ways to deal out the senses that are told apart as well somewhere
    ways: int  # that were tried


@dataclass(frozen=True, slots=True, eq=False)
class WordVectorsResult:
    """Every occurrence of `word` at every step, as points of one flat map and as cosines."""

    model_id: str
    word: str
    sentences: tuple[Sentence, ...]
    occurrences: tuple[Occurrence, ...]
    steps: tuple[Step, ...]
    points: Floats  # (layers + 1, occurrences, 2)
    raw: Floats  # (layers + 1, occurrences, occurrences): cosines
    centred: Floats
    verdict: Verdict | None  # None where there are no two senses to tell apart
    notices: tuple[str, ...]


def predict(model: LoadedModel, word: str, sense_a: str, sense_b: str = "") -> WordVectorsResult:
    """Compare the vectors of `word` in the sentences of one sense, or of two, one a line.

    Raises InputError for a word or sentences that cannot be used, or for less than two places.
    """
    sentences = read_sentences(word, (sense_a, sense_b))
    word = word.strip()
    encodings = [model.encode(text) for text in (*SAMPLE, *(s.text for s in sentences))]
    states = [one["hidden_states"] for one in model.run(encodings, hidden_states=True)]
    sample = measure_tokens(states[: len(SAMPLE)], encodings[: len(SAMPLE)])
    own, own_states = encodings[len(SAMPLE) :], states[len(SAMPLE) :]
    found = find_occurrences(sentences, own)
    if len(found) < 2:
        raise InputError(
            f"“{word}” is read in only one place, and it takes two to compare. Add a sentence with "
            "it."
        )
    vectors = np.stack(
        [own_states[one.sentence][:, list(one.positions)].mean(axis=1) for one in found], axis=1
    ).astype(np.float64)  # (layers + 1, occurrences, hidden)
    senses = np.array([one.sense for one in found])
    raw = cosines(vectors)
    centred = cosines(vectors - np.stack([base.mean for base in sample])[:, None])
    points, kept = _flat(vectors)
    verdict = _verdict(centred, senses)
    steps = _steps(raw, centred, senses, sample, kept)
    notices = [*place_notices(word, sentences, found), *_piece_notices(model, word, found, own)]
    return WordVectorsResult(
        model_id=model.id,
        word=word,
        sentences=sentences,
        occurrences=found,
        steps=steps,
        points=points,
        raw=raw,
        centred=centred,
        verdict=verdict,
        notices=(*model.notices, *notices, *_place_warning(steps, verdict)),
    )


def _flat(vectors: Floats) -> tuple[Floats, list[float]]:
    """Draw all layers on one map: one projection, fitted to the points of every layer together.

    Each layer's points are moved to their own middle first, or else the way from one layer to the
    next would be all that is seen. Gives (layers + 1, occurrences, 2), and the spread kept by each.
    """
    around = vectors - vectors.mean(axis=1, keepdims=True)
    axes = main_axes(around.reshape(-1, around.shape[-1]))
    points: Floats = around @ axes.T
    return points, [kept_spread(*pair) for pair in zip(around, points, strict=True)]


def _steps(
    raw: Floats,
    centred: Floats,
    senses: NDArray[np.int64],
    sample: Sequence[Baseline],
    kept: Sequence[float],
) -> tuple[Step, ...]:
    return tuple(
        Step(
            raw=_alike(raw[i], senses, base.raw),
            centred=_alike(centred[i], senses, base.centred),
            at_home=_at_home(centred[i], senses),
            kept=kept[i],
        )
        for i, base in enumerate(sample)
    )


def _alike(matrix: Floats, senses: NDArray[np.int64], random: Range) -> Alike:
    pairs = np.triu(np.ones_like(matrix, dtype=bool), k=1)
    same = senses[:, None] == senses
    means = [
        float(matrix[chosen].mean()) if chosen.any() else None
        for chosen in (pairs, pairs & same, pairs & ~same)
    ]
    return Alike(means[0] or 0.0, means[1], means[2], random)


def _at_home(matrix: Floats, senses: NDArray[np.int64]) -> int:
    others = np.where(np.eye(len(matrix), dtype=bool), -2, matrix)
    return int((senses[others.argmax(axis=1)] == senses).sum())


def _verdict(centred: Floats, senses: NDArray[np.int64]) -> Verdict | None:
    """Find the layer with the largest gap, and how often chance would find one as large."""
    count, ones = len(senses), int(senses.sum())
    if ones in (0, count) or count < 3:
        return None
    dealt = np.concatenate([senses[None], _deals(count, ones)])  # the true one first
    gaps = _gaps(centred[1:], dealt)  # (deals, layers)
    best = gaps.max(axis=1)
    chance = float((best[1:] >= best[0] - 1e-9).mean())
    return Verdict(int(gaps[0].argmax()) + 1, chance, len(dealt) - 1)


def _deals(count: int, ones: int) -> NDArray[np.int64]:
    """Give ways to call `ones` of `count` occurrences sense B: all of them, or many at random."""
    if math.comb(count, ones) <= _MOST_WAYS:
        chosen = [list(some) for some in itertools.combinations(range(count), ones)]
    else:
        rng = np.random.default_rng(0)
        chosen = [list(rng.permutation(count)[:ones]) for _ in range(_MOST_WAYS)]
    dealt = np.zeros((len(chosen), count), dtype=np.int64)
    dealt[np.arange(len(chosen))[:, None], chosen] = 1
    return dealt


def _gaps(matrices: Floats, dealt: NDArray[np.int64]) -> Floats:
    """Give within less between for each way (ways, occurrences) and matrix: (ways, layers)."""
    signs = 2.0 * dealt - 1  # the product of a pair is 1 within a sense, -1 between two
    off = matrices * (1 - np.eye(dealt.shape[1]))
    signed = np.einsum("wi,lij,wj->wl", signs, off, signs, optimize=True)  # within - between
    whole = off.sum(axis=(1, 2))  # within + between
    ones = int(dealt[0].sum())
    zeros = dealt.shape[1] - ones
    within, between = ones * (ones - 1) + zeros * (zeros - 1), 2 * ones * zeros  # ordered pairs
    gaps: Floats = (whole + signed) / (2 * within) - (whole - signed) / (2 * between)
    return gaps


def _piece_notices(
    model: LoadedModel, word: str, found: Sequence[Occurrence], encodings: Sequence[Encoding]
) -> list[str]:
    """Say of a word that it is several tokens, or one that the vocabulary lacks."""
    notices: list[str] = []
    spelled = [tuple(encodings[one.sentence].tokens[i] for i in one.positions) for one in found]
    longest = max(spelled, key=len)
    if len(longest) > 1:
        notices.append(
            f"“{word}” is {len(longest)} tokens here, {' + '.join(longest)}: its vector is their "
            "average."
        )
    ids = [encodings[one.sentence].input_ids[i] for one in found for i in one.positions]
    if model.unknown_token_id in ids:
        notices.append(
            f"The vocabulary lacks “{word}”: the model reads {model.token(ids[0])} in its place, "
            "and knows only what stands around it."
        )
    return notices


def _place_warning(steps: Sequence[Step], verdict: Verdict | None) -> list[str]:
    """Say where the senses differ before any layer has read them."""
    if verdict is None:
        return []
    start, best = steps[0].centred.gap, steps[verdict.best].centred.gap
    if best <= 0 or start < best / 2:
        return []
    return [
        "Even the embeddings tell the two boxes apart here. They know no context: the word stands "
        "at other places of the sentences, or is spelled in another way."
    ]

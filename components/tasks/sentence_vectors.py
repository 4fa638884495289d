"""One vector a sentence: how alike sentences are, and which of them answers a search.

An encoder gives a vector a token; a sentence gets one by pooling them. The mean over its tokens,
special ones included and padding never, is what sentence encoders are trained with (Reimers &
Gurevych 2019, arXiv:1908.10084); those of an encoder that was never trained for it are poorer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.tasks.baseline import SAMPLE, Range, measure
from components.tasks.geometry import Floats, cosines
from components.tasks.texts import from_lines
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_SENTENCES = 200  # read in one run
SENTENCE_ENCODER = "sentence-transformers/all-MiniLM-L6-v2"  # what is offered to stand beside

Pool = Callable[[NDArray[np.float32]], NDArray[np.float32]]  # (tokens, hidden) to (hidden,)
POOLINGS: Mapping[str, Pool] = {
    "mean": lambda states: states.mean(axis=0),
    "cls": lambda states: states[0],
    "max": lambda states: states.max(axis=0),
}


@dataclass(frozen=True, slots=True)
class Hit:
    """One sentence found by a search."""

    sentence: int  # its number, from 0
    raw: float  # cosine with what was searched for
    centred: float  # the same after the mean of the sample was taken away


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectorsResult:
    """Sentences and what was searched for, by the vectors of one model with one pooling."""

    model_id: str
    pooling: str
    sentences: tuple[str, ...]
    query: str  # empty for none
    hits: tuple[Hit, ...]  # every sentence, best first by `raw`; none without a query
    raw: Floats  # (sentences, sentences): cosines
    centred: Floats  # the same after the mean of the sample was taken away
    random_raw: Range  # of pairs of sentences that have nothing to do with each other
    random_centred: Range
    notices: tuple[str, ...]


def predict(
    model: LoadedModel, text: str, query: str = "", *, pooling: str = "mean"
) -> SentenceVectorsResult:
    """Compare the sentences of `text`, one a line, with each other and with `query`.

    `pooling` is a key of POOLINGS. Raises InputError for texts that cannot be read.
    """
    if pooling not in POOLINGS:
        raise InputError(f"“{pooling}” is no pooling. Choose one of {', '.join(POOLINGS)}.")
    read = from_lines(text)
    sentences = read.texts[:MAX_SENTENCES]
    notices = [*model.notices, *_left_out(read.notices, len(read.texts))]
    query = check_text(query, "The search").strip() if query.strip() else ""
    asked = [query] if query else []
    encodings = [model.encode(one) for one in (*SAMPLE, *sentences, *asked)]
    vectors = np.stack(
        [POOLINGS[pooling](one["last_hidden_state"]) for one in model.run(encodings)]
    )  # (sample, then sentences, then the query; hidden)
    notices += _cut(sum(encoding.is_truncated for encoding in encodings), model.max_length)
    return _compared(model.id, pooling, sentences, query, vectors, notices)


def _compared(
    model_id: str,
    pooling: str,
    sentences: Sequence[str],
    query: str,
    vectors: NDArray[np.float32],
    notices: Sequence[str],
) -> SentenceVectorsResult:
    numbers = range(len(SAMPLE))
    base = measure(vectors[: len(SAMPLE)], numbers, numbers)
    own = vectors[len(SAMPLE) :].astype(np.float64)  # the sentences, then the query
    raw, centred = cosines(own), cosines(own - base.mean)
    count = len(sentences)
    hits = [Hit(i, float(raw[-1, i]), float(centred[-1, i])) for i in range(count)] if query else []
    return SentenceVectorsResult(
        model_id=model_id,
        pooling=pooling,
        sentences=tuple(sentences),
        query=query,
        hits=tuple(sorted(hits, key=lambda hit: -hit.raw)),
        raw=raw[:count, :count],
        centred=centred[:count, :count],
        random_raw=base.raw,
        random_centred=base.centred,
        notices=tuple(notices),
    )


def _left_out(notices: Sequence[str], lines: int) -> Sequence[str]:
    if lines <= MAX_SENTENCES:
        return notices
    return (*notices, f"The first {MAX_SENTENCES} of {lines:,} sentences are compared.")


def _cut(count: int, limit: int) -> list[str]:
    if not count:
        return []
    what = "1 text was" if count == 1 else f"{count} texts were"
    return [f"{what} read only up to token {limit}, where the model stops."]

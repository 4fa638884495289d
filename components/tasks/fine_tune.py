"""Fine-tuning: which lines are held out, what is a fair comparison, and what came of it.

The training itself is in components/training; here its answers become figures. Nothing is fitted
on the held-out lines, except the choice of the pass that is kept, which the page says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.config import MAX_EXAMPLE
from components.errors import InputError
from components.models.encoding import Encoding
from components.tasks.geometry import Floats, kept_spread, main_axes
from components.tasks.labelled_lines import LabelledLines
from components.tasks.scores import softmax
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

HELD_OUT = 0.25  # share of each class that is never trained on
HEADS = 3  # untrained heads that are shown beside each other
TOKENS = 128  # of a line, special ones included, that are read
_AT_ONCE = 32  # lines whose vectors are computed together: every layer comes along
_PROBE_STEPS = 500  # of gradient descent; the probe has converged long before


@dataclass(frozen=True, slots=True)
class Data:
    """Labelled lines, each in one half: to learn from, or held out."""

    names: tuple[str, ...]  # of the labels
    texts: tuple[str, ...]
    labels: tuple[int, ...]
    is_held_out: tuple[bool, ...]
    notices: tuple[str, ...]

    def lines(self, *, held_out: bool) -> tuple[int, ...]:
        """Give the numbers of the lines of one half."""
        return tuple(i for i, held in enumerate(self.is_held_out) if held is held_out)

    @property
    def commonest(self) -> int:
        """The label that most lines to learn from have: what guessing without reading says."""
        counts = np.bincount([self.labels[i] for i in self.lines(held_out=False)])
        return int(counts.argmax())

    @property
    def majority(self) -> int:
        """How many held-out lines are right when every one is given the commonest label."""
        return sum(self.labels[i] == self.commonest for i in self.lines(held_out=True))


@dataclass(frozen=True, slots=True, eq=False)
class UntrainedResult:
    """What heads that nobody trained say: the same encoder, the same text, other chance."""

    model_id: str
    data: Data
    text: str
    logits: Floats  # (heads, labels): of the text
    right: tuple[int, ...]  # held-out lines that each head gets right, by luck
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FineTuneResult:
    """A trained classifier beside what it began as."""

    model_id: str
    data: Data
    text: str  # the visitor's own sentence; empty where there was none
    before: Floats  # (lines, labels) probabilities of the untrained head
    after: Floats
    text_before: Floats  # (labels,)
    text_after: Floats
    frozen: int  # held-out lines that a logistic regression on the frozen vectors gets right
    places_before: Floats  # (lines, 2) of the [CLS] vectors, on one map
    places_after: Floats
    kept: float  # share of the spread of the vectors that the map keeps
    notices: tuple[str, ...]

    def right(self, scores: Floats) -> int:
        """Count the held-out lines whose likeliest label is theirs."""
        held = self.data.lines(held_out=True)
        return sum(int(scores[i].argmax()) == self.data.labels[i] for i in held)

    def confusion(self) -> tuple[tuple[int, ...], ...]:
        """Count held-out lines by true label (rows) and given label (columns)."""
        size = len(self.data.names)
        table = np.zeros((size, size), dtype=int)
        for i in self.data.lines(held_out=True):
            table[self.data.labels[i], int(self.after[i].argmax())] += 1
        return tuple(tuple(int(count) for count in row) for row in table)

    def doubtful(self, most: int = 5) -> tuple[int, ...]:
        """Give the lines whose label the model doubts most: it is sure of another one."""
        labels = np.array(self.data.labels)
        own = self.after[np.arange(len(labels)), labels]
        wrong = [i for i in np.argsort(own, kind="stable") if self.after[i].argmax() != labels[i]]
        return tuple(int(i) for i in wrong[:most])


def prepare(lines: LabelledLines, seed: int = 1) -> Data:
    """Hold a quarter of each label's lines out, drawn by chance; one line at the least."""
    chance = np.random.default_rng(seed)
    labels = np.array(lines.labels)
    held = np.zeros(len(labels), dtype=bool)
    for label in range(len(lines.names)):
        own = np.flatnonzero(labels == label)
        held[chance.permutation(own)[: max(1, round(HELD_OUT * len(own)))]] = True
    flags = tuple(bool(one) for one in held)
    return Data(lines.names, lines.texts, lines.labels, flags, lines.notices)


def check_sentence(text: str) -> str:
    """Give the visitor's own sentence, which may be empty; raises InputError for a long one."""
    return check_text(text, "Your sentence", MAX_EXAMPLE).strip() if text.strip() else ""


def encode(model: LoadedModel, texts: Sequence[str]) -> list[Encoding]:
    """Read `texts` by their first TOKENS tokens; raises InputError for one without a token."""
    encodings = [_shortened(model.encode(text)) for text in texts]
    for text, encoding in zip(texts, encodings, strict=True):
        if 0 not in encoding.sequence_ids:  # characters of no width become no token
            raise InputError(f"“{text[:40]}” has nothing that the model can read. Take it out.")
    return encodings


def cut_notices(encodings: Sequence[Encoding]) -> tuple[str, ...]:
    """Say how many lines were read by their beginning."""
    cut = sum(encoding.is_truncated for encoding in encodings)
    if not cut:
        return ()
    many = "1 line is" if cut == 1 else f"{cut} lines are"
    return (f"{many} longer than {TOKENS} tokens, and read by the beginning.",)


def _shortened(encoding: Encoding) -> Encoding:
    """Leave out what goes beyond TOKENS; the last token, which closes the text, stays."""
    size = len(encoding)
    if size <= TOKENS:
        return encoding
    kept = (*range(TOKENS - 1), size - 1)
    segments = encoding.token_type_ids
    return Encoding(
        tokens=tuple(encoding.tokens[i] for i in kept),
        input_ids=tuple(encoding.input_ids[i] for i in kept),
        token_type_ids=None if segments is None else tuple(segments[i] for i in kept),
        offsets=tuple(encoding.offsets[i] for i in kept),
        sequence_ids=tuple(encoding.sequence_ids[i] for i in kept),
        word_ids=tuple(encoding.word_ids[i] for i in kept),
        full_length=encoding.full_length,
    )


def read(model: LoadedModel, encodings: Sequence[Encoding]) -> tuple[Floats, NDArray[np.float32]]:
    """Give the probability of each label (lines, labels), and what they were read from.

    That is the last layer's vector of the first token: (lines, hidden).
    """
    scores, vectors = [], []
    for begin in range(0, len(encodings), _AT_ONCE):
        for answer in model.run(encodings[begin : begin + _AT_ONCE], hidden_states=True):
            scores.append(softmax(answer["logits"]))
            vectors.append(answer["hidden_states"][-1, 0])
    return np.stack(scores), np.stack(vectors)


def frozen_right(vectors: NDArray[np.floating], data: Data) -> int:
    """Count the held-out lines that the frozen vectors (lines, hidden) suffice for.

    Multinomial logistic regression, as usual for such a probe: features brought to the same
    scale on the lines to learn from, weight decay of 1 / lines, fitted to the end.
    """
    train, held = list(data.lines(held_out=False)), list(data.lines(held_out=True))
    labels = np.array(data.labels)
    weights, centre, scale = _probe(vectors[train], labels[train], len(data.names))
    given = _with_ones((vectors[held] - centre) / scale) @ weights
    return int((given.argmax(-1) == labels[held]).sum())


def _probe(
    vectors: NDArray[np.floating], labels: NDArray[np.int64], classes: int
) -> tuple[Floats, Floats, Floats]:
    exact = vectors.astype(np.float64)
    centre, scale = exact.mean(0), np.maximum(exact.std(0), 1e-6)
    features = _with_ones((exact - centre) / scale)  # (lines, hidden + 1)
    wanted = np.eye(classes)[labels]
    decay = 1 / len(labels)
    steepest = 0.5 * float(np.linalg.norm(features, 2)) ** 2 / len(labels) + decay
    weights = ahead = np.zeros((features.shape[1], classes))
    for step in range(_PROBE_STEPS):  # Nesterov's gradient descent
        gradient = features.T @ (softmax(features @ ahead) - wanted) / len(labels) + decay * ahead
        moved = ahead - gradient / steepest
        ahead = moved + step / (step + 3) * (moved - weights)
        weights = moved
    return weights, centre, scale


def _with_ones(features: NDArray[np.floating]) -> Floats:
    return np.hstack([features, np.ones((len(features), 1))])


def one_map(
    before: NDArray[np.floating], after: NDArray[np.floating]
) -> tuple[Floats, Floats, float]:
    """Lay vectors (lines, hidden) of two states on one map, fitted to both together."""
    both = np.concatenate([before, after]).astype(np.float64)
    both -= both.mean(0)
    flat = both @ main_axes(both).T
    return flat[: len(before)], flat[len(before) :], kept_spread(both, flat)


Reading = tuple[Floats, NDArray[np.float32]]  # probabilities and vectors, as `read` gives them


def compare(
    model_id: str,
    data: Data,
    text: str,
    before: Reading,
    after: Reading,
    frozen: int,
    notices: Sequence[str],
) -> FineTuneResult:
    """Put what was read before and after a training beside each other.

    The readings are of the lines of `data`, then of `text` where there is one.
    """
    count = len(data.texts)
    places_before, places_after, kept = one_map(before[1][:count], after[1][:count])
    return FineTuneResult(
        model_id=model_id,
        data=data,
        text=text,
        before=before[0][:count],
        after=after[0][:count],
        text_before=before[0][-1] if text else np.empty(0),
        text_after=after[0][-1] if text else np.empty(0),
        frozen=frozen,
        places_before=places_before,
        places_after=places_after,
        kept=kept,
        notices=tuple(notices),
    )


def likely_range(right: int, lines: int) -> tuple[float, float]:
    """Give the shares between which the true one lies, 19 times in 20 (Wilson 1927)."""
    z = 1.96
    share = right / lines
    middle = (share + z * z / (2 * lines)) / (1 + z * z / lines)
    spread = share * (1 - share) / lines + z * z / (4 * lines * lines)
    half = z * sqrt(spread) / (1 + z * z / lines)
    return max(0.0, middle - half), min(1.0, middle + half)

"""What enters layer 1: token + position + segment, added up (Devlin et al. 2019, figure 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding
from components.tasks.words import check_position, check_text, reading_notices

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

SHOWN = 48  # numbers given of each vector
# what is added, as the transformers library calls the tables, and as people say
NAMES = {
    "word_embeddings": "Token",
    "position_embeddings": "Position",
    "token_type_embeddings": "Segment",
}


@dataclass(frozen=True, slots=True)
class Vector:
    """One vector: its length (the root of the sum of its squares), its first numbers, its size."""

    norm: float
    first: tuple[float, ...]  # at most SHOWN
    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """One of the vectors that are added, and the row of its table that it was read from."""

    name: str  # "Token", "Position" or "Segment"
    row: int
    table_rows: int
    vector: Vector


@dataclass(frozen=True, slots=True)
class Twin:
    """The same token at another place, and how alike the two are when they enter layer 1."""

    position: int
    cosine: float  # of what enters layer 1
    token_cosine: float  # of the token parts alone: always 1


@dataclass(frozen=True, slots=True)
class InputEmbeddingsResult:
    """How one token of a text, or of a pair, becomes a vector for layer 1."""

    model_id: str
    encoding: Encoding
    position: int
    parts: tuple[Part, ...]
    missing: tuple[str, ...]  # names of the parts that this network does not add
    total: Vector
    normed: Vector  # the sum after LayerNorm
    entering: Vector  # the same, unless a matrix stands between them
    is_widened: bool  # whether a matrix makes the vectors as wide as the layers
    norms: tuple[tuple[float, ...], ...]  # of each part, of all tokens
    twin: Twin | None
    notices: tuple[str, ...]

    @property
    def token(self) -> str:
        """The token looked at, as in the vocabulary."""
        return self.encoding.tokens[self.position]


def predict(
    model: LoadedModel, text: str, pair: str = "", *, position: int | str | None = None
) -> InputEmbeddingsResult:
    """Take apart what enters layer 1 at one token of `text`, or of a pair.

    `position` is the token, counted from 0; without it the last word. Raises InputError for a
    text that cannot be read or a position that is not there.
    """
    check_text(text, "The text")
    second = check_text(pair, "The second text") if pair.strip() else None
    encoding = model.encode(text, second, literal=model.mask_token not in f"{text} {pair}")
    asked = check_position(position, len(encoding))
    at = _last_word(encoding) if asked is None else asked
    reading = model.embeddings(encoding)
    parts = {part.name: part for part in reading.parts}
    total = np.sum([part.vectors for part in reading.parts], axis=0)  # (tokens, size)
    return InputEmbeddingsResult(
        model_id=model.id,
        encoding=encoding,
        position=at,
        parts=tuple(
            Part(NAMES[name], int(part.rows[at]), part.table_rows, _vector(part.vectors[at]))
            for name, part in parts.items()
        ),
        missing=tuple(said for name, said in NAMES.items() if name not in parts),
        total=_vector(total[at]),
        normed=_vector(reading.normed[at]),
        entering=_vector(reading.entering[at]),
        is_widened=total.shape[1] != reading.entering.shape[1],
        norms=tuple(tuple(_norms(part.vectors).tolist()) for part in reading.parts),
        twin=_twin(encoding, at, reading.entering, reading.parts[0].vectors),
        notices=(*model.notices, *reading_notices(model.mask_token, (), encoding)),
    )


def _last_word(encoding: Encoding) -> int:
    """Give the last position that holds letters or digits of a text, else the first of all."""
    return max(_words(encoding), default=0)


def _words(encoding: Encoding) -> Iterator[int]:
    for i, (token, sequence) in enumerate(zip(encoding.tokens, encoding.sequence_ids, strict=True)):
        if sequence is not None and any(c.isalnum() for c in token):
            yield i


def _vector(numbers: NDArray[np.float32]) -> Vector:
    return Vector(float(_norms(numbers)), tuple(numbers[:SHOWN].tolist()), len(numbers))


def _norms(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.linalg.norm(vectors.astype(np.float64), axis=-1)
    return lengths


def _twin(
    encoding: Encoding, at: int, entering: NDArray[np.float32], tokens: NDArray[np.float32]
) -> Twin | None:
    others = [i for i in encoding.positions_of(encoding.input_ids[at]) if i != at]
    if not others:
        return None
    other = others[0]
    return Twin(other, _cosine(entering, at, other), _cosine(tokens, at, other))


def _cosine(vectors: NDArray[np.float32], one: int, other: int) -> float:
    lengths = float(_norms(vectors[one]) * _norms(vectors[other]))
    dot = float(vectors[one].astype(np.float64) @ vectors[other].astype(np.float64))
    return dot / lengths if lengths else 1.0  # a row of zeros: the padding token's

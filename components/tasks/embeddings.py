"""The vectors of a text: what `outputs.last_hidden_state` holds, and every layer before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.tasks.words import check_text, reading_notices

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_SHOWN = 32  # tokens whose vectors travel to the page: a base model fills a megabyte with them


@dataclass(frozen=True, slots=True)
class Loud:
    """The number, counted from 1, that is the largest (or smallest) one in most tokens."""

    number: int
    tokens: int  # in how many it is


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingsResult:
    """One text as vectors: a row of numbers a token, a table of rows a layer."""

    model_id: str
    text: str
    tokens: tuple[str, ...]  # everything that was read, special tokens included
    special: tuple[bool, ...]
    states: NDArray[np.float32]  # (layers + 1, tokens shown, hidden); the first: the embeddings
    loud: Loud  # of the last layer, over all tokens
    notices: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of last_hidden_state: texts, tokens, numbers a token."""
        return (1, len(self.tokens), int(self.states.shape[-1]))

    @property
    def shown(self) -> int:
        """How many tokens, from the first on, have their vectors here."""
        return int(self.states.shape[1])


def predict(model: LoadedModel, text: str) -> EmbeddingsResult:
    """Give the vectors of every layer for the tokens of `text`.

    Raises InputError for a text that cannot be read.
    """
    encoding = model.encode(check_text(text, "The text"))
    states = model.run([encoding], hidden_states=True)[0]["hidden_states"]
    notices = [*model.notices, *reading_notices("", (), encoding)]
    if len(encoding) > MAX_SHOWN:
        notices.append(
            f"The vectors of the first {MAX_SHOWN} of {len(encoding)} tokens are drawn; all of "
            "them were computed."
        )
    return EmbeddingsResult(
        model_id=model.id,
        text=text,
        tokens=encoding.tokens,
        special=tuple(number is None for number in encoding.sequence_ids),
        states=states[:, :MAX_SHOWN],
        loud=_loud(states[-1]),
        notices=tuple(notices),
    )


def pick_step(result: EmbeddingsResult, layer: int) -> int:
    """Give the row of `states` for `layer`: 0 is the embeddings, -1 the last layer.

    Raises InputError for a layer that the model does not have.
    """
    last = len(result.states) - 1
    if layer == -1:
        return last
    if not 0 <= layer <= last:
        raise InputError(
            f"{result.model_id} has no layer {layer}: choose 0 (the embeddings) to {last}, or -1 "
            "for the last."
        )
    return layer


def _loud(vectors: NDArray[np.float32]) -> Loud:
    """Find the number that is farthest from zero in most of `vectors` (tokens, hidden)."""
    counts = np.bincount(np.abs(vectors).argmax(axis=1), minlength=vectors.shape[1])
    number = int(counts.argmax())
    return Loud(number + 1, int(counts[number]))

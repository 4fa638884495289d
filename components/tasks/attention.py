"""Attention: where each token looks, in the very input that a prediction was made from.

Vaswani et al. 2017, 3.2; what heads do: Clark et al. 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.tasks.answers import Reading, read
from components.tasks.heads import HeadStatistics, Target, measure
from components.tasks.mixing import Mix, Weights, blocks, join, mix, rollout
from components.tasks.units import Sides, Unit, chosen_units, token_units, word_units
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel
    from components.models.matching import Match

MAX_SHOWN = 512  # tokens drawn at once


class View(StrEnum):
    """How attention is looked at."""

    HEAD = "head"  # lines between two columns of tokens
    MATRIX = "matrix"
    LAYER = "layer"  # every head of one layer
    MODEL = "model"  # every head of every layer
    MATCH = "match"  # one token's query and the keys it meets


@dataclass(frozen=True, slots=True)
class Look:
    """What the visitor wants to see; layers, heads and tokens are counted from zero."""

    layer: int = 0
    head: int = 0
    token: int = 0  # whose query is shown
    view: View = View.HEAD
    mix: Mix = Mix.HEAD
    join_words: bool = False
    hide_special: bool = False
    sides: Sides = Sides.ALL


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the attention of a head goes to one kind of target."""

    target: Target
    token: str  # as shown, for the targets that are one token; else empty
    score: float  # 0 to 1; targets overlap, so scores need not sum to one
    even: float  # what it would be if every token looked everywhere alike


@dataclass(frozen=True, slots=True, eq=False)
class AttentionResult:
    """Attention while a prediction was made, and the part of it that is looked at."""

    model_id: str
    look: Look  # with indices that the model has
    reading: Reading
    tokens: tuple[str, ...]  # of all positions, as shown: without the mark of a word's beginning
    rows: tuple[Unit, ...]  # what looks, as drawn
    columns: tuple[Unit, ...]  # what is looked at, as drawn
    weights: Weights  # (heads, rows, columns); a single one where heads are mixed
    outside: NDArray[np.float32]  # (heads, rows): what a row gives to what is not drawn
    statistics: HeadStatistics
    shares: tuple[Share, ...]  # of the chosen head, largest first
    match: Match | None  # in View.MATCH
    notices: tuple[str, ...] = field(default=())

    @property
    def layers(self) -> int:
        """How many layers the model has."""
        return self.statistics.layers

    @property
    def heads(self) -> int:
        """How many heads a layer has."""
        return self.statistics.heads

    @property
    def chosen(self) -> Weights:
        """The one matrix that is looked at, (rows, columns)."""
        one: Weights = self.weights[self.look.head if len(self.weights) > 1 else 0]
        return one

    def tiles(self, layers: range, most: int) -> Weights:
        """Shrink every head of `layers` to at most `most` stretches of tokens a side.

        Gives (layers, heads, stretches, stretches). Rows of a tile sum to one as those of the
        head do: a cell is what the tokens of one stretch give to those of another.
        """
        attention = self.reading.attention
        groups = blocks(attention.shape[-1], most)
        return np.stack([join(attention[layer], groups) for layer in layers])


def predict(
    model: LoadedModel,
    text: str,
    pair: str | None = "",
    *,
    look: Look,
    reader: Callable[[LoadedModel, str, str], Reading] = read,
) -> AttentionResult:
    """Let `model` do its task, and look at the attention it paid meanwhile.

    `model` must have been loaded with attentions, with its head for the task. An index that is
    too large is replaced by the last one, with a notice. `reader` may remember what was read.
    Raises InputError for a text that cannot
    be read, and for a negative or fractional index.
    """
    text = check_text(text, "The text")
    second = pair if pair and str(pair).strip() else ""
    if second:
        check_text(second, "The second text")
    at = _index(look.layer, model.layers, "layer")
    of = _index(look.head, model.heads, "head")
    _index(look.token, 1, "token")
    reading = reader(model, text, second)
    token = int(min(look.token, len(reading.encoding) - 1))
    seen = replace(look, layer=at, head=of, token=token)
    notices = (
        *reading.notices,
        *_index_notices(model, "layer", look.layer, at, model.layers),
        *_index_notices(model, "head", look.head, of, model.heads),
    )
    return _result(model, reading, seen, notices)


def _result(
    model: LoadedModel, reading: Reading, look: Look, notices: tuple[str, ...]
) -> AttentionResult:
    encoding = reading.encoding
    units = token_units(model.family, encoding, reading.texts)
    tokens = tuple(unit.label for unit in units)
    statistics = measure(reading.attention, tokens, encoding.sequence_ids)
    if look.join_words:
        units = word_units(model.family, encoding, reading.texts)
    rows, columns, more = chosen_units(units, look.sides, look.hide_special, MAX_SHOWN)
    weights = _weights(reading.attention, look, units)[:, rows][:, :, columns]
    outside = np.clip(1 - weights.sum(axis=-1), 0, 1)  # of a maximum over heads it means nothing
    return AttentionResult(
        model_id=model.id,
        look=look,
        reading=reading,
        tokens=tokens,
        rows=tuple(units[i] for i in rows),
        columns=tuple(units[i] for i in columns),
        weights=weights,
        outside=outside * (look.mix is not Mix.MAX),
        statistics=statistics,
        shares=_shares(reading, statistics, tokens, look),
        match=_match(model, reading, look),
        notices=(*notices, *more),
    )


def _weights(attention: Weights, look: Look, units: tuple[Unit, ...]) -> Weights:
    """Give all heads of the layer, or their mixture, over `units`: (heads, units, units)."""
    groups = [unit.positions for unit in units]
    if look.mix is Mix.ROLLOUT:
        return join(rollout(attention[: look.layer + 1]), groups)[None]
    heads = attention[look.layer]
    heads = join(heads, groups) if look.join_words else heads
    return heads if look.mix is Mix.HEAD else mix(heads, look.mix)[None]


def _match(model: LoadedModel, reading: Reading, look: Look) -> Match | None:
    if look.view is not View.MATCH:
        return None
    return model.match(reading.encoding, layer=look.layer, head=look.head, token=look.token)


def _shares(
    reading: Reading, statistics: HeadStatistics, tokens: tuple[str, ...], look: Look
) -> tuple[Share, ...]:
    """Say what part of the chosen head's attention goes where; the largest part first."""
    at = look.layer, look.head
    shares = [
        Share(target, statistics.tokens[target], float(measured[at]), statistics.even[target])
        for target, measured in statistics.shares.items()
    ]
    special = np.array([sequence is None for sequence in reading.encoding.sequence_ids])
    if not special.all():
        given = reading.attention[at].mean(axis=0)  # (keys,)
        most = int(np.where(special, -1, given).argmax())
        shares.append(Share("word", tokens[most], float(given[most]), 1 / len(tokens)))
    return tuple(sorted(shares, key=lambda share: -share.score))


def _index(value: object, count: int, name: str) -> int:
    """Give `value` as an index below `count`; negative ones would silently mean the last."""
    if not isinstance(value, (int, float)) or value != value or value % 1:
        raise InputError(
            f"{str(value)[:20]!r} is no {name}. Choose a whole number, counted from 0."
        )
    if value < 0:
        raise InputError(
            f"There is no {name} {value:g}: they are counted from 0, the first. Choose 0 or more."
        )
    return int(min(value, count - 1))


def _index_notices(
    model: LoadedModel, name: str, asked: float, given: int, count: int
) -> Iterator[str]:
    if asked > given:
        yield (
            f"{model.id} has {count} {name}s: {name} {given + 1}, the last, is shown in place of "
            f"{name} {asked + 1:g}."
        )

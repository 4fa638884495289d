"""What every head of a model does: where it looks, how widely, how far (Clark et al. 2019, 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Target = Literal["previous", "next", "itself", "first", "separator", "other text", "word"]
Measure = NDArray[np.float64]  # (layers, heads)

_NAMED = 0.5  # a head is named after what gets more than half of its attention
_BROAD = 0.85  # or called broad from this part of the highest entropy there could be
_MARGIN = 1.5  # and no name is given for what an even spread would give anyway


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one head does most, and the figure that says so."""

    layer: int
    head: int
    target: Target | None  # None: it spreads its attention
    score: float  # the share of the target; for a spread, entropy as part of the highest
    is_marked: bool  # clear enough to give the head its name


@dataclass(frozen=True, slots=True, eq=False)
class HeadStatistics:
    """Figures of all heads for one input.

    A share is the mean over the tokens that have such a target, so a head in which every token
    looks at the one before it has 100 %; shares of different targets overlap.
    """

    shares: Mapping[Target, Measure]
    even: Mapping[Target, float]  # what each would be if every token looked everywhere alike
    tokens: Mapping[Target, str]  # of the targets that are one token
    entropy: Measure  # bits, the mean over rows
    distance: Measure  # tokens between a token and what it looks at, the mean
    most_entropy: float  # bits of an even spread

    @property
    def layers(self) -> int:
        """How many layers the model has."""
        return len(self.entropy)

    @property
    def heads(self) -> int:
        """How many heads a layer has."""
        return len(self.entropy[0])

    def pattern(self, layer: int, head: int) -> Pattern:
        """Name a head by what it does most, measured against an even spread."""
        target = max(self.shares, key=lambda t: self.shares[t][layer, head] - self.even[t])
        share = float(self.shares[target][layer, head])
        spread = self.spread(layer, head)
        if share >= max(_NAMED, _MARGIN * self.even[target]):
            return Pattern(layer, head, target, share, is_marked=True)
        if spread >= _BROAD:
            return Pattern(layer, head, None, spread, is_marked=True)
        return Pattern(layer, head, target, share, is_marked=False)

    def spread(self, layer: int, head: int) -> float:
        """Give the entropy of a head as a part of the highest there could be, 0 to 1."""
        return float(self.entropy[layer, head] / self.most_entropy) if self.most_entropy else 0.0

    def strongest(self, target: Target) -> Pattern:
        """Give the head with the largest share of `target`."""
        layer, head = divmod(int(self.shares[target].argmax()), self.heads)
        return Pattern(layer, head, target, float(self.shares[target].max()), is_marked=True)


def measure(
    attention: NDArray[np.float32], tokens: Sequence[str], sequence_ids: Sequence[int | None]
) -> HeadStatistics:
    """Measure every head of `attention`, (layers, heads, queries, keys) with rows that sum to one.

    `tokens` and `sequence_ids` are those of the positions, as in an Encoding.
    """
    targets = cells_of(tokens, sequence_ids)
    count = len(tokens)
    far = np.abs(np.subtract.outer(np.arange(count), np.arange(count))).astype(np.float32)
    shares: dict[Target, list[NDArray[np.floating]]] = {target: [] for target in targets}
    entropy, distance = [], []
    for layer in attention:  # one at a time: logarithms of all at once would take their memory
        for target, (_, cells) in targets.items():
            shares[target].append(_share(layer, cells))
        bits = layer * np.log2(np.maximum(layer, np.float32(1e-30)))  # (heads, queries, keys)
        entropy.append(-bits.sum(axis=-1).mean(axis=-1))
        distance.append(np.einsum("hqk,qk->h", layer, far) / count)
    return HeadStatistics(
        shares={target: np.array(rows, dtype=np.float64) for target, rows in shares.items()},
        even={target: _even(cells) for target, (_, cells) in targets.items()},
        tokens={target: token for target, (token, _) in targets.items()},
        entropy=np.array(entropy, dtype=np.float64),
        distance=np.array(distance, dtype=np.float64),
        most_entropy=float(np.log2(count)),
    )


def cells_of(
    tokens: Sequence[str], sequence_ids: Sequence[int | None]
) -> dict[Target, tuple[str, NDArray[np.bool_]]]:
    """Give each target there is, with its token if it is one, and its cells, (queries, keys)."""
    count = len(tokens)
    special = np.array([sequence is None for sequence in sequence_ids])
    later = special & (np.arange(count) > 0)  # (keys,)
    found: dict[Target, tuple[str, NDArray[np.bool_]]] = {}
    if count > 1:
        found["previous"] = "", np.eye(count, k=-1, dtype=bool)
        found["next"] = "", np.eye(count, k=1, dtype=bool)
    found["itself"] = "", np.eye(count, dtype=bool)
    if special[0]:
        found["first"] = tokens[0], _columns(np.arange(count) == 0)
    if later.any():
        found["separator"] = tokens[int(later.argmax())], _columns(later)
    if 1 in sequence_ids:
        side = np.array([-1 if sequence is None else sequence for sequence in sequence_ids])
        crosses = (side[:, None] + side[None, :] == 1) & ~special[:, None] & ~special[None, :]
        found["other text"] = "", crosses
    return found


def _columns(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.broadcast_to(chosen, (len(chosen), len(chosen)))


def _share(layer: NDArray[np.float32], cells: NDArray[np.bool_]) -> NDArray[np.floating]:
    """Give what each head gives to `cells`, the mean over the rows that have any, (heads,)."""
    rows = cells.any(axis=1)
    given: NDArray[np.floating] = np.einsum("hqk,qk->h", layer, cells.astype(np.float32))
    return given / max(int(rows.sum()), 1)


def _even(cells: NDArray[np.bool_]) -> float:
    rows = cells.any(axis=1)
    return float(cells[rows].mean()) if rows.any() else 0.0

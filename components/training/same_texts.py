"""Labelled examples that a parent with another vocabulary reads too: its vectors are a target.

A label says little; where the parent's vectors stand at every token says how it came to its answer.
The parent is given our tokens' own text, so that both read the same stretch of a long passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from components.training.alignment import PARENT, off_the_parent
from components.training.networks import Batch, Network
from components.training.objectives import Losses, Questions, Sentiment, Texts
from components.training.running_text import Ids, SpecialTokens, collate
from components.training.vocabularies import special_tokens, spelled

_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Spelling:
    """How a vocabulary spells texts."""

    tokenizer: Any
    special: SpecialTokens
    pieces: Sequence[tuple[str, bool]]  # the letters of each token, and whether it begins a word

    @classmethod
    def of(cls, tokenizer: Any, first_word: int) -> Spelling:
        """Read it off a tokenizer."""
        mark = getattr(tokenizer.backend_tokenizer.model, "continuing_subword_prefix", None) or ""
        pieces = [(name.removeprefix(mark), begins) for name, begins in spelled(tokenizer)]
        return cls(tokenizer, special_tokens(tokenizer, first_word), pieces)

    def text(self, ids: Ids) -> str:
        """Put tokens together again."""
        pieces = (self.pieces[number] for number in ids)
        return "".join(f" {letters}" if begins else letters for letters, begins in pieces)

    def read(self, text: str) -> Ids:
        """Split a text into tokens."""
        return np.asarray(
            self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
        )

    def ends(self, ids: Ids) -> Ids:
        """Give after how many letters of the text each token ends."""
        return np.cumsum([len(self.pieces[number][0]) for number in ids], dtype=np.int64)


class AlignedExamples:
    """Labelled examples, with the parent's vectors on the same texts as a second target."""

    def __init__(
        self, inner: Sentiment | Questions, ours: Spelling, theirs: Spelling, parent: Network
    ) -> None:
        self.inner, self.ours, self.theirs, self.parent = inner, ours, theirs, parent
        parent.train(False)

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        batch = self.inner.batch(number, part)
        rows = [self.inner.examples.texts(index) for index in self.inner.chosen(number, part)]
        others = [tuple(self.theirs.read(self.ours.text(text)) for text in row) for row in rows]
        parent = collate(others, self.theirs.special)
        widths = batch["input_ids"].shape[1], parent["input_ids"].shape[1]
        batch["aligned"], batch["targets"] = self._matched(rows, others, widths)
        return batch | {PARENT + key: value for key, value in parent.items()}

    def _matched(
        self, rows: Sequence[Texts], others: Sequence[Texts], widths: tuple[int, int]
    ) -> tuple[Tensor, Tensor]:
        """Give the positions in the two flattened batches of [CLS] and of equal ends."""
        found: tuple[list[Ids], list[Ids]] = ([], [])
        for number, texts in enumerate(zip(rows, others, strict=True)):
            ends = [self.ours.ends(t) for t in texts[0]], [self.theirs.ends(t) for t in texts[1]]
            matches = [_equal(*pair) for pair in zip(*ends, strict=True)]
            for side, reading in enumerate((self.ours, self.theirs)):
                at = number * widths[side]
                found[side].append(np.asarray([at]))
                for match, text in zip(matches, texts[side], strict=True):
                    found[side].append(at + 1 + match[side])
                    at += len(text) + reading.special.between
        ours, theirs = (torch.from_numpy(np.concatenate(side)) for side in found)
        return ours, theirs

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the losses of the labels, and how far all layers' vectors are off."""
        states = network.states(batch)
        read = cast(Network, _Read(network, states[-1]))
        off = off_the_parent(self.parent, states, batch)
        return self.inner.losses(read, batch) | {"aligned": off}


class _Read:
    """A network that has read its batch already."""

    def __init__(self, network: Network, hidden: Tensor) -> None:
        self._network, self._hidden = network, hidden

    def encode(self, _batch: Batch) -> Tensor:
        return self._hidden  # (rows, tokens, hidden)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)


def _equal(ours: Ids, theirs: Ids) -> tuple[Ids, Ids]:
    """Give which tokens end at the same letter; none where the texts are not the same."""
    if not len(ours) or not len(theirs) or ours[-1] != theirs[-1]:
        return _NONE, _NONE
    _, first, second = np.intersect1d(ours, theirs, return_indices=True)
    return first, second

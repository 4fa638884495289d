"""Learning a vocabulary's vectors from a parent with another one: the same text, read by both.

Where a token of the one ends at the same letter as a token of the other, the two networks should
think the same, layer by layer: the parent's vectors are the target, hidden words included (as in
TinyBERT, Jiao et al. 2020, and data2vec, Baevski et al. 2022). That says more than the hidden
words alone, and a layer that serves all (ALBERT's) gets its target at every step of the way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from torch import Tensor

from components.training.corpus import Corpus
from components.training.networks import Batch, Network
from components.training.objectives import Losses, Texts, masked_logits
from components.training.recipes import Recipe
from components.training.running_text import (
    Ids,
    SpecialTokens,
    collate,
    draw_name,
    hide,
    text_range,
    text_start,
)

SENTENCE = 1 << 20  # more than the characters of any sentence
PARENT = "parent_"  # before the names of what the parent reads


@dataclass(frozen=True)
class Reading:
    """Texts as one of the two reads them."""

    corpora: dict[str, Corpus]
    special: SpecialTokens

    def row(self, name: str, sentence: int, room: int) -> tuple[Ids, Ids]:
        """Give the tokens of a row, and for each the place in the corpus where it ends."""
        corpus = self.corpora[name]
        found = text_range(corpus, sentence, room)
        assert corpus.ends is not None
        places = np.arange(found.start, found.stop)
        number = np.searchsorted(corpus.sentences, places, side="right") - 1
        return corpus.tokens[found], number * SENTENCE + corpus.ends[found]


class Aligned:
    """Masked words in running text, with the parent's vectors as a second target."""

    def __init__(self, recipe: Recipe, ours: Reading, theirs: Reading, parent: Network) -> None:
        self.recipe, self.ours, self.theirs, self.parent = recipe, ours, theirs, parent
        parent.train(False)

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        rng = np.random.default_rng((self.recipe.seed, 3, number, part))
        room, shares = self.recipe.row_tokens - 2, self.recipe.corpora
        rows: tuple[list[Texts], list[Texts]] = ([], [])
        ends: tuple[list[Ids], list[Ids]] = ([], [])
        for _ in range(self.recipe.rows // self.recipe.parts):
            name = draw_name(self.ours.corpora, shares, rng)
            sentence = text_start(self.ours.corpora[name], room, rng)
            for side, reading in enumerate((self.ours, self.theirs)):
                tokens, places = reading.row(name, sentence, room)
                rows[side].append((tokens,))
                ends[side].append(places)
        batch = collate(rows[0], self.ours.special)
        parent = collate(rows[1], self.theirs.special)
        widths = batch["input_ids"].shape[1], parent["input_ids"].shape[1]
        batch["aligned"], batch["targets"] = _matched(ends, widths)
        batch |= {PARENT + key: value for key, value in parent.items()}
        return hide(batch, self.recipe, self.ours.special, rng)

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the loss of the hidden tokens, and how far all layers' vectors are off."""
        states = network.states(batch)
        words = masked_logits(network, batch, states[-1])
        return {
            "masked": F.cross_entropy(words, batch["hidden"]),
            "aligned": off_the_parent(self.parent, states, batch),
        }


def off_the_parent(parent: Network, states: tuple[Tensor, ...], batch: Batch) -> Tensor:
    """Give how far the states at `aligned` are from the parent's at `targets`, layer by layer."""
    read = {k.removeprefix(PARENT): v for k, v in batch.items() if k.startswith(PARENT)}
    with torch.no_grad():
        theirs = spread(parent.states(read), len(states))
        wanted = [state.flatten(0, 1)[batch["targets"]] for state in theirs]
    found = [state.flatten(0, 1)[batch["aligned"]] for state in states]
    layers = [distance(a.float(), b.float()) for a, b in zip(found, wanted, strict=True)]
    return torch.stack(layers).mean()


def spread(states: tuple[Tensor, ...], count: int) -> list[Tensor]:
    """Choose `count` of the parent's states, from the first to the last, evenly apart."""
    return [states[round(at)] for at in np.linspace(0, len(states) - 1, count)]


def distance(found: Tensor, wanted: Tensor) -> Tensor:
    """Give the mean squared difference as a share of the wanted vectors' variance; 0: equal."""
    return F.mse_loss(found, wanted) / wanted.var(0).mean()


def _matched(ends: tuple[list[Ids], list[Ids]], widths: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Give the positions in the two flattened batches whose tokens end at the same letter."""
    flat: tuple[list[Ids], list[Ids]] = ([], [])
    for number, (ours, theirs) in enumerate(zip(*ends, strict=True)):
        _, first, second = np.intersect1d(ours, theirs, return_indices=True)
        for side, found in enumerate((first, second)):
            flat[side].append(number * widths[side] + 1 + found)  # [CLS] stands before
    aligned, targets = (torch.from_numpy(np.concatenate(side)) for side in flat)
    return aligned, targets

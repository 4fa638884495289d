"""What is trained: each objective makes its n-th batch and the loss on a batch.

Batches depend on the seed and their number alone, so that a training can be taken up anywhere.
Add an objective here and name it in a recipe's mix.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from numpy.typing import NDArray
from torch import Tensor

from components.training.corpus import Corpus
from components.training.labelled import Examples, Order
from components.training.networks import Batch, Network
from components.training.recipes import Recipe
from components.training.running_text import (
    EASY_PAIRINGS,
    NOT_FOLLOWS,
    PAIRINGS,
    Ids,
    Pairing,
    SpecialTokens,
    collate,
    draw,
    draw_pair,
    hide,
    text_row,
)

Losses = dict[str, Tensor]
Texts = tuple[Ids, ...]
Labels = NDArray[np.integer]


class Objective(Protocol):
    """One thing to learn."""

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number, always the same one."""

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the losses to add up, by name."""


def masked_logits(network: Network, batch: Batch, hidden: Tensor) -> Tensor:
    """Score the vocabulary at the hidden positions only (hidden tokens, vocab)."""
    return network.mask_logits(hidden.flatten(0, 1)[batch["positions"]]).float()


class Text:
    """Masked words in running text."""

    def __init__(self, recipe: Recipe, corpora: dict[str, Corpus], special: SpecialTokens) -> None:
        self.recipe, self.corpora, self.special = recipe, corpora, special

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        rng = np.random.default_rng((self.recipe.seed, 1, number, part))
        room = self.recipe.row_tokens - 2
        rows: list[Texts] = [
            (text_row(draw(self.corpora, self.recipe.corpora, rng), room, rng),)
            for _ in range(self.recipe.rows // self.recipe.parts)
        ]
        return hide(collate(rows, self.special), self.recipe, self.special, rng)

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the loss of the hidden tokens."""
        logits = masked_logits(network, batch, network.encode(batch))
        return {"masked": F.cross_entropy(logits, batch["hidden"])}


class Pairs:
    """Masked words and next sentence, in pairs of texts; BERT's own pretraining."""

    def __init__(
        self,
        recipe: Recipe,
        corpora: dict[str, Corpus],
        special: SpecialTokens,
        *,
        row_tokens: int,
    ) -> None:
        self.recipe, self.corpora, self.special = recipe, corpora, special
        self.row_tokens = row_tokens
        self.rows = recipe.rows * recipe.row_tokens // row_tokens // recipe.parts

    @property
    def masked(self) -> float:
        """The share of the tokens that is hidden."""
        return self.recipe.masked

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        rng = np.random.default_rng((self.recipe.seed, self.row_tokens, number, part))
        rows, labels = self.pairs(number, rng)
        batch = hide(collate(rows, self.special), self.recipe, self.special, rng, share=self.masked)
        batch["labels"] = torch.from_numpy(labels)
        return batch

    def pairs(self, number: int, rng: np.random.Generator) -> tuple[list[Texts], Labels]:
        """Draw pairs, and say of each whether it stands so in a text (0) or not (1)."""
        pairings = EASY_PAIRINGS if number < self.recipe.easy_pairs else PAIRINGS
        kinds = rng.permutation(np.resize(pairings, self.rows))
        rows: list[Texts] = [self.draw(Pairing(kind), rng) for kind in kinds]
        return rows, np.where(kinds == 0, 0, NOT_FOLLOWS)

    def draw(self, pairing: Pairing, rng: np.random.Generator) -> Texts:
        """Draw one pair."""
        shares, room = self.recipe.corpora, self.row_tokens - 2 - self.special.between
        return draw_pair(self.corpora, shares, room, rng, pairing=pairing)

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the losses of the hidden tokens and of the pairs."""
        hidden = network.encode(batch)
        pairs = network.pair_logits(hidden).float()
        return {
            "masked": F.cross_entropy(masked_logits(network, batch, hidden), batch["hidden"]),
            "pairs": F.cross_entropy(pairs, batch["labels"]),
        }


class SentenceOrder(Pairs):
    """Masked words and sentence order: neighbours as they stand, and swapped (Lan et al. 2020).

    Both orders of a pair are in one batch, so that nothing but the order tells the labels apart;
    fewer words are hidden, for the order shows in small ones; and the first batches are of how
    articles open, where it shows most: without them it is not found at all.
    """

    @property
    def masked(self) -> float:
        """The share of the tokens that is hidden."""
        return self.recipe.masked_in_passages

    def pairs(self, number: int, rng: np.random.Generator) -> tuple[list[Texts], Labels]:
        """Draw neighbours, each as it stands (0) and swapped (1)."""
        pairing = Pairing.OPENING if number < self.recipe.easy_orders else Pairing.NEIGHBOUR
        drawn = [self.draw(pairing, rng) for _ in range(self.rows // 2)]
        return drawn + [row[::-1] for row in drawn], np.repeat((0, 1), len(drawn))


class Sentiment:
    """The label of a sentence."""

    def __init__(self, recipe: Recipe, examples: Examples, special: SpecialTokens) -> None:
        self.examples, self.special = examples, special
        self.parts = recipe.parts
        self.order = Order(examples.lengths(), recipe.sentiment_rows, recipe.seed)

    def chosen(self, number: int, part: int = 0) -> NDArray[np.int64]:
        """Say which examples are in one part of the batch of that number."""
        return self.order.batch(number)[part :: self.parts]

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        chosen = self.chosen(number, part)
        batch = collate([self.examples.texts(index) for index in chosen], self.special)
        return batch | {"labels": torch.from_numpy(self.examples.labels[chosen])}

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the loss of the labels."""
        logits = network.sentiment_logits(network.encode(batch)).float()
        return {"sentiment": F.cross_entropy(logits, batch["labels"])}


class Questions:
    """Start and end of the answer; both are [CLS] where the passage holds none.

    A few words of the passage are hidden: one forward pass then teaches answers and words.
    """

    def __init__(self, recipe: Recipe, examples: Examples, special: SpecialTokens) -> None:
        self.recipe, self.examples, self.special = recipe, examples, special
        self.order = Order(examples.lengths(), recipe.question_rows, recipe.seed + 1)

    def chosen(self, number: int, part: int = 0) -> NDArray[np.int64]:
        """Say which examples are in one part of the batch of that number."""
        return self.order.batch(number)[part :: self.recipe.parts]

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        rng = np.random.default_rng((self.recipe.seed, 2, number, part))
        chosen = self.chosen(number, part)
        batch = collate([self.examples.texts(index) for index in chosen], self.special)
        batch["spans"] = torch.from_numpy(self.examples.labels[chosen])
        share = self.recipe.masked_in_passages
        return hide(batch, self.recipe, self.special, rng, share=share) if share else batch

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the losses of starts and ends, and of the hidden tokens where there are any."""
        hidden = network.encode(batch)
        losses = {"questions": F.cross_entropy(span_logits(network, batch, hidden), batch["spans"])}
        if "hidden" in batch:
            words = masked_logits(network, batch, hidden)
            losses["masked_in_passages"] = F.cross_entropy(words, batch["hidden"])
        return losses


def span_logits(network: Network, batch: Batch, hidden: Tensor) -> Tensor:
    """Score starts and ends (rows, tokens, 2); padding and question can be neither."""
    logits = network.span_logits(hidden).float()
    allowed = batch["token_type_ids"].bool()
    allowed[:, 0] = True
    return logits.masked_fill(~allowed.unsqueeze(-1), torch.finfo(logits.dtype).min)

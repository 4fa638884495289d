"""ELECTRA's objective: a generator replaces tokens, a discriminator finds them.

Clark et al. 2020: both are trained together, the generator on its masked words alone, and the
discriminator's loss, over every token, counts 50 times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from torch import Tensor

from components.training.corpus import Corpus
from components.training.networks import Batch, ElectraPair, Network
from components.training.objectives import Losses, Text, masked_logits
from components.training.recipes import Recipe
from components.training.running_text import SpecialTokens

WEIGHT = 50.0  # of the discriminator's loss


class Replaced(Text):
    """Replaced tokens in running text; all chosen tokens are shown to the generator as [MASK]."""

    def __init__(self, recipe: Recipe, corpora: dict[str, Corpus], special: SpecialTokens) -> None:
        super().__init__(replace(recipe, kept=0.0, random=0.0), corpora, special)

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        batch = super().batch(number, part)
        seed = np.random.default_rng((self.recipe.seed, 4, number, part)).integers(2**40)
        batch["seed"] = torch.tensor(int(seed))
        return batch

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the generator's loss on the hidden tokens, the discriminator's on all tokens."""
        assert isinstance(network, ElectraPair)
        logits = masked_logits(network.generator, batch, network.generator.encode(batch))
        shown, replaced = corrupted(batch, logits.detach())
        scores = network.replaced_logits(network.encode(shown)).float()
        judged = judged_tokens(batch, self.special)
        found = F.binary_cross_entropy_with_logits(scores[judged], replaced[judged].float())
        return {
            "masked": F.cross_entropy(logits, batch["hidden"]),
            "replaced": WEIGHT * found,
        }


def corrupted(batch: Batch, logits: Tensor) -> tuple[Batch, Tensor]:
    """Put samples of the generator in place of the hidden tokens; say which tokens changed.

    A sample that happens to be the original counts as original, as in the paper.
    """
    dice = torch.Generator(logits.device).manual_seed(int(batch["seed"]))
    noise = torch.rand(logits.shape, generator=dice, device=logits.device)
    sampled = (logits - torch.log(-torch.log(noise.clamp_min(1e-20)))).argmax(-1)  # Gumbel
    ids = batch["input_ids"].flatten().clone()
    original = ids.clone()
    ids[batch["positions"]] = sampled
    original[batch["positions"]] = batch["hidden"]
    shape = batch["input_ids"].shape
    return batch | {"input_ids": ids.view(shape)}, (ids != original).view(shape)


def judged_tokens(batch: Batch, special: SpecialTokens) -> Tensor:
    """Say which tokens are judged (rows, tokens): all but the special ones."""
    ids = batch["input_ids"]
    outside = (ids == special.cls) | (ids == special.sep) | (ids == special.pad)
    return ~outside

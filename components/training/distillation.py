"""What a student learns from its teacher: DistilBERT's losses (Sanh et al. 2019).

Each objective wraps one of objectives.py and adds the teacher's view of the same batch.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from torch import Tensor

from components.training.networks import Batch, Network
from components.training.objectives import (
    Losses,
    Objective,
    masked_logits,
    span_logits,
)

Head = Callable[[Network, Batch, Tensor], Tensor]

# DistilBERT's weights, made to add up to 1 so that the task losses beside them count.
SOFT, HARD, COSINE = 5 / 8, 2 / 8, 1 / 8


def soft_loss(student: Tensor, teacher: Tensor, temperature: float, axis: int = -1) -> Tensor:
    """Measure how far the student's distribution is from the teacher's; 0 where equal."""
    ours = F.log_softmax(student / temperature, axis)
    theirs = F.log_softmax(teacher / temperature, axis)
    divergence = F.kl_div(ours, theirs, reduction="none", log_target=True).sum(axis)
    return divergence.mean() * temperature**2


def cosine_loss(student: Tensor, teacher: Tensor, attention_mask: Tensor) -> Tensor:
    """Measure the angle between the two networks' vectors; 0 where they point the same way."""
    seen = attention_mask.bool()
    return (1 - F.cosine_similarity(student[seen].float(), teacher[seen].float(), dim=-1)).mean()


class Distilled:
    """An objective with a teacher; the heads in use are those that the batch asks for."""

    def __init__(self, inner: Objective, teacher: Network, temperature: float) -> None:
        self.inner, self.temperature = inner, temperature
        self.teacher = teacher
        teacher.train(False)

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make the wrapped objective's batch of that number."""
        return self.inner.batch(number, part)

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give soft targets, hard labels and, on running text, the vectors' direction."""
        with torch.no_grad():
            theirs = self.teacher.encode(batch)
        ours = network.encode(batch)
        losses = {"cosine": COSINE * cosine_loss(ours, theirs, batch["attention_mask"])}
        if "hidden" in batch:
            losses |= self._words(network, batch, ours, theirs)
        if "spans" in batch:
            losses |= self._task("questions", span_head, network, batch, (ours, theirs))
        elif "labels" in batch:
            losses |= self._task("sentiment", sentiment_head, network, batch, (ours, theirs))
        return losses

    def _words(self, network: Network, batch: Batch, ours: Tensor, theirs: Tensor) -> Losses:
        logits = masked_logits(network, batch, ours)
        with torch.no_grad():
            wanted = masked_logits(self.teacher, batch, theirs)
        return {
            "soft": SOFT * soft_loss(logits, wanted, self.temperature),
            "masked": HARD * F.cross_entropy(logits, batch["hidden"]),
        }

    def _task(
        self, name: str, head: Head, network: Network, batch: Batch, hidden: tuple[Tensor, Tensor]
    ) -> Losses:
        logits = head(network, batch, hidden[0])
        with torch.no_grad():
            wanted = head(self.teacher, batch, hidden[1])
        truth = batch["spans"] if "spans" in batch else batch["labels"]
        return {
            f"soft_{name}": soft_loss(logits, wanted, self.temperature, axis=1),
            name: F.cross_entropy(logits, truth),
        }


def span_head(network: Network, batch: Batch, hidden: Tensor) -> Tensor:
    """Score starts and ends (rows, tokens, 2)."""
    return span_logits(network, batch, hidden)


def sentiment_head(network: Network, batch: Batch, hidden: Tensor) -> Tensor:
    """Score the labels (rows, 2)."""
    del batch
    return network.sentiment_logits(hidden).float()

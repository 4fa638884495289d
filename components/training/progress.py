"""What a fine-tuning is asked for and what it tells on its way, as plain values: no torch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from components.config import MAX_EPOCHS, TRAINING_SECONDS
from components.errors import InputError


class Part(StrEnum):
    """What is trained."""

    WHOLE = "whole model"
    HEAD = "head only"


SUITED = {Part.WHOLE: 2e-4, Part.HEAD: 1e-3}  # learning rates that suit the miniatures
LARGEST_RATE = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    part: Part = Part.WHOLE
    epochs: int = 8  # passes over the training lines
    learning_rate: float = SUITED[Part.WHOLE]  # the highest; it rises at first, then falls to 0
    rows: int = 16  # lines in a step
    seed: int = 1
    seconds: float = TRAINING_SECONDS  # after which the best so far is kept


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How the lines that are never trained on are answered."""

    loss: float  # mean cross-entropy, nats
    right: int
    lines: int

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.right / self.lines


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of the training, or its beginning (step 0)."""

    step: int
    steps: int
    epoch: float  # passes done
    loss: float | None  # of this step's lines before the step; None at the beginning
    held_out: HeldOut | None  # at the beginning, after each pass and at the end


class Ending(StrEnum):
    """Why a training ended."""

    DONE = "done"
    STOPPED = "stopped"
    TIME = "time"
    DIVERGED = "diverged"  # the loss is no number any more


def plan_of(part: str, epochs: int, learning_rate: str) -> Plan:
    """Read a plan as it was chosen; an empty learning rate is the suited one.

    Raises InputError for what cannot be.
    """
    if part not in list(Part):
        raise InputError(f"“{str(part)[:40]}” cannot be trained: choose {' or '.join(Part)}.")
    if not 1 <= epochs <= MAX_EPOCHS:
        raise InputError(f"{epochs} epochs are not possible: choose 1 to {MAX_EPOCHS}.")
    return Plan(Part(part), int(epochs), _rate(learning_rate) or SUITED[Part(part)])


def _rate(typed: str) -> float | None:
    if not str(typed or "").strip():
        return None
    try:
        rate = float(typed)
    except ValueError:
        rate = 0.0
    if not 0 < rate <= LARGEST_RATE:
        raise InputError(
            f"“{str(typed)[:20]}” is no learning rate: it is a number above 0 and up to "
            f"{LARGEST_RATE}, such as 2e-4."
        )
    return rate

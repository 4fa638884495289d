"""Topic or order: what moves the verdict on a pair when only one of the two changes?

One sentence is judged with the one that comes next, with the two swapped (only the order differs),
with another of the same topic that does not come next, and with one of another topic (Lan et al.
2020, 4.6, measure that next-sentence heads go by the topic). Effects are told in logits: where a
head is saturated, probabilities hardly move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from components.errors import InputError
from components.models.families import Task
from components.tasks.next_sentence import Judgement, Refusal, judge_each
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel


class Kind(StrEnum):
    """What B is to A."""

    NEXT = "comes next"
    SWAPPED = "swapped"  # the same two, the later one first
    SAME_TOPIC = "same topic"
    OTHER_TOPIC = "other topic"


@dataclass(frozen=True, slots=True)
class Quartet:
    """A sentence with three that may stand behind it."""

    first: str
    following: str
    related: str  # of the same topic, but not next
    unrelated: str

    def pair(self, kind: Kind) -> tuple[str, str]:
        """Give A and B."""
        return {
            Kind.NEXT: (self.first, self.following),
            Kind.SWAPPED: (self.following, self.first),
            Kind.SAME_TOPIC: (self.first, self.related),
            Kind.OTHER_TOPIC: (self.first, self.unrelated),
        }[kind]


# Written for this page, so no model has seen them; none is meant to trick.
SAMPLE = (
    Quartet(
        "The king died in the spring of 1625.",
        "His son was crowned in the following year.",
        "Kings of that time lived in several palaces.",
        "Add the butter and stir until it has melted.",
    ),
    Quartet(
        "She put the bread into the oven.",
        "Half an hour later the kitchen smelled wonderful.",
        "Bread has been baked for thousands of years.",
        "The parliament rejected the new law.",
    ),
    Quartet(
        "The home team scored in the last minute.",
        "The crowd ran onto the field to celebrate.",
        "Football is played by two teams of eleven.",
        "The museum owns three paintings by Vermeer.",
    ),
    Quartet(
        "A storm broke the mast of the ship.",
        "The crew had to row to the nearest harbour.",
        "Ships of that kind had two masts.",
        "Her first novel was published in Paris.",
    ),
    Quartet(
        "The company was founded in a garage.",
        "Ten years later it had four thousand employees.",
        "Most companies of that branch make software.",
        "The beetle lays its eggs under the bark.",
    ),
    Quartet(
        "He missed the last train home.",
        "So he slept on a bench in the station.",
        "Trains run every hour on weekdays.",
        "The protein binds to the wall of the cell.",
    ),
    Quartet(
        "The bridge was destroyed in the war.",
        "It was rebuilt in 1951.",
        "Bridges of stone are common in the region.",
        "The singer recorded the album in two weeks.",
    ),
    Quartet(
        "They bought the old house by the lake.",
        "First they repaired the roof.",
        "Houses by the lake are expensive.",
        "The satellite was launched in October.",
    ),
)


@dataclass(frozen=True, slots=True)
class Effects:
    """By how many logits the gap falls when one thing changes; NEXT is what it falls from."""

    topic: float  # another topic in place of the next sentence
    order: float  # the same two, swapped
    near: float  # the same topic, but not next


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the four pairs, judged."""

    kind: Kind
    first: str
    second: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class TopicOrOrderResult:
    """The four pairs as a model trained on `task` judges them, and what is usual."""

    model_id: str
    family: str  # its name
    task: Task
    variants: tuple[Variant, ...]  # in the order of Kind
    effects: Effects
    usual: Effects  # the mean over SAMPLE
    notices: tuple[str, ...]


Told = TopicOrOrderResult | Refusal


def check(quartet: Quartet) -> Quartet:
    """Give the four sentences back; raises InputError when one says nothing."""
    names = {
        "The first sentence": quartet.first,
        "The next sentence": quartet.following,
        "The sentence of the same topic": quartet.related,
        "The sentence of another topic": quartet.unrelated,
    }
    for name, text in names.items():
        check_text(text, name)
    return quartet


def predict(model: LoadedModel, quartet: Quartet) -> TopicOrOrderResult:
    """Judge the four pairs of `quartet`, and those of SAMPLE to compare with."""
    check(quartet)
    everything = (quartet, *SAMPLE)
    pairs = [one.pair(kind) for one in everything for kind in Kind]
    encodings = [model.encode(*pair) for pair in pairs]
    if any(not {0, 1} <= set(encoding.sequence_ids) for encoding in encodings):
        raise InputError("One sentence has nothing that the model can read. Type some words.")
    judged = judge_each(model, encodings)
    fours = [judged[i : i + len(Kind)] for i in range(0, len(judged), len(Kind))]
    measured = [effects_of(four) for four in fours]
    cut = any(encoding.is_truncated for encoding in encodings[: len(Kind)])
    return TopicOrOrderResult(
        model_id=model.id,
        family=model.family.name,
        task=model.task,
        variants=tuple(
            Variant(kind, *pair, judgement)
            for kind, pair, judgement in zip(Kind, pairs, fours[0], strict=False)
        ),
        effects=measured[0],
        usual=Effects(
            topic=float(np.mean([one.topic for one in measured[1:]])),
            order=float(np.mean([one.order for one in measured[1:]])),
            near=float(np.mean([one.near for one in measured[1:]])),
        ),
        notices=(*model.notices, *(["The end of a longer sentence was cut."] if cut else [])),
    )


def effects_of(judged: Sequence[Judgement]) -> Effects:
    """Say by how much the gap falls from the first of four judgements, in the order of Kind."""
    following, swapped, related, unrelated = (one.gap for one in judged)
    return Effects(topic=following - unrelated, order=following - swapped, near=following - related)

"""From labelled pieces to named entities: the aggregation strategies of transformers.

What TokenClassificationPipeline does is done here in the same way, its guess at what a word is
included, so that one can see where its strategies disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from components.models.encoding import Span
from components.tasks.characters import Edges

OUTSIDE = "O"  # the label of what is no entity


class Strategy(StrEnum):
    """How the pieces of one word come to one label."""

    SIMPLE = "simple"  # they need not: every piece has its own
    FIRST = "first"  # that of its first piece
    AVERAGE = "average"  # the best one after the probabilities of its pieces are averaged
    MAX = "max"  # that of its surest piece


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of the text, and what the head says of it."""

    token: str  # as in the vocabulary
    span: Span  # characters of the text, as the tokenizer gives them
    goes_on: bool  # what transformers takes it for: the rest of a word, or not
    label: str  # the best one
    score: float  # its probability
    scores: tuple[float, ...]  # of every label, in the model's order


@dataclass(frozen=True, slots=True)
class Entity:
    """A run of pieces that are one name."""

    type: str  # its label, without B- or I-
    span: Span  # characters of the text, whole ones, without spaces round them
    score: float  # the mean over what was joined
    pieces: tuple[int, int]  # the first, and the one after the last


@dataclass(frozen=True, slots=True)
class Dispute:
    """A place of the text where the strategies find different entities."""

    span: Span
    readings: Mapping[str, tuple[Entity, ...]]  # by strategy: what it finds there


@dataclass(frozen=True, slots=True)
class _Labelled:
    """What is joined to entities: a piece, or a word of several."""

    label: str
    score: float
    first: int
    after: int


def aggregate(
    pieces: Sequence[Piece], labels: Sequence[str], strategy: Strategy, edges: Edges
) -> tuple[Entity, ...]:
    """Join `pieces` to entities; `labels` are the model's, `edges` those of its text."""
    labelled = (
        _by_word(pieces, labels, strategy) if strategy is not Strategy.SIMPLE else _each(pieces)
    )
    groups = _grouped(labelled)
    found = [_entity(pieces, group, edges) for group in groups]
    return tuple(entity for entity in found if entity.type != OUTSIDE)


def _each(pieces: Sequence[Piece]) -> list[_Labelled]:
    return [_Labelled(piece.label, piece.score, i, i + 1) for i, piece in enumerate(pieces)]


def _by_word(pieces: Sequence[Piece], labels: Sequence[str], strategy: Strategy) -> list[_Labelled]:
    starts = [i for i, piece in enumerate(pieces) if i == 0 or not piece.goes_on]
    ends = [*starts[1:], len(pieces)]
    words = zip(starts, ends, strict=True) if pieces else ()
    return [_word(pieces[first:after], labels, strategy, first) for first, after in words]


def _word(
    pieces: Sequence[Piece], labels: Sequence[str], strategy: Strategy, first: int
) -> _Labelled:
    after = first + len(pieces)
    if strategy is Strategy.AVERAGE:
        means = np.mean([piece.scores for piece in pieces], axis=0)  # (labels,)
        best = int(means.argmax())
        return _Labelled(labels[best], float(means[best]), first, after)
    one = pieces[0] if strategy is Strategy.FIRST else max(pieces, key=lambda piece: piece.score)
    return _Labelled(one.label, one.score, first, after)


def _grouped(labelled: Iterable[_Labelled]) -> list[list[_Labelled]]:
    """Put neighbours of one type together; a B- begins anew."""
    groups: list[list[_Labelled]] = []
    for each in labelled:
        begins, kind = _tag(each.label)
        if groups and not begins and kind == _tag(groups[-1][-1].label)[1]:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _tag(label: str) -> tuple[bool, str]:
    """Give whether a label begins an entity, and of what type; one without B- or I- goes on."""
    if label.startswith(("B-", "I-")):
        return label.startswith("B-"), label[2:]
    return False, label


def _entity(pieces: Sequence[Piece], group: Sequence[_Labelled], edges: Edges) -> Entity:
    first, after = group[0].first, group[-1].after
    begin = int(edges.begin[pieces[first].span[0]])
    end = int(edges.end[pieces[after - 1].span[1]])
    return Entity(
        type=group[0].label.split("-", 1)[-1],
        span=(begin, max(begin, end)),
        score=float(np.mean([each.score for each in group])),
        pieces=(first, after),
    )


def disputes(found: Mapping[str, Sequence[Entity]]) -> tuple[Dispute, ...]:
    """Find the places where not all strategies give the same type to the same characters."""
    named = [
        {(entity.type, entity.span) for entity in some if entity.span[0] < entity.span[1]}
        for some in found.values()
    ]
    agreed = set.intersection(*named)
    places: list[Span] = []
    for _, (begin, end) in sorted(set.union(*named) - agreed, key=lambda name: name[1]):
        if places and begin < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((begin, end))
    return tuple(Dispute(place, _readings(found, place)) for place in places)


def _readings(found: Mapping[str, Sequence[Entity]], place: Span) -> dict[str, tuple[Entity, ...]]:
    return {
        strategy: tuple(e for e in some if e.span[0] < place[1] and place[0] < e.span[1])
        for strategy, some in found.items()
    }

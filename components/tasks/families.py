"""Families: which one for which need, and what our miniatures of them measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from components.errors import InputError
from components.models.anatomy import Anatomy, read_anatomy
from components.models.catalog import CATALOG, ModelCard
from components.models.choices import CHOICES, Need
from components.models.evaluation import FIGURES, Evaluation, Figure, read_evaluation
from components.models.families import FAMILIES

SIZES = {  # numbers of an Anatomy that are compared, and how they are called
    "disk_bytes": "File with the weights",
    "parameters": "Parameters",
    "layers": "Layers that a text passes through",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One family that is picked, and why."""

    model_type: str  # key of FAMILIES
    name: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Row:
    """One miniature in an order of merit."""

    model_id: str
    model_type: str
    value: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What our miniatures show of a need: those that were measured, best first."""

    measure: str  # key of SIZES, or a figure of the evaluation table
    label: str
    meaning: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Miniature:
    """A bundled model: where its parameters sit, and what was measured of it."""

    model_id: str
    model_type: str
    anatomy: Anatomy | None  # None: its files are not here
    figures: dict[str, float]  # between 0 and 1


@dataclass(frozen=True, slots=True)
class FamiliesResult:
    """The families picked for a need, and the miniatures in catalog order."""

    need: Need
    headline: str
    picks: tuple[Reason, ...]  # first and second choice
    caveat: str
    evidence: tuple[Evidence, ...]
    miniatures: tuple[Miniature, ...]
    figures: tuple[Figure, ...]  # those that were measured of any


def predict(models_dir: Path, need: str) -> FamiliesResult:
    """Pick families for `need`, and read what is known of the miniatures in `models_dir`.

    Loads no weights. Raises InputError for a need that is not on the list.
    """
    known = _check_need(need)
    choice, evaluation = CHOICES[known], read_evaluation(models_dir)
    miniatures = tuple(_miniature(models_dir, card, evaluation) for card in CATALOG)
    picks = tuple(
        Reason(p.model_type, FAMILIES[p.model_type].name, p.why.text, p.why.source)
        for p in choice.picks
    )
    measured = dict.fromkeys(name for miniature in miniatures for name in miniature.figures)
    order = [name for name in (*FIGURES, *measured) if name in measured]
    evidence = (
        _evidence(name, miniatures, evaluation, least_first=choice.least_first)
        for name in choice.measures
    )
    return FamiliesResult(
        need=known,
        headline=choice.headline.format(name=picks[0].name),
        picks=picks,
        caveat=choice.caveat,
        evidence=tuple(found for found in evidence if found.rows),
        miniatures=miniatures,
        figures=tuple(evaluation.figure(name) for name in dict.fromkeys(order)),
    )


def _check_need(need: str) -> Need:
    known = next((known for known in CHOICES if known == need), None)
    if known is None:
        raise InputError(
            f"“{str(need)[:60]}” is not on the list. Choose one of: {', '.join(CHOICES)}."
        )
    return known


def _miniature(models_dir: Path, card: ModelCard, evaluation: Evaluation) -> Miniature:
    anatomy = read_anatomy(models_dir, card)
    return Miniature(card.id, card.model_type, anatomy, dict(evaluation.of(card.id)))


def _evidence(
    measure: str, miniatures: Sequence[Miniature], evaluation: Evaluation, *, least_first: bool
) -> Evidence:
    rows = [
        Row(one.model_id, one.model_type, value)
        for one in miniatures
        if (value := _value(one, measure)) is not None
    ]
    rows.sort(key=lambda row: row.value, reverse=not least_first)
    figure = evaluation.figure(measure)
    label = SIZES.get(measure, figure.label)
    meaning = label if measure in SIZES else figure.meaning
    return Evidence(measure, label, meaning, tuple(rows))


def _value(miniature: Miniature, measure: str) -> float | None:
    if measure not in SIZES:
        return miniature.figures.get(measure)
    return None if miniature.anatomy is None else float(getattr(miniature.anatomy, measure))

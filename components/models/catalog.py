"""Every model on offer. Add one as a ModelCard in CATALOG; test_catalog then checks it."""

from __future__ import annotations

from dataclasses import dataclass

from components.models.families import FAMILIES, Family, Task

DEFAULT_MODEL = "bert-mini"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One bundled checkpoint: its folder under assets/models carries the id as its name."""

    id: str
    model_type: str  # key of FAMILIES
    tasks: frozenset[Task]
    about: str  # one line for the model picker

    @property
    def family(self) -> Family:
        """The family this model belongs to."""
        return FAMILIES[self.model_type]


CATALOG: tuple[ModelCard, ...] = (
    ModelCard(
        id="bert-mini",
        model_type="bert",
        tasks=frozenset(Task),
        about="BERT, miniature: 6 layers",
    ),
    ModelCard(
        id="distilbert-mini",
        model_type="distilbert",
        tasks=frozenset(Task) - {Task.NEXT_SENTENCE},
        about="DistilBERT, miniature: 3 layers",
    ),
)


def find_card(model_id: str) -> ModelCard | None:
    """Give the card of a bundled model, or None for an id of the Hub."""
    return next((card for card in CATALOG if card.id == model_id), None)


def cards_for(task: Task) -> tuple[ModelCard, ...]:
    """Give the bundled models that have a head for `task`, in catalog order."""
    return tuple(card for card in CATALOG if task in card.tasks)

"""Every model on offer. Add one as a ModelCard in CATALOG; test_catalog then checks it."""

from __future__ import annotations

from collections.abc import Iterable
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
    is_shipped: bool = True  # False: its weights are still in training, and it is not offered

    @property
    def family(self) -> Family:
        """The family this model belongs to."""
        return FAMILIES[self.model_type]


_FINE_TUNED = (Task.SENTIMENT, Task.QUESTION_ANSWERING)


def _miniature(
    model_id: str,
    model_type: str,
    pretrained: Iterable[Task],
    about: str,
    *,
    tuned: Iterable[Task] = _FINE_TUNED,
    shipped: bool = True,
) -> ModelCard:
    """Describe a miniature by the objectives it was pretrained on; most were also fine-tuned."""
    heads = (*pretrained, *tuned, Task.ENCODER)
    return ModelCard(model_id, model_type, frozenset(heads), about, shipped)


_WORDS = (Task.FILL_MASK,)
CATALOG: tuple[ModelCard, ...] = (
    _miniature("bert-mini", "bert", (*_WORDS, Task.NEXT_SENTENCE), "BERT, miniature: 6 layers"),
    _miniature(
        "roberta-mini",
        "roberta",
        (*_WORDS, Task.TOKEN_CLASSIFICATION),
        "RoBERTa, miniature: 6 layers",
    ),
    _miniature(
        "albert-mini",
        "albert",
        (*_WORDS, Task.SENTENCE_ORDER),
        "ALBERT, miniature: 3 layers, one set of weights",
        tuned=(Task.SENTIMENT,),
    ),
    _miniature("distilbert-mini", "distilbert", _WORDS, "DistilBERT, miniature: 3 layers"),
    _miniature(
        "electra-mini",
        "electra",
        (Task.REPLACED_TOKENS,),
        "ELECTRA, miniature: the discriminator, 6 layers",
    ),
    _miniature(
        "electra-mini-generator",
        "electra",
        _WORDS,
        "ELECTRA, miniature: the generator, 3 layers",
        tuned=(),
    ),
    _miniature("deberta-mini", "deberta-v2", _WORDS, "DeBERTa, miniature: 6 layers"),
)
SHIPPED = tuple(card for card in CATALOG if card.is_shipped)


def find_card(model_id: str) -> ModelCard | None:
    """Give the card of a bundled model, or None for an id of the Hub."""
    return next((card for card in CATALOG if card.id == model_id), None)


def cards_for(task: Task) -> tuple[ModelCard, ...]:
    """Give the bundled models that have a head for `task`, in catalog order.

    Those still in training are given only where there is no other.
    """
    able = tuple(card for card in CATALOG if task in card.tasks)
    return tuple(card for card in able if card.is_shipped) or able


def one_per_family() -> tuple[ModelCard, ...]:
    """Give the first bundled model of every family, in catalog order."""
    first: dict[str, ModelCard] = {}
    for card in CATALOG:
        first.setdefault(card.model_type, card)
    return tuple(first.values())


def default_for(task: Task) -> str:
    """Give the id of the bundled model that a tab for `task` begins with."""
    offered = [card.id for card in cards_for(task)]
    return DEFAULT_MODEL if DEFAULT_MODEL in offered else offered[0]


def why_not(task: Task) -> tuple[str, ...]:
    """Give the reasons why bundled models have no head for `task`, each reason once."""
    lacking = (card.family.why_not.get(task) for card in CATALOG if task not in card.tasks)
    return tuple(dict.fromkeys(filter(None, lacking)))

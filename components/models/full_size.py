"""The famous checkpoints of the Hub: offered in every tab, fetched only when somebody asks for one.

Add one as an entry of FULL_SIZE, with the tasks that it brings a trained head for. A task whose
head the checkpoint lacks is refused before its weights are fetched, see gate.py.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from components.config import ASSETS
from components.models.families import FAMILIES, Family, Task

logger = logging.getLogger(__name__)

PINS = ASSETS / "full_size.json"  # written by pinning.py where the Hub can be reached
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class FullSize:
    """One checkpoint of the Hub: its id, and the tasks it was trained for."""

    id: str
    model_type: str  # key of FAMILIES
    tasks: frozenset[Task]

    @property
    def family(self) -> Family:
        """The family this checkpoint belongs to."""
        return FAMILIES[self.model_type]

    @property
    def about(self) -> str:
        """One line for the model picker."""
        return f"{self.family.name}, full size, fetched when asked: {self.id}"


def _full(model_id: str, model_type: str, *tasks: Task) -> FullSize:
    return FullSize(model_id, model_type, frozenset(tasks))


_WORDS, _ENCODER = Task.FILL_MASK, Task.ENCODER
_CLASSES, _ANSWERS = Task.SENTIMENT, Task.QUESTION_ANSWERING

FULL_SIZE: tuple[FullSize, ...] = (
    _full("bert-base-uncased", "bert", _WORDS, Task.NEXT_SENTENCE, _ENCODER),
    _full("textattack/bert-base-uncased-SST-2", "bert", _CLASSES),
    _full("deepset/bert-base-cased-squad2", "bert", _ANSWERS),
    _full("roberta-base", "roberta", _WORDS, _ENCODER),
    _full("cardiffnlp/twitter-roberta-base-sentiment-latest", "roberta", _CLASSES),
    _full("deepset/roberta-base-squad2", "roberta", _ANSWERS),
    _full("albert-base-v2", "albert", _WORDS, _ENCODER),
    _full("textattack/albert-base-v2-SST-2", "albert", _CLASSES),
    _full("twmkn9/albert-base-v2-squad2", "albert", _ANSWERS),
    _full("distilbert-base-uncased", "distilbert", _WORDS, _ENCODER),
    _full("distilbert-base-uncased-finetuned-sst-2-english", "distilbert", _CLASSES),
    _full("distilbert-base-cased-distilled-squad", "distilbert", _ANSWERS),
    _full("google/electra-base-discriminator", "electra", Task.REPLACED_TOKENS, _ENCODER),
    _full("google/electra-base-generator", "electra", _WORDS),
    _full("howey/electra-base-sst2", "electra", _CLASSES),
    _full("deepset/electra-base-squad2", "electra", _ANSWERS),
    _full("microsoft/deberta-v3-base", "deberta-v2", _ENCODER),
    _full("cliang1453/deberta-v3-base-sst2", "deberta-v2", _CLASSES),
    _full("deepset/deberta-v3-base-squad2", "deberta-v2", _ANSWERS),
)


def full_size_for(task: Task) -> tuple[FullSize, ...]:
    """Give the checkpoints that have a head for `task`, in the order of the table."""
    return tuple(one for one in FULL_SIZE if task in one.tasks)


def find_full_size(model_id: str) -> FullSize | None:
    """Give the entry of an id, or None for any other id."""
    return next((one for one in FULL_SIZE if one.id == model_id), None)


def read_pins(file: Path = PINS) -> Mapping[str, str]:
    """Read the commits at which our own entries are pinned, by id; none where there is no file."""
    try:
        said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return {str(i): c for i, c in said.items() if find_full_size(i) and _COMMIT.fullmatch(c)}
    except (ValueError, TypeError, AttributeError):
        logger.warning("%s cannot be read: no checkpoint is pinned", file.name, exc_info=True)
        return {}

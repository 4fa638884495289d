"""Puts a recipe together: tokenizer, network to start from, objectives on the data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from transformers import BertTokenizer

from components.training.corpus import load_corpora
from components.training.distillation import Distilled
from components.training.labelled import (
    Examples,
    question_examples,
    question_rows,
    sentiment_examples,
)
from components.training.networks import (
    BertWithHeads,
    Network,
    load_bert,
    minilm_folder,
    student_of,
)
from components.training.objectives import Objective, Pairs, Questions, Sentiment, Text
from components.training.recipes import Recipe
from components.training.running_text import SpecialTokens

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Places:
    """Where things lie."""

    data: Path  # the open data
    runs: Path  # checkpoints and caches, never in the repository
    out: Path  # exported miniatures
    start: Path | None = None  # a head start instead of the recipe's own start

    def checkpoint(self, recipe: Recipe) -> Path:
        """Give the last checkpoint of a recipe's training."""
        return self.runs / recipe.id / "last.pt"

    def origin(self, recipe: Recipe) -> Path:
        """Give the folder whose weights and vocabulary the recipe starts from."""
        if recipe.parent:
            return self.out / recipe.parent
        return self.start or Path(minilm_folder())


def make_network(recipe: Recipe, origin: Path) -> tuple[Network, BertWithHeads | None]:
    """Make the network to train, and its teacher where the recipe has a parent."""
    bert = load_bert(str(origin))
    if recipe.kept_layers:
        return student_of(bert, recipe.kept_layers), bert
    return bert, None


def make_objectives(
    recipe: Recipe, places: Places, tokenizer: Any, teacher: BertWithHeads | None
) -> dict[str, Objective]:
    """Make the objectives that the recipe's stages name."""
    cache, special = places.runs / "cache", SpecialTokens()
    corpora = load_corpora(places.data, cache, tokenizer, names=recipe.corpora, held_out=False)
    sentiment, questions = _examples(recipe, places.data, cache, tokenizer)
    made: dict[str, Objective] = {
        "text": Text(recipe, corpora, special),
        "pairs": Pairs(recipe, corpora, special, row_tokens=recipe.row_tokens),
        "short_pairs": Pairs(recipe, corpora, special, row_tokens=recipe.short_tokens),
        "sentiment": Sentiment(recipe, sentiment, special),
        "questions": Questions(recipe, questions, special),
    }
    if teacher is not None:
        made = {
            name: Distilled(objective, teacher, recipe.temperature)
            for name, objective in made.items()
        }
    used = {name for stage in recipe.stages for name in stage.mix}
    return {name: made[name] for name in sorted(used)}


def load_tokenizer(folder: Path) -> Any:
    """Load the uncased WordPiece tokenizer of a folder."""
    return BertTokenizer.from_pretrained(str(folder))


def _examples(recipe: Recipe, data: Path, cache: Path, tokenizer: Any) -> tuple[Examples, Examples]:
    def questions() -> Examples:
        return question_examples(question_rows(data, recipe), tokenizer, recipe)

    return (
        _cached(cache / "sentiment.npz", lambda: sentiment_examples(data, tokenizer)),
        _cached(cache / "questions.npz", questions),
    )


def _cached(path: Path, make: Callable[[], Examples]) -> Examples:
    if not path.exists():
        made = make()
        logger.info("%s: %d examples", path.stem, len(made.labels))
        np.savez(path, tokens=made.tokens, starts=made.starts, labels=made.labels)
    with np.load(path) as arrays:
        return Examples(arrays["tokens"], arrays["starts"], arrays["labels"])

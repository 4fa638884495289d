"""Puts a recipe together: tokenizer, network to start from, objectives on the data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import transformers

from components.training.alignment import Aligned, Reading
from components.training.corpus import Corpus, load_corpora
from components.training.distillation import Distilled
from components.training.entities import Entities, entity_examples, training_sentences
from components.training.generator import start_generator
from components.training.growing import grow
from components.training.labelled import (
    Examples,
    question_examples,
    question_rows,
    sentiment_examples,
)
from components.training.networks import (
    ElectraPair,
    Network,
    load_bert,
    load_exported,
    minilm_folder,
)
from components.training.objectives import (
    Objective,
    Pairs,
    Questions,
    SentenceOrder,
    Sentiment,
    Text,
)
from components.training.recipes import RECIPES, Recipe
from components.training.replaced import Replaced
from components.training.same_texts import AlignedExamples, Spelling
from components.training.vocabularies import load_or_train, special_tokens

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

    def cache(self, recipe: Recipe) -> Path:
        """Give the folder of the data as the recipe's tokenizer spells it."""
        return self.runs / f"cache-{recipe.id if recipe.vocabulary else 'wordpiece'}"

    def origin(self, recipe: Recipe) -> Path:
        """Give the folder whose weights the recipe starts from."""
        if recipe.parent:
            return self.out / recipe.parent
        return self.start or Path(minilm_folder())


def make_tokenizer(recipe: Recipe, places: Places) -> Any:
    """Give a recipe's tokenizer: its parent's vocabulary, or one of its own."""
    if recipe.vocabulary:
        return load_or_train(recipe, places.runs / recipe.id / "vocabulary", places.data)
    tokens = transformers.BertTokenizer.from_pretrained(str(places.origin(recipe))).get_vocab()
    kind = getattr(transformers, recipe.tokenizer)
    return kind(vocab=tokens, do_lower_case=True, model_max_length=512)


def make_network(recipe: Recipe, places: Places, tokenizer: Any) -> tuple[Network, Network | None]:
    """Make the network to train, and its parent, from which it learns, where it has one."""
    bert = load_bert(str(places.origin(recipe)))
    if recipe.parent is None:
        return bert, None
    parent_tokenizer = make_tokenizer(RECIPES[recipe.parent], places)
    network = grow(recipe, bert, tokenizer, parent_tokenizer)
    if recipe.generator:
        assert isinstance(network, ElectraPair)
        small: Any = load_exported("distilbert", str(places.out / recipe.generator))
        start_generator(network.generator, small)
    return network, bert


class Objectives:
    """Makes the objectives that a recipe's stages name, and nothing that they do not."""

    def __init__(
        self, recipe: Recipe, places: Places, tokenizer: Any, parent: Network | None
    ) -> None:
        self.recipe, self.places, self.tokenizer, self.parent = recipe, places, tokenizer, parent
        self.special = special_tokens(tokenizer, recipe.first_word)
        self.cache = places.cache(recipe)
        self.corpora = self._corpora(recipe, tokenizer)

    def make(self) -> dict[str, Objective]:
        """Make them, by name."""
        used = sorted({name for stage in self.recipe.stages for name in stage.mix})
        made: dict[str, Objective] = {name: MAKERS[name](self) for name in used}
        if not self.recipe.taught or self.parent is None:
            return made
        temperature = self.recipe.temperature
        return {name: Distilled(each, self.parent, temperature) for name, each in made.items()}

    def pairs(self, kind: Any, row_tokens: int) -> Objective:
        """Make an objective on pairs of texts."""
        made: Objective = kind(self.recipe, self.corpora, self.special, row_tokens=row_tokens)
        return made

    def sentiment(self) -> Sentiment:
        """Make the objective on labelled sentences."""
        path = self.cache / "sentiment.npz"
        found = _cached(path, lambda: sentiment_examples(self.places.data, self.tokenizer))
        return Sentiment(self.recipe, found, self.special)

    def entities(self) -> Entities:
        """Make the objective on words that are named entities, or not."""
        path, data = self.cache / "entities.npz", self.places.data
        found = _cached(path, lambda: entity_examples(training_sentences(data), self.tokenizer))
        return Entities(self.recipe, found, self.special)

    def questions(self) -> Questions:
        """Make the objective on questions and passages."""
        rows = question_rows(self.places.data, self.recipe)
        path = self.cache / "questions.npz"
        found = _cached(path, lambda: question_examples(rows, self.tokenizer, self.recipe))
        return Questions(self.recipe, found, self.special)

    def aligned(self) -> Objective:
        """Make the objective that has the parent's vectors as its target."""
        assert self.parent is not None
        assert self.recipe.parent is not None
        parent = RECIPES[self.recipe.parent]
        tokenizer = make_tokenizer(parent, self.places)
        theirs = special_tokens(tokenizer, parent.first_word)
        reading = Reading(self._corpora(parent, tokenizer), theirs)
        return Aligned(self.recipe, Reading(self.corpora, self.special), reading, self.parent)

    def with_parent(self, inner: Sentiment | Questions) -> Objective:
        """Make an objective on labels that has the parent's vectors as a target too."""
        assert self.parent is not None
        assert self.recipe.parent is not None
        parent = RECIPES[self.recipe.parent]
        theirs = Spelling.of(make_tokenizer(parent, self.places), parent.first_word)
        ours = Spelling.of(self.tokenizer, self.recipe.first_word)
        return AlignedExamples(inner, ours, theirs, self.parent)

    def _corpora(self, recipe: Recipe, tokenizer: Any) -> dict[str, Corpus]:
        cache, names = self.places.cache(recipe), self.recipe.corpora
        return load_corpora(self.places.data, cache, tokenizer, names=names, held_out=False)


MAKERS: dict[str, Callable[[Objectives], Objective]] = {
    "text": lambda made: Text(made.recipe, made.corpora, made.special),
    "replaced": lambda made: Replaced(made.recipe, made.corpora, made.special),
    "pairs": lambda made: made.pairs(Pairs, made.recipe.row_tokens),
    "short_pairs": lambda made: made.pairs(Pairs, made.recipe.short_tokens),
    "order": lambda made: made.pairs(SentenceOrder, made.recipe.row_tokens),
    "short_order": lambda made: made.pairs(SentenceOrder, made.recipe.short_tokens),
    "aligned": Objectives.aligned,
    "aligned_sentiment": lambda made: made.with_parent(made.sentiment()),
    "aligned_questions": lambda made: made.with_parent(made.questions()),
    "sentiment": Objectives.sentiment,
    "questions": Objectives.questions,
    "entities": Objectives.entities,
}


def _cached(path: Path, make: Callable[[], Examples]) -> Examples:
    if not path.exists():
        made = make()
        logger.info("%s: %d examples", path.stem, len(made.starts))
        np.savez(path, tokens=made.tokens, starts=made.starts, labels=made.labels)
    with np.load(path) as arrays:
        return Examples(arrays["tokens"], arrays["starts"], arrays["labels"])

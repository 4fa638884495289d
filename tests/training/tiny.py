"""A tiny world to train in: corpora, examples and networks of a few thousand weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from transformers import BertConfig

from components.training.corpus import Corpus
from components.training.distillation import Distilled
from components.training.labelled import Examples
from components.training.loop import Training
from components.training.networks import LABELS, BertWithHeads, Network, student_of
from components.training.objectives import Objective, Pairs, Questions, Sentiment, Text
from components.training.recipes import RECIPES, Recipe
from components.training.running_text import SpecialTokens

SPECIAL = SpecialTokens(pad=0, cls=1, sep=2, mask=3, first_word=4, vocabulary=60)
WORDS = range(SPECIAL.first_word, SPECIAL.vocabulary)


def recipe(model_id: str = "bert-mini") -> Recipe:
    """Give a bundled recipe with few, short rows and no warm-up."""
    return replace(
        RECIPES[model_id],
        kept_layers=(0,) if model_id == "distilbert-mini" else (),
        corpora={"talk": 0.5, "news": 0.5},
        row_tokens=32,
        short_tokens=16,
        rows=16,
        sentiment_rows=8,
        question_rows=8,
        easy_pairs=2,
        warmup=1,
        stages=tuple(replace(s, learning_rate=(3e-3, 3e-3)) for s in RECIPES[model_id].stages),
    )


def corpus(seed: int, articles: int = 12) -> Corpus:
    """Make articles of four to nine sentences, each article with words of its own."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(4, 10, articles)
    sentences = []
    for article, count in enumerate(counts):
        own = WORDS[article * 4 : article * 4 + 4]
        sentences += [rng.choice(own, rng.integers(3, 9)) for _ in range(count)]
    edges = np.cumsum([0, *map(len, sentences)])
    starts = np.cumsum([0, *counts])
    return Corpus(np.concatenate(sentences).astype(np.uint16), edges, starts)


def corpora() -> dict[str, Corpus]:
    """Make the two corpora that the tiny recipe reads."""
    return {"talk": corpus(1), "news": corpus(2)}


def sentiment(count: int = 40) -> Examples:
    """Make sentences whose label is their first word's parity."""
    rng = np.random.default_rng(3)
    texts = rng.choice(WORDS, (count, 5))
    starts = np.stack([np.arange(count) * 5, np.arange(count) * 5 + 5], 1)
    return Examples(texts.astype(np.uint16).reshape(-1), starts, texts[:, 0] % 2)


def questions(count: int = 40) -> Examples:
    """Make a question of one word, whose answer is that word in a passage of six."""
    rng = np.random.default_rng(4)
    texts = np.stack([rng.permutation(WORDS)[:7] for _ in range(count)])
    where = rng.integers(1, 7, count)
    texts[np.arange(count), where] = texts[:, 0]
    base = np.arange(count)[:, None] * 7
    spans = np.stack([where + 2, where + 2], 1)  # [CLS] question [SEP] come before the passage
    return Examples(texts.astype(np.uint16).reshape(-1), base + np.asarray([0, 1, 7]), spans)


def bert(layers: int = 2) -> BertWithHeads:
    """Make a BERT with every head and random weights."""
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=SPECIAL.vocabulary,
        hidden_size=16,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        **LABELS,
    )
    return BertWithHeads(config)


def network(recipe: Recipe) -> tuple[Network, BertWithHeads | None]:
    """Make the network that a recipe trains, and its teacher if it has one."""
    if recipe.family == "distilbert":
        teacher = bert()
        return student_of(teacher, recipe.kept_layers), teacher
    return bert(), None


def objectives(recipe: Recipe, teacher: BertWithHeads | None = None) -> dict[str, Objective]:
    """Make all objectives on the tiny data."""
    made: dict[str, Objective] = {
        "text": Text(recipe, corpora(), SPECIAL),
        "pairs": Pairs(recipe, corpora(), SPECIAL, row_tokens=recipe.row_tokens),
        "short_pairs": Pairs(recipe, corpora(), SPECIAL, row_tokens=recipe.short_tokens),
        "sentiment": Sentiment(recipe, sentiment(), SPECIAL),
        "questions": Questions(recipe, questions(), SPECIAL),
    }
    if teacher is None:
        return made
    return {name: Distilled(each, teacher, recipe.temperature) for name, each in made.items()}


def training(recipe: Recipe) -> Training:
    """Make a training of a tiny network on the CPU."""
    made, teacher = network(recipe)
    return Training(made, recipe, torch.device("cpu"), teacher)

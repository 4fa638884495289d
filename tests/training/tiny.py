"""A tiny world to train in: a few sentences, every family's own tokenizer, small networks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from transformers import BertConfig

from components.training.alignment import Aligned, Reading
from components.training.corpus import Corpus, tokenise
from components.training.distillation import Distilled
from components.training.entities import Entities, Sentence, entity_examples
from components.training.growing import grow
from components.training.labelled import Examples, question_examples
from components.training.loop import Training
from components.training.networks import LABELS, BertWithHeads, Network
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
from components.training.running_text import SpecialTokens
from components.training.same_texts import AlignedExamples, Spelling
from components.training.vocabularies import special_tokens
from tests import fakes

HIDDEN = 16
FIRST_WORD = 5


def recipe(model_id: str = "bert-mini") -> Recipe:
    """Give a bundled recipe with few, short rows, few layers and no warm-up."""
    whole = RECIPES[model_id]
    return replace(
        whole,
        layers=2,
        kept_layers=whole.kept_layers[:1] and (0,),
        embedding=min(whole.embedding, HIDDEN) // (1 + (whole.family == "albert")),
        first_word=FIRST_WORD,
        corpora={"talk": 0.5, "news": 0.5},
        row_tokens=32,
        short_tokens=24,
        rows=16,
        sentiment_rows=8,
        question_rows=8,
        entity_rows=8,
        easy_pairs=2,
        warmup=1,
        stages=tuple(replace(s, learning_rate=(3e-3, 3e-3)) for s in whole.stages),
    )


def tokenizer(made: Recipe) -> Any:
    """Give the family's own kind of tokenizer."""
    return fakes.tokenizer_of(made.family)


def special(made: Recipe) -> SpecialTokens:
    """Give its special tokens."""
    return special_tokens(tokenizer(made), FIRST_WORD)


def corpus(seed: int, made: Recipe, articles: int = 12) -> Corpus:
    """Make articles of four to nine of the sentences."""
    rng = np.random.default_rng(seed)
    texts = []
    for number in range(articles):
        chosen = rng.choice(fakes.SENTENCES, rng.integers(4, 10))
        texts.append((f"article {number}", "\n".join(chosen)))
    return tokenise(texts, tokenizer(made))


# Running text of numbers, in which a word tells its article: for what tokenizers do not matter to.
SPECIAL = SpecialTokens(pad=0, cls=1, sep=2, mask=3, first_word=4, vocabulary=60)
WORDS = range(SPECIAL.first_word, SPECIAL.vocabulary)


def numbers(seed: int, articles: int = 12) -> Corpus:
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


def corpora(made: Recipe) -> dict[str, Corpus]:
    """Make the two corpora that the tiny recipe reads."""
    return {"talk": corpus(1, made), "news": corpus(2, made)}


def sentiment(made: Recipe) -> Examples:
    """Make sentences whose label says whether they speak of a love."""
    lines = [f"i {word} the {thing}" for word in ("love", "hate") for thing in NOUNS]
    rows = [tokenizer(made)(line, add_special_tokens=False)["input_ids"] for line in lines]
    edges = np.cumsum([0, *map(len, rows)])
    labels = np.asarray([int("love" in line) for line in lines])
    tokens = np.concatenate(rows).astype(np.uint16)
    return Examples(tokens, np.stack([edges[:-1], edges[1:]], 1), labels)


def entities(made: Recipe) -> Examples:
    """Make sentences in which cities are places and nothing else has a name."""
    lines = [("we", "saw", noun, "in", "paris") for noun in NOUNS]
    labels = ("O", "O", "O", "O", "B-LOC")
    return entity_examples([Sentence(line, labels) for line in lines], tokenizer(made))


NOUNS = ("river", "film", "music", "soup", "bread", "library", "menu", "city", "sea", "storm")


def questions(made: Recipe) -> Examples:
    """Ask for the last word of a passage, and for what is not there."""
    rows = []
    for noun in NOUNS:
        passage = f"the boats ran past the {noun}"
        answer = {"text": noun, "start": passage.index(noun)}
        rows.append({"question": "where did the boats go", "context": passage, "answers": [answer]})
    rows.append({"question": "what was cold", "context": "the bread was warm", "answers": []})
    return question_examples(rows, tokenizer(made), made)


def bert(layers: int = 2) -> BertWithHeads:
    """Make a BERT with every head and random weights."""
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(fakes.tokenizer_of("bert")),
        hidden_size=HIDDEN,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        **LABELS,
    )
    return BertWithHeads(config)


def network(made: Recipe) -> tuple[Network, Network | None]:
    """Make the network that a recipe trains, and its parent if it has one."""
    parent = bert()
    if made.parent is None:
        return parent, None
    return grow(made, parent, tokenizer(made), fakes.tokenizer_of("bert")), parent


def objectives(made: Recipe, parent: Network | None = None) -> dict[str, Objective]:
    """Make all objectives on the tiny data."""
    texts, marks = corpora(made), special(made)
    found: dict[str, Objective] = {
        "text": Text(made, texts, marks),
        "replaced": Replaced(made, texts, marks),
        "pairs": Pairs(made, texts, marks, row_tokens=made.row_tokens),
        "short_pairs": Pairs(made, texts, marks, row_tokens=made.short_tokens),
        "order": SentenceOrder(made, texts, marks, row_tokens=made.row_tokens),
        "short_order": SentenceOrder(made, texts, marks, row_tokens=made.short_tokens),
        "sentiment": Sentiment(made, sentiment(made), marks),
        "questions": Questions(made, questions(made), marks),
        "entities": Entities(made, entities(made), marks),
    }
    if parent is None:
        return found
    if made.taught:
        return {name: Distilled(each, parent, made.temperature) for name, each in found.items()}
    theirs = recipe("bert-mini")
    reading = Reading(corpora(theirs), special(theirs))
    ours = Spelling.of(tokenizer(made), made.first_word)
    parents = Spelling.of(fakes.tokenizer_of("bert"), theirs.first_word)
    labelled = (found["sentiment"], found["questions"])
    return found | {
        "aligned": Aligned(made, Reading(texts, marks), reading, parent),
        **{
            f"aligned_{name}": AlignedExamples(inner, ours, parents, parent)  # type: ignore[arg-type]
            for name, inner in zip(("sentiment", "questions"), labelled, strict=True)
        },
    }


def training(made: Recipe) -> Training:
    """Make a training of a tiny network on the CPU."""
    grown, parent = network(made)
    return Training(grown, made, torch.device("cpu"), parent)

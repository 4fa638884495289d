"""Held-out figures of a network: what the card and the gate for a release rest on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from components.training import networks, scoring
from components.training.answering import (
    Figures,
    answer_scores,
    answerable_rows,
    no_answer_scores,
    unanswerable_rows,
)
from components.training.corpus import Corpus, read_table
from components.training.entities import held_out_sentences, word_labels
from components.training.networks import Batch, Network, on_device
from components.training.objectives import Texts, masked_logits
from components.training.recipes import Recipe
from components.training.replaced import corrupted, judged_tokens
from components.training.running_text import (
    PAIRINGS,
    Pairing,
    SpecialTokens,
    collate,
    draw_pair,
    hide,
    text_row,
)
from components.training.vocabularies import special_tokens
from components.training.whole_words import whole_word_accuracy

ROWS = 16  # in a batch
CHOSEN = 0.15  # share of the tokens that are guessed, or replaced


@dataclass(frozen=True)
class Evaluation:
    """How much is evaluated, and in what precision."""

    text_rows: int = 256  # rows of running text for each corpus
    pairs: int = 256  # of each kind
    questions: int = 1000  # with an answer; and as many of SQuAD 2.0
    words: int = 1000  # whole words
    autocast: bool = True  # bfloat16, as in training: much faster on CPUs


@dataclass(frozen=True)
class Subject:
    """What is measured, and on what."""

    network: Network
    recipe: Recipe
    tokenizer: Any
    corpora: dict[str, Corpus]  # held out, as the recipe's tokenizer spells them
    data: Path
    how: Evaluation
    generator: Network | None = None  # ELECTRA's, which replaces the tokens to be found

    @property
    def special(self) -> SpecialTokens:
        """The special tokens of its vocabulary."""
        return special_tokens(self.tokenizer, self.recipe.first_word)


def held_out_figures(subject: Subject) -> Figures:
    """Measure everything that the network has a head for."""
    subject.network.train(False)
    device = next(subject.network.parameters()).device.type
    figures: Figures = {}
    with torch.inference_mode(), torch.autocast(device, torch.bfloat16, subject.how.autocast):
        for head in subject.network.heads:
            figures |= MEASURES[head](subject)
    return {name: round(value, 4) for name, value in figures.items()}


def masked_words(subject: Subject) -> Figures:
    """Give the share of right first guesses by corpus, all hidden ones, and whole words."""
    figures = {
        f"masked_{name}": masked_accuracy(subject, subject.recipe, corpus)
        for name, corpus in subject.corpora.items()
    }
    hidden = replace(subject.recipe, kept=0.0, random=0.0)
    figures["all_masked_wikipedia"] = masked_accuracy(subject, hidden, subject.corpora["wikipedia"])
    figures["whole_words"] = whole_word_accuracy(
        subject.network, subject.tokenizer, subject.data, subject.how.words
    )
    return figures


def masked_accuracy(subject: Subject, recipe: Recipe, corpus: Corpus) -> float:
    """Give the share of right first guesses for 15 % of the tokens, chosen at random.

    With BERT's own recipe 80 % of these are shown as [MASK], 10 % as another token, 10 % as
    they are; with `kept` and `random` at 0 all are hidden, which is harder.
    """
    right = total = 0
    for batch in _texts(subject, recipe, corpus):
        hidden = subject.network.encode(batch)
        guesses = masked_logits(subject.network, batch, hidden).argmax(-1)
        right += int((guesses == batch["hidden"]).sum())
        total += len(guesses)
    return right / total


def _texts(subject: Subject, recipe: Recipe, corpus: Corpus) -> list[Batch]:
    rng, special = np.random.default_rng(recipe.seed), subject.special
    batches = []
    for number in range(0, subject.how.text_rows, ROWS):
        rows: list[Texts] = [(text_row(corpus, recipe.row_tokens - 2, rng),) for _ in range(ROWS)]
        made = hide(collate(rows, special), recipe, special, rng, share=CHOSEN)
        made["seed"] = torch.tensor(number)
        batches.append(on_device(subject.network, made))
    return batches


def next_sentence(subject: Subject) -> Figures:
    """Give the share of pairs judged rightly, by how the second text was chosen.

    `pairs_other` is the usual measure: half neighbours, half texts of other articles.
    """
    figures: Figures = {}
    for prefix, tokens in _lengths(subject, "pairs"):
        found = {kind: _as_it_stood(subject, tokens, kind) for kind in set(PAIRINGS)}
        neighbour = found[Pairing.NEIGHBOUR]
        figures[f"{prefix}_other"] = (neighbour + 1 - found[Pairing.OTHER_ARTICLE]) / 2
        figures[f"{prefix}_same"] = (neighbour + 1 - found[Pairing.SAME_ARTICLE]) / 2
        figures[f"{prefix}_neighbours_found"] = neighbour
    return figures


def sentence_order(subject: Subject) -> Figures:
    """Give the share of neighbours whose order was judged rightly; half of them are swapped."""
    figures: Figures = {}
    for name, tokens in _lengths(subject, "sentence_order"):
        in_order = _as_it_stood(subject, tokens, Pairing.NEIGHBOUR)
        swapped = _as_it_stood(subject, tokens, Pairing.NEIGHBOUR, swap=True)
        figures[name] = (in_order + 1 - swapped) / 2
    return figures


def _lengths(subject: Subject, name: str) -> tuple[tuple[str, int], ...]:
    return (name, subject.recipe.row_tokens), (f"short_{name}", subject.recipe.short_tokens)


def _as_it_stood(subject: Subject, tokens: int, kind: Pairing, *, swap: bool = False) -> float:
    """Give the share of pairs of one kind that the network takes for a text as it stood."""
    rng, special = np.random.default_rng((subject.recipe.seed, kind)), subject.special
    room, shares = tokens - 2 - special.between, subject.recipe.corpora
    count = 0
    for _ in range(0, subject.how.pairs, ROWS):
        rows: list[Texts] = [
            draw_pair(subject.corpora, shares, room, rng, pairing=kind) for _ in range(ROWS)
        ]
        rows = [row[::-1] for row in rows] if swap else rows
        batch = on_device(subject.network, collate(rows, special))
        logits = subject.network.pair_logits(subject.network.encode(batch))
        count += int((logits.argmax(-1) == 0).sum())
    return count / (-(-subject.how.pairs // ROWS) * ROWS)


def replaced_tokens(subject: Subject) -> Figures:
    """Tell replaced tokens from others; the generator replaces 15 %, by sampling."""
    assert subject.generator is not None
    hidden = replace(subject.recipe, kept=0.0, random=0.0)
    scores, truth = [], []
    for batch in _texts(subject, hidden, subject.corpora["wikipedia"]):
        guesses = masked_logits(subject.generator, batch, subject.generator.encode(batch))
        shown, replaced = corrupted(batch, guesses)
        judged = judged_tokens(batch, subject.special)
        logits = subject.network.replaced_logits(subject.network.encode(shown)).float()
        scores.append(logits[judged].cpu().numpy())
        truth.append(replaced[judged].cpu().numpy())
    logits_of_all, replaced_of_all = np.concatenate(scores), np.concatenate(truth)
    right = (logits_of_all > 0) == replaced_of_all
    return {
        "replaced_auc": scoring.area_under_curve(logits_of_all, replaced_of_all),
        "replaced_found": float(right[replaced_of_all].mean()),
        "originals_kept": float(right[~replaced_of_all].mean()),
    }


def sentiment(subject: Subject) -> Figures:
    """Give the accuracy on the development set of SST-2."""
    rows = sorted(read_table(subject.data, "sst2_dev.tsv"), key=lambda row: len(row["sentence"]))
    right = 0
    for start in range(0, len(rows), 4 * ROWS):
        some = rows[start : start + 4 * ROWS]
        batch = subject.tokenizer(
            [row["sentence"].strip() for row in some],
            padding=True,
            return_token_type_ids=True,
            return_tensors="pt",
        )
        hidden = subject.network.encode(on_device(subject.network, dict(batch)))
        labels = subject.network.sentiment_logits(hidden).argmax(-1).tolist()
        right += sum(label == int(row["label"]) for label, row in zip(labels, some, strict=True))
    return {"sentiment": right / len(rows)}


def questions(subject: Subject) -> Figures:
    """Score answers, and the refusal to answer."""
    given = subject.network, subject.tokenizer
    count = subject.how.questions
    figures = answer_scores(given[0], answerable_rows(subject.data, count), given[1])
    return figures | no_answer_scores(given[0], unanswerable_rows(subject.data, count), given[1])


def named_entities(subject: Subject) -> Figures:
    """Give the F1 of entities, every word of them right, on each text kept for it."""
    figures: Figures = {}
    for name, sentences in held_out_sentences(subject.data).items():
        some = sorted(sentences, key=lambda each: len(each.words))
        found: list[list[str]] = []
        for start in range(0, len(some), 2 * ROWS):
            part = some[start : start + 2 * ROWS]
            found += word_labels(subject.network, subject.tokenizer, part)
        expected = [sentence.labels for sentence in some]
        figures[f"entities_{name}_f1"] = scoring.entity_f1(found, expected)
    return figures


MEASURES = {
    networks.MASKED: masked_words,
    networks.PAIRS: next_sentence,
    networks.ORDER: sentence_order,
    networks.REPLACED: replaced_tokens,
    networks.SENTIMENT: sentiment,
    networks.QUESTIONS: questions,
    networks.ENTITIES: named_entities,
}

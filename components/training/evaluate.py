"""Held-out figures of a network: what the card and the gate for a release rest on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from components.training import scoring
from components.training.corpus import (
    Corpus,
    held_out_titles,
    read_json_lines,
    read_table,
    unanswerable_titles,
)
from components.training.networks import Batch, BertWithHeads, Network
from components.training.objectives import masked_logits, span_logits
from components.training.recipes import Recipe
from components.training.running_text import (
    Ids,
    Pairing,
    SpecialTokens,
    collate,
    draw_pair,
    hide,
    text_row,
)

Figures = dict[str, float]
Row = dict[str, Any]
LONGEST_ANSWER = 30  # tokens
ROWS = 16  # in a batch


@dataclass(frozen=True)
class Evaluation:
    """How much is evaluated, and in what precision."""

    text_rows: int = 256  # rows of running text for each corpus
    pairs: int = 256  # of each kind
    questions: int = 1000  # with an answer; and as many of SQuAD 2.0
    autocast: bool = True  # bfloat16, as in training: much faster on CPUs


def held_out_figures(
    network: Network,
    recipe: Recipe,
    data: Path,
    corpora: dict[str, Corpus],
    tokenizer: Any,
    how: Evaluation,
) -> Figures:
    """Measure everything that the network's family can do."""
    network.train(False)
    device_type = next(network.parameters()).device.type
    with torch.inference_mode(), torch.autocast(device_type, torch.bfloat16, how.autocast):
        figures = {
            f"masked_{name}": masked_accuracy(network, recipe, corpus, how.text_rows)
            for name, corpus in corpora.items()
        }
        hidden = replace(recipe, kept=0.0, random=0.0)
        wikipedia = corpora["wikipedia"]
        figures["all_masked_wikipedia"] = masked_accuracy(network, hidden, wikipedia, how.text_rows)
        if isinstance(network, BertWithHeads):
            figures |= pair_accuracy(network, recipe, corpora, how.pairs)
        figures["sentiment"] = sentiment_accuracy(network, data, tokenizer)
        figures |= answer_scores(network, answerable_rows(data, how.questions), tokenizer)
        figures |= no_answer_scores(network, unanswerable_rows(data, how.questions), tokenizer)
    return {name: round(value, 4) for name, value in figures.items()}


def on_device(network: Network, batch: Batch) -> Batch:
    """Bring a batch to where the network is."""
    device = next(network.parameters()).device
    return {key: value.to(device) for key, value in batch.items()}


def masked_accuracy(network: Network, recipe: Recipe, corpus: Corpus, count: int) -> float:
    """Give the share of right first guesses for 15 % of the tokens, chosen at random.

    With BERT's own recipe 80 % of these are shown as [MASK], 10 % as another token, 10 % as
    they are; with `kept` and `random` at 0 all are hidden, which is harder.
    """
    rng, special = np.random.default_rng(recipe.seed), SpecialTokens()
    right = total = 0
    for _ in range(0, count, ROWS):
        rows: list[tuple[Ids, ...]] = [
            (text_row(corpus, recipe.row_tokens - 2, rng),) for _ in range(ROWS)
        ]
        made = hide(collate(rows, special), recipe, special, rng, share=0.15)
        batch = on_device(network, made)
        guesses = masked_logits(network, batch, network.encode(batch)).argmax(-1)
        right += int((guesses == batch["hidden"]).sum())
        total += len(guesses)
    return right / total


def pair_accuracy(
    network: BertWithHeads, recipe: Recipe, corpora: dict[str, Corpus], count: int
) -> Figures:
    """Give the share of pairs judged rightly, by how the second text was chosen.

    `pairs_other` is the usual measure: half neighbours, half texts of other articles.
    """
    figures: Figures = {}
    for prefix, tokens in (("pairs", recipe.row_tokens), ("short_pairs", recipe.short_tokens)):
        found = {
            kind: _follows(network, recipe, corpora, tokens=tokens, kind=kind, count=count)
            for kind in Pairing
        }
        neighbour = found[Pairing.NEIGHBOUR]
        figures[f"{prefix}_other"] = (neighbour + 1 - found[Pairing.OTHER_ARTICLE]) / 2
        figures[f"{prefix}_same"] = (neighbour + 1 - found[Pairing.SAME_ARTICLE]) / 2
        figures[f"{prefix}_neighbours_found"] = neighbour
    return figures


def _follows(
    network: BertWithHeads,
    recipe: Recipe,
    corpora: dict[str, Corpus],
    *,
    tokens: int,
    kind: Pairing,
    count: int,
) -> float:
    """Give the share of pairs of one kind of which the network says that B follows A."""
    rng, special = np.random.default_rng((recipe.seed, kind)), SpecialTokens()
    follows = 0
    for _ in range(0, count, ROWS):
        rows = [
            draw_pair(corpora, recipe.corpora, tokens - 3, rng, pairing=kind) for _ in range(ROWS)
        ]
        batch = on_device(network, collate(list(rows), special))
        follows += int((network.pair_logits(network.encode(batch)).argmax(-1) == 0).sum())
    return follows / (-(-count // ROWS) * ROWS)


def sentiment_accuracy(network: Network, data: Path, tokenizer: Any) -> float:
    """Give the accuracy on the development set of SST-2."""
    rows = sorted(read_table(data, "sst2_dev.tsv"), key=lambda row: len(row["sentence"]))
    right = 0
    for start in range(0, len(rows), 4 * ROWS):
        some = rows[start : start + 4 * ROWS]
        batch = tokenizer([r["sentence"].strip() for r in some], padding=True, return_tensors="pt")
        hidden = network.encode(on_device(network, dict(batch)))
        labels = network.sentiment_logits(hidden).argmax(-1).tolist()
        right += sum(label == int(row["label"]) for label, row in zip(labels, some, strict=True))
    return right / len(rows)


def answerable_rows(data: Path, count: int) -> list[Row]:
    """Give every n-th question of the held-out SQuAD titles, `count` in all."""
    hidden = held_out_titles(data)
    rows = [r for r in read_json_lines(data, "squad_train_v1.1.jsonl") if r["title"] in hidden]
    return rows[:: max(1, len(rows) // count)][:count]


def unanswerable_rows(data: Path, count: int) -> list[Row]:
    """Give questions of the held-out SQuAD 2.0 titles: about half have no answer."""
    hidden = unanswerable_titles(data, held_out=True)
    rows = [r for r in read_json_lines(data, "squad_v2.0_dev_half.jsonl") if r["title"] in hidden]
    return rows[:: max(1, len(rows) // count)][:count]


def answer_scores(network: Network, rows: list[Row], tokenizer: Any) -> Figures:
    """Score the best span, as SQuAD 1.1 does; "no answer" is not allowed."""
    f1s, exact = [], []
    for row, (answer, _) in zip(rows, answers(network, rows, tokenizer), strict=True):
        expected = [item["text"] for item in row["answers"]]
        f1s.append(scoring.f1(answer, expected))
        exact.append(scoring.exact_match(answer, expected))
    return {"questions_f1": float(np.mean(f1s)), "questions_exact": float(np.mean(exact))}


def no_answer_scores(network: Network, rows: list[Row], tokenizer: Any) -> Figures:
    """Score how well [CLS] against the best span tells questions without an answer.

    `questions_dev_f1` is the best span's score on those that have one, each with several
    accepted answers as in SQuAD's own evaluation.
    """
    given = answers(network, rows, tokenizer)
    none = np.asarray([not row["answers"] for row in rows])
    margin = np.asarray([null for _, null in given])
    overlap = np.asarray(
        [
            scoring.f1(answer, [item["text"] for item in row["answers"]] or [""])
            for row, (answer, _) in zip(rows, given, strict=True)
        ]
    )
    with_null = np.where(margin > 0, none.astype(float), np.where(none, 0.0, overlap))
    return {
        "questions_dev_f1": float(overlap[~none].mean()),
        "no_answer_auc": scoring.area_under_curve(margin, none),
        "no_answer_best_accuracy": scoring.best_accuracy(margin, none),
        "no_answer_accuracy": float(((margin > 0) == none).mean()),
        "squad2_f1": float(with_null.mean()),
    }


def answers(network: Network, rows: list[Row], tokenizer: Any) -> list[tuple[str, float]]:
    """Give each row's best span and by how much [CLS] beats it."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]["context"]))
    found: dict[int, tuple[str, float]] = {}
    for start in range(0, len(order), ROWS):
        chosen = order[start : start + ROWS]
        some = _answers(network, [rows[i] for i in chosen], tokenizer)
        found.update(zip(chosen, some, strict=True))
    return [found[i] for i in range(len(rows))]


def _answers(network: Network, rows: list[Row], tokenizer: Any) -> list[tuple[str, float]]:
    encoding = tokenizer(
        [row["question"].strip() for row in rows],
        [row["context"] for row in rows],
        truncation="only_second",
        max_length=512,
        padding=True,
        return_offsets_mapping=True,
        return_token_type_ids=True,
        return_tensors="pt",
    )
    offsets = encoding.pop("offset_mapping")
    batch = on_device(network, dict(encoding))
    start, end = span_logits(network, batch, network.encode(batch)).cpu().unbind(-1)
    null = start[:, 0] + end[:, 0]
    start[:, 0] = end[:, 0] = torch.finfo(start.dtype).min
    for number in range(len(rows)):  # the closing [SEP] is no answer
        last = int(batch["attention_mask"][number].sum()) - 1
        start[number, last] = end[number, last] = torch.finfo(start.dtype).min
    first, last_token, score = best_spans(start, end)
    return [
        (
            row["context"][offsets[i, first[i], 0] : offsets[i, last_token[i], 1]],
            float(null[i] - score[i]),
        )
        for i, row in enumerate(rows)
    ]


def best_spans(
    start: torch.Tensor, end: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Give first and last token and score of each row's best span; logits are (rows, tokens)."""
    size = start.shape[1]
    allowed = torch.ones(size, size, dtype=torch.bool).triu().tril(LONGEST_ANSWER - 1)
    scores = (start.unsqueeze(2) + end.unsqueeze(1)).masked_fill(~allowed, -torch.inf)
    score, place = scores.flatten(1).max(1)
    return place // size, place % size, score

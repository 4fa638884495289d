"""Answers of a network to questions about passages, and their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from components.training import scoring
from components.training.corpus import held_out_titles, read_json_lines, unanswerable_titles
from components.training.labelled import Row
from components.training.networks import Network, on_device
from components.training.objectives import span_logits

Figures = dict[str, float]
LONGEST_ANSWER = 30  # tokens
ROWS = 16  # in a batch


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
    sides = [encoding.sequence_ids(number) for number in range(len(rows))]
    encoding["token_type_ids"] = torch.tensor([[int(s == 1) for s in row] for row in sides])
    batch = on_device(network, dict(encoding))
    start, end = span_logits(network, batch, network.encode(batch)).cpu().unbind(-1)
    null = start[:, 0] + end[:, 0]
    start[:, 0] = end[:, 0] = torch.finfo(start.dtype).min
    first, last_token, score = best_spans(start, end)
    return [
        (
            row["context"][offsets[i, first[i], 0] : offsets[i, last_token[i], 1]].strip(),
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

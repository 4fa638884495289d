"""Labelled examples, tokenised once: sentences with a label, questions with a span."""

from __future__ import annotations

import itertools
import logging
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.training.corpus import (
    held_out_titles,
    read_json_lines,
    read_table,
    unanswerable_titles,
)
from components.training.recipes import Recipe

logger = logging.getLogger(__name__)

Row = dict[str, Any]


@dataclass(frozen=True)
class Examples:
    """Token ids of one or two texts for each example, in flat arrays, and its labels."""

    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]  # (examples, texts + 1): where each text starts, and the end
    labels: NDArray[np.int64]  # (examples,); (examples, 2) for a span in the laid-out row; or
    # (tokens,), one for each

    def texts(self, index: int) -> tuple[NDArray[np.uint16], ...]:
        """Give the texts of one example."""
        edges = self.starts[index]
        return tuple(self.tokens[start:end] for start, end in itertools.pairwise(edges))

    def lengths(self) -> NDArray[np.int64]:
        """Give the number of tokens of each example."""
        return self.starts[:, -1] - self.starts[:, 0]


class Order:
    """Shuffled passes over examples, in batches of about the same length."""

    GROUP = 40  # batches that are sorted by length together

    def __init__(self, lengths: NDArray[np.int64], rows: int, seed: int) -> None:
        self.lengths, self.rows, self.seed = lengths, rows, seed
        self.batches = max(1, len(lengths) // rows)  # in one pass
        self._made: tuple[int, list[NDArray[np.int64]]] = (-1, [])

    def batch(self, number: int) -> NDArray[np.int64]:
        """Give the examples of the batch of that number."""
        number_of_pass, within = divmod(number, self.batches)
        if self._made[0] != number_of_pass:
            self._made = (number_of_pass, self._pass(number_of_pass))
        return self._made[1][within]

    def _pass(self, number: int) -> list[NDArray[np.int64]]:
        rng = np.random.default_rng((self.seed, number))
        order = rng.permutation(len(self.lengths))[: self.batches * self.rows]
        batches: list[NDArray[np.int64]] = []
        for start in range(0, len(order), self.rows * self.GROUP):
            group = order[start : start + self.rows * self.GROUP]
            group = group[np.argsort(self.lengths[group], kind="stable")]
            batches += [group[i : i + self.rows] for i in range(0, len(group), self.rows)]
        return [batches[i] for i in rng.permutation(len(batches))]


def _flat(rows: list[tuple[list[int], ...]], labels: Any) -> Examples:
    texts = [text for row in rows for text in row]
    tokens = np.concatenate([np.asarray(text, dtype=np.uint16) for text in texts])
    return Examples(tokens, flat_starts(texts, len(rows[0])), np.asarray(labels, dtype=np.int64))


def flat_starts(texts: list[list[int]], width: int) -> NDArray[np.int64]:
    """Give where the `width` texts of each example start when all lie in a row, and the end."""
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    starts = np.stack([ends[offset : len(texts) + offset : width] for offset in range(width)], 1)
    return np.concatenate([starts, ends[width::width, None]], 1)


def sentiment_examples(data: Path, tokenizer: Any, longest: int = 126) -> Examples:
    """Read the SST-2 sentences for training; those that equal one for evaluation are dropped."""
    evaluated = {_letters(row["sentence"]) for row in read_table(data, "sst2_dev.tsv")}
    rows = read_table(data, "sst2_train.tsv")
    rows = [row for row in rows if _letters(row["sentence"]) not in evaluated]
    encodings = tokenizer.backend_tokenizer.encode_batch_fast(
        [row["sentence"].strip() for row in rows], add_special_tokens=False
    )
    return _flat([(e.ids[:longest],) for e in encodings], [int(row["label"]) for row in rows])


def _letters(sentence: str) -> str:
    return re.sub(r"[^a-z]", "", sentence.lower())


def question_rows(data: Path, recipe: Recipe) -> list[Row]:
    """Give answerable questions of the training titles, and a share without an answer."""
    hidden = held_out_titles(data)
    known = unanswerable_titles(data, held_out=False)
    rows = [r for r in read_json_lines(data, "squad_train_v1.1.jsonl") if r["title"] not in hidden]
    rows = [row for row in rows if row["n_occurrences"] == 1]
    second = [r for r in read_json_lines(data, "squad_v2.0_dev_half.jsonl") if r["title"] in known]
    second = [row for row in second if not row["answers"] or row["n_occurrences"] == 1]
    real = sum(not row["answers"] for row in second)
    wanted = int(len(rows) * recipe.unanswerable / (1 - recipe.unanswerable)) - real
    return rows + second + misplaced(rows, max(0, wanted), recipe.seed)


def misplaced(rows: list[Row], count: int, seed: int) -> list[Row]:
    """Put questions to other passages of their article that do not hold the answer."""
    passages: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        passages[row["title"]].add(row["context"])
    sorted_passages = {title: sorted(found) for title, found in passages.items()}
    rng = np.random.default_rng(seed)
    made = []
    for index in rng.permutation(len(rows))[:count]:
        row = rows[index]
        answer = row["answers"][0]["text"].lower()
        others = [p for p in sorted_passages[row["title"]] if answer not in p.lower()]
        if others:
            made.append(row | {"context": others[rng.integers(len(others))], "answers": []})
    return made


def question_examples(rows: list[Row], tokenizer: Any, recipe: Recipe) -> Examples:
    """Tokenise questions and passages; find the answer's tokens, in a window if need be."""
    encode = tokenizer.backend_tokenizer.encode_batch
    rng = np.random.default_rng(recipe.seed)
    between = tokenizer("a", "b")["input_ids"].count(tokenizer.sep_token_id) - 1
    texts: list[tuple[list[int], ...]] = []
    spans: list[tuple[int, int]] = []
    for first in range(0, len(rows), 5_000):
        some = rows[first : first + 5_000]
        questions = encode([row["question"].strip() for row in some], add_special_tokens=False)
        passages = encode([row["context"] for row in some], add_special_tokens=False)
        for row, question, passage in zip(some, questions, passages, strict=True):
            found = _feature(row, question.ids[:60], passage, recipe, rng, between=between)
            if found is not None:
                texts.append(found[0])
                spans.append(found[1])
    return _flat(texts, spans)


def _feature(
    row: Row,
    question: list[int],
    passage: Any,
    recipe: Recipe,
    rng: np.random.Generator,
    *,
    between: int,
) -> tuple[tuple[list[int], list[int]], tuple[int, int]] | None:
    """Lay out one example; None where the answer cuts through a token."""
    room = recipe.question_tokens - len(question) - 2 - between
    if not row["answers"]:
        return (question, passage.ids[:room]), (0, 0)
    span = answer_tokens(row["answers"][0], row["context"], passage.offsets)
    if span is None or span[1] - span[0] >= room:
        return None
    earliest, latest = max(0, span[1] + 1 - room), min(span[0], max(0, len(passage.ids) - room))
    start = int(rng.integers(min(earliest, latest), latest + 1))
    shift = len(question) + 1 + between - start
    return (question, passage.ids[start : start + room]), (span[0] + shift, span[1] + shift)


def answer_tokens(
    answer: dict[str, Any], passage: str, offsets: list[tuple[int, int]]
) -> tuple[int, int] | None:
    """Find the first and last token of an answer, whose edges must be edges of tokens.

    Some tokenizers count the space before a word in; one that is nothing but a space does not
    begin an answer.
    """
    start, end = answer["start"], answer["start"] + len(answer["text"])
    words = [(edge[1] - len(passage[edge[0] : edge[1]].lstrip()), edge[1]) for edge in offsets]
    first = next((i for i, (a, b) in enumerate(words) if a == start and b > a), None)
    last = next((i for i, (a, b) in enumerate(words) if b == end and b > a), None)
    return None if first is None or last is None or last < first else (first, last)

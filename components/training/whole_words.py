"""Whole words on one list for all models, so that vocabularies of unlike size can be compared.

A word is hidden whole: as many masks as the model needs pieces for it. It counts as found when
every piece is guessed right at once, each with its own best guess.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from components.training.corpus import READERS, is_held_out, split_sentences
from components.training.networks import Network, on_device

CORPORA = ("wikipedia", "wikinews", "novels", "masc")
ROWS = 64  # sentences in a batch
LENGTHS = (40, 240)  # characters of a sentence
WORD = re.compile(r"(?<= )[A-Za-z]{2,}(?= )")  # between spaces: no punctuation to lean on


def word_list(data: Path, count: int) -> list[tuple[str, int, int]]:
    """Give sentences that no model was trained on, each with the place of the hidden word.

    Always the same ones; as many of each corpus.
    """
    rng = np.random.default_rng(7)
    found: list[tuple[str, int, int]] = []
    for name in CORPORA:
        texts = (text for title, text in READERS[name](data) if is_held_out(title))
        sentences = sorted({s for text in texts for s in split_sentences(text)})
        usable = [s for s in sentences if LENGTHS[0] <= len(s) <= LENGTHS[1] and WORD.search(s)]
        for index in rng.permutation(len(usable))[: count // len(CORPORA)]:
            words = list(WORD.finditer(usable[index]))
            chosen = words[rng.integers(len(words))]
            found.append((usable[index], *chosen.span()))
    return found


def whole_word_accuracy(network: Network, tokenizer: Any, data: Path, count: int) -> float:
    """Give the share of the list's words that the network finds."""
    rows = word_list(data, count)
    right = 0
    for start in range(0, len(rows), ROWS):
        right += _found(network, tokenizer, rows[start : start + ROWS])
    return right / len(rows)


def _found(network: Network, tokenizer: Any, rows: list[tuple[str, int, int]]) -> int:
    encoding = tokenizer(
        [text for text, _, _ in rows],
        padding=True,
        return_token_type_ids=True,
        return_tensors="pt",
    )
    ids = encoding["input_ids"]
    places = [
        [i for i, edge in enumerate(encoding[n].offsets) if edge[1] > first and edge[0] < end]
        for n, (_, first, end) in enumerate(rows)
    ]
    hidden = [ids[n, where].clone() for n, where in enumerate(places)]
    for n, where in enumerate(places):
        ids[n, where] = tokenizer.mask_token_id
    batch = on_device(network, dict(encoding))
    vectors = network.encode(batch)
    right = 0
    for n, where in enumerate(places):
        guesses = network.mask_logits(vectors[n, where]).argmax(-1).cpu()
        right += int((guesses == hidden[n]).all())
    return right

"""Rows of running text for masked words and sentence pairs: a corpus -> a batch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import torch
from numpy.typing import NDArray

from components.training.corpus import Corpus
from components.training.networks import Batch
from components.training.recipes import Recipe

Ids = NDArray[np.integer]
Rng = np.random.Generator
NOT_FOLLOWS = 1  # label of BERT's next-sentence head; 0 means that B follows A


class Pairing(IntEnum):
    """How the second text of a pair was chosen; another article is one of any corpus."""

    NEIGHBOUR = 0
    OTHER_ARTICLE = 1
    SAME_ARTICLE = 2
    OPENING = 3  # a neighbour too; the first text opens its article


EASY_PAIRINGS = (Pairing.NEIGHBOUR, Pairing.OTHER_ARTICLE)
# Half neighbours; BERT took all others from other articles, which teaches little but the topic.
PAIRINGS = (*4 * [Pairing.NEIGHBOUR], *3 * [Pairing.OTHER_ARTICLE], Pairing.SAME_ARTICLE)


@dataclass(frozen=True)
class SpecialTokens:
    """The ids of the special tokens, and how many ids there are."""

    cls: int = 101
    sep: int = 102
    mask: int = 103
    pad: int = 0
    first_word: int = 1996  # below are special, unused and single-character tokens
    vocabulary: int = 30_522
    between: int = 1  # separators between the two texts of a pair
    at_start: Ids | None = None  # id -> id of its form at the very beginning of a text


def draw(corpora: dict[str, Corpus], shares: dict[str, float], rng: Rng) -> Corpus:
    """Choose a corpus by its share."""
    return corpora[draw_name(corpora, shares, rng)]


def draw_name(corpora: dict[str, Corpus], shares: dict[str, float], rng: Rng) -> str:
    """Choose the name of a corpus by its share."""
    names = [name for name in shares if name in corpora]
    weights = np.asarray([shares[name] for name in names])
    return names[rng.choice(len(names), p=weights / weights.sum())]


def text_row(corpus: Corpus, room: int, rng: Rng) -> Ids:
    """Take up to `room` tokens from a random sentence on, to the article's end at most."""
    return corpus.tokens[text_range(corpus, text_start(corpus, room, rng), room)]


def text_start(corpus: Corpus, room: int, rng: Rng) -> int:
    """Choose the sentence that a row of `room` tokens begins with."""
    sentence = int(rng.integers(len(corpus.sentences) - 1))
    first, after = corpus.bounds(corpus.article_of(sentence))
    while sentence > first and corpus.sentences[after] - corpus.sentences[sentence] < room:
        sentence -= 1
    return sentence


def text_range(corpus: Corpus, sentence: int, room: int) -> slice:
    """Give where the tokens of a row that begins with `sentence` lie."""
    start, after = corpus.sentences[sentence], corpus.bounds(corpus.article_of(sentence))[1]
    return slice(int(start), int(min(start + room, corpus.sentences[after])))


def take(corpus: Corpus, sentence: int, after: int, room: int) -> tuple[Ids, int]:
    """Take whole sentences up to `room` tokens (one at least, cut); give the next sentence."""
    end = sentence + 1
    limit = corpus.sentences[sentence] + room
    while end < after and corpus.sentences[end + 1] <= limit:
        end += 1
    start, stop = corpus.sentences[sentence], min(corpus.sentences[end], limit)
    return corpus.tokens[start:stop], end


def pair_row(
    corpus: Corpus, room: int, rng: Rng, *, pairing: Pairing, elsewhere: Corpus
) -> tuple[Ids, Ids] | None:
    """Take two texts of `corpus`, or one of it and one of another article of `elsewhere`.

    None where the drawn article is too short for a pair of this kind.
    """
    sentence = int(rng.integers(len(corpus.sentences) - 1))
    first, after = corpus.bounds(corpus.article_of(sentence))
    if pairing is Pairing.OPENING:
        sentence = first
    if after - first < 2 or sentence >= after - 1:
        return None
    length = int(corpus.sentences[sentence + 1] - corpus.sentences[sentence])
    share = max(int(room * rng.uniform(0.15, 0.7)), min(length, room * 3 // 4))
    left, following = take(corpus, sentence, after - 1, share)
    second, start = corpus, following
    if pairing is Pairing.OTHER_ARTICLE:
        second, start = elsewhere, int(rng.integers(len(elsewhere.sentences) - 1))
        if second is corpus and first <= start < after:
            return None
    elif pairing is Pairing.SAME_ARTICLE:
        start = _far_in(range(first, after), (sentence, following), rng)
    return None if start < 0 else (left, _right(second, start, room - len(left)))


def _right(corpus: Corpus, start: int, room: int) -> Ids:
    return take(corpus, start, corpus.bounds(corpus.article_of(start))[1], room)[0]


def _far_in(article: range, taken: tuple[int, int], rng: Rng) -> int:
    """Choose a sentence at least three away from the taken ones; -1 where there is none."""
    free = [s for s in article if s < taken[0] - 3 or s > taken[1] + 2]
    return int(rng.choice(free)) if free else -1


def draw_pair(
    corpora: dict[str, Corpus],
    shares: dict[str, float],
    room: int,
    rng: Rng,
    *,
    pairing: Pairing,
) -> tuple[Ids, Ids]:
    """Try articles until one gives a pair of the wanted kind.

    Only texts of several sentences are drawn from: a lone sentence would give itself away.
    """
    shares = {name: share for name, share in shares.items() if name != "reviews"}
    while True:
        corpus, elsewhere = draw(corpora, shares, rng), draw(corpora, shares, rng)
        pair = pair_row(corpus, room, rng, pairing=pairing, elsewhere=elsewhere)
        if pair is not None and min(map(len, pair)) > 1:
            return pair


def collate(
    rows: list[tuple[Ids, ...]], special: SpecialTokens, longest: int | None = None
) -> Batch:
    """Lay one or two texts a row between [CLS] and [SEP], padded to the longest row."""
    laid = [_lay_out(row, special) for row in rows]
    sizes = [len(ids) for ids, _ in laid]
    shape = (len(rows), longest or max(sizes))
    ids = np.full(shape, special.pad, dtype=np.int64)
    types, seen = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for number, (row, second) in enumerate(laid):
        ids[number, : len(row)] = row
        types[number, second : len(row)] = 1
        seen[number, : len(row)] = 1
    return {
        "input_ids": torch.from_numpy(ids),
        "token_type_ids": torch.from_numpy(types),
        "attention_mask": torch.from_numpy(seen),
    }


def _lay_out(texts: tuple[Ids, ...], special: SpecialTokens) -> tuple[Ids, int]:
    """Give one row, and where its second text begins (its end, where there is none)."""
    row = [special.cls]
    second = 0
    for number, text in enumerate(texts):
        if number:
            row += [special.sep] * (special.between - 1)
            second = len(row)
        row += [*_from_the_start(text, special), special.sep]
    return np.asarray(row), second or len(row)


def _from_the_start(text: Ids, special: SpecialTokens) -> Ids:
    if special.at_start is None or not len(text):
        return text
    return np.concatenate([special.at_start[text[:1]], text[1:]])


def hide(
    batch: Batch, recipe: Recipe, special: SpecialTokens, rng: Rng, *, share: float | None = None
) -> Batch:
    """Hide a share of the tokens, in place; add where (`positions`) and what (`hidden`).

    A batch with `spans` holds questions: there only the passage is hidden.
    """
    ids = batch["input_ids"].numpy().reshape(-1)
    words = (ids != special.cls) & (ids != special.sep) & (ids != special.pad)
    if "spans" in batch:
        words &= batch["token_type_ids"].numpy().reshape(-1) == 1
    count = max(1, round((share or recipe.masked) * words.sum()))
    positions = np.sort(rng.permutation(np.flatnonzero(words))[:count])
    batch["positions"] = torch.from_numpy(positions)
    batch["hidden"] = torch.from_numpy(ids[positions].copy())
    fate = rng.random(count)
    others = rng.integers(special.first_word, special.vocabulary, count)
    shown = np.where(fate < recipe.random, others, special.mask)
    kept = fate >= 1 - recipe.kept
    ids[positions] = np.where(kept, ids[positions], shown)
    return batch

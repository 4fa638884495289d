"""Reads the open data, splits off what is held out, and tokenises it once.

Add a corpus by adding a reader to READERS and its share to the recipe.
"""

from __future__ import annotations

import csv
import json
import logging
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger(__name__)

Article = tuple[str, str]  # title, text
HELD_OUT_OF = 40  # one article in 40 is held out, by a hash of its title
HELD_OUT_TITLES_OF = 20  # one SQuAD title in 20 is held out
LONGEST = 6_000  # characters taken from an encyclopedia article: its beginning says most
PART = 12_000  # characters; longer texts are cut into parts that count as articles
NO_END = r"(?<!\bMr\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\b[A-Z]\.)"
SENTENCE_END = re.compile(rf"(?:(?<=[.!?])|(?<=[.!?][\"'”’)])){NO_END}\s+(?=[\"'“‘(]?[A-Z0-9])|\n+")


def read_text(data: Path, name: str) -> str:
    """Read the xz-compressed file `name` of the folder `data`."""
    return lzma.open(data / f"{name}.xz", "rt", encoding="utf-8").read()


def read_json_lines(data: Path, name: str) -> list[dict[str, Any]]:
    """Read one JSON object a line."""
    return [json.loads(line) for line in read_text(data, name).split("\n") if line]


def read_table(data: Path, name: str) -> list[dict[str, str]]:
    """Read tab-separated rows with a header; quotation marks are text."""
    lines = read_text(data, name).split("\n")
    return list(csv.DictReader(filter(None, lines), delimiter="\t", quoting=csv.QUOTE_NONE))


def is_held_out(title: str, one_in: int = HELD_OUT_OF) -> bool:
    """Say whether an article is kept for evaluation, by nothing but its title."""
    return zlib.crc32(title.encode()) % one_in == 0


def held_out_titles(data: Path) -> set[str]:
    """Give the titles of SQuAD whose questions are kept for evaluation."""
    rows = read_json_lines(data, "squad_train_v1.1.jsonl")
    titles = sorted({row["title"] for row in rows})
    return {title for title in titles if is_held_out(title, HELD_OUT_TITLES_OF)}


def unanswerable_titles(data: Path, *, held_out: bool) -> set[str]:
    """Give half of the titles of the SQuAD 2.0 file: to train on, or to evaluate on."""
    rows = read_json_lines(data, "squad_v2.0_dev_half.jsonl")
    titles = sorted({row["title"] for row in rows})
    return set(titles[1::2] if held_out else titles[::2])


def _parts(name: str, text: str) -> Iterator[Article]:
    for number, start in enumerate(range(0, len(text), PART)):
        yield f"{name} {number}", text[start : start + PART]


def _blocks(data: Path, name: str, one_in: int = 1) -> Iterator[Article]:
    blocks = re.split(r"\n\s*\n", read_text(data, f"{name}.txt"))
    for number, block in enumerate(blocks):
        for title, text in _parts(f"{name} {number}", block):
            if zlib.crc32(text[:200].encode()) % one_in == 0:
                yield title, text


def _wikipedia(data: Path) -> Iterator[Article]:
    evaluated = held_out_titles(data) | unanswerable_titles(data, held_out=True)
    hidden = {title.replace("_", " ") for title in evaluated}
    for row in read_json_lines(data, "wikipedia_2014.jsonl"):
        if row["title"] not in hidden:
            yield row["title"], row["text"][:LONGEST]


def _vital_leads(data: Path) -> Iterator[Article]:
    for row in read_table(data, "wikipedia_vital_leads.tsv"):
        yield row["title"], row["lead"]


def _squad(data: Path) -> Iterator[Article]:
    hidden = held_out_titles(data)
    rows = read_json_lines(data, "squad_train_v1.1.jsonl")
    for context, title in {row["context"]: row["title"] for row in rows}.items():
        if title not in hidden:
            yield title, context


def _reviews(data: Path) -> Iterator[Article]:
    for row in read_table(data, "rt_polarity.tsv"):
        if row["in_sst2_devtest"] == "0":
            yield row["sentence"], row["sentence"]


def _openstax(data: Path) -> Iterator[Article]:
    for name in ("openstax_us_history", "openstax_astronomy"):
        yield from _blocks(data, name)


READERS: dict[str, Callable[[Path], Iterable[Article]]] = {
    "wikipedia": _wikipedia,
    "vital_leads": _vital_leads,
    "wikinews": lambda data: _blocks(data, "wikinews", one_in=2),
    "novels": lambda data: _blocks(data, "novels_1840_1939", one_in=3),
    "stories": lambda data: _blocks(data, "childrens_stories"),
    "masc": lambda data: _blocks(data, "masc"),
    "openstax": _openstax,
    "squad": _squad,
    "reviews": _reviews,
}


@dataclass(frozen=True)
class Corpus:
    """Articles of sentences of token ids, in three flat arrays."""

    tokens: NDArray[np.uint16]
    sentences: NDArray[np.int64]  # where each sentence starts in `tokens`, and the end
    articles: NDArray[np.int64]  # where each article starts in `sentences`, and the end
    ends: NDArray[np.uint16] | None = None  # characters of its sentence up to each token's end

    def sentence(self, index: int) -> NDArray[np.uint16]:
        """Give the token ids of one sentence."""
        return self.tokens[self.sentences[index] : self.sentences[index + 1]]

    def article_of(self, sentence: int) -> int:
        """Give the article that holds a sentence."""
        return int(np.searchsorted(self.articles, sentence, side="right")) - 1

    def bounds(self, article: int) -> tuple[int, int]:
        """Give an article's first sentence and the one after its last."""
        return int(self.articles[article]), int(self.articles[article + 1])


def split_sentences(text: str) -> list[str]:
    """Cut a text at line ends and after full stops that a capital follows."""
    return [piece.strip() for piece in SENTENCE_END.split(text) if len(piece.strip()) > 1]


def tokenise(articles: Iterable[Article], tokenizer: Any) -> Corpus:
    """Turn articles into one Corpus; `tokenizer` is a Transformers tokenizer."""
    sentences: list[str] = []
    starts = [0]
    for _, text in articles:
        sentences.extend(split_sentences(text))
        if len(sentences) > starts[-1]:
            starts.append(len(sentences))
    rows: list[NDArray[np.uint16]] = []
    ends: list[NDArray[np.uint16]] = []
    for first in range(0, len(sentences), 20_000):
        # every sentence as it stands in a text: after a space
        some = tokenizer.backend_tokenizer.encode_batch(
            [f" {sentence}" for sentence in sentences[first : first + 20_000]],
            add_special_tokens=False,
        )
        rows.extend(np.asarray(encoding.ids, dtype=np.uint16) for encoding in some)
        ends.extend(np.asarray([e for _, e in made.offsets], dtype=np.uint16) for made in some)
    edges = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    articles_at = np.asarray(starts, dtype=np.int64)
    return Corpus(np.concatenate(rows), edges.astype(np.int64), articles_at, np.concatenate(ends))


def load_corpora(
    data: Path, cache: Path, tokenizer: Any, *, names: Iterable[str], held_out: bool
) -> dict[str, Corpus]:
    """Give each corpus tokenised, from the cache where it has been made before."""
    cache.mkdir(parents=True, exist_ok=True)
    return {name: _load(data, cache, tokenizer, name=name, held_out=held_out) for name in names}


def _load(data: Path, cache: Path, tokenizer: Any, *, name: str, held_out: bool) -> Corpus:
    path = cache / f"{name}-{'held-out' if held_out else 'train'}.npz"
    if not path.exists():
        articles = [pair for pair in READERS[name](data) if is_held_out(pair[0]) == held_out]
        corpus = tokenise(articles, tokenizer)
        logger.info("%s: %d articles, %d tokens", path.stem, len(articles), len(corpus.tokens))
        np.savez(path, **vars(corpus))
    with np.load(path) as arrays:
        return Corpus(**{field.name: arrays[field.name] for field in fields(Corpus)})

"""Named entities: sentences of words with labels, their tokens, and the objective on them.

WikiGold (Balasuriya et al. 2009) has the types of CoNLL-2003. Those of WNUT-17 (Derczynski et al.
2017) are put under them: a corporation, and a group (bands, teams, other bodies), as ORG, which
is where CoNLL-2003 has them; a product and a creative work as MISC.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from numpy.typing import NDArray
from torch import Tensor, nn

from components.training.labelled import Examples, Order, flat_starts
from components.training.networks import Batch, Network, on_device
from components.training.objectives import Losses
from components.training.recipes import Recipe
from components.training.running_text import SpecialTokens, collate
from components.training.two_heads import ENTITY_LABELS

ARCHIVE = "ner_wikigold_wnut17.tar"
TYPES = {  # as the data spell them -> the common type
    **{kind: kind for kind in ("PER", "ORG", "LOC", "MISC")},
    "person": "PER",
    "location": "LOC",
    "corporation": "ORG",
    "group": "ORG",
    "product": "MISC",
    "creative-work": "MISC",
}
IGNORED = -100  # the label of every token but the first of a word
HELD_OUT = 0.2  # of WikiGold: its last sentences, so that no article is on both sides
JOINED = {*".,:;!?)]%", "...", "'s", "'m", "n't", "'re", "'ve", "'ll", "'d"}  # to the word before
OPENING = {*"([$#@"}  # joined to the word behind
FIT_STEPS = 150  # of the head's own fit, at most
WEIGHT_DECAY = 1e-5


@dataclass(frozen=True)
class Sentence:
    """Words and the label of each, in BIO2 with the common types."""

    words: tuple[str, ...]
    labels: tuple[str, ...]


def read_sentences(data: Path, name: str) -> list[Sentence]:
    """Read a table of the archive, such as `wnut17/test.tsv`: a word a line, its label."""
    with lzma.open(data / f"{ARCHIVE}.xz") as file:
        packed = io.BytesIO(file.read())
    with tarfile.open(fileobj=packed) as archive:
        member = archive.extractfile(name)
        assert member is not None, name
        text = member.read().decode("utf-8")
    blocks = [block.split("\n") for block in text.split("\n\n")]
    rows = [[line.split("\t") for line in block if line] for block in blocks]
    return [
        Sentence(tuple(word for word, _ in some), tuple(_common(label) for _, label in some))
        for some in rows
        if some
    ]


def _common(label: str) -> str:
    place, _, kind = label.partition("-")
    return f"{place}-{TYPES[kind]}" if kind else label


def held_out_sentences(data: Path) -> dict[str, list[Sentence]]:
    """Give what is kept for evaluation: the end of WikiGold, the test part of WNUT-17."""
    wikigold = read_sentences(data, "wikigold/wikigold.tsv")
    return {
        "wikigold": wikigold[_cut(wikigold) :],
        "wnut": read_sentences(data, "wnut17/test.tsv"),
    }


def training_sentences(data: Path) -> list[Sentence]:
    """Give all others, but none whose words equal those of one kept for evaluation."""
    hidden = {each.words for some in held_out_sentences(data).values() for each in some}
    wikigold = read_sentences(data, "wikigold/wikigold.tsv")
    found = wikigold[: _cut(wikigold)]
    for part in ("train", "dev"):
        found += read_sentences(data, f"wnut17/{part}.tsv")
    return [sentence for sentence in found if sentence.words not in hidden]


def _cut(sentences: list[Sentence]) -> int:
    return round(len(sentences) * (1 - HELD_OUT))


def laid_out(words: tuple[str, ...]) -> tuple[str, list[int]]:
    """Write words as a text, as people write one; give the text and where each word starts.

    The data stand in words, with spaces before full stops: nobody types so.
    """
    text, starts, opened = "", [], True
    for word in words:
        text += "" if opened or word in JOINED else " "
        starts.append(len(text))
        text += word
        opened = word in OPENING
    return text, starts


def first_tokens(starts: list[int], offsets: list[tuple[int, int]]) -> list[int | None]:
    """Give the token that holds each word's first character; None where it was cut off.

    Special tokens, which hold no character, may stand among the others.
    """
    ends = np.maximum.accumulate([0, *(end for _, end in offsets)])[1:]
    found = np.searchsorted(ends, np.asarray(starts, dtype=np.int64), side="right")
    return [int(token) if token < len(ends) else None for token in found]


def entity_examples(sentences: list[Sentence], tokenizer: Any, longest: int = 126) -> Examples:
    """Tokenise sentences; the first token of a word has its label, all others IGNORED."""
    texts = [laid_out(sentence.words) for sentence in sentences]
    encode = tokenizer.backend_tokenizer.encode_batch
    encodings = encode([text for text, _ in texts], add_special_tokens=False)
    tokens: list[list[int]] = []
    labels: list[NDArray[np.int64]] = []
    for sentence, (_, starts), encoding in zip(sentences, texts, encodings, strict=True):
        ids, offsets = encoding.ids[:longest], encoding.offsets[:longest]
        marks = np.full(len(ids), IGNORED, dtype=np.int64)
        words = zip(first_tokens(starts, offsets), sentence.labels, strict=True)
        for token, label in reversed([*words]):  # of two words in one token the first counts
            if token is not None:
                marks[token] = ENTITY_LABELS.index(label)
        tokens.append(ids)
        labels.append(marks)
    flat = np.concatenate([np.asarray(ids, dtype=np.uint16) for ids in tokens])
    return Examples(flat, flat_starts(tokens, 1), np.concatenate(labels))


class Entities:
    """The label of each word, at its first token."""

    def __init__(self, recipe: Recipe, examples: Examples, special: SpecialTokens) -> None:
        self.examples, self.special = examples, special
        self.parts = recipe.parts
        self.order = Order(examples.lengths(), recipe.entity_rows, recipe.seed + 2)

    def batch(self, number: int, part: int = 0) -> Batch:
        """Make one part of the batch of that number."""
        chosen = self.order.batch(number)[part :: self.parts]
        batch = collate([self.examples.texts(index) for index in chosen], self.special)
        labels = torch.full_like(batch["input_ids"], IGNORED)
        for row, (start, end) in enumerate(self.examples.starts[chosen]):
            found = torch.from_numpy(self.examples.labels[start:end])
            labels[row, 1 : 1 + len(found)] = found
        return batch | {"labels": labels}

    def losses(self, network: Network, batch: Batch) -> Losses:
        """Give the loss of the words' labels."""
        logits = network.entity_logits(network.encode(batch)).float()
        loss = F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())
        return {"entities": loss}


def fit_head(network: Network, objective: Entities) -> float:
    """Fit the head to the words of one pass as a logistic regression; give its loss.

    The encoder stands still, so the best head for it can be found, which the few steps of a
    training leave half-way: names are rare among words.
    """
    vectors, labels = _vectors(network, objective)
    head: Any = network.classifier
    weight, bias = (nn.Parameter(each.detach().clone()) for each in (head.weight, head.bias))
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=FIT_STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        found = F.cross_entropy(F.linear(vectors, weight, bias), labels)
        found = found + WEIGHT_DECAY * weight.square().sum()
        found.backward()  # type: ignore[no-untyped-call]
        return found

    last: Any = optimizer.step(loss)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        head.weight.copy_(weight)
        head.bias.copy_(bias)
    return float(last.detach())


@torch.no_grad()
def _vectors(network: Network, objective: Entities) -> tuple[Tensor, Tensor]:
    """Give the vector (words, hidden) and the label (words,) of every word of one pass."""
    vectors, labels = [], []
    for number in range(objective.order.batches):
        for part in range(objective.parts):
            batch = on_device(network, objective.batch(number, part))
            counts = batch["labels"] != IGNORED
            vectors.append(network.encode(batch)[counts].float())
            labels.append(batch["labels"][counts])
    return torch.cat(vectors), torch.cat(labels)


def word_labels(network: Network, tokenizer: Any, sentences: list[Sentence]) -> list[list[str]]:
    """Give the network's best label for each word; "O" for those that the window cuts off."""
    texts = [laid_out(sentence.words) for sentence in sentences]
    batch = tokenizer(
        [text for text, _ in texts],
        padding=True,
        truncation=True,
        return_token_type_ids=True,
        return_offsets_mapping=True,
        return_tensors="pt",
    )
    offsets: Tensor = batch.pop("offset_mapping")
    logits = network.entity_logits(network.encode(on_device(network, dict(batch))))
    found = []
    for (_, starts), edges, row in zip(texts, offsets, logits.argmax(-1).tolist(), strict=True):
        firsts = first_tokens(starts, edges.tolist())
        found.append(["O" if at is None else ENTITY_LABELS[row[at]] for at in firsts])
    return found

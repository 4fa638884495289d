"""Vocabularies of the families' own kinds, trained on our text, and what each token starts as.

RoBERTa: byte-level BPE (Radford et al. 2019), cased. ALBERT, DeBERTa: unigram language model
(Kudo 2018), as SentencePiece trains it: no piece mixes letters with punctuation or digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor

from components.models.tokenizers import is_byte_level
from components.training.corpus import READERS, is_held_out
from components.training.recipes import Recipe
from components.training.running_text import SpecialTokens

TEXTS = ("wikipedia", "novels", "wikinews", "masc", "stories", "reviews")
CHARACTERS = 4_000_000  # read of each of these, at most
LONGEST_PIECE = 16  # characters
WRITING = r"▁?\p{L}+|▁?\p{N}+|▁?[^\p{L}\p{N}▁]"  # letters, digits, and each sign alone
LOST_PER_PIECE = 1.0  # off the output bias for every further piece that a token stood for


def load_or_train(recipe: Recipe, folder: Path, data: Path) -> Any:
    """Give the recipe's own tokenizer, trained on the texts of `data` the first time."""
    kind = getattr(transformers, recipe.tokenizer)
    if not (folder / "tokenizer.json").exists():
        assert recipe.vocabulary is not None
        made = TRAINERS[recipe.vocabulary](recipe, list(_texts(data)))
        made.save_pretrained(folder)
    return kind.from_pretrained(folder)


def _texts(data: Path) -> Iterator[str]:
    for name in TEXTS:
        read = 0
        for title, text in READERS[name](data):
            if read < CHARACTERS and not is_held_out(title):
                read += len(text)
                yield text


def _byte_level(recipe: Recipe, texts: Iterable[str]) -> Any:
    """Train a byte-level BPE; its mask swallows the space before it, as RoBERTa's does."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=recipe.vocabulary_size - 1,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    bpe = json.loads(tokenizer.to_str())["model"]
    vocabulary = bpe["vocab"] | {"<mask>": len(bpe["vocab"])}
    kind: Any = transformers.RobertaTokenizer
    return kind(
        vocab=vocabulary,
        merges=[tuple(merge) for merge in bpe["merges"]],
        mask_token=AddedToken("<mask>", lstrip=True, normalized=False, special=True),
        model_max_length=512,
    )


def _unigram(recipe: Recipe, texts: Iterable[str]) -> Any:
    """Train a unigram vocabulary on text normalised as the family's own tokenizer does it."""
    kind = getattr(transformers, recipe.tokenizer)
    empty = kind()
    specials = [str(empty.pad_token), str(empty.unk_token), "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = empty.backend_tokenizer.normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Split(Regex(WRITING), "isolated")]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=recipe.vocabulary_size,
        special_tokens=specials,
        unk_token=str(empty.unk_token),
        max_piece_length=LONGEST_PIECE,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    pieces = [tuple(entry) for entry in json.loads(tokenizer.to_str())["model"]["vocab"]]
    return kind(vocab=pieces, model_max_length=512)


TRAINERS: dict[str, Callable[[Recipe, Iterable[str]], Any]] = {
    "byte-level BPE": _byte_level,
    "unigram": _unigram,
}


def special_tokens(tokenizer: Any, first_word: int) -> SpecialTokens:
    """Read the special tokens off a tokenizer, and how it lays out a pair."""
    pair = tokenizer("a", "b")["input_ids"]
    return SpecialTokens(
        cls=tokenizer.cls_token_id,
        sep=tokenizer.sep_token_id,
        mask=tokenizer.mask_token_id,
        pad=tokenizer.pad_token_id,
        first_word=first_word,
        vocabulary=len(tokenizer),
        between=pair.count(tokenizer.sep_token_id) - 1,
        at_start=_at_start(tokenizer),
    )


def _at_start(tokenizer: Any) -> NDArray[np.integer]:
    """Map each token to its form at the very beginning of a text, where that has another."""
    names = tokenizer.get_vocab()
    forms = np.arange(len(tokenizer))
    for name, number in names.items():
        if name.startswith("Ġ"):
            forms[number] = names.get(name[1:], number)
    return forms


def spelled(tokenizer: Any) -> list[tuple[str, bool]]:
    """Give the text of every token, and whether it begins a word; special tokens are empty."""
    special = set(tokenizer.all_special_ids)
    byte_level = is_byte_level(tokenizer)
    found = []
    for number, name in enumerate(tokenizer.convert_ids_to_tokens(range(len(tokenizer)))):
        if number in special:
            found.append(("", True))
        elif byte_level:
            text = tokenizer.convert_tokens_to_string([name])
            begins = text.startswith(" ") or not text[:1].isalnum() or text[:1].isupper()
            found.append((text.strip().replace("\ufffd", ""), begins))
        else:
            found.append((name.removeprefix("▁"), name.startswith("▁")))
    return found


class WordPieces:
    """Spells any text in another model's WordPiece vocabulary, also from the middle of a word."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.vocabulary = tokenizer, tokenizer.get_vocab()

    def ids(self, text: str, *, begins: bool) -> list[int]:
        """Give the ids of a text; of one that goes on with a word, in "##" forms."""
        if begins or not text[:1].isalnum():
            return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        return self._continuing(text.lower())

    def _continuing(self, text: str) -> list[int]:
        found: list[int] = []
        while text:
            size = next(
                (n for n in range(len(text), 0, -1) if f"##{text[:n]}" in self.vocabulary), 0
            )
            if not size:
                return found
            found.append(self.vocabulary[f"##{text[:size]}"])
            text = text[size:]
        return found


def transplanted(tokenizer: Any, parent: Any, words: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Give each token the mean vector (V, hidden) and output bias (V,) of the parent's tokens.

    A token that the parent spells in several pieces is made less likely for each of them; what
    it cannot spell at all starts as its unknown token.
    """
    pieces, unknown = WordPieces(parent), parent.unk_token_id
    specials = {getattr(tokenizer, n): getattr(parent, n) for n in SPECIALS}
    vectors = torch.empty(len(tokenizer), words.shape[1])
    biases = torch.empty(len(tokenizer))
    for number, (text, begins) in enumerate(spelled(tokenizer)):
        name = tokenizer.convert_ids_to_tokens(number)
        special = specials.get(name)
        ids = (
            [parent.convert_tokens_to_ids(special)] if special else pieces.ids(text, begins=begins)
        )
        ids = ids or [unknown]
        vectors[number] = words[ids].mean(0)
        biases[number] = bias[ids].mean() - LOST_PER_PIECE * (len(ids) - 1)
    return vectors, biases


SPECIALS = ("cls_token", "sep_token", "mask_token", "pad_token", "unk_token")

"""Writes a network to a folder that every Auto class loads, and looks that it does."""

from __future__ import annotations

import copy
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForNextSentencePrediction,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    BertTokenizer,
    DistilBertTokenizer,
)

from components.training.networks import Network

LARGEST = 50_000_000  # bytes: what a repository without large-file storage takes well


@dataclass(frozen=True)
class Format:
    """How a family's checkpoint is written: its tokenizer, and what its one file must load as."""

    tokenizer: Any
    classes: tuple[Any, ...]  # every Auto class that finds its head in the file
    architectures: tuple[str, ...]  # the same, as config.json names them


FORMATS: dict[str, Format] = {  # by config.model_type
    "bert": Format(
        BertTokenizer,
        (
            AutoModelForMaskedLM,
            AutoModelForNextSentencePrediction,
            AutoModelForSequenceClassification,
            AutoModelForQuestionAnswering,
        ),
        (
            "BertForMaskedLM",
            "BertForNextSentencePrediction",
            "BertForSequenceClassification",
            "BertForQuestionAnswering",
        ),
    ),
    "distilbert": Format(
        DistilBertTokenizer,
        (
            AutoModelForMaskedLM,
            AutoModelForSequenceClassification,
            AutoModelForQuestionAnswering,
        ),
        (
            "DistilBertForMaskedLM",
            "DistilBertForSequenceClassification",
            "DistilBertForQuestionAnswering",
        ),
    ),
}


def export(network: Network, vocabulary: Path, folder: Path) -> None:
    """Write weights (fp16), configuration and tokenizer; replace the folder whole."""
    made = folder.with_name(folder.name + ".new")
    shutil.rmtree(made, ignore_errors=True)
    family = network.config.model_type
    plain: Any = copy.deepcopy(network)
    plain.half().cpu()
    plain.save_pretrained(made)
    plain.config.architectures = list(FORMATS[family].architectures)
    plain.config.save_pretrained(made)
    write_tokenizer(vocabulary, family, made)
    check(made, family)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def write_tokenizer(vocabulary: Path, family: str, folder: Path) -> None:
    """Write the tokenizer of `vocabulary` under the family's own class."""
    kind = FORMATS[family].tokenizer
    tokens = BertTokenizer.from_pretrained(str(vocabulary)).get_vocab()
    kind(vocab=tokens, do_lower_case=True, model_max_length=512).save_pretrained(folder)


def check(folder: Path, family: str) -> None:
    """Load every head from the folder; none may lack a weight, none may hold a NaN."""
    for kind in FORMATS[family].classes:
        network, report = kind.from_pretrained(
            folder, dtype=torch.float32, output_loading_info=True
        )
        lacking = set(report["missing_keys"]) | {key[0] for key in report["mismatched_keys"]}
        assert not lacking, f"{kind.__name__} lacks {sorted(lacking)}"
        assert all(weight.isfinite().all() for weight in network.parameters()), kind.__name__
    size = (folder / "model.safetensors").stat().st_size
    assert size <= LARGEST, f"{size} bytes are too many for the repository"

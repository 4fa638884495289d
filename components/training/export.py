"""Writes a network to a folder that every class of its family loads, and looks that it does."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn

from components.training.networks import QUESTIONS, ElectraPair, Network

LARGEST = 50_000_000  # bytes: what a repository without large-file storage takes well
TOKENS = "ForTokenClassification"  # has labels of its own: `entity_labels` of config.json
GENERATOR = "-generator"  # after the name of ELECTRA's folder and kind

APART = {QUESTIONS: ("qa_outputs", "ForQuestionAnswering")}  # what can be left out

CLASSES: dict[str, tuple[str, ...]] = {  # kind of network -> what its one file must load as
    "bert": (
        "BertForMaskedLM",
        "BertForNextSentencePrediction",
        "BertForSequenceClassification",
        "BertForQuestionAnswering",
    ),
    "roberta": (
        "RobertaForMaskedLM",
        "RobertaForSequenceClassification",
        "RobertaForQuestionAnswering",
        "RobertaForTokenClassification",
    ),
    "albert": (
        "AlbertForMaskedLM",
        "AlbertForPreTraining",
        "AlbertForSequenceClassification",
        "AlbertForQuestionAnswering",
    ),
    "distilbert": (
        "DistilBertForMaskedLM",
        "DistilBertForSequenceClassification",
        "DistilBertForQuestionAnswering",
    ),
    "electra": (
        "ElectraForPreTraining",
        "ElectraForSequenceClassification",
        "ElectraForQuestionAnswering",
    ),
    "electra-generator": ("ElectraForMaskedLM",),
    "deberta-v2": (
        "DebertaV2ForMaskedLM",
        "DebertaV2ForSequenceClassification",
        "DebertaV2ForQuestionAnswering",
    ),
}


def parts(network: Network, model_id: str) -> dict[str, tuple[str, Network]]:
    """Give what is written of a training: the folder's name -> (kind of network, network)."""
    kind = str(network.config.model_type)
    if not isinstance(network, ElectraPair):
        return {model_id: (kind, network)}
    return {
        model_id: (kind, network.discriminator),
        model_id + GENERATOR: (kind + GENERATOR, network.generator),
    }


def export(
    network: Network, tokenizer: Any, model_id: str, out: Path, left_out: Sequence[str] = ()
) -> None:
    """Write weights (fp16), configuration and tokenizer; replace each folder whole.

    Of heads that are `left_out` no weight is written, so nothing can take them for trained.
    """
    for name, (kind, part) in parts(network, model_id).items():
        folder = out / name
        made = folder.with_name(folder.name + ".new")
        shutil.rmtree(made, ignore_errors=True)
        plain: Any = copy.deepcopy(part)
        plain.half().cpu()
        classes = [name for name in CLASSES[kind] if not name.endswith(_ends(left_out))]
        for head in left_out:
            setattr(plain, APART[head][0], nn.Identity())
        plain.save_pretrained(made)
        plain.config.architectures = classes
        plain.config.save_pretrained(made)
        tokenizer.save_pretrained(made)
        check(made, classes)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def _ends(left_out: Sequence[str]) -> tuple[str, ...]:
    return tuple(APART[head][1] for head in left_out)


def check(folder: Path, classes: Sequence[str]) -> None:
    """Load every head from the folder; none may lack a weight, none may hold a NaN."""
    entity_labels = getattr(transformers.AutoConfig.from_pretrained(folder), "entity_labels", ())
    for name in classes:
        labels = {"id2label": dict(enumerate(entity_labels))} if name.endswith(TOKENS) else {}
        network, report = getattr(transformers, name).from_pretrained(
            folder, dtype=torch.float32, output_loading_info=True, **labels
        )
        lacking = set(report["missing_keys"]) | {key[0] for key in report["mismatched_keys"]}
        assert not lacking, f"{name} lacks {sorted(lacking)}"
        assert all(weight.isfinite().all() for weight in network.parameters()), name
    size = (folder / "model.safetensors").stat().st_size
    assert size <= LARGEST, f"{size} bytes are too many for the repository"

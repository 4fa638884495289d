"""Tiny real networks with random weights for all six families, written as checkpoints on disk.

Real classes, real tokenizers, small vocabularies: 3 layers, 4 heads, hidden size 32, 64 positions.
"""

from __future__ import annotations

import functools
import json
import string
import unicodedata
from pathlib import Path
from typing import Any

import torch
import transformers as t
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from components.config import Settings
from components.models.checkpoint import read_checkpoint
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.loading import find_placement, load_resident

SENTENCES = (
    "the river ran past the mill and the children watched the boats",
    "a good teacher explains every step and waits for questions",
    "the soup was cold but the bread was warm and fresh",
    "nobody liked the ending of the film but the music was great",
    "the library closes early on friday so we ran",
    "paris is a city and london is a city and berlin is a city",
    "the capital of the country is a large town near the sea",
    "i love this tool but i hate the slow menu",
    "where did the boats go after the storm",
    "what was cold and what was warm",
    "café naïve résumé coffee plain word unhappiness playing played player",
)

FAMILY_NAMES = ("bert", "roberta", "albert", "distilbert", "electra", "deberta-v2")
HEADS = {
    "base": "Model",
    "fill-mask": "ForMaskedLM",
    "text-classification": "ForSequenceClassification",
    "question-answering": "ForQuestionAnswering",
    "token-classification": "ForTokenClassification",
    "next-sentence-prediction": "ForNextSentencePrediction",
    "sentence-order-prediction": "ForPreTraining",
    "replaced-token-detection": "ForPreTraining",
}
OWN_HEADS = {  # that one family alone has
    "next-sentence-prediction": "bert",
    "sentence-order-prediction": "albert",
    "replaced-token-detection": "electra",
}
_CLASSES = {
    "bert": "Bert",
    "roberta": "Roberta",
    "albert": "Albert",
    "distilbert": "DistilBert",
    "electra": "Electra",
    "deberta-v2": "DebertaV2",
}
_SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}
ENTITY_LABELS = [
    "O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC",
]  # fmt: skip
_BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def plain(text: str) -> str:
    """Drop accents, as an uncased BERT does."""
    letters = unicodedata.normalize("NFD", text)
    return "".join(c for c in letters if unicodedata.category(c) != "Mn")


def wordpiece_vocabulary() -> dict[str, int]:
    letters = string.ascii_lowercase + string.digits
    words = sorted({plain(word) for line in SENTENCES for word in line.split()})
    pieces = [*letters, *string.punctuation, *(f"##{c}" for c in letters), "##ing", "##ed", "un"]
    return {token: i for i, token in enumerate(dict.fromkeys(_BERT_SPECIALS + pieces + words))}


def _unigram(specials: list[str], unknown: str) -> list[tuple[str, float]]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=400, special_tokens=specials, unk_token=unknown, show_progress=False
    )
    tokenizer.train_from_iterator([plain(line) for line in SENTENCES] * 20, trainer)
    return [tuple(entry) for entry in json.loads(tokenizer.to_str())["model"]["vocab"]]


def _byte_level() -> t.RobertaTokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(list(SENTENCES) * 20, trainer)
    bpe = json.loads(tokenizer.to_str())["model"]
    merges = [tuple(merge) for merge in bpe["merges"]]
    return t.RobertaTokenizer(vocab=bpe["vocab"], merges=merges, model_max_length=64)


@functools.cache
def tokenizer_of(family: str) -> Any:
    """Make the family's own kind of tokenizer, for at most 64 tokens."""
    if family in ("bert", "distilbert", "electra"):
        kind = {"bert": t.BertTokenizer, "distilbert": t.DistilBertTokenizer}
        made = kind.get(family, t.ElectraTokenizer)
        return made(vocab=wordpiece_vocabulary(), do_lower_case=True, model_max_length=64)
    if family == "roberta":
        return _byte_level()
    if family == "albert":
        specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
        return t.AlbertTokenizer(vocab=_unigram(specials, "<unk>"), model_max_length=64)
    return t.DebertaV2Tokenizer(vocab=_unigram(_BERT_SPECIALS, "[UNK]"), model_max_length=64)


def config_of(family: str) -> Any:
    """Make a tiny configuration of the family."""
    tokenizer = tokenizer_of(family)
    size = len(tokenizer)
    if family == "distilbert":
        return t.DistilBertConfig(
            vocab_size=size,
            dim=32,
            n_layers=3,
            n_heads=4,
            hidden_dim=64,
            max_position_embeddings=64,
        )
    extra: dict[str, dict[str, Any]] = {
        "roberta": {
            "type_vocab_size": 1,
            "max_position_embeddings": 66,
            "pad_token_id": tokenizer.pad_token_id,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
        },
        "albert": {"embedding_size": 16, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3},
        "electra": {"embedding_size": 16},
        "deberta-v2": {
            "relative_attention": True,
            "position_buckets": 16,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "type_vocab_size": 0,
            "pad_token_id": 0,
        },
    }
    kind = getattr(t, f"{_CLASSES[family]}Config")
    return kind(vocab_size=size, **{**_SIZES, **extra.get(family, {})})


def network_of(family: str, head: str) -> Any:
    """Make a network with random weights, larger than usual so that answers differ clearly."""
    torch.manual_seed(7)
    config = config_of(family)
    if head == "token-classification":
        config.id2label = dict(enumerate(ENTITY_LABELS))
        config.label2id = {label: number for number, label in config.id2label.items()}
    network = getattr(t, _CLASSES[family] + HEADS[head])(config).eval()
    with torch.no_grad():
        for name, tensor in network.named_parameters():
            if "norm" not in name.lower():
                tensor.mul_(4)
    return network


def write_checkpoint(folder: Path, family: str, head: str) -> Path:
    """Save a checkpoint with one head, as the Hub would hold it."""
    network_of(family, head).save_pretrained(folder)
    tokenizer_of(family).save_pretrained(folder)
    return folder


def write_miniature(folder: Path, family: str, heads: tuple[str, ...]) -> Path:
    """Save one checkpoint with the encoder and every one of `heads`, as the bundled ones."""
    tensors: dict[str, torch.Tensor] = {}
    for head in heads:
        network = network_of(family, head)
        network.config.id2label = {0: "NEGATIVE", 1: "POSITIVE"}
        network.config.label2id = {"NEGATIVE": 0, "POSITIVE": 1}
        network.save_pretrained(folder)
        if head == "token-classification":  # beside the labels of whole texts
            network.config.entity_labels = ENTITY_LABELS
        network.config.architectures = [_CLASSES[family] + HEADS[name] for name in heads]
        network.config.save_pretrained(folder)
        for name, tensor in network.state_dict().items():
            tensors.setdefault(name, tensor.clone())
    tied = ("decoder.weight", "decoder.bias", "vocab_projector.weight", "generator_lm_head.weight")
    tensors = {name: tensor for name, tensor in tensors.items() if not name.endswith(tied)}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer_of(family).save_pretrained(folder)
    return folder


def load_folder(
    folder: Path, task: Task = Task.FILL_MASK, *, attentions: bool = False
) -> LoadedModel:
    """Load a checkpoint from a folder, as the manager does."""
    settings = Settings(device="cpu")
    checkpoint, placement = read_checkpoint(folder.name, folder), find_placement(settings)
    return LoadedModel(load_resident(checkpoint, task, placement, attentions=attentions))

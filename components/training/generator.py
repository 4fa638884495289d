"""What ELECTRA's generator starts as: a DistilBERT miniature that fills blanks already."""

from __future__ import annotations

import torch

from components.training.networks import DistilBertWithHeads, ElectraGenerator
from components.training.weight_names import LAYERS

_THEIRS = LAYERS["distilbert.transformer.layer.{}"]
_OURS = LAYERS["electra.encoder.layer.{}"]
_HEAD = {
    "vocab_transform": "generator_predictions.dense",
    "vocab_layer_norm": "generator_predictions.LayerNorm",
    "distilbert.embeddings.position_embeddings": "electra.embeddings.position_embeddings",
    "distilbert.embeddings.LayerNorm": "electra.embeddings.LayerNorm",
}
SEGMENTS = "electra.embeddings.token_type_embeddings.weight"


@torch.no_grad()
def start_generator(generator: ElectraGenerator, small: DistilBertWithHeads) -> None:
    """Give `generator` the layers and the masked-word head of `small`, as deep as itself.

    The token vectors stay those it shares with the discriminator; DistilBERT has no segments, so
    both of the generator's begin at zero.
    """
    names = dict(_HEAD)
    for layer in range(generator.config.num_hidden_layers):
        for bert_name, theirs in _THEIRS.items():
            ours = f"electra.encoder.layer.{layer}.{_OURS[bert_name]}"
            names[f"distilbert.transformer.layer.{layer}.{theirs}"] = ours
    weights, targets = small.state_dict(), generator.state_dict()
    for theirs, ours in names.items():
        for kind in ("weight", "bias"):
            if f"{theirs}.{kind}" in weights:
                targets[f"{ours}.{kind}"].copy_(weights[f"{theirs}.{kind}"])
    targets["generator_lm_head.bias"].copy_(weights["vocab_projector.bias"])
    targets[SEGMENTS].zero_()

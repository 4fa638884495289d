"""What BERT's modules are called in the other families."""

from __future__ import annotations

# Heads that BERT has nothing like, and ALBERT's narrower one for masked words.
RANDOM_AT_FIRST = ("discriminator_predictions.", "sop_classifier.", "predictions.")

_LAYER = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_SAME = dict(zip(_LAYER, _LAYER, strict=True))
LAYERS: dict[str, dict[str, str]] = {  # where the n-th layer lies -> what its modules are called
    "roberta.encoder.layer.{}": _SAME,
    "electra.encoder.layer.{}": _SAME,
    "deberta.encoder.layer.{}": _SAME
    | {
        f"attention.self.{name}": f"attention.self.{name}_proj"
        for name in ("query", "key", "value")
    },
    "distilbert.transformer.layer.{}": dict(
        zip(
            _LAYER,
            (
                "attention.q_lin",
                "attention.k_lin",
                "attention.v_lin",
                "attention.out_lin",
                "sa_layer_norm",
                "ffn.lin1",
                "ffn.lin2",
                "output_layer_norm",
            ),
            strict=True,
        )
    ),
    "albert.encoder.albert_layer_groups.{}.albert_layers.0": dict(
        zip(
            _LAYER,
            (
                "attention.query",
                "attention.key",
                "attention.value",
                "attention.dense",
                "attention.LayerNorm",
                "ffn",
                "ffn_output",
                "full_layer_layer_norm",
            ),
            strict=True,
        )
    ),
}
_TRANSFORM = "cls.predictions.transform"
_ANSWERS = {"qa_outputs": "qa_outputs"}


def _embeddings(prefix: str, *names: str) -> dict[str, str]:
    return {f"bert.embeddings.{name}": f"{prefix}.embeddings.{name}" for name in names}


DISTILBERT = (
    _ANSWERS
    | _embeddings("distilbert", "word_embeddings", "LayerNorm")
    | {
        f"{_TRANSFORM}.dense": "vocab_transform",
        f"{_TRANSFORM}.LayerNorm": "vocab_layer_norm",
        "cls.predictions.decoder": "vocab_projector",
        "bert.pooler.dense": "pre_classifier",
        "classifier": "classifier",
    }
)
ROBERTA = (
    _ANSWERS
    | _embeddings("roberta", "LayerNorm")
    | {
        f"{_TRANSFORM}.dense": "lm_head.dense",
        f"{_TRANSFORM}.LayerNorm": "lm_head.layer_norm",
        "bert.pooler.dense": "classifier.dense",
        "classifier": "classifier.out_proj",
    }
)
DEBERTA = (
    _ANSWERS
    | _embeddings("deberta", "LayerNorm")
    | {
        f"{_TRANSFORM}.dense": f"{_TRANSFORM}.dense",
        f"{_TRANSFORM}.LayerNorm": f"{_TRANSFORM}.LayerNorm",
        "bert.pooler.dense": "pooler.dense",
        "classifier": "classifier",
    }
)
ALBERT = _ANSWERS | {"bert.pooler.dense": "albert.pooler", "classifier": "classifier"}
_WHOLE = ("word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm")
ELECTRA = (
    _ANSWERS
    | _embeddings("electra", *_WHOLE)
    | {
        "bert.pooler.dense": "classifier.dense",
        "classifier": "classifier.out_proj",
    }
)
GENERATOR = _embeddings("electra", *_WHOLE) | {
    f"{_TRANSFORM}.dense": "generator_predictions.dense",
    f"{_TRANSFORM}.LayerNorm": "generator_predictions.LayerNorm",
    "cls.predictions.decoder": "generator_lm_head",
}

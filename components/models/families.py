"""All that differs between the families of encoders. Add one as an entry of FAMILIES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from components.models import profiles
from components.models.profiles import Profile


class Task(StrEnum):
    """What a head is for; the values are the Hub's own tags, or spelled like them."""

    FILL_MASK = "fill-mask"
    NEXT_SENTENCE = "next-sentence-prediction"
    SENTENCE_ORDER = "sentence-order-prediction"
    REPLACED_TOKENS = "replaced-token-detection"
    SENTIMENT = "text-classification"
    QUESTION_ANSWERING = "question-answering"
    TOKEN_CLASSIFICATION = "token-classification"
    ENCODER = "feature-extraction"  # no head: hidden states and attention


@dataclass(frozen=True, slots=True)
class Family:
    """One family: how its tokens are spelled, what it changed, what it cannot do and why."""

    model_type: str  # as in config.json
    name: str
    paper: str
    changed: str  # one sentence: what this family changed
    profile: Profile  # what its authors say of it, with sources
    continuation_prefix: str = ""  # marks a piece that goes on with a word
    word_prefix: str = ""  # marks a piece that begins a word
    has_segments: bool = False  # the network was trained with token_type_ids
    positions_follow_padding: bool = False  # position numbers start after pad_token_id
    attention_output: str = "attention.output.dense"  # in a layer: what mixes the heads' outputs
    # in the base model: the table that gives a word's vector, before positions and segments are
    # added (DeBERTa adds none) and before it is widened (ALBERT and ELECTRA factorize it)
    word_embeddings: str = "embeddings.word_embeddings"
    why_not: Mapping[Task, str] = field(default_factory=dict)  # of checkpoints without the head


_NO_PAIRS = "was trained without next-sentence prediction; use BERT."
_NO_ORDER = "was not trained to tell the order of two sentences; use ALBERT."
_GENERATOR = (
    "ELECTRA's generator was trained to fill blanks and nothing else: use its discriminator."
)
_NO_DETECTIVE = "was trained to fill blanks, not to find replaced tokens; use ELECTRA."
_NO_ENTITIES = "was trained without named entities here; use RoBERTa."

FAMILIES: Mapping[str, Family] = {
    family.model_type: family
    for family in (
        Family(
            model_type="bert",
            name="BERT",
            paper="Devlin et al. 2019, arXiv:1810.04805",
            changed="Reads both contexts at once; trained on masked words and sentence pairs.",
            profile=profiles.BERT,
            continuation_prefix="##",
            has_segments=True,
            why_not={
                Task.SENTENCE_ORDER: "BERT learned whether B follows A, not which of the two comes "
                "first; use ALBERT.",
                Task.REPLACED_TOKENS: f"BERT {_NO_DETECTIVE}",
                Task.TOKEN_CLASSIFICATION: f"BERT {_NO_ENTITIES}",
            },
        ),
        Family(
            model_type="roberta",
            name="RoBERTa",
            paper="Liu et al. 2019, arXiv:1907.11692",
            changed="Same network, better training: more text, dynamic masks, no sentence pairs.",
            profile=profiles.ROBERTA,
            word_prefix="Ġ",
            positions_follow_padding=True,
            why_not={
                Task.NEXT_SENTENCE: f"RoBERTa {_NO_PAIRS}",
                Task.SENTENCE_ORDER: f"RoBERTa {_NO_ORDER}",
                Task.REPLACED_TOKENS: f"RoBERTa {_NO_DETECTIVE}",
                Task.TOKEN_CLASSIFICATION: "RoBERTa as it was published knows no named entities; "
                "use roberta-mini.",
            },
        ),
        Family(
            model_type="albert",
            name="ALBERT",
            paper="Lan et al. 2020, arXiv:1909.11942",
            changed="One layer's weights serve every layer; the embedding matrix is factorized.",
            profile=profiles.ALBERT,
            word_prefix="▁",
            has_segments=True,
            attention_output="attention.dense",
            why_not={
                Task.NEXT_SENTENCE: "ALBERT was trained on sentence order instead of next-sentence "
                "prediction; use BERT.",
                Task.QUESTION_ANSWERING: "ALBERT's miniature has not learned it well enough yet: "
                "its head is left out. Its full-size checkpoints have one.",
                Task.REPLACED_TOKENS: f"ALBERT {_NO_DETECTIVE}",
                Task.TOKEN_CLASSIFICATION: f"ALBERT {_NO_ENTITIES}",
            },
        ),
        Family(
            model_type="distilbert",
            name="DistilBERT",
            paper="Sanh et al. 2019, arXiv:1910.01108",
            changed="Half of BERT's layers, taught by BERT's own answers.",
            profile=profiles.DISTILBERT,
            continuation_prefix="##",
            attention_output="attention.out_lin",
            why_not={
                Task.NEXT_SENTENCE: f"DistilBERT {_NO_PAIRS}",
                Task.SENTENCE_ORDER: f"DistilBERT {_NO_ORDER}",
                Task.REPLACED_TOKENS: f"DistilBERT {_NO_DETECTIVE}",
                Task.TOKEN_CLASSIFICATION: f"DistilBERT {_NO_ENTITIES}",
            },
        ),
        Family(
            model_type="electra",
            name="ELECTRA",
            paper="Clark et al. 2020, arXiv:2003.10555",
            changed="Learns to tell replaced words from real ones instead of filling blanks.",
            profile=profiles.ELECTRA,
            continuation_prefix="##",
            has_segments=True,
            why_not={
                Task.NEXT_SENTENCE: f"ELECTRA {_NO_PAIRS}",
                Task.SENTENCE_ORDER: f"ELECTRA {_NO_ORDER}",
                Task.FILL_MASK: "ELECTRA's discriminator fills no blanks: its generator does.",
                Task.TOKEN_CLASSIFICATION: f"ELECTRA {_NO_ENTITIES}",
                **dict.fromkeys(
                    (Task.REPLACED_TOKENS, Task.SENTIMENT, Task.QUESTION_ANSWERING), _GENERATOR
                ),
            },
        ),
        Family(
            model_type="deberta-v2",
            name="DeBERTa",
            paper="He et al. 2021, arXiv:2006.03654, arXiv:2111.09543",
            changed="Keeps what a token is and where it stands apart inside attention.",
            profile=profiles.DEBERTA,
            word_prefix="▁",
            has_segments=True,
            why_not={
                Task.NEXT_SENTENCE: f"DeBERTa {_NO_PAIRS}",
                Task.SENTENCE_ORDER: f"DeBERTa {_NO_ORDER}",
                Task.REPLACED_TOKENS: "DeBERTa-v3 was trained on replaced tokens, but transformers "
                "has no class for that head; use ELECTRA.",
                Task.TOKEN_CLASSIFICATION: f"DeBERTa {_NO_ENTITIES}",
                Task.FILL_MASK: "DeBERTa-v3 was trained on replaced tokens, and its published "
                "checkpoints carry no trained masked-word head.",
            },
        ),
    )
}

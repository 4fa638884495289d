"""What the authors of each family say of it: claims with their sources, and published sizes.

Part of FAMILIES. Everything here is about the full-size models; what was measured of ours stands in
evaluation.py and anatomy.py.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, and where it is to be found."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Published:
    """The size of one full-size checkpoint, as published."""

    name: str
    layers: int
    width: int
    parameters: int
    source: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A family as its authors describe it."""

    full_name: str
    objective: Claim  # what it was pretrained on
    changes: tuple[Claim, ...]  # against BERT; of BERT against what was before
    strengths: tuple[Claim, ...]
    weakness: Claim  # what it costs, or lacks
    choose_for: str  # one sentence
    published: tuple[Published, ...]


_BERT = "Devlin et al. 2019"
_ROBERTA = "Liu et al. 2019"
_ALBERT = "Lan et al. 2020"
_DISTILBERT = "Sanh et al. 2019"
_ELECTRA = "Clark et al. 2020"
_DEBERTA, _DEBERTA_V3 = "He et al. 2021", "He et al. 2021, arXiv:2111.09543"

BERT = Profile(
    full_name="Bidirectional Encoder Representations from Transformers",
    objective=Claim(
        "Masked words (15 % of the tokens are chosen and guessed) and next sentence (half of the "
        "pairs are neighbours).",
        f"{_BERT}, section 3.1",
    ),
    changes=(
        Claim(
            "Every token attends to the words on its left and on its right, in all layers.",
            f"{_BERT}, abstract",
        ),
        Claim("One more layer on top is enough to fine-tune it.", f"{_BERT}, abstract"),
    ),
    strengths=(
        Claim("It is the only one of the six that learned whether B follows A.", "its objective"),
        Claim(
            "BERT-base reaches an F1 of 88.5 on SQuAD 1.1 (development set).", f"{_BERT}, table 2"
        ),
    ),
    weakness=Claim(
        "It was trained for too short a time, says the paper on RoBERTa.", f"{_ROBERTA}, abstract"
    ),
    choose_for="A first model, pairs of sentences, and whatever later models are compared with.",
    published=(
        Published("BERT-base", 12, 768, 110_000_000, f"{_BERT}, section 3"),
        Published("BERT-large", 24, 1024, 340_000_000, f"{_BERT}, section 3"),
    ),
)
ROBERTA = Profile(
    full_name="A Robustly Optimized BERT Pretraining Approach",
    objective=Claim(
        "Masked words alone; each time a text is read, other words are hidden (dynamic masking).",
        f"{_ROBERTA}, sections 4.1 and 4.2",
    ),
    changes=(
        Claim("Next sentence is dropped, without a loss.", f"{_ROBERTA}, section 4.2"),
        Claim("160 GB of text, ten times that of BERT.", f"{_ROBERTA}, section 3.2"),
        Claim("Batches of 8,000 sequences.", f"{_ROBERTA}, section 4.3"),
        Claim("A vocabulary of 50,000 pieces made of bytes.", f"{_ROBERTA}, section 4.4"),
    ),
    strengths=(
        Claim(
            "The network of BERT-large, better trained: F1 on SQuAD 1.1 rises from 90.9 to 94.6.",
            f"{_ROBERTA}, table 6",
        ),
        Claim(
            "Bytes spell every text: capital letters stay, and nothing is unknown.",
            f"{_ROBERTA}, section 4.4",
        ),
    ),
    weakness=Claim(
        "Pretraining is dear: its first 100,000 steps took 1,024 GPUs about a day.",
        f"{_ROBERTA}, section 5",
    ),
    choose_for="Accuracy with the plain network of BERT, and texts where capitals matter.",
    published=(
        Published("RoBERTa-base", 12, 768, 125_000_000, "fairseq's list of RoBERTa models"),
        Published("RoBERTa-large", 24, 1024, 355_000_000, f"{_ROBERTA}, section 5"),
    ),
)
ALBERT = Profile(
    full_name="A Lite BERT",
    objective=Claim(
        "Masked words, and sentence order: were two neighbouring texts swapped?",
        f"{_ALBERT}, section 3.1",
    ),
    changes=(
        Claim("All layers share one set of weights.", f"{_ALBERT}, section 3.1"),
        Claim(
            "The table of tokens is factorized: 128 numbers a token, widened afterwards.",
            f"{_ALBERT}, section 3.1 and table 1",
        ),
        Claim("Sentence order takes the place of next sentence.", f"{_ALBERT}, section 3.1"),
    ),
    strengths=(
        Claim(
            "ALBERT-base has 12 M parameters, BERT-base in the same table 108 M.",
            f"{_ALBERT}, table 1",
        ),
        Claim(
            "Order is harder than topic: a BERT trained on next sentence tells the order in 52.0 % "
            "of cases, ALBERT in 86.5 %.",
            f"{_ALBERT}, table 5",
        ),
        Claim(
            "A configuration like BERT-large has 18 times fewer parameters and trains about 1.7 "
            "times faster.",
            f"{_ALBERT}, section 1",
        ),
    ),
    weakness=Claim(
        "A text still passes through every layer: sharing saves memory, not computing. The best "
        "one, xxlarge, is about three times slower to train than BERT-large.",
        f"{_ALBERT}, section 4",
    ),
    choose_for="Little memory, a small download, and the order of sentences.",
    published=(
        Published("ALBERT-base", 12, 768, 12_000_000, f"{_ALBERT}, table 1"),
        Published("ALBERT-xxlarge", 12, 4096, 235_000_000, f"{_ALBERT}, table 1"),
    ),
)
DISTILBERT = Profile(
    full_name="Distilled BERT",
    objective=Claim(
        "Three losses at once: give the probabilities that BERT gives, guess the masked words, and "
        "make vectors that point where BERT's do.",
        f"{_DISTILBERT}, section 2",
    ),
    changes=(
        Claim("Half of BERT's layers; it starts from every second one.", f"{_DISTILBERT}, sec. 3"),
        Claim("No segments, no pooler, no next sentence.", f"{_DISTILBERT}, section 3"),
    ),
    strengths=(
        Claim(
            "40 % smaller and 60 % faster than BERT, with 97 % of its language understanding.",
            f"{_DISTILBERT}, abstract",
        ),
        Claim("On a phone it is 71 % faster than BERT.", f"{_DISTILBERT}, section 4.1"),
    ),
    weakness=Claim(
        "It knows less than its teacher: F1 85.8 on SQuAD 1.1, where BERT-base has 88.5.",
        f"{_DISTILBERT}, table 2",
    ),
    choose_for="Phones and other small devices, and answers that must come at once.",
    published=(
        Published("BERT-base, its teacher", 12, 768, 110_000_000, f"{_DISTILBERT}, table 3"),
        Published("DistilBERT", 6, 768, 66_000_000, f"{_DISTILBERT}, table 3"),
    ),
)
ELECTRA = Profile(
    full_name="Efficiently Learning an Encoder that Classifies Token Replacements Accurately",
    objective=Claim(
        "Replaced tokens: a small generator fills blanks, and the discriminator says of every "
        "token whether it was replaced.",
        f"{_ELECTRA}, section 2",
    ),
    changes=(
        Claim(
            "It learns from every token of a text, not from the 15 % that were hidden.",
            f"{_ELECTRA}, abstract",
        ),
        Claim(
            "Two networks train together; the generator is thrown away.", f"{_ELECTRA}, section 2"
        ),
    ),
    strengths=(
        Claim(
            "As good as RoBERTa with less than a quarter of its computing.", f"{_ELECTRA}, abstract"
        ),
        Claim(
            "A small one, trained on one GPU for four days, outdoes GPT, which took 30 times the "
            "computing.",
            f"{_ELECTRA}, abstract",
        ),
    ),
    weakness=Claim(
        "The half that is published for use, the discriminator, fills no blanks.", "its objective"
    ),
    choose_for="Pretraining on a budget, and small models that should still be good.",
    published=(
        Published("ELECTRA-small", 12, 256, 14_000_000, f"{_ELECTRA}, table 1"),
        Published("ELECTRA-base", 12, 768, 110_000_000, f"{_ELECTRA}, table 1"),
    ),
)
DEBERTA = Profile(
    full_name="Decoding-enhanced BERT with Disentangled Attention",
    objective=Claim(
        "Masked words; since version 3 replaced tokens, as ELECTRA. Our miniature learned masked "
        "words.",
        f"{_DEBERTA}, section 2; {_DEBERTA_V3}, abstract",
    ),
    changes=(
        Claim(
            "A token has two vectors, one for what it is and one for how far away it stands; "
            "attention weighs both.",
            f"{_DEBERTA}, section 3.1",
        ),
        Claim(
            "Absolute positions enter only just before a word is guessed.",
            f"{_DEBERTA}, section 3.2",
        ),
    ),
    strengths=(
        Claim(
            "With half of RoBERTa-large's training data it is better on MNLI (91.1 against 90.2 %) "
            "and SQuAD 2.0 (90.7 against 88.4 %).",
            f"{_DEBERTA}, abstract",
        ),
    ),
    weakness=Claim(
        "It is heavy: more to compute in each attention, and a table of 128,000 tokens with more "
        "parameters than all layers together.",
        f"{_DEBERTA}, section 3.1; model card of microsoft/deberta-v3-base",
    ),
    choose_for="The best accuracy, where size and time matter less.",
    published=(
        Published(
            "DeBERTa-v3-base", 12, 768, 184_000_000,
            "model card of microsoft/deberta-v3-base: 86 M in the layers, 98 M in the embeddings",
        ),
    ),
)  # fmt: skip

"""Which family for which need: the picks with their reasons, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from components.models.profiles import Claim


class Need(StrEnum):
    """What can matter most to somebody who chooses an encoder."""

    DOWNLOAD = "small-download"
    SPEED = "fast-answers"
    MEMORY = "low-memory"
    ACCURACY = "best-accuracy"
    TRAINING = "cheap-training"
    PASSAGES = "long-passages"
    PAIRS = "sentence-pairs"


@dataclass(frozen=True, slots=True)
class Pick:
    """A family, and why."""

    model_type: str  # key of FAMILIES
    why: Claim


@dataclass(frozen=True, slots=True)
class Choice:
    """What to choose for a need, first and second, and what can be seen of it in our miniatures."""

    label: str  # on the button
    headline: str  # "{name}" is the family picked first
    picks: tuple[Pick, ...]
    caveat: str
    measures: tuple[str, ...] = ()  # figures of evaluation.py, or numbers of anatomy.Anatomy
    least_first: bool = False


_GENERAL = (
    "Our miniatures read far less text than the published models: the order of ours says nothing "
    "about theirs."
)

CHOICES: Mapping[Need, Choice] = {
    Need.DOWNLOAD: Choice(
        "A small download",
        "For a small download: {name}",
        (
            Pick(
                "albert",
                Claim(
                    "12 M parameters, where BERT-base has 108 M: one layer is stored and used "
                    "twelve times.",
                    "Lan et al. 2020, table 1",
                ),
            ),
            Pick(
                "electra",
                Claim("ELECTRA-small has 14 M parameters.", "Clark et al. 2020, table 1"),
            ),
        ),
        "Small is not fast: ALBERT's one layer is computed as often as BERT's twelve.",
        ("disk_bytes",),
        least_first=True,
    ),
    Need.SPEED: Choice(
        "Fast answers (phones, edge)",
        "For fast answers: {name}",
        (
            Pick(
                "distilbert",
                Claim(
                    "Half of the layers: 60 % faster than BERT, and 71 % faster on a phone.",
                    "Sanh et al. 2019, abstract and section 4.1",
                ),
            ),
            Pick(
                "electra",
                Claim(
                    "ELECTRA-small is narrow: its vectors have 256 numbers, a third of BERT-base's "
                    "768.",
                    "Clark et al. 2020, section 3.4",
                ),
            ),
        ),
        "Layers are counted here, seconds are not: the Compare tab measures these on this machine.",
        ("layers",),
        least_first=True,
    ),
    Need.MEMORY: Choice(
        "Little memory",
        "For little memory: {name}",
        (
            Pick(
                "albert",
                Claim(
                    "It was made for this: one set of weights for all layers, and a factorized "
                    "table of tokens.",
                    "Lan et al. 2020, abstract",
                ),
            ),
            Pick(
                "distilbert",
                Claim("66 M parameters, where BERT-base has 110 M.", "Sanh et al. 2019, table 3"),
            ),
        ),
        "What a text needs while it is read comes on top, and ALBERT does not lower that.",
        ("parameters",),
        least_first=True,
    ),
    Need.ACCURACY: Choice(
        "The best accuracy",
        "For accuracy: {name}",
        (
            Pick(
                "deberta-v2",
                Claim(
                    "Better than RoBERTa-large on MNLI (91.1 against 90.2 %) after half of the "
                    "training data.",
                    "He et al. 2021, abstract",
                ),
            ),
            Pick(
                "roberta",
                Claim(
                    "Better than BERT-large on SQuAD 1.1: F1 94.6 against 90.9.",
                    "Liu et al. 2019, table 6",
                ),
            ),
        ),
        _GENERAL,
        ("questions_f1", "sentiment"),
    ),
    Need.TRAINING: Choice(
        "Cheap pretraining",
        "For cheap pretraining: {name}",
        (
            Pick(
                "electra",
                Claim(
                    "As good as RoBERTa with less than a quarter of its computing; a small one "
                    "takes one GPU four days.",
                    "Clark et al. 2020, abstract",
                ),
            ),
            Pick(
                "distilbert",
                Claim(
                    "About 90 hours on eight GPUs, but it needs a trained BERT as its teacher.",
                    "Sanh et al. 2019, section 3",
                ),
            ),
        ),
        "Whoever only fine-tunes does not pay for pretraining: then choose by accuracy and speed.",
    ),
    Need.PASSAGES: Choice(
        "Long passages",
        "For long passages: {name}",
        (
            Pick(
                "deberta-v2",
                Claim(
                    "Its attention knows how far apart two tokens stand, not at which place of the "
                    "text.",
                    "He et al. 2021, section 3.1",
                ),
            ),
            Pick(
                "roberta",
                Claim(
                    "It was trained on full-length inputs all the time, BERT on short ones for "
                    "nine steps in ten.",
                    "Liu et al. 2019, section 3.1; Devlin et al. 2019, appendix A.2",
                ),
            ),
        ),
        "All six are trained on at most 512 tokens, about a page. The Question answering tab reads "
        "longer passages in windows, whichever you choose.",
    ),
    Need.PAIRS: Choice(
        "Pairs of sentences",
        "For pairs of sentences: {name}",
        (
            Pick(
                "bert",
                Claim(
                    "It learned whether B follows A, and marks the two texts as segments.",
                    "Devlin et al. 2019, section 3.1",
                ),
            ),
            Pick(
                "albert",
                Claim(
                    "For their order: it learned whether two neighbours were swapped, which next "
                    "sentence does not teach.",
                    "Lan et al. 2020, section 3.1 and table 5",
                ),
            ),
        ),
        "Fine-tuned on pairs, the other four judge them too: these two learned it from plain text.",
        ("pairs_other", "sentence_order"),
    ),
}
DEFAULT_NEED = Need.DOWNLOAD

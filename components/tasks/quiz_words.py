"""Questions of the quiz about hidden words: one blank, its two sides, which word is hard."""

from __future__ import annotations

import math

from components.models.catalog import default_for
from components.models.families import Task
from components.tasks import every_word, fill_mask
from components.tasks.lesson_live import one_sided
from components.tasks.lesson_parts import Compute, Desk, Live, Panel, Row, shipped
from components.tasks.quiz_parts import Item, asked, way

KEY = "She opened the [MASK] with her key."
PARIS = "Paris is the [MASK] of France."
GARDEN = "The dog chased the cat across the green garden."


def _scores(desk: Desk, model_id: str, text: str, words: tuple[str, ...]) -> dict[str, float]:
    """Give the probability of each word in the first blank; 0 for what is no token."""
    model = desk.get(model_id, Task.FILL_MASK)
    found = fill_mask.predict(model, text, top_k=len(words), only=words).blanks[0].candidates
    scores = {one.word.casefold(): one.score for one in found}
    return {word: scores.get(word.casefold(), 0.0) for word in words}


def blank(text: str, words: tuple[str, ...], why: str) -> Compute:
    """Ask which word is most probable; the figures of `why` are those of the first two."""

    def compute(desk: Desk, _: str) -> Live:
        model_id = default_for(Task.FILL_MASK)
        scores = _scores(desk, model_id, text, words)
        return asked(
            f"“{text}” Which of these words does {model_id} find most probable?",
            {word: scores[word] for word in sorted(words)},
            why,
            [scores[word] for word in words[:2]],
            model_id=model_id,
        )

    return compute


def _sides(desk: Desk, _: str) -> Live:
    model = desk.get(default_for(Task.FILL_MASK), Task.FILL_MASK)
    readings = one_sided(KEY, model.mask_token)
    scores = {}
    for name, (text, number) in readings.items():
        found = fill_mask.predict(model, text, top_k=1, only=("door",)).blanks[number].candidates
        scores[name] = found[0].score if found else 0.0
    return asked(
        f"“{KEY}” With which reading is “door” most probable in the blank?",
        scores,
        "The left side alone gives “door” {}, the right side alone {}, both together {}: each "
        "side says something, and an encoder reads both in every layer.",
        list(scores.values()),
        model_id=model.id,
        before=[Panel("Three readings", tuple(Row(n, text=r[0]) for n, r in readings.items()))],
    )


def _surest(desk: Desk, _: str) -> Live:
    cards = [shipped(name, Task.FILL_MASK) for name in ("bert", "distilbert", "roberta")]
    scores = {
        card.id: _scores(desk, card.id, PARIS, ("capital",))["capital"] for card in cards if card
    }
    return asked(
        f"“{PARIS}” Which of these models gives “capital” the most?",
        scores,
        "They get {} (BERT), {} (DistilBERT) and {} (RoBERTa). The student learned from its "
        "teacher's probabilities with half of the layers; RoBERTa has other pieces and other text.",
        list(scores.values()),
    )


def hidden(text: str, *, hardest: bool) -> Compute:
    """Ask which word of `text` is the hardest, or the easiest, to guess when it is hidden."""

    def compute(desk: Desk, _: str) -> Live:
        model = desk.get(default_for(Task.FILL_MASK), Task.FILL_MASK)
        sentence = every_word.predict(model, text).first
        scores: dict[str, float] = {}
        for word in sentence.words:
            name = sentence.text[slice(*word.span)]
            if name.isalpha() and name.casefold() not in map(str.casefold, scores):
                scores[name] = math.exp(word.score(every_word.ALONE))
        ranked = sorted(scores, key=scores.__getitem__, reverse=not hardest)
        offered = {ranked[0], *ranked[len(ranked) // 2 :: 2][:3]}
        kind = "hardest" if hardest else "easiest"
        return asked(
            f"“{text}” Each word is hidden once. Which of these is {kind} to guess?",
            {w: 1 / max(p, 1e-12) if hardest else p for w, p in scores.items() if w in offered},
            f"“{ranked[0]}” gets {{}}, “{ranked[-1]}” {{}}. The loss is −log of these: the model "
            "learns most where it was surprised, least from words that grammar asks for.",
            [scores[ranked[0]], scores[ranked[-1]]],
            model_id=model.id,
            rows=[Row(word, score) for word, score in scores.items()],
            heading="How probable each word was when it was hidden",
        )

    return compute


def _item(key: str, title: str, text: str, words: tuple[str, ...], why: str) -> Item:
    return Item(key, title, 2, way("fill_mask", "Fill-mask", text=text), blank(text, words, why))


NURSE = "She is a nurse. [MASK] works in a hospital."
RIVER = "The river flows into the [MASK]."
TRAIN = "The train arrived at the [MASK]."
CUP = "She drank a cup of [MASK]."
KING = "The king lived in a large castle near the sea."
ITEMS = (
    _item(
        "paris",
        "A blank between two names",
        PARIS,
        ("capital", "city", "king", "river"),
        "“capital” gets {}, “city” {}. “Paris” on the left and “France” on the right settle it: "
        "the hidden word was the target, and the text itself was the label.",
    ),
    _item(
        "door",
        "Something to open",
        KEY,
        ("door", "room", "window", "letter"),
        "“door” gets {}, “room” {}. The word that decides, “key”, stands to the right of the "
        "blank: a model that reads from left to right has not seen it yet.",
    ),
    Item("sides", "Left, right or both", 0, way("fill_mask", "Fill-mask", text=KEY), _sides),
    _item(
        "nurse",
        "A pronoun",
        NURSE,
        ("she", "he", "it", "they"),
        "“she” gets {}, “he” {}. “She” stands in the sentence before: the vector of the blank is "
        "made of the whole text, across the full stop too.",
    ),
    _item(
        "river",
        "Where a river goes",
        RIVER,
        ("river", "sea", "mountains", "valley"),
        "“river” gets {}, “sea” {}. A miniature often copies a word that is there already: "
        "probable in its training text is not the same as true.",
    ),
    _item(
        "train",
        "An arrival",
        TRAIN,
        ("station", "bus", "airport", "road"),
        "“station” gets {}, “bus” {}. Nobody told the model what a train is: it met the words "
        "together while it filled blanks.",
    ),
    _item(
        "cup",
        "A cup of something",
        CUP,
        ("tea", "water", "paper", "stone"),
        "“tea” gets {}, “water” {}. All of its vocabulary shares 100 %, so what seems sensible "
        "takes its part from the rest.",
    ),
    Item("surest", "One blank, three models", 1, way("compare", "Compare"), _surest),
    Item(
        "hardest",
        "The hardest word",
        2,
        way("fill_mask", "Every word", "every_word", text=GARDEN),
        hidden(GARDEN, hardest=True),
    ),
    Item(
        "easiest",
        "The easiest word",
        2,
        way("fill_mask", "Every word", "every_word", text=KING),
        hidden(KING, hardest=False),
    ),
)

"""Questions of the quiz about pairs of sentences, and about who has a head for what."""

from __future__ import annotations

from components.models.catalog import SHIPPED, default_for
from components.models.families import Task
from components.tasks import next_sentence
from components.tasks.lesson_live import ELSEWHERE, FIRST
from components.tasks.lesson_parts import Compute, Desk, Live, Row, Unit
from components.tasks.quiz_parts import Item, asked, way

FOLLOWS, ELSE = "IsNext: B may follow A", "NotNext: B comes from elsewhere"


def pair(first: str, second: str, why: str, *, swapped: bool = False) -> Compute:
    """Ask for the verdict on a pair, or on the same pair the other way round."""

    def compute(desk: Desk, _: str) -> Live:
        model = desk.get(default_for(Task.NEXT_SENTENCE), Task.NEXT_SENTENCE)
        result = next_sentence.predict(model, first, second)
        verdict, other = result.judgement, result.swapped
        a, b = (second, first) if swapped else (first, second)
        if swapped:
            verdict, other = other, verdict
        return asked(
            f"A “{a}” B “{b}” What does {model.id} say?",
            dict(zip((FOLLOWS, ELSE), verdict.scores, strict=True)),
            why,
            [verdict.scores[0], other.scores[0]],
            model_id=model.id,
            rows=[
                Row("IsNext", verdict.scores[0]),
                Row("NotNext", verdict.scores[1]),
                Row("IsNext, swapped", other.scores[0]),
            ],
        )

    return compute


def has_head(task: Task, asks: str, why: str) -> Compute:
    """Ask which model has a head for `task`; the catalog is what the networks were loaded by."""

    def compute(_desk: Desk, _: str) -> Live:
        cards = [card for card in SHIPPED if not card.id.endswith("generator")]
        fits = {card.id: float(task in card.tasks) for card in cards}
        return asked(asks, fits, why, [sum(fits.values()), len(fits)], unit=Unit.COUNT)

    return compute


def _pair_item(
    key: str, title: str, first: str, second: str, why: str, *, swapped: bool = False
) -> Item:
    a, b = (second, first) if swapped else (first, second)
    there = way("next_sentence", "Next sentence", first=a, second=b)
    return Item(key, title, 3, there, pair(first, second, why, swapped=swapped))


ITEMS = (
    _pair_item(
        "walk",
        "Nice weather",
        FIRST,
        "Let's go for a walk.",
        "IsNext gets {}, and {} with the two swapped. In training half of the pairs were "
        "neighbours, the others came from different texts.",
    ),
    _pair_item(
        "python",
        "Another sentence B",
        FIRST,
        ELSEWHERE,
        "IsNext gets only {} (swapped: {}). Another topic gives a pair away: that is what the "
        "objective teaches most, and why RoBERTa could drop it.",
    ),
    _pair_item(
        "crowned",
        "Two sentences swapped",
        "The king died in the spring of 1625.",
        "His son was crowned in the following year.",
        "IsNext gets {} in this order, which is the wrong one, and {} in the right one. The topic "
        "is the same both ways, and order is hardly learned: ALBERT's objective is made of it.",
        swapped=True,
    ),
    _pair_item(
        "album",
        "A band",
        "The band released its first album in 1994.",
        "The album sold two million copies.",
        "IsNext gets {} (swapped: {}). The two share a topic and a word.",
    ),
    Item(
        "pair_head",
        "Who judges pairs",
        3,
        way("families", "Models"),
        has_head(
            Task.NEXT_SENTENCE,
            "Which of these models has a head for next sentence?",
            "{} of these {} has it: BERT. The others were trained without pairs, so there is no "
            "such head to load; one with new weights would answer by chance.",
        ),
    ),
    Item(
        "replaced_head",
        "Who spots fakes",
        1,
        way("replaced_tokens", "Replaced tokens"),
        has_head(
            Task.REPLACED_TOKENS,
            "Which of these models says of every token whether it was replaced?",
            "{} of these {}: ELECTRA's discriminator. A head belongs to the objective that it was "
            "trained with.",
        ),
    ),
)

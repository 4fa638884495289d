"""Steps of the lesson that one model answers: each reads the learner's text and asks about it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from components.errors import InputError
from components.models.catalog import default_for
from components.models.families import Task
from components.tasks import (
    every_word,
    fill_mask,
    next_sentence,
    question_answering,
    sentiment,
)
from components.tasks.lesson_parts import Desk, Live, Panel, Question, Row
from components.tasks.words import Word, check_text, split_words

MOST_ROWS = 16
HIDDEN_WORDS = 8  # of the side that is not to be read; those farther away are left out
FIRST = "The weather is nice today."
ELSEWHERE = "Python is a programming language."
PASSAGE = (
    "Transformers are deep learning models that use self-attention to process sequences "
    "efficiently."
)


def contexts(desk: Desk, text: str) -> Live:
    """Fill one blank three times: by its left side, by its right side, by both."""
    model = desk.get(default_for(Task.FILL_MASK), Task.FILL_MASK)
    reading = fill_mask.read_blanks(model, text)
    readings = one_sided(reading.text, model.mask_token)
    found = {
        name: fill_mask.predict(model, one, top_k=3).blanks[number].candidates
        for name, (one, number) in readings.items()
    }
    names = tuple(found)
    surest = max(reversed(names), key=lambda name: found[name][0].score)  # both, if two are equal
    word = found[surest][0].word
    return Live(
        question=Question(
            "With which reading is the model surest of its first word?",
            names,
            names.index(surest),
            f"Surest with {surest.lower()}: “{word}”.",
            "A model that reads from left to right has the first reading only. BERT was trained to "
            "use both sides in every layer. Sure is not the same as right: look at the words.",
        ),
        before=(Panel("Three readings", tuple(Row(n, text=r[0]) for n, r in readings.items())),),
        after=tuple(
            Panel(name, tuple(Row(one.word, one.score) for one in best))
            for name, best in found.items()
        ),
        model_id=model.id,
        notices=tuple(fill_mask.predict(model, text, top_k=1).notices),
    )


def one_sided(text: str, mask: str) -> dict[str, tuple[str, int]]:
    """Give three readings of the first blank of `text`, each with the number of its blank.

    Words of a hidden side become blanks, so the model still knows that some stood there.
    """
    words = split_words(text, mask)
    at = next(i for i, word in enumerate(words) if word.is_blank)
    start, end = words[at].span
    before, behind = (_count(text, side) for side in (words[:at], words[at + 1 :]))
    stop = text[words[-1].span[0] :] if words[-1].span[0] > end else ""
    stop = stop if not stop[:1].isalnum() and stop != mask else ""
    return {
        "Only the left side": (" ".join([text[:end], *[mask] * behind]) + stop, 0),
        "Only the right side": (" ".join([*[mask] * before, text[start:]]), before),
        "Both sides": (text, 0),
    }


def _count(text: str, side: Sequence[Word]) -> int:
    return min(HIDDEN_WORDS, sum(word.is_blank or word.is_letters(text) for word in side))


def masked_words(desk: Desk, text: str) -> Live:
    """Hide every word in turn, and ask which one the model finds hardest."""
    model = desk.get(default_for(Task.FILL_MASK), Task.FILL_MASK)
    sentence = every_word.predict(model, text).first
    scores: dict[str, float] = {}
    rows: list[Row] = []
    for word in sentence.words:
        name = sentence.text[slice(*word.span)]
        if not name[:1].isalnum() or any(piece.is_blank for piece in word.pieces):
            continue
        score = word.score(every_word.ALONE)  # nats
        guess = word.pieces[0].guesses[0].word
        rows.append(Row(name, math.exp(score), f"first guess: {guess}"))
        scores[name.casefold()] = min(score, scores.get(name.casefold(), 0.0))
    if len(scores) < 2:
        raise InputError("There is only one word to hide here. Type a sentence of several words.")
    ranked = sorted(scores, key=scores.__getitem__)
    offered = {ranked[i * (len(ranked) - 1) // 3] for i in range(4)}
    choices = tuple(word for word in scores if word in offered)
    return Live(
        question=Question(
            "Which of these words is hardest for the model to guess when it is hidden?",
            choices,
            choices.index(ranked[0]),
            f"“{ranked[0]}” is the hardest, “{ranked[-1]}” the easiest.",
            "The loss of this objective is −log of these probabilities: the less expected a word, "
            "the more the model learns from it. Small words that grammar asks for teach little.",
        ),
        after=(Panel("How probable each word was when it was hidden", tuple(rows[:MOST_ROWS])),),
        model_id=model.id,
        notices=sentence.notices,
    )


def pairs(desk: Desk, text: str) -> Live:
    """Judge whether the text follows the first sentence."""
    model = desk.get(default_for(Task.NEXT_SENTENCE), Task.NEXT_SENTENCE)
    result = next_sentence.predict(model, FIRST, text)
    other = next_sentence.predict(model, FIRST, ELSEWHERE)
    follows = result.judgement.follows
    return Live(
        question=Question(
            "What will the model say?",
            ("IsNext: B may follow A", "NotNext: B comes from elsewhere"),
            0 if follows else 1,
            f"It says {'IsNext' if follows else 'NotNext'}.",
            "What it learned here is mostly whether two texts share a topic: swap them and little "
            "changes. RoBERTa dropped this objective, ALBERT put sentence order in its place.",
        ),
        before=(Panel("The pair", (Row("A", text=FIRST), Row("B", text=text))),),
        after=(
            Panel("A, then B", _verdict(result.judgement)),
            Panel("Swapped: B, then A", _verdict(result.swapped)),
            Panel(f"For comparison: “{ELSEWHERE}”", _verdict(other.judgement)),
        ),
        model_id=model.id,
        notices=result.notices,
    )


def _verdict(judgement: next_sentence.Judgement) -> tuple[Row, ...]:
    yes, no = judgement.scores
    return Row("IsNext", yes, tone="yes"), Row("NotNext", no, tone="no")


def opinion(desk: Desk, text: str) -> Live:
    """Classify one sentence."""
    model = desk.get(default_for(Task.SENTIMENT), Task.SENTIMENT)
    result = sentiment.predict(model, [text])
    one = result.texts[0]
    top = result.labels[one.top]
    return Live(
        question=Question(
            "Which class will the model choose?",
            result.labels,
            one.top,
            f"It says {top}.",
            "A high score is not a proof. The model weighs what its film reviews taught it; "
            "negation and irony fool it. Ask for the other class with as few words as you can.",
        ),
        after=(Panel("The classes", tuple(map(Row, result.labels, one.scores))),),
        model_id=model.id,
        notices=result.notices,
    )


def answers(desk: Desk, text: str) -> Live:
    """Find the answer to a question in the passage, or that there is none."""
    model = desk.get(default_for(Task.QUESTION_ANSWERING), Task.QUESTION_ANSWERING)
    result = question_answering.predict(model, check_text(text, "The question"), PASSAGE, top_k=3)
    spans = sorted(result.answers, key=lambda answer: (answer.span[1], answer.span[0]))
    choices = (*(answer.text for answer in spans), "No answer in this passage")
    best = spans.index(result.answers[0]) if result.has_answer else len(spans)
    rows = [Row(answer.text, answer.score) for answer in result.answers]
    rows.append(Row("No answer", result.no_answer.score, tone="muted"))
    return Live(
        question=Question(
            f"“{text}” What will the model answer?",
            choices,
            best,
            f"It says: {choices[best]}.",
            "It can only copy. Whether an answer is there at all is its weakest skill, so a "
            "missing answer often becomes a wrong one.",
        ),
        before=(Panel("The passage", (Row("", text=PASSAGE),)),),
        after=(Panel("The best spans", tuple(rows)),),
        model_id=model.id,
        notices=result.notices,
    )

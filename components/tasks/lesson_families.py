"""Steps of the lesson on the other families: what can be counted, and models side by side.

Which models answer comes from the catalog; where a family's miniature does not ship yet, its step
says so, and shows what can be computed without it.
"""

from __future__ import annotations

import numpy as np

from components.errors import InputError
from components.models.catalog import DEFAULT_MODEL
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.tasks import fill_mask, generator, input_embeddings, replaced_tokens
from components.tasks import fine_tune as tuning
from components.tasks.lesson_parts import (
    Desk,
    Live,
    Panel,
    Question,
    Row,
    Unit,
    anatomy_of,
    said,
    shipped,
)
from components.tasks.scores import softmax
from components.tasks.words import check_text, split_words

GAME = "The old farmer sold his horse at the market and bought two sheep."
SEED = 3
LABELS = ("praise", "complaint")
SAME, ALIKE = 0.9999, 0.3  # cosines: what is called the same, and alike


def training_notice(model_type: str) -> tuple[str, ...]:
    """Say that the miniature of a family is not there yet, if so."""
    if not model_type or shipped(model_type):
        return ()
    name = FAMILIES[model_type].name
    return (f"Our {name} is still in training: this step shows what can be computed without it.",)


def student(desk: Desk, text: str) -> Live:
    """Let teacher and student fill the same blank; ask whether they agree."""
    teacher, pupil = shipped("bert", Task.FILL_MASK), shipped("distilbert", Task.FILL_MASK)
    if teacher is None or pupil is None:
        return what_it_changed("distilbert")
    results = {
        name: fill_mask.predict(desk.get(card.id, Task.FILL_MASK), text, top_k=4)
        for name, card in {"Teacher": teacher, "Student": pupil}.items()
    }
    first = [result.blanks[0].candidates[0].word for result in results.values()]
    agree = first[0] == first[1]
    return Live(
        question=Question(
            f"{pupil.id} learned from the answers of {teacher.id}. Will both put the same word "
            "first?",
            ("Yes, the same word", "No, another one"),
            0 if agree else 1,
            f"Both say “{first[0]}”." if agree else f"“{first[0]}” there, “{first[1]}” here.",
            "Half of the layers is half of the work. The student keeps most of what its teacher "
            "knows, and is less sure: compare the bars.",
        ),
        after=(
            *(
                Panel(
                    f"{name}: {result.model_id}",
                    tuple(Row(one.word, one.score) for one in result.blanks[0].candidates),
                )
                for name, result in results.items()
            ),
            Panel(
                "Parameters",
                tuple(
                    Row(card.id, float(anatomy_of(desk, card.id).parameters))
                    for card in (teacher, pupil)
                ),
                Unit.PARAMETERS,
            ),
        ),
        notices=results["Teacher"].notices,
    )


def what_it_changed(model_type: str) -> Live:
    """Ask what a family changed: the question for which no model is needed."""
    own = FAMILIES[model_type]
    others = [family for family in FAMILIES.values() if family.model_type != model_type]
    choices = tuple(sorted(family.changed for family in (own, *others[:2])))
    return Live(
        Question(
            f"What did {own.name} change?",
            choices,
            choices.index(own.changed),
            own.changed,
            said(own.profile.changes[0]),
        )
    )


def fakes(desk: Desk, _: str) -> Live:
    """Replace a word of a sentence that the learner has not seen, and ask which."""
    filler = shipped("electra", Task.FILL_MASK)
    model = desk.get(filler.id if filler else DEFAULT_MODEL, Task.FILL_MASK)
    words = split_words(GAME, model.mask_token)
    long = [i for i, w in enumerate(words) if w.is_letters(GAME) and w.span[1] - w.span[0] > 3]
    chosen = int(np.random.default_rng(SEED).choice(long))
    altered = generator.replace_words(model, GAME, [chosen], seed=SEED)
    swap = altered.replacements[0]
    now = [altered.text[slice(*w.span)] for w in split_words(altered.text, model.mask_token)]
    known = dict.fromkeys(now[i] for i in long if i != chosen and now[i] != swap.put)
    offered = {swap.put, *list(known)[:: max(1, len(known) // 3)][:3]}
    choices = tuple(dict.fromkeys(word for word in now if word in offered))
    return Live(
        question=Question(
            "One word of this sentence was replaced by a generator. Which one?",
            choices,
            choices.index(swap.put),
            f"“{swap.put}” stands where “{swap.original}” stood.",
            "Nearly every word can be real: so the discriminator must understand the sentence. It "
            "is judged on every token, that is why ELECTRA needs less text.",
        ),
        before=(Panel("The sentence", (Row("", text=altered.text),)),),
        after=(
            Panel("The original", (Row("", text=GAME),)),
            Panel("What the generator gave its word", (Row(swap.put, swap.score),)),
            *_detective(desk, altered.text),
        ),
        model_id=model.id,
    )


def _detective(desk: Desk, text: str) -> tuple[Panel, ...]:
    """Let the discriminator judge every token, where there is one."""
    card = shipped("electra", Task.REPLACED_TOKENS)
    if card is None:
        return ()
    judged = replaced_tokens.predict(desk.get(card.id, Task.REPLACED_TOKENS), text)
    rows = tuple(Row(text[slice(*one.span)], one.score) for one in judged.tokens)
    return (Panel(f"Replaced? What {card.id} says of each token", rows),)


def apart(desk: Desk, text: str) -> Live:
    """Compare two places of one word as they enter layer 1: is the position added there?"""
    model = desk.get(DEFAULT_MODEL, Task.FILL_MASK)
    encoding = model.encode(check_text(text, "The sentence"))
    token, position = _repeated(encoding, text)
    result = input_embeddings.predict(model, text, position=position)
    assert result.twin is not None, "the token stands twice"
    cosine = result.twin.cosine
    rows = [
        Row("what it is: the token alone", result.twin.token_cosine),
        Row(f"{model.id}: with where it stands added", cosine, tone="yes"),
    ]
    own = shipped("deberta-v2", Task.ENCODER)
    if own:
        reader = desk.get(own.id, Task.ENCODER)
        there = _token_at(reader.encode(text), encoding.offsets[position][1])
        twin = input_embeddings.predict(reader, text, position=there).twin
        rows.append(Row(f"{own.id}: nothing is added", twin.cosine if twin else 1.0))
    return Live(
        question=Question(
            f"“{token}” stands twice. Are the two vectors that enter layer 1 of {model.id} the "
            "same?",
            ("The same: it is the same word", "Alike, but not the same", "Quite different"),
            0 if cosine >= SAME else 1 if cosine >= ALIKE else 2,
            "The position makes the difference."
            if cosine < SAME
            else "They are the same: nothing was added.",
            "BERT adds the position here, so what and where are mixed before the first layer. "
            "DeBERTa adds none: a word enters the same wherever it stands, and distance is weighed "
            "in attention.",
        ),
        before=(Panel("The sentence", (Row("", text=text),)),),
        after=(Panel(f"How alike the two “{token}” are (cosine)", tuple(rows), Unit.COSINE),),
        model_id=model.id,
        notices=result.notices,
    )


def _repeated(encoding: Encoding, text: str) -> tuple[str, int]:
    """Give the last word that stands twice, and its last position."""
    whole = {
        at: (encoding.input_ids[at], text[slice(*encoding.offsets[at])].strip().lower())
        for at in range(len(encoding))
        if encoding.sequence_ids[at] == 0 and _is_word(text, *encoding.offsets[at])
    }
    for at, kind in reversed(whole.items()):
        if list(whole.values()).count(kind) > 1:
            return kind[1], at
    words = [w for w in split_words(text, "[MASK]") if w.is_letters(text)]
    again = text[slice(*words[-1].span)] if words else "word word"
    raise InputError(
        "No word stands twice here. Write one of them again.",
        suggestion=f"{text.strip()} {again}",
    )


def _token_at(encoding: Encoding, end: int) -> int:
    """Give the token that holds the character before `end`."""
    own = [at for at, side in enumerate(encoding.sequence_ids) if side == 0]
    return next(at for at in own if encoding.offsets[at][1] >= end)


def _is_word(text: str, start: int, end: int) -> bool:
    """Say whether these characters are a word and not a piece of one."""
    joined = text[:start][-1:].isalnum() and text[start : start + 1].isalnum()
    goes_on = text[end : end + 1].isalnum()
    return text[start:end].strip().isalnum() and not joined and not goes_on


def chance(desk: Desk, text: str) -> Live:
    """Let heads that nobody trained judge a sentence; ask whether they agree."""
    from components.models.classifiers import Classifier

    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    encodings = tuning.encode(model, [check_text(text, "The sentence")])
    classifier = Classifier(model, LABELS, whole=False, seed=1)
    logits = []
    for seed in range(1, tuning.HEADS + 1):
        classifier.start_over(seed)
        logits.append(classifier.answering().run(encodings)[0]["logits"])  # (labels,)
    verdicts = [LABELS[int(np.argmax(row))] for row in logits]
    agree = len(set(verdicts)) == 1
    return Live(
        question=Question(
            f"{len(verdicts)} new heads, each with its own random weights, judge this sentence as "
            f"{LABELS[0]} or {LABELS[1]}. Will they agree?",
            ("They all agree", "They do not"),
            0 if agree else 1,
            "They agree, by luck." if agree else "They do not agree: chance decides.",
            "The encoder is the same each time, only the head differs. Before training a logit "
            "says nothing of your sentence: never read it as an answer.",
        ),
        after=(
            Panel(
                f"How probable each head makes “{LABELS[0]}”",
                tuple(
                    Row(f"Head {i}", float(softmax(row)[0]), f"it says {label}")
                    for i, (row, label) in enumerate(zip(logits, verdicts, strict=True), start=1)
                ),
            ),
        ),
        model_id=model.id,
    )

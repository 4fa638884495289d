"""Known answers: whether a head of a stranger's checkpoint knows what any trained one would know.

A head may be in the files and still be of no use: saved before it was trained, or trained for
something else. Each check asks a few plain English things, and says what came of it only if that
is no better than chance. Add one as an entry of CHECKS.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import numpy as np

from components.models.families import Task
from components.models.loaded import LoadedModel

logger = logging.getLogger(__name__)

BLANKS = (  # what stands in the blank is one token of almost every English vocabulary
    ("The sun rises in the {}.", "east"),
    ("A week has seven {}.", "days"),
    ("She opened the door with a {}.", "key"),
    ("He drank a cup of {}.", "coffee"),
    ("The opposite of hot is {}.", "cold"),
    ("They went to the {} to borrow a book.", "library"),
)
OPINIONS = (
    "What a wonderful film, I loved every minute of it.",
    "Excellent work, thank you so much!",
    "A terrible film, I hated every minute of it.",
    "Awful service, we were very disappointed.",
)
QUESTIONS = (
    ("Who wrote the letter?", "The old letter was written by Anna in the month of May.", "Anna"),
    ("Where is the key?", "After some time we saw that the key was in the kitchen.", "kitchen"),
    ("What did the boy drink?", "It was hot that day, and the boy drank some water.", "water"),
    ("When did the train leave?", "The train to the coast left on Monday with us.", "Monday"),
)
_LOW_RANK = 0.2  # mean share of the vocabulary ranked above; by chance 0.5, trained below 0.02
_FEW_BLANKS = 3  # of which the vocabulary has the word; fewer decide nothing
_FEW_ANSWERS = 2  # of four; by chance two or more are found in one case of twenty


def _blanks(model: LoadedModel) -> str | None:
    ranks = []
    for text, word in BLANKS:
        pieces = model.pieces(word)
        if len(pieces) != 1:
            continue
        encoding = model.encode(text.format(model.mask_token), literal=False)
        (answer,) = model.run([encoding], positions=[encoding.positions_of(model.mask_token_id)])
        scores = answer["logits"][0]  # (vocabulary)
        ranks.append(float(np.mean(scores > scores[pieces[0][0]])))
    if len(ranks) < _FEW_BLANKS or np.mean(ranks) < _LOW_RANK:
        return None
    return (
        f"Of {len(ranks)} plain English blanks (“The sun rises in the …”) {model.id} guesses no "
        "better than chance: its masked-word head may be untrained, or it reads another language."
    )


def _opinions(model: LoadedModel) -> str | None:
    answers = model.run([model.encode(text) for text in OPINIONS])
    classes = {int(np.argmax(answer["logits"])) for answer in answers}
    if len(model.labels) < 2 or len(classes) > 1:
        return None
    return (
        f"{model.id} gives clear praise and clear complaint the same class "
        f"({model.labels[classes.pop()]}): it may have been trained for something else."
    )


def _questions(model: LoadedModel) -> str | None:
    found = 0
    for question, passage, answer in QUESTIONS:
        encoding = model.encode(question, passage)
        (scores,) = model.run([encoding])
        of_passage = [i for i, text in enumerate(encoding.sequence_ids) if text == 1]
        best = of_passage[int(np.argmax(scores["start_logits"][of_passage]))]
        begin = passage.index(answer)
        found += begin - 1 <= encoding.offsets[best][0] < begin + len(answer)
    if found >= _FEW_ANSWERS:
        return None
    return (
        f"{model.id} finds {found} of {len(QUESTIONS)} plain answers (“Who wrote the letter?”), no "
        "more than chance would: it may be untrained, or read another language."
    )


CHECKS: Mapping[Task, Callable[[LoadedModel], str | None]] = {
    Task.FILL_MASK: _blanks,
    Task.SENTIMENT: _opinions,
    Task.QUESTION_ANSWERING: _questions,
}


def doubts(model: LoadedModel) -> tuple[str, ...]:
    """Ask `model` for what any trained head knows; give what is to be said about its answers."""
    check = CHECKS.get(model.task)
    try:
        doubt = check(model) if check else None
    except Exception:  # the visitor's own text is what counts
        logger.warning("%s could not be asked for known answers", model.id, exc_info=True)
        return ()
    return (doubt,) if doubt else ()

"""The first step of the lesson: a text followed through an encoder, box by box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from components.models.catalog import default_for
from components.models.families import Task
from components.tasks import input_embeddings, lens
from components.tasks.lesson_parts import Desk, Live, Panel, Question, Row, Stage, Unit

NUMBERS = 4  # of a vector that are shown
MOST_ROWS = 16  # tokens whose ids are shown


def encoder(desk: Desk, text: str) -> Live:
    """Follow a text through an encoder: tokens, sum, layers, vectors, head, answer."""
    model = desk.get(default_for(Task.FILL_MASK), Task.FILL_MASK)
    seen = lens.predict(model, text)
    entry = input_embeddings.predict(model, seen.text, position=seen.position)
    states = model.run([entry.encoding], hidden_states=True)[0]["hidden_states"]
    guesses = {guess.word: guess.score for guess in seen.steps[-1].guesses}
    first, *others = guesses
    choices = tuple(sorted((first, *others[1:4:2])))
    place = seen.tokens[seen.position]
    answer = Panel(f"What the head puts at {place}", tuple(Row(w, s) for w, s in guesses.items()))
    return Live(
        question=Question(
            f"Which of these words will the model rank first at {place}?",
            choices,
            choices.index(first),
            f"“{first}” comes first.",
            "The head compares the vector of this one place with every entry of the vocabulary. "
            "All that it knows of the other words came through the layers.",
        ),
        stages=tuple(_stages(seen, entry, states, answer)),
        after=(_by_layer(seen),),
        model_id=model.id,
        notices=seen.notices,
    )


def _stages(
    seen: lens.LensResult,
    entry: input_embeddings.InputEmbeddingsResult,
    states: NDArray[np.float32],
    answer: Panel,
) -> Iterator[Stage]:
    encoding, at = entry.encoding, seen.position
    place, layers, width = seen.tokens[at], len(states) - 1, states.shape[-1]
    yield Stage(
        "Text",
        seen.text,
        "This is what you typed. A network cannot read letters, only numbers.",
        Panel("Your text", (Row("", text=seen.text),)),
    )
    yield Stage(
        "Tokens",
        f"{len(encoding)}: {' '.join(seen.tokens)}",
        "The text is cut into entries of a vocabulary, each with a number. One mark is put in "
        "front and one behind.",
        Panel("Token and id", tuple(_ids(seen, entry))),
    )
    yield Stage(
        " + ".join(part.name.lower() for part in entry.parts),
        f"one vector of {entry.total.size} numbers a token",
        f"Three tables are looked up for {place}, and the rows found are added. Without the "
        "position the words would be one heap."
        if len(entry.parts) > 2
        else f"The tables of this network are looked up for {place}, and the rows are added.",
        Panel(f"The sum at {place}", tuple(_sum(entry)), Unit.LENGTH),
    )
    yield Stage(
        f"Layers 1 to {layers}",
        "each token looks at all others",
        f"In each layer {place} gathers from all tokens, left and right, and is changed by it. "
        "A bar says how much: 0 would be not at all.",
        Panel(
            f"How far each layer turns the vector of {place} (1 − cosine)",
            tuple(_turns(states, at)),
            Unit.COSINE,
        ),
    )
    yield Stage(
        "Contextual vectors",
        f"{len(encoding)} tokens × {width} numbers",
        "This is last_hidden_state. The same token in another sentence would have another vector "
        "here.",
        Panel(
            f"The vector of {place}, its first {NUMBERS} numbers",
            (
                Row("going in", numbers=_first(states[0][at])),
                Row("coming out", numbers=_first(states[-1][at])),
            ),
        ),
    )
    yield Stage(
        "Head",
        f"{entry.parts[0].table_rows:,} scores, one for each entry",
        f"A small network for one task: here it gives every entry of the vocabulary a score at "
        f"{place}. Another head would give classes, or the two ends of an answer.",
        Panel(
            "Entries of the vocabulary", (Row("", float(entry.parts[0].table_rows)),), Unit.COUNT
        ),
    )
    yield Stage("Answer", answer.rows[0].label, "The scores as probabilities.", answer, True)


def _ids(seen: lens.LensResult, entry: input_embeddings.InputEmbeddingsResult) -> Iterator[Row]:
    for token, token_id in zip(seen.tokens[:MOST_ROWS], entry.encoding.input_ids, strict=False):
        yield Row(token, text=f"{token_id}")


def _sum(entry: input_embeddings.InputEmbeddingsResult) -> Iterator[Row]:
    for part in entry.parts:
        yield Row(part.name, part.vector.norm, numbers=_first(part.vector.first))
    yield Row("Sum", entry.total.norm, numbers=_first(entry.total.first), tone="yes")


def _turns(states: NDArray[np.float32], at: int) -> Iterator[Row]:
    """Give, for each layer, one minus the cosine of a vector before and after it."""
    for layer in range(1, len(states)):
        one, other = (states[i][at].astype(np.float64) for i in (layer - 1, layer))
        lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
        yield Row(f"Layer {layer}", 1 - float(one @ other) / lengths if lengths else 0.0)


def _first(vector: Sequence[float] | NDArray[np.float32]) -> tuple[float, ...]:
    return tuple(float(number) for number in vector[:NUMBERS])


def _by_layer(seen: lens.LensResult) -> Panel:
    rows = tuple(
        Row(f"Layer {i}", step.guesses[0].score, step.guesses[0].word)
        for i, step in enumerate(seen.steps)
        if i
    )
    return Panel("What each layer would have put there", rows)

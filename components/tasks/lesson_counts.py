"""Steps of the lesson that count: words hidden in training, parameters, what was measured."""

from __future__ import annotations

import numpy as np

from components.errors import InputError
from components.models.catalog import DEFAULT_MODEL, find_card
from components.models.choices import Need
from components.models.families import FAMILIES
from components.models.profiles import Claim
from components.tasks import families
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
from components.tasks.words import check_text, split_words

PASSES = 4  # over one sentence, to show two ways of masking
HIDDEN = 0.15  # share of the words (Devlin et al. 2019, 3.1)
FACTOR = 128  # numbers of a factorized table of tokens (Lan et al. 2020, table 1)
NEED = Need.SPEED


def better_training(desk: Desk, text: str) -> Live:
    """Hide words once and for all, and anew in each pass; ask what RoBERTa dropped."""
    text = check_text(text, "The sentence")
    fixed, dynamic = masked_passes(text, anew=False), masked_passes(text, anew=True)
    dropped = FAMILIES["roberta"].profile.changes[0]
    panels = [
        Panel("Hidden once and for all: the same in each pass", _passes(fixed)),
        Panel("Hidden anew each time, as RoBERTa does", _passes(dynamic)),
    ]
    counted = Panel(
        "Different words that had to be guessed",
        (Row("once and for all", float(_guessed(fixed))), Row("anew", float(_guessed(dynamic)))),
        Unit.COUNT,
    )
    return Live(
        question=Question(
            "BERT had two objectives. What did RoBERTa do with them?",
            (
                "It kept both",
                "It dropped masked words and kept next sentence",
                "It kept masked words and dropped next sentence",
            ),
            2,
            "It kept masked words and dropped next sentence.",
            said(dropped),
        ),
        before=tuple(panels),
        after=(counted, *_measured(desk, "masked_wikipedia")),
    )


def masked_passes(text: str, *, anew: bool) -> list[tuple[str, tuple[int, ...]]]:
    """Give each pass over `text` as it is read, and the numbers of the words hidden in it."""
    words = [word for word in split_words(text, "[MASK]") if word.is_letters(text)]
    if not words:
        raise InputError("There is no word here that could be hidden. Type a sentence.")
    count = max(1, round(HIDDEN * len(words)))
    passes = []
    for number in range(PASSES):
        chance = np.random.default_rng(number if anew else 0)
        hidden = sorted(int(i) for i in chance.choice(len(words), count, replace=False))
        read = text
        for i in reversed(hidden):
            start, end = words[i].span
            read = f"{read[:start]}[MASK]{read[end:]}"
        passes.append((read, tuple(hidden)))
    return passes


def _passes(passes: list[tuple[str, tuple[int, ...]]]) -> tuple[Row, ...]:
    return tuple(Row(f"Pass {i}", text=read) for i, (read, _) in enumerate(passes, start=1))


def _guessed(passes: list[tuple[str, tuple[int, ...]]]) -> int:
    return len({i for _, hidden in passes for i in hidden})


def one_layer(desk: Desk, _: str) -> Live:
    """Count what would be left of our BERT if its layers were one, as in ALBERT."""
    ours = anatomy_of(desk, DEFAULT_MODEL)
    shared = ours.parameters - ours.encoder + ours.layer_parameters
    table = ours.vocabulary * ours.width
    factorized = shared - table + FACTOR * (ours.vocabulary + ours.width)
    share = shared / ours.parameters
    own = shipped("albert")
    rows = [
        Row(f"{DEFAULT_MODEL}, as it is", float(ours.parameters)),
        Row("with one layer for all", float(shared)),
        Row("and the table of tokens split", float(factorized)),
    ]
    if own:
        rows.append(
            Row(f"{own.id}, counted", float(anatomy_of(desk, own.id).parameters), tone="yes")
        )
    return Live(
        question=Question(
            f"Suppose that the {ours.layers} layers of {DEFAULT_MODEL} were one layer, used "
            f"{ours.layers} times. How many of its parameters would be left?",
            (
                f"About one in {ours.layers}: the layers are nearly everything",
                "More than a third: much of it is no layer",
                "Nine in ten or more: layers are small",
            ),
            0 if share < 1 / 3 else 1 if share < 0.9 else 2,
            "The layers are only a part of it: the table of tokens is as heavy."
            if ours.embeddings > ours.encoder / 2
            else "The layers are most of it.",
            "So ALBERT does both: it shares the layers and it splits the table of tokens into two "
            "narrow ones. A text still passes through every layer: it is small, not fast.",
        ),
        after=(
            Panel("Parameters", tuple(rows), Unit.PARAMETERS),
            Panel(
                f"Where those of {DEFAULT_MODEL} sit",
                (
                    Row("layers", float(ours.encoder)),
                    Row("tables", float(ours.embeddings)),
                    Row("heads", float(ours.heads)),
                ),
                Unit.PARAMETERS,
            ),
        ),
    )


def choice(desk: Desk, _: str) -> Live:
    """Ask for the family that suits one need, and show what was measured."""
    result = families.predict(desk.models_dir, NEED)
    first = result.picks[0]
    names = tuple(family.name for family in FAMILIES.values())
    return Live(
        question=Question(
            "An app on a phone must answer at once, and may be a little less accurate. Which "
            "family do you choose?",
            names,
            names.index(first.name),
            result.headline + ".",
            said(Claim(first.why, first.source)) + " " + result.caveat,
        ),
        after=tuple(
            Panel(
                f"{one.label}: our miniatures",
                tuple(Row(row.model_id, row.value) for row in one.rows),
                Unit.COUNT,
            )
            for one in result.evidence
        ),
    )


def _measured(desk: Desk, figure: str) -> tuple[Panel, ...]:
    """Give what was measured of the models that ship, where there are several."""
    result = families.predict(desk.models_dir, NEED)
    rows = tuple(
        Row(one.model_id, one.figures[figure])
        for one in result.miniatures
        if figure in one.figures and getattr(find_card(one.model_id), "is_shipped", False)
    )
    label = next((f.label for f in result.figures if f.name == figure), figure)
    return (Panel(f"Our miniatures, measured: {label}", rows),) if len(rows) > 1 else ()

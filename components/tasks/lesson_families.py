"""Steps of the lesson on the other families: what can be counted, and models side by side.

Which models answer comes from the catalog; where a family's miniature does not ship yet, its step
says so, and shows what can be computed without it.
"""

from __future__ import annotations

import numpy as np

from components.errors import CheckpointError, InputError
from components.models.anatomy import Anatomy, read_anatomy
from components.models.catalog import CATALOG, DEFAULT_MODEL, ModelCard, find_card
from components.models.choices import Need
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.models.profiles import Claim
from components.tasks import families, fill_mask, generator, input_embeddings, replaced_tokens
from components.tasks import fine_tune as tuning
from components.tasks.lesson_parts import Desk, Live, Panel, Question, Row, Unit
from components.tasks.scores import softmax
from components.tasks.words import check_text, split_words

PASSES = 4  # over one sentence, to show two ways of masking
HIDDEN = 0.15  # share of the words (Devlin et al. 2019, 3.1)
FACTOR = 128  # numbers of a factorized table of tokens (Lan et al. 2020, table 1)
GAME = "The old farmer sold his horse at the market and bought two sheep."
SEED = 3
LABELS = ("praise", "complaint")
NEED = Need.SPEED
SAME, ALIKE = 0.9999, 0.3  # cosines: what is called the same, and alike


def shipped(model_type: str, task: Task | None = None) -> ModelCard | None:
    """Give the first model of a family that ships (with a head for `task`), or None."""
    cards = (c for c in CATALOG if c.is_shipped and c.model_type == model_type)
    return next((card for card in cards if task is None or task in card.tasks), None)


def training_notice(model_type: str) -> tuple[str, ...]:
    """Say that the miniature of a family is not there yet, if so."""
    if not model_type or shipped(model_type):
        return ()
    name = FAMILIES[model_type].name
    return (f"Our {name} is still in training: this step shows what can be computed without it.",)


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
            _said(dropped),
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
    ours = _anatomy(desk, DEFAULT_MODEL)
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
        rows.append(Row(f"{own.id}, counted", float(_anatomy(desk, own.id).parameters), tone="yes"))
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
        before=(
            Panel(
                f"The parameters of {DEFAULT_MODEL}",
                (
                    Row(f"{ours.stored_layers} layers", text=""),
                    Row("the table of tokens, positions and segments", text=""),
                    Row("the heads", text=""),
                ),
            ),
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


def _anatomy(desk: Desk, model_id: str) -> Anatomy:
    card = find_card(model_id)
    anatomy = read_anatomy(desk.models_dir, card) if card else None
    if anatomy is None:
        raise CheckpointError(f"The files of {model_id} are not there. Put them back.")
    return anatomy


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
                    Row(card.id, float(_anatomy(desk, card.id).parameters))
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
            _said(own.profile.changes[0]),
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
    token, position = _repeated(model.encode(check_text(text, "The sentence")), text)
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
        _, there = _repeated(reader.encode(text), text)
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
    ids = encoding.input_ids
    for at in reversed(range(len(encoding))):
        span = encoding.offsets[at]
        word = text[slice(*span)].strip()
        if encoding.sequence_ids[at] == 0 and word[:1].isalnum() and ids.count(ids[at]) > 1:
            return word, at
    words = [w for w in split_words(text, "[MASK]") if w.is_letters(text)]
    again = text[slice(*words[-1].span)] if words else "word word"
    raise InputError(
        "No word stands twice here. Write one of them again.",
        suggestion=f"{text.strip()} {again}",
    )


def chance(desk: Desk, text: str) -> Live:
    """Let heads that nobody trained judge a sentence; ask whether they agree."""
    model = desk.get(DEFAULT_MODEL, Task.ENCODER)
    from components.models.classifiers import Classifier  # after get, which loads the libraries

    encodings = tuning.encode(model, [check_text(text, "The sentence")])
    classifier = Classifier(model, LABELS, whole=False, seed=1)
    logits = []
    for seed in range(1, tuning.HEADS + 1):
        classifier.start_over(seed)
        logits.append(classifier.answering().run(encodings)[0]["logits"])  # (labels,)
    said = [LABELS[int(np.argmax(row))] for row in logits]
    agree = len(set(said)) == 1
    return Live(
        question=Question(
            f"{len(said)} new heads, each with its own random weights, judge this sentence as "
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
                    for i, (row, label) in enumerate(zip(logits, said, strict=True), start=1)
                ),
            ),
        ),
        model_id=model.id,
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
            _said(Claim(first.why, first.source)) + " " + result.caveat,
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


def _said(claim: Claim) -> str:
    return f"{claim.text} ({claim.source})"

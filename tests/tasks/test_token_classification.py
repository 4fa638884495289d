from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from components.config import MAX_REVIEW
from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import token_classification
from components.tasks.aggregation import Entity, Piece, Strategy, aggregate, disputes
from components.tasks.characters import find_edges
from tests import fakes

Load = Callable[..., LoadedModel]
TEXTS = (
    "paris is a city and the teacher played unhappiness near the sea",
    "The capital, Paris, ran past Zoë's café; nobody liked it!",
    "unhappiness\nplayer 你好 שלום river 😂 naïve",
    "cold",
)
every_family = pytest.mark.parametrize("family", fakes.FAMILY_NAMES)


def pipeline_of(model: LoadedModel, folder: Path) -> Any:
    """Make transformers' own pipeline on the same checkpoint."""
    return transformers.pipeline("token-classification", model=str(folder), device="cpu")


@every_family
def test_every_strategy_gives_what_the_pipeline_of_transformers_gives(
    family: str, tmp_path: Path
) -> None:
    folder = fakes.write_checkpoint(tmp_path / family, family, "token-classification")
    model = fakes.load_folder(folder, Task.TOKEN_CLASSIFICATION)
    pipeline = pipeline_of(model, folder)
    joined = 0
    for text in TEXTS:
        result = token_classification.predict(model, text)
        for way, entities in result.entities.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # "fallback heuristic"
                theirs = pipeline(text, aggregation_strategy=way)
            assert [e.type for e in entities] == [e["entity_group"] for e in theirs], way
            for ours, their in zip(entities, theirs, strict=True):
                assert ours.score == pytest.approx(float(their["score"]), abs=1e-5)
                first, last = result.pieces[ours.pieces[0]], result.pieces[ours.pieces[1] - 1]
                assert first.span[0] == their["start"]
                assert last.span[1] == their["end"] or last.span[0] == last.span[1]
                joined += ours.pieces[1] - ours.pieces[0] > 1
        plain = pipeline(text, aggregation_strategy="none")
        named = [(i, p) for i, p in enumerate(result.pieces, 1) if p.label != "O"]
        unknown = model._resident.tokenizer.unk_token  # for which the pipeline has the characters
        assert [(i, p.label, p.token) for i, p in named] == [
            (e["index"], e["entity"], e["word"] if p.token != unknown else unknown)
            for e, (_, p) in zip(plain, named, strict=True)
        ]
        assert [p.score for _, p in named] == pytest.approx(
            [float(e["score"]) for e in plain], abs=1e-5
        )
    assert joined


@every_family
def test_the_labels_are_those_of_a_plain_forward_pass(family: str, load: Load) -> None:
    import torch

    model = load(family, Task.TOKEN_CLASSIFICATION)
    text = TEXTS[0]
    result = token_classification.predict(model, text)
    ids = model._resident.tokenizer(text)["input_ids"]
    with torch.inference_mode():
        logits = model._resident.network(torch.tensor([ids])).logits[0].double()
    expected = logits.softmax(-1)[1:-1].numpy()
    np.testing.assert_allclose([p.scores for p in result.pieces], expected, atol=1e-5)
    assert result.labels == tuple(fakes.ENTITY_LABELS)
    for piece in result.pieces:
        assert sum(piece.scores) == pytest.approx(1)
        assert piece.score == max(piece.scores)
        assert result.labels[piece.scores.index(piece.score)] == piece.label


@every_family
@pytest.mark.parametrize("text", TEXTS)
def test_spans_are_whole_characters_without_spaces_and_never_overlap(
    family: str, text: str, load: Load
) -> None:
    result = token_classification.predict(load(family, Task.TOKEN_CLASSIFICATION), text)
    edges = find_edges(text)
    for entities in result.entities.values():
        for entity in entities:
            begin, end = entity.span
            assert text[begin:end] == text[begin:end].strip()
            assert begin == end or (edges.begin[begin], edges.end[end]) == (begin, end)


def test_an_accent_written_apart_is_lit_with_its_letter(load: Load) -> None:  # H29
    model = load("bert", Task.TOKEN_CLASSIFICATION)
    text = "paris cafe\u0301"
    found = token_classification.predict(model, text)
    ends = {
        e.span[1]
        for some in found.entities.values()
        for e in some
        if e.pieces[1] == len(found.pieces)
    }
    assert ends <= {len(text)}
    assert found.pieces[-1].span[1] < len(text)  # the tokenizer itself leaves it out


def pieces(*rows: tuple[str, int, int, bool, str, float]) -> tuple[Piece, ...]:
    """Make pieces of (token, start, end, goes on, label, score); what is left goes to "O"."""
    made = []
    for token, start, end, goes_on, label, score in rows:
        scores = dict.fromkeys(LABELS, 0.0)
        scores["O"] = 1 - score
        scores[label] = score
        made.append(Piece(token, (start, end), goes_on, label, score, tuple(scores.values())))
    return tuple(made)


LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TEXT = "Washington saw New York"
WASHINGTON = pieces(
    ("Wash", 0, 4, False, "B-PER", 0.6),
    ("ing", 4, 7, True, "B-LOC", 0.9),
    ("ton", 7, 10, True, "I-LOC", 0.7),
    ("saw", 11, 14, False, "O", 1.0),
    ("New", 15, 18, False, "B-LOC", 0.8),
    ("York", 19, 23, False, "I-LOC", 0.6),
)


def joined(way: Strategy, some: tuple[Piece, ...] = WASHINGTON) -> list[tuple[str, str, float]]:
    found = aggregate(some, LABELS, way, find_edges(TEXT))
    return [(e.type, TEXT[slice(*e.span)], round(e.score, 3)) for e in found]


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (Strategy.SIMPLE, [("PER", "Wash", 0.6), ("LOC", "ington", 0.8)]),
        (Strategy.FIRST, [("PER", "Washington", 0.6)]),
        (Strategy.AVERAGE, [("LOC", "Washington", 0.3)]),
        (Strategy.MAX, [("LOC", "Washington", 0.9)]),
    ],
)
def test_known_pieces_are_joined_as_transformers_documents_it(
    way: Strategy, expected: list[Any]
) -> None:
    made = joined(way)
    assert made[-1] == ("LOC", "New York", 0.7)
    if way is Strategy.AVERAGE:  # O (0.267), B-PER 0.2, B-LOC 0.3, I-LOC 0.233
        expected = [("LOC", "Washington", 0.3)]
    assert made[:-1] == expected


def test_two_entities_of_one_type_stay_two_where_the_second_begins_anew() -> None:
    some = pieces(
        ("Washington", 0, 10, False, "B-LOC", 0.9),
        ("New", 15, 18, False, "B-LOC", 0.9),
        ("York", 19, 23, False, "B-LOC", 0.9),
    )
    assert [name for _, name, _ in joined(Strategy.SIMPLE, some)] == ["Washington", "New", "York"]


def test_disputes_are_places_with_what_each_strategy_finds_there() -> None:
    edges = find_edges(TEXT)
    found = {way.value: aggregate(WASHINGTON, LABELS, way, edges) for way in Strategy}
    (one,) = disputes(found)
    assert one.span == (0, 10)
    assert [e.type for e in one.readings["simple"]] == ["PER", "LOC"]
    assert [e.type for e in one.readings["first"]] == ["PER"]
    assert disputes(dict.fromkeys(map(str, Strategy), found["max"])) == ()
    nothing = {**found, "max": (), "simple": (), "first": (), "average": ()}
    assert disputes(nothing) == ()
    space = {**nothing, "max": (Entity("PER", (11, 11), 1.0, (3, 4)),)}
    assert disputes(space) == ()
    alone = {**nothing, "max": (Entity("PER", (11, 14), 1.0, (3, 4)),)}
    assert disputes(alone)[0].readings["simple"] == ()


@every_family
def test_a_long_text_is_read_whole_in_windows(family: str, load: Load) -> None:
    model = load(family, Task.TOKEN_CLASSIFICATION)  # reads 64 tokens at once
    text = "paris is a city near the sea and the river " * 12
    result = token_classification.predict(model, text)
    assert result.windows > 2
    assert result.pieces[-1].span[1] >= len(text.rstrip())
    whole = model.encode(text, cut=False)
    assert [p.token for p in result.pieces] == [
        t for t, n in zip(whole.tokens, whole.sequence_ids, strict=True) if n is not None
    ]
    size = model.max_length - (len(whole) - len(result.pieces))
    first = token_classification.predict(model, text[: result.pieces[size - 1].span[1]])
    assert first.windows == 1
    half = size // 2  # far from the edge of the first window, its answer stands
    np.testing.assert_allclose(
        [p.scores for p in result.pieces[:half]], [p.scores for p in first.pieces[:half]], atol=1e-5
    )


def test_every_token_is_taken_from_the_window_in_which_it_is_farthest_from_an_edge() -> None:
    windows = [
        token_classification._Window(None, 1, 0, 8),  # type: ignore[arg-type]
        token_classification._Window(None, 1, 4, 12),  # type: ignore[arg-type]
    ]
    scores = [np.full((10, 1), float(number)) for number in range(2)]
    made = token_classification._joined(windows, scores)[:, 0]
    assert made.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_a_piece_can_be_chosen_and_a_wrong_one_is_refused(load: Load) -> None:
    model = load("roberta", Task.TOKEN_CLASSIFICATION)
    assert token_classification.predict(model, TEXTS[0], position="3").chosen == 3
    with pytest.raises(InputError, match="There is no token 999"):
        token_classification.predict(model, TEXTS[0], position="999")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("x" * (MAX_REVIEW + 1), "too long"),
        ("\u200b", "nothing"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(text: str, said: str, load: Load) -> None:
    with pytest.raises(InputError, match=said):
        token_classification.predict(load("bert", Task.TOKEN_CLASSIFICATION), text)


def test_a_result_is_plain_values(load: Load) -> None:
    import json

    result = token_classification.predict(load("roberta", Task.TOKEN_CLASSIFICATION), TEXTS[1])
    assert json.loads(json.dumps(asdict(result)))["entities"].keys() == {*map(str, Strategy)}

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from components.tasks.lens import Grid, Guess, LensResult, Path, Step
from components.views import lens as views

TOKENS = ("<s>", "the", "<mask>", "<b>", "</s>")
GUESSES = (("city", 0.2), ("<b>", 0.1), ("##ing", 0.00001))


def path_of(word: str, *ranks: int, token_id: int = 7) -> Path:
    return Path(word, token_id, ranks, tuple(1 / (1 + rank) for rank in ranks))


def result_of(*paths: Path, **changes: Any) -> LensResult:
    paths = paths or (path_of("city", 900, 14, 1),)
    steps, tokens = len(paths[0].ranks), len(TOKENS)
    guesses = tuple(Guess(word, word, 7 + i, score) for i, (word, score) in enumerate(GUESSES))
    ranks = np.arange(steps * tokens).reshape(steps, tokens) + 1
    made = LensResult(
        model_id="bert-mini",
        text="the <mask> <b>",
        tokens=TOKENS,
        masks=(2,),
        position=2,
        steps=tuple(Step(guesses, float(step)) for step in range(steps)),
        paths=paths,
        window=(0, tokens),
        grid=Grid(
            words=tuple(word for word, _ in GUESSES),
            guesses=np.tile(np.arange(3), (steps, tokens, 1)),
            scores=np.tile(np.array([0.2, 0.1, 0.00001], np.float32), (steps, tokens, 1)),
            own_ranks=ranks,
            own_scores=(1 / ranks).astype(np.float32),
        ),
        notices=("A <b>notice</b>.",),
    )
    return replace(made, **changes)


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((900, 14, 1, 1), "becomes the first guess at layer 2 of 3; in the embeddings it was rank"),
        (
            (1_900, 1),
            "becomes the first guess at layer 1 of 1; in the embeddings it was rank 1,900",
        ),
        ((9, 1, 14, 1), "becomes the first guess for good at layer 3 of 3; in the embeddings it"),
        ((1, 1, 1), "is the first guess from the embeddings on, through all 2 layers"),
        ((900, 3, 4), "ends at rank 4, behind “city”; it stood highest after layer 1, at rank 3"),
        ((2, 3, 4), "ends at rank 4, behind “city”; it stood highest in the embeddings, at rank 2"),
        ((900, 14, 4), "ends at rank 4, behind “city”; in the embeddings it was rank 900"),
    ],
)
def test_the_finding_says_how_the_word_comes_up(ranks: tuple[int, ...], words: str) -> None:
    drawn = views.finding(result_of(path_of("<i>x", *ranks)))
    assert f"“<i>x” {words}" in _visible(drawn)
    assert "<i>" not in drawn
    assert "<b>" not in drawn


def test_the_finding_tells_the_rank_just_before() -> None:
    assert "; in the embeddings it was rank 900, after layer 1 rank 14" in _visible(
        views.finding(result_of())
    )


def test_the_finding_names_the_place_where_it_is_not_clear() -> None:
    assert "Where “<b>” stands, “city” becomes" in _visible(views.finding(result_of(position=3)))
    two = result_of(masks=(1, 2))
    assert "Blank 2: “city” becomes" in _visible(views.finding(two))


def test_the_ladder_has_a_row_for_each_step_and_marks_the_word_followed() -> None:
    drawn = views.ladder(result_of())
    assert drawn.count('scope="row"') == 3
    assert drawn.count("lab-lens-followed") == 3
    assert re.findall(r'data-put="([^"]+)"', drawn) == ["city"] * 3  # pieces can't be asked for
    assert "<b>" not in drawn
    assert "rank 14" in drawn
    assert "4 words<small>2.0 bits" in drawn


@pytest.mark.parametrize(
    ("bits", "words"),
    [(0.0, "1 word"), (0.4, "1 word"), (1.0, "2 words"), (6.0, "64 words"), (12.5, "5,800 words")],
)
def test_bits_are_told_as_choices(bits: float, words: str) -> None:
    assert views.choices(bits) == words


def test_the_chart_has_rank_and_probability_of_every_word_followed() -> None:
    figure = views.chart(result_of(path_of("<i>x", 90, 5, 2), path_of("city", 9, 2, 1, token_id=8)))
    assert [list(trace.y) for trace in figure.data[::2]] == [[90, 5, 2], [9, 2, 1]]
    assert [trace.name for trace in figure.data] == ["“&lt;i&gt;x”"] * 2 + ["“city”"] * 2
    worst, best = figure.layout.yaxis.range
    assert worst > np.log10(90)
    assert best < 0  # rank 1 stands on top


def test_the_grid_carries_every_guess_in_few_bytes() -> None:
    shown = result_of(window=(1, 4), position=2)
    part = replace(
        shown.grid,
        **{
            name: getattr(shown.grid, name)[:, 1:4]
            for name in ("guesses", "scores", "own_ranks", "own_scores")
        },
    )
    data = views.grid(replace(shown, grid=part))
    assert (data["tokens"], data["start"], data["masks"]) == (["the", "<mask>", "<b>"], 1, [1])
    assert data["steps"] == ["Embeddings", "Layer 1", "Layer 2"]

    def decoded(name: str, kind: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(data[name]), kind)

    np.testing.assert_array_equal(decoded("guesses", "<u2"), part.guesses.ravel())
    np.testing.assert_array_equal(decoded("scores", "<f4"), part.scores.ravel())
    np.testing.assert_array_equal(decoded("ownRanks", "<i4"), part.own_ranks.ravel())
    np.testing.assert_array_equal(decoded("ownScores", "<f4"), part.own_scores.ravel())


def test_a_full_grid_of_a_base_model_is_small() -> None:
    steps, tokens, best = 13, 64, 5
    shape = (steps, tokens)
    rng = np.random.default_rng(1)
    words = tuple(f"word{i:05}" for i in range(steps * tokens * best))  # no guess comes twice
    wide = Grid(
        words,
        np.arange(len(words)).reshape(*shape, best),
        rng.random((*shape, best), dtype=np.float32),
        rng.integers(1, 30_000, shape),
        rng.random(shape, dtype=np.float32),
    )
    path = path_of("city", *range(steps, 0, -1))
    result = result_of(path, tokens=("token",) * tokens, window=(0, tokens), grid=wide)
    assert len(json.dumps(views.grid(result))) < 120_000


def test_the_tables_hold_what_is_drawn() -> None:
    result = result_of(path_of("x", 90, 5, 2), path_of("city", 9, 2, 1))
    rows = views.table(result)
    assert len(rows) == 6
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[1] == [
        "Layer 1",
        "city 20.0 %, <b> 10.0 %, ##ing < 0.01 %",
        "1.00",
        "x",
        5,
        "16.7 %",
    ]
    shown = views.grid_table(result)
    assert shown["headers"] == ["Position", "Token", "Embeddings", "Layer 1", "Layer 2"]
    assert shown["data"][3] == [3, "<b>", *["city 20.0 %"] * 3]
    assert [row[0] for row in shown["data"]] == [0, 1, 2, 3, 4]


def test_programs_get_plain_numbers() -> None:
    numbers = json.loads(json.dumps(views.numbers(result_of())))
    assert numbers["grid"][2] == ["city"] * 5
    assert numbers["paths"][0]["ranks"] == [900, 14, 1]
    assert numbers["steps"][0]["guesses"][1]["word"] == "<b>"
    assert np.shape(numbers["scores"]) == (3, 5)

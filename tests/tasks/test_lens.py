from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, lens
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river [MASK] past the mill"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def test_the_last_layer_is_what_fill_mask_answers(model: LoadedModel) -> None:
    result = lens.predict(model, TEXT)
    answer = fill_mask.predict(model, TEXT, top_k=5).blanks[0].candidates
    assert len(result.steps) == model.layers + 1
    assert [g.token_id for g in result.steps[-1].guesses] == [c.token_id for c in answer]
    np.testing.assert_allclose(
        [g.score for g in result.steps[-1].guesses], [c.score for c in answer], atol=1e-4
    )
    (path,) = result.paths
    assert (path.token_id, path.ranks[-1]) == (answer[0].token_id, 1)
    assert path.scores[-1] == pytest.approx(answer[0].score, abs=1e-4)


def test_steps_paths_and_grid_tell_the_same(model: LoadedModel) -> None:
    result = lens.predict(model, TEXT)
    column, grid = result.position - result.window[0], result.grid
    assert result.tokens[result.position] == model.mask_token
    assert result.is_blank
    for row, step in enumerate(result.steps):
        words = [grid.words[i] for i in grid.guesses[row, column]]
        assert words == [guess.word for guess in step.guesses]
        scores = [guess.score for guess in step.guesses]
        assert scores == sorted(scores, reverse=True)
        assert sum(scores) <= 1 + 1e-5
        assert 0 <= step.entropy <= np.log2(len(grid.words) * 1_000)
        np.testing.assert_allclose(grid.scores[row, column], scores)
        place = result.paths[0].ranks[row] - 1
        if place < lens.GUESSES:
            assert step.guesses[place].token_id == result.paths[0].token_id
    assert grid.guesses.shape == (model.layers + 1, len(result.tokens), lens.GUESSES)


def test_every_token_is_followed_where_it_stands(model: LoadedModel) -> None:
    result = lens.predict(model, "the river ran past")
    encoding = model.encode("the river ran past")
    assert not result.is_blank
    for column, token_id in enumerate(encoding.input_ids):
        alone = model.lens(encoding, [column], [[token_id]], top_k=5)
        np.testing.assert_array_equal(result.grid.own_ranks[:, column], alone.ranks[:, 0, 0])
    own = result.paths[-1]  # the same token stands there and is the last to be followed
    assert own.token_id == encoding.input_ids[result.position]
    np.testing.assert_allclose(own.scores, result.grid.own_scores[:, result.position], atol=1e-6)


def test_a_word_asked_for_is_followed_beside_the_answer(model: LoadedModel) -> None:
    plain = lens.predict(model, TEXT)
    entries = {word: fill_mask.entry_of(model, word)[0] for word in ("the", "so", "go")}
    word = next(w for w, i in entries.items() if i not in (None, plain.paths[0].token_id))
    asked, answer = lens.predict(model, TEXT, word=f" {word} ").paths
    assert asked.token_id == entries[word]
    assert answer == plain.paths[0]
    assert lens.predict(model, TEXT, word=answer.word).paths[-1].ranks[-1] == 1


def test_a_word_of_several_pieces_is_said_so_and_the_answer_followed(bert: LoadedModel) -> None:
    plain = lens.predict(bert, TEXT)  # H05
    result = lens.predict(bert, TEXT, word="riverx")
    assert result.paths == plain.paths
    assert "“riverx” is not one token here: river + ##x." in result.notices[0]
    assert "[UNK]" in lens.predict(bert, TEXT, word="你").notices[0]


@pytest.mark.parametrize(
    ("ranks", "settled"),
    [((9, 3, 1, 1), 2), ((1, 1, 1), 0), ((1, 5, 1), 2), ((3, 1, 2), None), ((1,), 0)],
)
def test_a_word_settles_where_it_stays_first(ranks: tuple[int, ...], settled: int | None) -> None:
    assert lens.Path("x", 7, ranks, (0.1,) * len(ranks)).settled == settled


def test_the_first_blank_is_looked_at_or_the_one_asked_for(bert: LoadedModel) -> None:  # H04
    text = "the [MASK] ran past the [MASK]"
    first = lens.predict(bert, text)
    assert (first.position, first.masks) == (2, (2, 6))
    assert "There are 2 blanks, and this is the first." in first.notices[0]
    assert lens.predict(bert, text, position=" ").position == 2
    second = lens.predict(bert, text, position="6")
    assert second.position == 6
    assert second.notices == ()
    assert second.steps != first.steps
    np.testing.assert_allclose(second.grid.scores, first.grid.scores)


def test_without_a_blank_the_last_word_is_looked_at(bert: LoadedModel) -> None:
    result = lens.predict(bert, "the river ran past !")
    assert result.tokens[result.position] == "past"
    assert "There is no blank: “past” is looked at" in result.notices[0]
    assert lens.predict(bert, "!").position == 0


@pytest.mark.parametrize("position", [-1, 8, 1.5, float("nan"), "two", "9" * 5_000, "²"])
def test_a_position_that_is_not_there_is_refused(bert: LoadedModel, position: object) -> None:
    with pytest.raises(InputError, match=r"There is no token .*counted from 0"):
        lens.predict(bert, TEXT, position=position)  # type: ignore[arg-type]


def test_a_long_text_is_read_whole_and_shown_in_part(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lens, "MAX_SHOWN", 8)
    text = f"{'the boats ran ' * 8}[MASK]"
    result = lens.predict(bert, text)
    whole = len(result.tokens)
    assert result.window == (whole - 8, whole)
    assert result.grid.guesses.shape[1] == 8
    assert any("at most 8 at once" in notice for notice in result.notices)
    assert result.tokens[result.position] == "[MASK]"
    answer = fill_mask.predict(bert, text, top_k=1).blanks[0].candidates[0]
    assert result.steps[-1].guesses[0].score == pytest.approx(answer.score, abs=1e-4)
    assert lens.predict(bert, text, position=0).window == (0, 8)


def test_a_text_that_is_cut_says_so(bert: LoadedModel) -> None:
    result = lens.predict(bert, f"{'the river ' * 60}[MASK]")
    assert result.masks == ()
    assert any("Only the first 64 of" in notice for notice in result.notices)


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, None, 7])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        lens.predict(bert, text)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="word to follow is too long"):
        lens.predict(bert, TEXT, word="x" * 101)


@pytest.mark.parametrize(
    "text", ["😀 ___ é \ud800 [SEP] </s>", "___" * 20, "مرحبا ___ 你好", "\ud800"]
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:  # H03
    result = lens.predict(model, text, word="\ud800")
    assert 0 <= result.position < len(result.tokens)
    assert all(result.tokens)

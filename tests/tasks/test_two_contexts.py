from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, two_contexts
from tests.fakes import FAMILY_NAMES
from tests.plain import plain_logs, typed_ids

Load = Callable[..., LoadedModel]
TEXT = "the [river|film] was [MASK] and long"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def _plain(model: LoadedModel, text: str) -> np.ndarray:
    ids = typed_ids(model, text.replace("[MASK]", model.mask_token))
    return np.exp(plain_logs(model, ids)[ids.index(model.mask_token_id)])


def test_the_points_equal_plain_forward_passes(model: LoadedModel) -> None:
    first, second = (_plain(model, f"the {w} was [MASK] and long") for w in ("river", "film"))
    result = two_contexts.predict(model, TEXT)
    assert result.vocabulary == len(first) == len(result.points)
    ids = [point.token_id for point in result.points]
    assert sorted(ids) == list(range(len(first)))
    np.testing.assert_allclose([p.first for p in result.points], first[ids], rtol=5e-3)
    np.testing.assert_allclose([p.second for p in result.points], second[ids], rtol=5e-3)
    assert result.moved == pytest.approx(np.abs(first - second).sum() / 2, abs=1e-4)
    assert sum(p.first for p in result.points) == pytest.approx(1, abs=1e-6)
    assert result.left_out == pytest.approx((0, 0), abs=1e-6)


def test_the_lists_hold_the_most_tilted_words_that_are_probable_enough(model: LoadedModel) -> None:
    result = two_contexts.predict(model, TEXT)
    probable = [p for p in result.points if max(p.first, p.second) >= two_contexts.FLOOR]
    tilts = [np.log(p.first / p.second) for p in probable]
    for side, sign in ((result.first, 1), (result.second, -1)):
        found = [sign * p.tilt for p in side]
        assert found == sorted(found, reverse=True)
        expected = sorted((sign * tilt for tilt in tilts if sign * tilt > 0), reverse=True)
        np.testing.assert_allclose(found, expected[: two_contexts.TILTED])


def test_a_choice_equals_the_two_texts_typed_out(model: LoadedModel) -> None:
    choice = two_contexts.predict(model, TEXT)
    typed = two_contexts.predict(
        model, "the river was ___ and long", "the film was [MASK] and long"
    )
    assert choice.points == typed.points
    assert [c.name for c in choice.contexts] == ["river", "film"]
    assert [c.name for c in typed.contexts] == ["text 1", "text 2"]


def test_the_best_guess_is_what_fill_mask_answers(model: LoadedModel) -> None:
    result = two_contexts.predict(model, TEXT)
    for context in result.contexts:
        answer = fill_mask.predict(model, context.text).blanks[0].candidates[0]
        assert context.best.token_id == answer.token_id
        assert context.best.score == pytest.approx(answer.score, rel=1e-3)


def test_swapping_the_sides_swaps_everything(model: LoadedModel) -> None:
    one = two_contexts.predict(model, TEXT)
    other = two_contexts.predict(model, "the [film|river] was [MASK] and long")
    assert [w.token_id for w in one.first] == [w.token_id for w in other.second]
    assert one.moved == pytest.approx(other.moved)


def test_every_choice_of_the_text_takes_the_same_side(bert: LoadedModel) -> None:
    result = two_contexts.predict(bert, "[the|a] river ran and [the | ] [MASK]")
    assert [c.text for c in result.contexts] == [
        "the river ran and the  [MASK]",
        "a river ran and   [MASK]",
    ]
    assert [c.name for c in result.contexts] == ["the … the", "a … nothing"]


def test_only_the_most_probable_travel_and_the_rest_is_counted(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = two_contexts.predict(bert, TEXT)
    monkeypatch.setattr(two_contexts, "MAX_POINTS", 20)
    result = two_contexts.predict(bert, TEXT)
    assert len(result.points) == 20
    assert result.points == everything.points[:20]
    assert result.left_out[0] == pytest.approx(1 - sum(p.first for p in result.points))
    assert result.vocabulary == everything.vocabulary


@pytest.mark.parametrize("blank", ["[MASK]", "<mask>", "___", "[ Mask ]"])
def test_every_spelling_of_a_blank_is_understood(
    model: LoadedModel, blank: str
) -> None:  # H01, H02
    typed = two_contexts.predict(model, f"the [river|film] was {blank}")
    own = two_contexts.predict(model, f"the [river|film] was {model.mask_token}")
    assert typed.points == own.points


@pytest.mark.parametrize(
    ("text", "other", "words"),
    [
        ("the river was [MASK]", "", "There is only one context"),
        ("the [river|film] was [MASK]", "the [MASK]", "two contexts already"),
        ("the river was [MASK]", "the film", "no blank in the context “text 2”"),
        ("[the <mask>|the] river", "", "no blank in the context “the”"),
        ("the river [MASK]", "x" * 2_001, "The second text is too long"),
        ("", "", "The text is empty"),
        ("x" * 2_001, "", "The text is too long"),
    ],
)
def test_what_makes_no_two_contexts_is_refused_in_words(
    bert: LoadedModel, text: str, other: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        two_contexts.predict(bert, text, other)


def test_no_blank_at_all_is_said_with_an_offer_that_keeps_the_text(model: LoadedModel) -> None:
    for text in ("the river ran", "the [river|film] ran"):
        with pytest.raises(InputError, match="no blank") as error:
            two_contexts.predict(model, text)
        assert error.value.suggestion == text.replace("ran", model.mask_token)


def test_several_blanks_and_unlike_lengths_are_said(bert: LoadedModel) -> None:
    notices = two_contexts.predict(bert, "the [river|cold soup] was [MASK] and ___").notices
    assert sum("There are several blanks" in notice for notice in notices) == 1
    assert any("tokens long" in notice for notice in notices)


@pytest.mark.parametrize(
    "text", ["[😀|é] ___ \ud800 [SEP] </s>", "[مرحبا|你好]\r\n___", "[|] ___", "[a|b][c|d] ___"]
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:  # H03
    result = two_contexts.predict(model, text)
    assert 0 <= result.moved <= 1
    assert all(0 < p.first <= 1 and 0 < p.second <= 1 for p in result.points)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from components.config import Settings
from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import attention
from components.tasks.attention import AttentionResult, Look, View
from components.tasks.mixing import Mix
from components.tasks.scores import softmax
from components.tasks.units import Sides
from tests import fakes
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river ran past"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER, attentions=True)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.ENCODER, attentions=True)


def look_at(model: LoadedModel, text: Any, pair: Any = "", **look: Any) -> AttentionResult:
    return attention.predict(model, text, pair, look=Look(**look))


def test_weights_equal_a_plain_forward_pass(model: LoadedModel) -> None:  # H33
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(TEXT, return_tensors="pt")
    if network.config.model_type in ("deberta-v2", "roberta", "distilbert"):
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        expected = network(**inputs, output_attentions=True).attentions
    for layer in range(model.layers):
        result = look_at(model, TEXT, layer=layer)
        np.testing.assert_allclose(result.weights, expected[layer][0].numpy(), atol=1e-5)


@pytest.mark.parametrize("pair", ["", "the boats go where"])
@pytest.mark.parametrize("join_words", [False, True])
def test_every_row_sums_to_one(model: LoadedModel, pair: str, join_words: bool) -> None:  # H33
    for layer in range(model.layers):
        result = look_at(model, TEXT, pair, layer=layer, join_words=join_words)
        assert result.weights.shape == (4, len(result.rows), len(result.columns))
        np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)
        np.testing.assert_allclose(result.outside, 0, atol=1e-4)


def test_rows_sum_to_one_in_half_precision_too(tmp_path: Path) -> None:
    fakes.write_checkpoint(tmp_path / "bert-mini", "bert", "base")
    manager = ModelManager(Settings(device="cpu", precision="bfloat16", models_dir=tmp_path))
    half = manager.get("bert-mini", Task.ENCODER, attentions=True)
    result = look_at(half, TEXT * 3, layer=1, head=1)
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)


def test_layers_and_heads_are_those_of_the_model(model: LoadedModel) -> None:  # H36
    result = look_at(model, TEXT, layer=2, head=3)
    assert (result.layers, result.heads) == (3, 4)  # ALBERT too, whose layers share their weights
    assert (result.look.layer, result.look.head, result.notices) == (2, 3, ())


def test_an_index_that_is_too_large_becomes_the_last_one(model: LoadedModel) -> None:  # H36
    result = look_at(model, TEXT, layer=11, head=10**12, token=99)
    assert (result.look.layer, result.look.head) == (2, 3)
    assert result.look.token == len(result.tokens) - 1
    assert "has 3 layers" in result.notices[0]
    assert "has 4 heads" in result.notices[1]


@pytest.mark.parametrize("index", [-1, -0.5, 1.5, float("nan"), float("inf"), "1", None, [0]])
@pytest.mark.parametrize("name", ["layer", "head", "token"])
def test_an_index_that_is_none_is_refused(bert: LoadedModel, name: str, index: object) -> None:
    with pytest.raises(InputError):  # H36: a[-1] silently means the last layer
        look_at(bert, TEXT, **{name: index})


def test_words_that_occur_twice_stay_two_tokens(model: LoadedModel) -> None:  # H34
    result = look_at(model, "the river the river")
    words = [unit.label for unit in result.rows if unit.sequence is not None]
    half = len(words) // 2
    assert words[:half] == words[half:]  # as pieces, where a family has no token for "the"
    assert len(words) == len(result.tokens) - 2 == result.weights.shape[-1] - 2


def test_tokens_are_spelled_as_people_read_them(load: Load) -> None:
    roberta = load("roberta", Task.ENCODER, attentions=True)
    spelled = look_at(roberta, "the café").tokens
    assert spelled[0] == "<s>"
    assert spelled[-1] == "</s>"
    assert "the" in spelled
    assert not any("Ġ" in token or "Ã" in token for token in spelled)


@pytest.mark.parametrize("blank", ["[MASK]", "<mask>", "___"])
def test_a_mask_can_be_looked_at_however_it_is_spelled(model: LoadedModel, blank: str) -> None:
    result = look_at(model, f"the river {blank} past")
    spelled = [unit.label for unit in result.rows if unit.sequence == 0]
    assert any(token.endswith(model.mask_token) for token in spelled)
    assert bool(result.notices) == (blank != model.mask_token)


def test_a_special_token_that_was_typed_is_text(model: LoadedModel) -> None:
    plain = look_at(model, "the river")
    typed = look_at(model, "the [SEP] </s> river")
    specials = [[u.sequence for u in result.rows].count(None) for result in (plain, typed)]
    assert specials[0] == specials[1]


@pytest.mark.parametrize("pair", ["", "  \n", None])
def test_the_second_text_may_be_missing(model: LoadedModel, pair: str | None) -> None:
    result = look_at(model, TEXT, pair)
    assert 1 not in {unit.sequence for unit in result.rows}
    assert "other text" not in {share.target for share in result.shares}


@pytest.mark.parametrize("text", ["", "   ", "x" * 2_001, None, 7, {"a": 1}])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        look_at(bert, text)
    if text not in ("", "   ", None):
        with pytest.raises(InputError, match="second text"):
            look_at(bert, TEXT, text)


def test_a_text_that_is_longer_than_what_is_drawn_is_said_to_be(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:  # H35
    monkeypatch.setattr(attention, "MAX_SHOWN", 8)
    result = look_at(bert, "the river ran past the mill and the children watched the boats")
    assert result.weights.shape == (4, 8, 8)
    assert result.notices == ("The first 8 of 14 tokens are drawn; all of them were read.",)
    np.testing.assert_allclose(result.weights.sum(axis=-1) + result.outside, 1, atol=1e-4)


def test_what_the_model_could_not_read_is_said(bert: LoadedModel) -> None:  # H35
    result = look_at(bert, "the river " * 40)
    assert len(result.tokens) == 64
    assert result.notices == ("Only the first 64 of 82 tokens were read.",)


def test_words_are_their_pieces_together(model: LoadedModel) -> None:
    text = "rivers zebra boatload"
    pieces, words = look_at(model, text), look_at(model, text, join_words=True)
    labels = [unit.label for unit in words.rows if unit.sequence is not None]
    assert labels == text.split()
    assert len(words.rows) < len(pieces.rows)
    first = words.rows[1].positions
    expected = pieces.weights[:, first][:, :, first].sum(axis=2).mean(axis=1)
    np.testing.assert_allclose(words.weights[:, 1, 1], expected, atol=1e-5)


def test_special_tokens_can_be_hidden_and_what_they_get_is_not_lost(model: LoadedModel) -> None:
    result = look_at(model, TEXT, hide_special=True)
    assert None not in {unit.sequence for unit in (*result.rows, *result.columns)}
    np.testing.assert_allclose(result.weights.sum(axis=-1) + result.outside, 1, atol=1e-4)
    assert result.outside.min() > 0


@pytest.mark.parametrize("sides", [side for side in Sides if side is not Sides.ALL])
def test_of_a_pair_one_text_can_be_seen_looking_at_one(model: LoadedModel, sides: Sides) -> None:
    whole = look_at(model, "the river", "the boats go")
    part = look_at(model, "the river", "the boats go", sides=sides)
    begin, end = ("AB".index(side) for side in sides.split("→"))
    assert {unit.sequence for unit in part.rows} == {begin}
    assert {unit.sequence for unit in part.columns} == {end}
    rows = [i for i, unit in enumerate(whole.rows) if unit.sequence == begin]
    columns = [i for i, unit in enumerate(whole.rows) if unit.sequence == end]
    np.testing.assert_array_equal(part.weights, whole.weights[:, rows][:, :, columns])


def test_a_side_that_is_not_there_is_said_to_be_missing(bert: LoadedModel) -> None:
    result = look_at(bert, TEXT, sides=Sides.A_TO_B)
    assert "no second text" in result.notices[0]
    assert len(result.rows) == len(result.tokens)


def test_mixtures_are_those_of_the_layer(model: LoadedModel) -> None:
    heads = look_at(model, TEXT, layer=1).weights
    np.testing.assert_allclose(
        look_at(model, TEXT, layer=1, mix=Mix.MEAN).chosen, heads.mean(axis=0), atol=1e-6
    )
    maximum = look_at(model, TEXT, layer=1, mix=Mix.MAX)
    np.testing.assert_array_equal(maximum.chosen, heads.max(axis=0))
    assert not maximum.outside.any()
    rolled = look_at(model, TEXT, layer=1, mix=Mix.ROLLOUT).chosen
    np.testing.assert_allclose(rolled.sum(axis=-1), 1, atol=1e-4)


def test_the_query_and_key_view_gives_the_row_that_is_drawn(model: LoadedModel) -> None:
    result = look_at(model, TEXT, view=View.MATCH, layer=2, head=1, token=3)
    assert result.match is not None
    np.testing.assert_allclose(softmax(result.match.scores), result.chosen[3], atol=1e-5)
    assert look_at(model, TEXT).match is None


def test_tiles_keep_the_sum_of_a_row(bert: LoadedModel) -> None:
    result = look_at(bert, "the river ran past the mill " * 6)
    tiles = result.tiles(range(3), 7)
    assert tiles.shape == (3, 4, 7, 7)
    np.testing.assert_allclose(tiles.sum(axis=-1), 1, atol=1e-4)
    small = look_at(bert, TEXT)
    np.testing.assert_allclose(small.tiles(range(1), 50)[0], small.weights, atol=1e-6)


@pytest.mark.parametrize(
    "text",
    ["😀 é \ud800 [SEP] </s>", "\u200b\u200d", "مرحبا 你好\r\n", "____ <s> &amp;", "a" * 400],
)
@pytest.mark.parametrize("join_words", [False, True])
def test_odd_characters_do_no_harm(model: LoadedModel, text: str, join_words: bool) -> None:
    result = look_at(model, text, text, hide_special=True, join_words=join_words)
    assert all(unit.label.encode("utf-8") for unit in result.rows)
    np.testing.assert_allclose(result.weights.sum(axis=-1) + result.outside, 1, atol=1e-4)

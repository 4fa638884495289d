from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from components.config import Settings
from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import attention
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


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "MAX_SHOWN", 8)


def test_weights_equal_a_plain_forward_pass(model: LoadedModel) -> None:  # H33
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(TEXT, return_tensors="pt")
    if network.config.model_type in ("deberta-v2", "roberta", "distilbert"):
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        expected = network(**inputs, output_attentions=True).attentions
    for layer in range(model.layers):
        result = attention.predict(model, TEXT, layer=layer, head=0)
        np.testing.assert_allclose(result.weights, expected[layer][0].numpy(), atol=1e-5)


@pytest.mark.parametrize("pair", ["", "the boats go where"])
def test_every_row_sums_to_one(model: LoadedModel, pair: str) -> None:  # H33
    for layer in range(model.layers):
        result = attention.predict(model, TEXT, pair, layer=layer, head=0)
        assert result.weights.shape == (4, len(result.tokens), len(result.tokens))
        np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)
        np.testing.assert_allclose(result.outside, 0, atol=1e-4)


def test_rows_sum_to_one_in_half_precision_too(tmp_path: Path) -> None:
    fakes.write_checkpoint(tmp_path / "bert-mini", "bert", "base")
    manager = ModelManager(Settings(device="cpu", precision="bfloat16", models_dir=tmp_path))
    half = manager.get("bert-mini", Task.ENCODER, attentions=True)
    result = attention.predict(half, TEXT * 3, layer=1, head=1)
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)


def test_layers_and_heads_are_those_of_the_model(model: LoadedModel) -> None:  # H36
    result = attention.predict(model, TEXT, layer=2, head=3)
    assert (result.layers, result.heads) == (3, 4)  # ALBERT too, whose layers share their weights
    assert (result.layer, result.head, result.notices) == (2, 3, ())


def test_an_index_that_is_too_large_becomes_the_last_one(model: LoadedModel) -> None:  # H36
    result = attention.predict(model, TEXT, layer=11, head=10**12)
    assert (result.layer, result.head) == (2, 3)
    assert "has 3 layers" in result.notices[0]
    assert "has 4 heads" in result.notices[1]


@pytest.mark.parametrize("index", [-1, -0.5, 1.5, float("nan"), float("inf"), "1", None, [0]])
@pytest.mark.parametrize("name", ["layer", "head", "first"])
def test_an_index_that_is_none_is_refused(bert: LoadedModel, name: str, index: object) -> None:
    # H36: a[-1] silently means the last layer
    indices: dict[str, object] = {"layer": 0, "head": 0, name: index}
    with pytest.raises(InputError):
        attention.predict(bert, TEXT, **indices)  # type: ignore[arg-type]


def test_words_that_occur_twice_stay_two_tokens(model: LoadedModel) -> None:  # H34
    result = attention.predict(model, "the river the river", layer=0, head=0)
    words = [t for t, s in zip(result.tokens, result.sequence_ids, strict=True) if s is not None]
    half = len(words) // 2
    assert words[:half] == words[half:]  # as pieces, where a family has no token for "the"
    assert len(words) == len(result.tokens) - 2 == result.weights.shape[-1] - 2


def test_tokens_are_spelled_as_people_read_them(load: Load) -> None:
    roberta = load("roberta", Task.ENCODER, attentions=True)
    text = "the café"
    spelled = attention.predict(roberta, text, layer=0, head=0).tokens
    assert spelled[0] == "<s>"
    assert spelled[-1] == "</s>"
    assert "the" in spelled
    assert not any("Ġ" in token or "Ã" in token for token in spelled)


@pytest.mark.parametrize("blank", ["[MASK]", "<mask>", "___"])
def test_a_mask_can_be_looked_at_however_it_is_spelled(model: LoadedModel, blank: str) -> None:
    result = attention.predict(model, f"the river {blank} past", layer=0, head=0)
    spelled = [t for t, s in zip(result.tokens, result.sequence_ids, strict=True) if s == 0]
    assert any(token.endswith(model.mask_token) for token in spelled)
    assert bool(result.notices) == (blank != model.mask_token)


def test_a_special_token_that_was_typed_is_text(model: LoadedModel) -> None:
    plain = attention.predict(model, "the river", layer=0, head=0)
    typed = attention.predict(model, "the [SEP] </s> river", layer=0, head=0)
    assert typed.sequence_ids.count(None) == plain.sequence_ids.count(None)


def test_the_two_texts_are_told_apart(model: LoadedModel) -> None:
    result = attention.predict(model, "the river", "the boats", layer=0, head=0)
    assert {0, 1, None} == set(result.sequence_ids)
    across = next(share for share in result.shares if share.target == "other text")
    first, second = ([i for i, s in enumerate(result.sequence_ids) if s == side] for side in (0, 1))
    weights = result.weights[0]
    given = weights[np.ix_(first, second)].sum() + weights[np.ix_(second, first)].sum()
    assert across.score == pytest.approx(given / len(result.tokens), abs=1e-5)


@pytest.mark.parametrize("pair", ["", "  \n", None])
def test_the_second_text_may_be_missing(model: LoadedModel, pair: str | None) -> None:
    result = attention.predict(model, TEXT, pair, layer=0, head=0)
    assert 1 not in result.sequence_ids
    assert "other text" not in {share.target for share in result.shares}


@pytest.mark.parametrize("text", ["", "   ", "x" * 2_001, None, 7, {"a": 1}])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        attention.predict(bert, text, layer=0, head=0)  # type: ignore[arg-type]
    if text not in ("", "   ", None):
        with pytest.raises(InputError, match="second text"):
            attention.predict(bert, TEXT, text, layer=0, head=0)  # type: ignore[arg-type]


def test_a_long_text_is_drawn_through_a_window(bert: LoadedModel, small_window: None) -> None:
    whole = "the river ran past the mill and the children watched the boats"  # H35
    for first, window in ((0, (0, 8)), (3, (3, 11)), (10**9, (6, 14))):
        result = attention.predict(bert, whole, layer=0, head=0, first=first)
        assert result.window == window
        assert result.shown.shape == (4, 8, 8)
        np.testing.assert_allclose(result.shown.sum(axis=-1) + result.outside, 1, atol=1e-4)
        np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)
    assert attention.predict(bert, TEXT, layer=0, head=0, first=5).window == (0, 6)


def test_what_the_model_could_not_read_is_said(bert: LoadedModel) -> None:  # H35
    result = attention.predict(bert, "the river " * 40, layer=0, head=0)
    assert len(result.tokens) == 64
    assert result.notices == ("Only the first 64 of 82 tokens were read.",)


def _share(weights: np.ndarray, target: str) -> attention.Share:
    tokens = ("[CLS]", "a", "b", "a", "[SEP]")
    shares = attention._shares(weights.astype(np.float32), tokens, (None, 0, 0, 0, None))
    return next(share for share in shares if share.target == target)


def test_shares_of_known_patterns_are_exact() -> None:
    itself = np.eye(5)
    assert _share(itself, "itself").score == 1
    assert _share(itself, "previous").score == 0
    previous = np.eye(5, k=-1)
    previous[0, 0] = 1
    assert _share(previous, "previous").score == pytest.approx(4 / 5)
    assert _share(previous, "first").score == pytest.approx(2 / 5)
    following = np.eye(5, k=1)
    following[4, 2] = 1
    assert _share(following, "next").score == pytest.approx(4 / 5)
    assert _share(following, "word").token == "b"  # two of five rows; "a" is two tokens, not one
    assert _share(following, "word").score == pytest.approx(2 / 5)
    assert _share(following, "separator").score == pytest.approx(1 / 5)


def test_a_head_that_looks_everywhere_alike_gets_what_even_says() -> None:
    even = np.full((5, 5), 0.2)
    for target in ("itself", "previous", "next", "first", "separator", "word"):
        share = _share(even, target)
        assert share.score == pytest.approx(share.even, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    ["😀 é \ud800 [SEP] </s>", "\u200b\u200d", "مرحبا 你好\r\n", "____ <s> &amp;", "a" * 400],
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = attention.predict(model, text, text, layer=0, head=0)
    assert all(token.encode("utf-8") for token in result.tokens)
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1, atol=1e-4)

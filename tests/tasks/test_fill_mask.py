from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def test_scores_equal_a_plain_forward_pass(model: LoadedModel) -> None:
    text = f"the river {model.mask_token} past the {model.mask_token}"
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=model.family.has_segments)
    if network.config.model_type == "deberta-v2":
        inputs.pop("token_type_ids")
    with torch.no_grad():
        expected = network(**inputs).logits[0].softmax(-1)
    places = (inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero().flatten()
    result = fill_mask.predict(model, text, top_k=5)
    for blank, place in zip(result.blanks, places, strict=True):
        top = expected[place].topk(5)
        assert [c.token_id for c in blank.candidates] == top.indices.tolist()
        np.testing.assert_allclose([c.score for c in blank.candidates], top.values, rtol=1e-4)


@pytest.mark.parametrize("blank", ["[MASK]", "<mask>", "___", "[ mask ]", "_____", "<MASK>"])
def test_every_spelling_of_a_blank_is_understood_by_every_model(
    model: LoadedModel, blank: str
) -> None:  # H01, H02
    typed = fill_mask.predict(model, f"the river {blank} past")
    own = fill_mask.predict(model, f"the river {model.mask_token} past")
    assert typed.blanks == own.blanks
    assert bool(typed.notices) == (blank != model.mask_token)


@pytest.mark.parametrize("text", ["The river ran past the mill.", "a _ b __ c", "MASK [] <>"])
def test_a_text_without_a_blank_is_refused_with_a_correction(
    model: LoadedModel, text: str
) -> None:  # H01
    with pytest.raises(InputError) as error:
        fill_mask.predict(model, text)
    assert model.mask_token in str(error.value)
    assert model.mask_token in str(error.value.suggestion)


@pytest.mark.parametrize("text", ["", "   ", "\n", "x" * 2_001, None, 7, {"a": 1}])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        fill_mask.predict(bert, text)  # type: ignore[arg-type]


def test_two_blanks_are_answered_in_reading_order(model: LoadedModel) -> None:  # H04
    result = fill_mask.predict(model, "The [MASK] ran past the [MASK].", top_k=5)
    assert [len(blank.candidates) for blank in result.blanks] == [5, 5]
    assert result.blanks[0].span < result.blanks[1].span
    for blank in result.blanks:
        assert result.text[slice(*blank.span)] == model.mask_token
        scores = [candidate.score for candidate in blank.candidates]
        assert scores == sorted(scores, reverse=True)


def test_a_word_of_several_pieces_gets_no_number(bert: LoadedModel) -> None:  # H05
    result = fill_mask.predict(bert, "the [MASK] ran", only=["boats", "riverx", " boats "])
    assert [c.word for c in result.blanks[0].candidates] == ["boats"]
    assert result.not_tokens == (("riverx", ("river", "##x")),)


def test_chosen_words_keep_their_probability_over_the_whole_vocabulary(bert: LoadedModel) -> None:
    everything = fill_mask.predict(bert, "the [MASK] ran", top_k=50).blanks[0].candidates
    some = fill_mask.predict(bert, "the [MASK] ran", only=[everything[3].word, everything[1].word])
    assert some.blanks[0].candidates == (everything[1], everything[3])


def test_a_word_outside_the_vocabulary_gets_no_number(bert: LoadedModel) -> None:
    result = fill_mask.predict(bert, "the [MASK] ran", only=["你"])
    assert result.blanks[0].candidates == ()
    assert result.not_tokens == (("你", ("[UNK]",)),)


def test_a_blank_beyond_the_limit_is_said_to_be_unread(bert: LoadedModel) -> None:
    long = "the river " * 40
    assert "of the blanks came later" in fill_mask.predict(bert, f"[MASK] {long} [MASK]").notices[0]
    with pytest.raises(InputError, match="stops reading"):
        fill_mask.predict(bert, f"{long} [MASK]")


@pytest.mark.parametrize("top_k", [-3, 0, 1, 10**9])
def test_the_number_of_candidates_is_kept_in_bounds(bert: LoadedModel, top_k: int) -> None:
    blank = fill_mask.predict(bert, "the [MASK]", top_k=top_k).blanks[0]
    assert 1 <= len(blank.candidates) <= 50


@pytest.mark.parametrize(
    "text", ["😀 ___ é \ud800 [SEP] </s>", "___" * 20, "مرحبا ___ 你好\r\n___"]
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = fill_mask.predict(model, text)
    assert all(result.text[slice(*b.span)] == model.mask_token for b in result.blanks)


def test_a_list_of_words_without_end_is_refused_before_it_is_read(bert: LoadedModel) -> None:
    with pytest.raises(InputError, match="Take some words away"):
        fill_mask.predict(bert, "the [MASK]", only=["boats"] * 1_000)


def test_of_very_many_blanks_the_first_are_filled_and_it_is_said(bert: LoadedModel) -> None:
    result = fill_mask.predict(bert, "[MASK] " * 21)
    assert len(result.blanks) == fill_mask.MAX_BLANKS == 20
    assert "Only the first 20 of 21 blanks were filled." in result.notices

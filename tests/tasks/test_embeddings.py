from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import embeddings
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river ran past the mill"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER)


def test_vectors_equal_a_plain_forward_pass(model: LoadedModel) -> None:
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(TEXT, return_tensors="pt")
    if network.config.model_type in ("deberta-v2", "distilbert", "roberta"):
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        outputs = network(**inputs, output_hidden_states=True)
    result = embeddings.predict(model, TEXT)
    assert result.shape == tuple(outputs.last_hidden_state.shape)
    assert len(result.states) == model.layers + 1
    for state, expected in zip(result.states, outputs.hidden_states, strict=True):
        np.testing.assert_allclose(state, expected[0], atol=1e-4, rtol=1e-4)
    np.testing.assert_allclose(result.states[-1], outputs.last_hidden_state[0], atol=1e-4)
    assert result.special[0]
    assert not result.special[1]


def test_the_loudest_number_is_counted_over_all_tokens(load: Load) -> None:
    result = embeddings.predict(load("bert", Task.ENCODER), TEXT)
    loudest = np.abs(result.states[-1]).argmax(axis=1).tolist()
    assert result.loud.tokens == max(map(loudest.count, loudest))
    assert loudest.count(result.loud.number - 1) == result.loud.tokens


def test_a_long_text_is_computed_whole_and_drawn_in_part(load: Load) -> None:
    result = embeddings.predict(load("bert", Task.ENCODER), "the river " * 100)
    assert (result.shape[1], result.shown) == (64, embeddings.MAX_SHOWN)
    assert any("of 202 tokens were read" in notice for notice in result.notices)
    assert any("first 32 of 64 tokens are drawn" in notice for notice in result.notices)


@pytest.mark.parametrize("text", ["", " \n", "x" * 2_001, None, 7])
def test_what_is_no_text_is_refused(load: Load, text: object) -> None:
    with pytest.raises(InputError):
        embeddings.predict(load("bert", Task.ENCODER), text)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["😀 é \ud800 [SEP] </s>", "مرحبا 你好\r\n___", "."])
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = embeddings.predict(model, text)
    assert result.states.shape[1] == len(result.tokens) == len(result.special)
    assert np.isfinite(result.states).all()


def test_layers_are_asked_for_by_number(load: Load) -> None:
    result = embeddings.predict(load("bert", Task.ENCODER), TEXT)
    assert [embeddings.pick_step(result, layer) for layer in (-1, 0, 3)] == [3, 0, 3]
    for layer in (-2, 4, 10**9):
        with pytest.raises(InputError, match="choose 0 "):
            embeddings.pick_step(result, layer)

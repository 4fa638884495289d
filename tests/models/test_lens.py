"""The lens against each family's own head, called by hand on the hidden states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from components.models.families import Task
from components.models.lens import LensReading
from components.models.loaded import LoadedModel
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river {} past the mill and the boats"


def _head_of(network: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    """Give the head of a network by what each family calls it."""
    heads: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "bert": lambda h: network.cls(h),
        "roberta": lambda h: network.lm_head(h),
        "albert": lambda h: network.predictions(h),
        "distilbert": lambda h: network.vocab_projector(
            network.vocab_layer_norm(network.activation(network.vocab_transform(h)))
        ),
        "electra": lambda h: network.generator_lm_head(network.generator_predictions(h)),
        "deberta-v2": lambda h: network.cls(h),
    }
    return heads[network.config.model_type]


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


def _by_hand(model: LoadedModel, input_ids: tuple[int, ...]) -> torch.Tensor:
    """Give the logits of every layer and token, (layers + 1, tokens, vocabulary)."""
    network = model._resident.network
    with torch.no_grad():
        outputs = network(torch.tensor([input_ids]), output_hidden_states=True)
        return torch.stack([_head_of(network)(state)[0] for state in outputs.hidden_states])


def _read(model: LoadedModel, positions: list[int], followed: list[list[int]]) -> LensReading:
    encoding = model.encode(TEXT.format(model.mask_token), literal=False)
    return model.lens(encoding, positions, followed, top_k=5)


def test_every_layer_is_what_the_familys_own_head_makes_of_it(model: LoadedModel) -> None:
    encoding = model.encode(TEXT.format(model.mask_token), literal=False)
    positions = list(range(len(encoding)))
    reading = _read(model, positions, [[7, 11]] * len(positions))
    logits = _by_hand(model, encoding.input_ids)
    expected = logits.softmax(-1)
    top = expected.topk(5)
    assert reading.token_ids.shape == (model.layers + 1, len(positions), 5)
    np.testing.assert_allclose(reading.scores, top.values, atol=1e-4)
    own = expected.gather(-1, torch.from_numpy(reading.token_ids))
    np.testing.assert_allclose(own, reading.scores, atol=1e-4)
    entropies = torch.distributions.Categorical(probs=expected).entropy() / np.log(2)
    np.testing.assert_allclose(reading.entropies, entropies, atol=1e-3)
    for place, word in enumerate((7, 11)):
        np.testing.assert_allclose(reading.followed_scores[..., place], expected[..., word], 1e-3)


def test_the_last_layer_is_the_real_prediction(model: LoadedModel) -> None:
    encoding = model.encode(TEXT.format(model.mask_token), literal=False)
    blank = encoding.positions_of(model.mask_token_id)
    reading = _read(model, list(blank), [[]])
    logits = torch.from_numpy(model.run([encoding], positions=[blank])[0]["logits"])
    top = logits.softmax(-1).topk(5)
    np.testing.assert_allclose(reading.scores[-1], top.values, atol=1e-4)
    np.testing.assert_array_equal(reading.token_ids[-1], top.indices)
    assert reading.followed_ids.tolist() == [[int(logits.argmax())]]
    assert reading.ranks[-1].tolist() == [[1]]


def test_a_rank_counts_the_words_that_score_higher(model: LoadedModel) -> None:
    reading = _read(model, [1, 2], [[7], [9]])
    encoding = model.encode(TEXT.format(model.mask_token), literal=False)
    logits = _by_hand(model, encoding.input_ids)[:, [1, 2]]
    order = logits.argsort(-1, descending=True)
    for place, word in enumerate((7, 9)):
        ranks = (order[:, place] == word).nonzero()[:, 1] + 1
        # logits that are nearly alike may change places by the last digit
        np.testing.assert_allclose(reading.ranks[:, place, 0], ranks, atol=1)


def test_positions_that_do_not_fit_into_memory_are_read_in_parts(
    model: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = [[i] for i in range(6)]
    whole = _read(model, list(range(6)), followed)
    vocabulary = model._resident.network.config.vocab_size
    monkeypatch.setattr(
        "components.models.loaded._BATCH_SCORES", vocabulary * (model.layers + 1) * 4
    )
    parts = _read(model, list(range(6)), followed)
    for name in LensReading.__dataclass_fields__:
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-4)


def test_a_lens_leaves_the_ordinary_answer_as_it_was(model: LoadedModel) -> None:
    encoding = model.encode(TEXT.format(model.mask_token), literal=False)
    before = model.run([encoding])[0]["logits"]
    _read(model, [1], [[7]])
    np.testing.assert_array_equal(model.run([encoding])[0]["logits"], before)


def test_only_a_head_for_masked_words_has_a_lens(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    with pytest.raises(ValueError, match="no words"):
        model.lens(model.encode("cold"), [1], [[7]], top_k=5)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from components.models import gradients
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES
from tests.models.test_resident import full
from tests.models.test_switching import without_hooks

Load = Callable[..., LoadedModel]
TEXT = "the soup was cold but the bread was warm"
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)
HEADS = {
    Task.SENTIMENT: ({"logits": (1,)}, None),
    Task.QUESTION_ANSWERING: ({"start_logits": (2,), "end_logits": (4,)}, None),
    Task.FILL_MASK: ({"logits": (0, 7)}, [3]),
}
every_head = pytest.mark.parametrize("task", HEADS)


def blanked(model: LoadedModel, encoding: Encoding) -> Encoding:
    mask = model.mask_token, model.mask_token_id
    words = [i for i, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
    return encoding.put(dict.fromkeys(words, mask))


def plain(model: LoadedModel, encoding: Encoding, vectors: torch.Tensor, task: Task) -> Any:
    """The target, from a copy without hooks that is given the word vectors themselves."""
    network = without_hooks(model._resident.network)
    target, positions = HEADS[task]
    inputs = {"inputs_embeds": vectors}
    if encoding.token_type_ids is not None:
        inputs["token_type_ids"] = torch.tensor([encoding.token_type_ids])
    outputs = network(**inputs)
    if positions is not None:
        return outputs.logits[0, positions[0], target["logits"][1]]
    return sum(outputs[name][0][at] for name, at in target.items())


@every_family
@every_head
@pytest.mark.parametrize("attentions", [False, True])  # sdpa and eager
def test_slopes_are_those_of_a_plain_network_given_the_vectors(
    family: str, task: Task, attentions: bool, load: Load
) -> None:
    model = load(family, task, attentions=attentions)
    encoding = model.encode(TEXT)
    start, (target, positions) = blanked(model, encoding), HEADS[task]
    found = list(model.slopes(encoding, start, [0.0, 0.3, 1.0], target, positions=positions))
    table = model._resident.network.get_input_embeddings().weight.detach()
    begin, end = (table[list(one.input_ids)][None] for one in (start, encoding))
    for slope in found:
        vectors = (begin + slope.share * (end - begin)).requires_grad_()
        value = plain(model, encoding, vectors, task)
        (gradient,) = torch.autograd.grad(value, vectors)
        expected = (gradient * (end - begin)).sum(dim=-1)[0].numpy()
        assert slope.value == pytest.approx(value.item(), abs=1e-4)
        np.testing.assert_allclose(slope.tokens, expected, atol=1e-4)
    moved = [abs(slope.tokens).max() for slope in found]
    assert max(moved) > 1e-3  # else nothing was differentiated


@every_family
@every_head
def test_at_the_end_of_the_way_stands_what_a_run_answers(
    family: str, task: Task, load: Load
) -> None:
    model, (target, positions) = load(family, task), HEADS[task]
    encoding = model.encode(TEXT)
    start = blanked(model, encoding)
    first, last = model.slopes(encoding, start, [0.0, 1.0], target, positions=positions)
    options = {} if positions is None else {"positions": [positions] * 2}
    for slope, run in zip((last, first), model.run([encoding, start], **options), strict=True):
        assert slope.value == pytest.approx(
            sum(float(run[n][at]) for n, at in target.items()), abs=1e-4
        )
    specials = [i for i, sequence in enumerate(encoding.sequence_ids) if sequence is None]
    assert abs(last.tokens[specials]).max() == 0  # they are kept, so they add nothing


@every_family
def test_nothing_is_left_on_weights_that_others_share(family: str, load: Load) -> None:
    model = load(family, Task.SENTIMENT)
    encoding = model.encode(TEXT)
    before = model.run([encoding])[0]["logits"]
    list(model.slopes(encoding, blanked(model, encoding), [0.5], {"logits": (0,)}))
    assert all(p.grad is None for p in model._resident.network.parameters())
    np.testing.assert_array_equal(model.run([encoding])[0]["logits"], before)


def test_in_many_passes_the_slopes_are_the_same(load: Load, monkeypatch: Any) -> None:
    model = load("albert", Task.SENTIMENT)
    encoding = model.encode(TEXT)
    shares = [i / 6 for i in range(7)]

    def tokens() -> Any:
        start = blanked(model, encoding)
        found = list(model.slopes(encoding, start, shares, {"logits": (1,)}))
        assert [slope.share for slope in found] == shares
        return np.stack([slope.tokens for slope in found])

    at_once = tokens()
    monkeypatch.setattr("components.models.loaded._PASS_TOKENS", 2 * len(encoding))
    np.testing.assert_allclose(tokens(), at_once, atol=1e-5)


def test_a_full_device_hands_over_to_the_cpu(manager: ModelManager) -> None:
    model = manager.get("bert-mini", Task.SENTIMENT)
    encoding = model.encode(TEXT)
    start, target = blanked(model, encoding), {"logits": (1,)}
    (expected,) = model.slopes(encoding, start, [0.5], target)
    full(model._resident.network, times=10**9)
    (found,) = model.slopes(encoding, start, [0.5], target)
    np.testing.assert_allclose(found.tokens, expected.tokens, atol=1e-5)
    assert "ran out of memory" in model.notices[0]


class Linear(torch.nn.Module):
    """A toy whose answer is linear in the word vectors."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.words = torch.nn.Embedding(9, 5)
        self.weights = torch.randn(4, 5)
        self.base_model = torch.nn.ModuleDict({"words": self.words})

    def forward(self, input_ids: torch.Tensor, **_flags: bool) -> dict[str, torch.Tensor]:
        return {"logits": (self.words(input_ids) * self.weights).sum(dim=(1, 2))[:, None] + 2}


def test_of_a_linear_toy_every_slope_is_what_its_words_give() -> None:
    toy = Linear()
    gradients.prepare(toy, "words")
    ids, start = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[1, 8, 8, 4]])
    found = gradients.slopes(toy, "words", {"input_ids": ids}, start, [0.0, 0.7], {"logits": (0,)})
    with torch.no_grad():
        given = ((toy.words(ids) - toy.words(start)) * toy.weights).sum(dim=-1)[0]
    for slope in found:
        np.testing.assert_allclose(slope.tokens, given.numpy(), atol=1e-6)


@every_family
def test_every_family_has_its_word_table(family: str, load: Load) -> None:
    model = load(family, Task.ENCODER)
    table = model._resident.network.base_model.get_submodule(FAMILIES[family].word_embeddings)
    assert table is model._resident.network.get_input_embeddings()

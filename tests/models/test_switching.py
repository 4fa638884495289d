from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from components.models import switching
from components.models.families import FAMILIES, Task
from components.models.heads import Filler, Head
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES
from tests.models.test_resident import full

Load = Callable[..., LoadedModel]
TEXT = "the river ran past the mill and the children"
SETS = [
    frozenset({(2, 1)}),
    frozenset(),
    *(frozenset({one}) for one in ((0, 0), (0, 3), (1, 2), (2, 3))),
    frozenset((1, head) for head in range(4)),
    frozenset({(2, 3), (0, 1), (1, 0)}),
    frozenset((layer, head) for layer in range(3) for head in range(4)),
]
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)
every_filler = pytest.mark.parametrize("by", Filler)


class Averaged(torch.nn.Module):
    """An output projection that gets the same of some heads at every token."""

    def __init__(self, dense: torch.nn.Linear, heads: list[int], size: int) -> None:
        super().__init__()
        self.dense, self.heads, self.size = dense, heads, size

    def forward(self, mixed: torch.Tensor) -> torch.Tensor:
        mixed = mixed.clone()
        for head in self.heads:
            part = mixed[..., head * self.size : (head + 1) * self.size]
            part[:] = part.mean(dim=1, keepdim=True)
        return self.dense(mixed)


def without_hooks(network: Any) -> Any:
    """Copy a network as transformers made it."""
    copied = copy.deepcopy(network)
    for module in copied.modules():
        module._forward_pre_hooks.clear()
        module._forward_hooks.clear()
    return copied


def changed(model: LoadedModel, heads: frozenset[Head], by: Filler) -> Any:
    """Copy the network and change the copy's weights, or its projections, once and for all."""
    network = without_hooks(model._resident.network)
    base, config = network.base_model, network.config
    if config.model_type == "albert":  # give every layer weights of its own
        config.num_hidden_groups = config.num_hidden_layers
        (shared,) = base.encoder.albert_layer_groups
        base.encoder.albert_layer_groups = torch.nn.ModuleList(
            copy.deepcopy(shared) for _ in range(config.num_hidden_layers)
        )
    name = model.family.attention_output
    projections = [n for n, _ in base.named_modules() if n.endswith(f".{name}")]
    size = config.hidden_size // config.num_attention_heads
    for layer, projection in enumerate(projections):
        off = [head for at, head in heads if at == layer]
        dense = base.get_submodule(projection)
        if by is Filler.MEAN:
            base.set_submodule(projection, Averaged(dense, off, size))
        for head in off if by is Filler.ZERO else ():
            dense.weight[:, head * size : (head + 1) * size] = 0
    return network


def plain(model: LoadedModel, heads: frozenset[Head], by: Filler, text: str = TEXT) -> Any:
    encoding = model.encode(text)
    inputs = {"input_ids": torch.tensor([encoding.input_ids])}
    if encoding.token_type_ids is not None:
        inputs["token_type_ids"] = torch.tensor([encoding.token_type_ids])
    with torch.inference_mode():
        return next(iter(changed(model, heads, by)(**inputs).values()))[0].numpy()


@every_family
@every_filler
@pytest.mark.parametrize("attentions", [False, True])  # sdpa and eager
def test_it_equals_a_network_whose_weights_were_changed(
    family: str, by: Filler, attentions: bool, load: Load
) -> None:
    model = load(family, Task.FILL_MASK, attentions=attentions)
    answers = list(model.run_without(model.encode(TEXT), SETS, by=by))
    whole = model.run([model.encode(TEXT)])[0]["logits"]
    for heads, answer in zip(SETS, answers, strict=True):
        np.testing.assert_allclose(answer["logits"], plain(model, heads, by), atol=1e-4)
        moved = np.abs(answer["logits"] - whole).max()
        # else nothing was switched off; a head that looks everywhere alike has a mean like itself
        assert moved > (1e-2 if by is Filler.ZERO else 2e-4) if heads else moved < 1e-4


@every_family
@pytest.mark.parametrize("task", [Task.SENTIMENT, Task.QUESTION_ANSWERING, Task.ENCODER])
def test_it_works_with_every_head_of_a_network(family: str, task: Task, load: Load) -> None:
    model = load(family, task)
    for heads, answer in zip(SETS, model.run_without(model.encode(TEXT), SETS), strict=True):
        first = next(iter(answer.values()))
        np.testing.assert_allclose(first, plain(model, heads, Filler.ZERO), atol=1e-4)


@every_family
def test_logits_at_chosen_positions_are_the_rows_of_all_logits(family: str, load: Load) -> None:
    model = load(family, Task.FILL_MASK)
    encoding = model.encode(TEXT)
    some = model.run_without(encoding, SETS, positions=[3, 1])
    for whole, at in zip(model.run_without(encoding, SETS), some, strict=True):
        np.testing.assert_allclose(at["logits"], whole["logits"][[3, 1]], atol=1e-4)


def test_in_many_passes_the_answers_are_the_same(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load("albert", Task.SENTIMENT)
    encoding = model.encode(TEXT)
    at_once = [answer["logits"] for answer in model.run_without(encoding, SETS)]
    for limit in (1, 4 * len(encoding)):
        monkeypatch.setattr("components.models.loaded._PASS_TOKENS", limit)
        rows = []
        monkeypatch.setattr(switching, "_Pass", _noting(rows, switching._Pass))
        in_parts = [answer["logits"] for answer in model.run_without(encoding, SETS)]
        np.testing.assert_allclose(in_parts, at_once, atol=1e-4)
        assert max(rows) * len(encoding) <= max(limit, 2 * len(encoding))
        monkeypatch.undo()


def _noting(rows: list[int], kind: Any) -> Any:
    def make(without: Any, config: Any, device: Any) -> Any:
        rows.append(1 + len(without.sets))
        return kind(without, config, device)

    return make


def test_runs_of_others_on_the_same_network_stay_whole(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    texts = ("the river ran", TEXT, "the soup was cold", "was it warm")
    encodings = [model.encode(text) for text in texts]
    whole = [model.run([encoding])[0]["logits"] for encoding in encodings]
    without = [[a["logits"] for a in model.run_without(e, SETS)] for e in encodings]

    def ask(turn: int) -> Any:
        encoding = encodings[turn % 4]
        if turn // 4 % 2:
            return model.run([encoding])[0]["logits"]
        return [answer["logits"] for answer in model.run_without(encoding, SETS)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(64)))
    for turn, answer in enumerate(found):
        expected = (whole if turn // 4 % 2 else without)[turn % 4]
        np.testing.assert_allclose(answer, expected, atol=1e-4)


def test_a_run_that_is_left_half_way_changes_no_later_one(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    encoding = model.encode(TEXT)
    whole = model.run([encoding])[0]["logits"]
    left = model.run_without(encoding, SETS)
    next(left)
    np.testing.assert_array_equal(model.run([encoding])[0]["logits"], whole)
    left.close()


def test_a_copy_on_the_cpu_still_has_its_switches(manager: ModelManager) -> None:
    model = manager.get("bert-mini", Task.SENTIMENT)
    encoding = model.encode(TEXT)
    expected = [answer["logits"] for answer in model.run_without(encoding, SETS)]
    full(model._resident.network, times=10**9)
    answers = [answer["logits"] for answer in model.run_without(encoding, SETS)]
    np.testing.assert_allclose(answers, expected, atol=1e-5)
    assert "ran out of memory" in model.notices[0]


def test_positions_are_for_masked_words_alone(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    with pytest.raises(ValueError, match="positions"):
        next(model.run_without(model.encode("cold"), SETS, positions=[1]))


@every_family
def test_every_layer_of_a_family_has_its_switch(family: str, load: Load) -> None:
    model = load(family, Task.ENCODER)
    name = FAMILIES[family].attention_output
    found = [n for n, _ in model._resident.network.named_modules() if n.endswith(f".{name}")]
    assert len(found) == (1 if family == "albert" else model.layers)


def test_a_network_without_switches_is_a_bug_and_no_answer(load: Load) -> None:
    model = load("roberta", Task.ENCODER)
    network = without_hooks(model._resident.network)
    without = switching.Without((frozenset({(0, 0)}),))
    with (
        pytest.raises(RuntimeError, match="0 layers"),
        torch.inference_mode(),
        switching.switched_off(without, network),
    ):
        network(torch.tensor([model.encode(TEXT).input_ids]))

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from components.models.families import Task
from components.models.manager import ModelManager


def full(network: Any, times: int) -> list[int]:
    """Let `network` run out of memory for its next `times` forward passes, as a GPU does."""
    left = [times]

    def refuse(module: Any, _args: Any) -> None:
        if module is network and left[0] > 0:
            left[0] -= 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")

    network.register_forward_pre_hook(refuse)
    return left


@pytest.fixture
def others(manager: ModelManager) -> dict[str, Any]:
    """Two models nobody holds, and one that is held."""
    for model_id, task in (("distilbert-mini", Task.FILL_MASK), ("bert-mini", Task.SENTIMENT)):
        manager.get(model_id, task)
    return {"held": manager.get("bert-mini", Task.ENCODER)}


def test_out_of_memory_once_makes_room_and_tries_again(
    manager: ModelManager, others: dict[str, Any]
) -> None:
    model = manager.get("bert-mini", Task.FILL_MASK)
    encoding = model.encode("the river [MASK] past", literal=False)
    expected = model.run([encoding])[0]["logits"]
    network = model._resident.network
    full(network, times=1)
    np.testing.assert_array_equal(model.run([encoding])[0]["logits"], expected)
    assert model._resident.network is network
    assert model.notices == ()
    loaded = dict(manager.status().loaded)
    assert loaded == {"bert-mini": (Task.ENCODER, Task.FILL_MASK)}


def test_out_of_memory_for_good_goes_on_with_a_copy_and_says_so(
    manager: ModelManager, others: dict[str, Any]
) -> None:
    model = manager.get("bert-mini", Task.FILL_MASK)
    encoding = model.encode("the river [MASK] past", literal=False)
    positions = [encoding.positions_of(model.mask_token_id)]
    expected = model.run([encoding], positions=positions)[0]["logits"]
    before = {id(t): t.data_ptr() for t in others["held"]._resident.network.parameters()}
    full(model._resident.network, times=10**9)
    answer = model.run([encoding], positions=positions)[0]["logits"]
    np.testing.assert_allclose(answer, expected, atol=1e-5)
    assert "ran out of memory" in model.notices[0]
    assert manager.status().notices == model.notices
    held = others["held"]._resident.network
    assert {id(t): t.data_ptr() for t in held.parameters()} == before
    assert others["held"].notices == ()
    others["held"].run([encoding])
    model.run([encoding])
    assert len(model.notices) == 1


def test_many_that_run_out_of_memory_at_once_make_one_copy(manager: ModelManager) -> None:
    model = manager.get("bert-mini", Task.SENTIMENT)
    encoding = model.encode("the soup was cold")
    expected = model.run([encoding])[0]["logits"]
    full(model._resident.network, times=10**9)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: model.run([encoding])[0]["logits"], range(12)))
    for answer in answers:
        np.testing.assert_allclose(answer, expected, atol=1e-5)
    assert len(model.notices) == 1


@pytest.mark.parametrize(
    "message",
    ["MPS backend out of memory (MPS allocated: 9 GB)", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED"],
)
def test_a_full_device_is_known_by_its_message_too(manager: ModelManager, message: str) -> None:
    model = manager.get("bert-mini", Task.SENTIMENT)
    network = model._resident.network

    def refuse(module: Any, _args: Any) -> None:
        if module is network:
            raise RuntimeError(message)

    network.register_forward_pre_hook(refuse)
    assert model.run([model.encode("cold")])[0]["logits"].shape == (2,)
    assert len(model.notices) == 1


def test_another_error_of_the_network_is_not_hidden(manager: ModelManager) -> None:
    model = manager.get("bert-mini", Task.SENTIMENT)

    def fail(_module: Any, _args: Any) -> None:
        raise RuntimeError("shapes do not fit")

    hook = model._resident.network.register_forward_pre_hook(fail)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        model.run([model.encode("cold")])
    hook.remove()
    assert model.notices == ()


def test_what_filled_the_memory_is_let_go_before_room_is_made(manager: ModelManager) -> None:
    model, alive = manager.get("bert-mini", Task.SENTIMENT), []
    network = model._resident.network

    class Activation:
        pass

    def refuse(module: Any, _args: Any) -> None:
        if module is network:
            filled = Activation()
            seen.append(weakref.ref(filled))
            raise torch.OutOfMemoryError("full")

    seen: list[Any] = []
    network.register_forward_pre_hook(refuse)
    model._resident.relieve = lambda _: alive.extend(ref() for ref in seen)
    model.run([model.encode("cold")])
    assert alive == [None]

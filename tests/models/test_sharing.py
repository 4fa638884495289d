from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest
import torch

from components.models import sharing
from components.models.sharing import Pool, copied_to, storages
from tests.fakes import FAMILY_NAMES, network_of

every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


def networks_of(family: str, *heads: str) -> list[Any]:
    """Make networks whose encoders are equal, as if read from one checkpoint."""
    made = [network_of(family, head) for head in heads]
    for network in made[1:]:
        network.base_model.load_state_dict(made[0].base_model.state_dict(), strict=False)
    return made


def places(network: torch.nn.Module) -> set[int]:
    return {tensor.data_ptr() for tensor in network.parameters()}


@every_family
def test_an_encoder_is_in_memory_once_and_the_answers_stay(family: str) -> None:
    networks = networks_of(family, "base", "fill-mask", "question-answering")
    inputs = torch.tensor([[2, 9, 8, 7, 3]])
    with torch.inference_mode():
        before = [network(inputs)[0] for network in networks]
    pool = Pool()
    for network in networks:
        pool.share(network)
    with torch.inference_mode():
        after = [network(inputs)[0] for network in networks]
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
    encoder = {t.data_ptr() for n, t in networks[0].named_parameters() if "pooler" not in n}
    assert encoder <= places(networks[1])
    assert encoder <= places(networks[2])
    together = sum({k: v for n in networks for k, v in storages(n).items()}.values())
    singly = [sum(storages(network).values()) for network in networks]
    assert together < 1.3 * max(singly)


@every_family
def test_tied_weights_stay_tied(family: str) -> None:
    pool, (first, second) = Pool(), networks_of(family, "base", "fill-mask")
    pool.share(first)
    pool.share(second)
    embedding = second.get_input_embeddings().weight
    assert second.get_output_embeddings().weight is embedding
    assert first.get_input_embeddings().weight is embedding


def test_what_differs_is_never_shared() -> None:
    pool, (first, second) = Pool(), networks_of("bert", "base", "fill-mask")
    changed = second.bert.encoder.layer[1].output.dense.weight
    with torch.no_grad():
        changed[0, 0] += 1
    pool.share(first)
    pool.share(second)
    assert second.bert.encoder.layer[1].output.dense.weight is changed
    assert len(places(first) & places(second)) == len([*first.encoder.parameters()]) - 1 + 5


def test_precisions_are_kept_apart_and_each_is_shared() -> None:
    pool, made = Pool(), [network_of("bert", "base") for _ in range(4)]
    for network in (made[0], made[1].half(), made[2], made[3].half()):
        pool.share(network)
    assert places(made[0]) == places(made[2])
    assert places(made[1]) == places(made[3])
    assert not places(made[0]) & places(made[1])


def test_a_pool_keeps_nothing_alive() -> None:
    pool, network = Pool(), network_of("bert", "base")
    pool.share(network)
    seen = weakref.ref(network.encoder.layer[0].output.dense.weight)
    del network
    gc.collect()
    assert seen() is None
    assert len(pool._tensors) == 0


def test_a_copy_leaves_the_original_and_its_sharers_alone() -> None:
    pool, (first, second) = Pool(), networks_of("bert", "base", "fill-mask")
    pool.share(first)
    pool.share(second)
    before = places(first), places(second)
    copy = copied_to(second, "cpu", torch.float64)
    assert (places(first), places(second)) == before
    assert not places(copy) & places(second)
    assert copy.get_output_embeddings().weight is copy.get_input_embeddings().weight
    assert {tensor.dtype for tensor in copy.parameters()} == {torch.float64}
    assert {tensor.dtype for tensor in second.parameters()} == {torch.float32}
    assert not any(tensor.requires_grad for tensor in copy.parameters())
    inputs = torch.tensor([[2, 9, 8, 7, 3]])
    with torch.inference_mode():
        torch.testing.assert_close(copy(inputs)[0].float(), second(inputs)[0])


def test_buffers_follow_and_keep_what_are_no_fractions() -> None:
    network = torch.nn.Module()
    network.register_buffer("scale", torch.ones(2, dtype=torch.bfloat16))
    network.register_buffer("place", torch.arange(2))
    copy = copied_to(network, "cpu", torch.float32)
    assert copy.scale.dtype == torch.float32
    assert copy.place.dtype == torch.long
    assert copy.place.data_ptr() != network.place.data_ptr()


def test_a_c_library_that_cannot_trim_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    sharing.return_freed_memory()
    monkeypatch.setattr(sharing.ctypes, "CDLL", lambda _: object())
    sharing.return_freed_memory()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sharing.ctypes, "CDLL", lambda _: pytest.fail("there is no such library"))
    sharing.return_freed_memory()

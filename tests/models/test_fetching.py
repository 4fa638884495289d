"""Weights on their way: progress, leaving, breaks, and what must never be used."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from components.errors import AppError, CheckpointError, HeadError, UnknownModelError
from components.models import fetching, gate, hub, loading
from components.models.families import Task
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES
from tests.hub_stand_in import HubStandIn
from tests.models.conftest import change_json, copy_folder, never_waiting, refusal
from tests.models.test_hub import fetched

Checkpoints = Callable[[str, str], Path]
Fresh = Callable[..., ModelManager]
BERT = "have/bert-fill-mask"


class LeftError(AppError):
    """The visitor has left."""


class Visitor:
    """Asks for a model from a thread of its own, hears how far it is, and may leave."""

    def __init__(self, manager: ModelManager, model_id: str = BERT) -> None:
        self.heard: list[tuple[str, float]] = []
        self.leaves = False
        self.got: Any = None
        self.error: AppError | None = None
        self._thread = threading.Thread(target=self._ask, args=(manager, model_id))
        self._thread.start()

    def _ask(self, manager: ModelManager, model_id: str) -> None:
        try:
            self.got = manager.get(model_id, Task.FILL_MASK, tell=self.tell)
        except AppError as error:
            self.error = error

    def tell(self, message: str, done: float) -> None:
        self.heard.append((message, done))
        if self.leaves:
            raise LeftError("left")

    def wait_for_half(self) -> None:
        deadline = time.monotonic() + 20
        while not any(done >= 0.49 for _, done in self.heard):
            assert time.monotonic() < deadline, self.heard
            time.sleep(0.01)

    def done(self) -> Visitor:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loading  # imported before anybody waits
    monkeypatch.setattr(fetching, "_EVERY", 0.01)


def partials(folder: Path) -> list[Path]:
    return list(folder.rglob("*.partial"))


# How far it is


def test_the_size_is_told_before_and_the_share_while_it_is_fetched(
    stand_in: HubStandIn, fresh: Fresh
) -> None:
    stand_in.gate.clear()
    visitor = Visitor(fresh())
    visitor.wait_for_half()
    assert "to fetch" in visitor.heard[0][0]
    assert visitor.heard[0][1] == 0
    size = (stand_in.folder / "bert-fill-mask" / hub.WEIGHTS).stat().st_size
    assert fetching.megabytes(size) in visitor.heard[0][0]
    stand_in.gate.set()
    assert visitor.done().got.id == BERT
    shares = [done for _, done in visitor.heard]
    assert shares == sorted(shares)
    assert shares[-1] <= 1


@pytest.mark.parametrize(
    ("count", "said"), [(440_449_768, "440 MB"), (1_421_700_479, "1,422 MB"), (90_123, "0.1 MB")]
)
def test_sizes_are_written_as_the_hub_writes_them(count: int, said: str) -> None:
    assert fetching.megabytes(count) == said


# Leaving


def test_who_leaves_is_free_at_once_and_the_next_goes_on_from_there(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path
) -> None:
    manager = fresh()
    stand_in.gate.clear()
    visitor = Visitor(manager)
    visitor.wait_for_half()
    visitor.leaves = True
    assert isinstance(visitor.done().error, LeftError)
    stand_in.gate.set()
    assert not manager.is_loaded(BERT, Task.FILL_MASK)
    second = Visitor(manager).done()
    assert second.error is None
    assert len(fetched(stand_in)) == 2
    assert stand_in.ranges[-1] != "bytes=0-"
    assert partials(tmp_path) == []


def test_the_fetch_of_another_who_waits_goes_on(stand_in: HubStandIn, fresh: Fresh) -> None:
    manager = fresh()
    stand_in.gate.clear()
    first, second = Visitor(manager), Visitor(manager)
    first.wait_for_half()
    second.wait_for_half()
    first.leaves = True
    assert isinstance(first.done().error, LeftError)
    stand_in.gate.set()
    assert second.done().got.id == BERT
    assert len(fetched(stand_in)) == 1  # one fetch for both
    assert manager._fetches._running == {}


def test_two_visitors_ask_for_two_new_models_at_once(stand_in: HubStandIn, fresh: Fresh) -> None:
    manager = fresh()
    stand_in.gate.clear()
    names = [f"have/{family}-fill-mask" for family in ("roberta", "electra")]
    visitors = [Visitor(manager, name) for name in names]
    for visitor in visitors:  # neither waits for the other
        visitor.wait_for_half()
    stand_in.gate.set()
    assert [visitor.done().got.id for visitor in visitors] == names


# Breaks


def test_a_fetch_that_breaks_off_goes_on_by_itself(stand_in: HubStandIn, fresh: Fresh) -> None:
    stand_in.cut[hub.WEIGHTS] = 3
    assert Visitor(fresh()).done().got.id == BERT
    assert len(stand_in.ranges) >= 3


def test_without_ranges_it_begins_anew_and_is_whole(stand_in: HubStandIn, fresh: Fresh) -> None:
    stand_in.cut[hub.WEIGHTS], stand_in.takes_ranges = 1, False
    assert Visitor(fresh()).done().got.id == BERT


def test_a_hub_that_sends_no_more_is_said_to_be_so_and_what_came_is_kept(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path
) -> None:
    stand_in.cut[hub.WEIGHTS], stand_in.takes_ranges = 99, False
    error = Visitor(fresh()).done().error
    assert isinstance(error, CheckpointError)
    assert "stopped sending" in str(error)
    assert "are kept" in str(error)
    assert len(partials(tmp_path)) == 1
    assert not list(tmp_path.rglob(hub.WEIGHTS))
    stand_in.set_right()
    assert Visitor(fresh()).done().got.id == BERT


@pytest.mark.parametrize(("status", "said"), [(503, "answers 503"), (429, "too many requests")])
def test_trouble_that_comes_only_with_the_weights_is_said_at_once(
    status: int, said: str, stand_in: HubStandIn, fresh: Fresh
) -> None:
    stand_in.trouble[hub.WEIGHTS] = status
    error = refusal(fresh(), BERT)
    assert said in str(error)
    assert "bundled models still work" in str(error)
    assert len(fetched(stand_in)) == 1
    stand_in.set_right()
    assert Visitor(fresh()).done().got.id == BERT


def test_a_pointer_in_place_of_weights_is_never_used(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path
) -> None:
    stand_in.pointers.add(hub.WEIGHTS)
    error = refusal(fresh(), BERT)
    assert "pointer of Git LFS" in str(error)
    assert partials(tmp_path) == []
    stand_in.set_right()
    assert Visitor(fresh()).done().got.id == BERT


def test_what_came_wrong_is_dropped_and_fetched_anew(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path
) -> None:
    stand_in.gate.clear()
    visitor = Visitor(manager := fresh())
    visitor.wait_for_half()
    visitor.leaves = True
    visitor.done()
    stand_in.gate.set()
    deadline = time.monotonic() + 20
    while not manager._fetches._running[next(iter(manager._fetches._running))].over.is_set():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    (partial,) = partials(tmp_path)
    content = bytearray(partial.read_bytes())
    content[-1] ^= 255
    partial.write_bytes(content)
    assert "checksum" in str(Visitor(manager).done().error)
    assert partials(tmp_path) == []
    assert Visitor(manager).done().got.id == BERT


def test_damaged_weights_in_the_cache_are_fetched_anew_next_time(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path
) -> None:
    Visitor(fresh()).done()
    (kept,) = tmp_path.rglob(hub.WEIGHTS)
    kept.write_bytes(kept.read_bytes()[:5_000])
    assert "damaged" in str(Visitor(fresh()).done().error)
    assert Visitor(fresh()).done().got.id == BERT


def test_a_full_disk_is_said_to_be_so_and_left_empty(
    stand_in: HubStandIn, fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_self: Any, response: Any, place: Any) -> None:
        place.write(next(response.iter_bytes()))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetching._Fetch, "_append", full)
    error = refusal(fresh(), BERT)
    assert "disk of this app is full" in str(error)
    assert "bundled models still work" in str(error)
    assert partials(tmp_path) == []


# What is refused before anything is fetched


def test_what_does_not_fit_on_the_disk_is_not_begun(
    stand_in: HubStandIn, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "free_disk", lambda _: 1_000)
    assert "disk of this app has only" in str(refusal(fresh(), BERT))
    assert fetched(stand_in) == []


def test_what_does_not_fit_into_memory_now_is_not_begun(
    stand_in: HubStandIn, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "free_memory", lambda: 1_000)
    assert "memory are free" in str(refusal(fresh(), BERT))
    assert not any(hub.WEIGHTS in request for request in stand_in.requests)


HEADS = {
    "bert": Task.SENTIMENT,
    "roberta": Task.QUESTION_ANSWERING,
    "albert": Task.SENTENCE_ORDER,
    "distilbert": Task.SENTIMENT,
    "electra": Task.REPLACED_TOKENS,
    "deberta-v2": Task.QUESTION_ANSWERING,
}


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_checkpoint_without_the_head_is_refused_by_the_names_of_its_tensors(
    family: str, stand_in: HubStandIn, fresh: Fresh
) -> None:
    with pytest.raises(HeadError, match="random"):
        fresh().get(f"have/{family}-fill-mask", HEADS[family])
    assert fetched(stand_in) == []


def test_old_names_of_tensors_are_known(
    stand_in: HubStandIn, fresh: Fresh, checkpoints: Checkpoints
) -> None:
    folder = stand_in.folder / "old"
    copy_folder(checkpoints("bert", "fill-mask"), folder)
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    tensors = {}
    for name, tensor in load_file(folder / hub.WEIGHTS).items():
        for new, former in old.items():
            name = name.replace(new, former)
        tensors[name] = tensor
    save_file(tensors, folder / hub.WEIGHTS, metadata={"format": "pt"})
    assert Visitor(fresh(), "have/old").done().error is None


def test_who_does_not_say_what_is_in_the_file_is_judged_by_the_weights(
    stand_in: HubStandIn, fresh: Fresh
) -> None:
    stand_in.takes_ranges = False
    with pytest.raises(HeadError, match=r"classifier\.bias"):
        fresh().get(BERT, Task.SENTIMENT)
    assert len(fetched(stand_in)) == 1


# Pickled weights


@pytest.fixture
def pickled(stand_in: HubStandIn, checkpoints: Checkpoints, request: Any) -> str:
    """A repository with pickled weights, for which safetensors are proposed."""
    name = f"pickled-{request.node.name.split('[')[0][-20:]}"
    source = checkpoints("deberta-v2", "fill-mask")
    copy_folder(source, stand_in.folder / f"{name}-converted")
    copy_folder(source, stand_in.folder / name)
    (stand_in.folder / name / hub.WEIGHTS).rename(stand_in.folder / name / "pytorch_model.bin")
    return f"have/{name}"


def test_what_the_bot_of_the_hub_converted_is_used_and_said_so(
    pickled: str, stand_in: HubStandIn, fresh: Fresh
) -> None:
    model = Visitor(fresh(), pickled).done().got
    assert any("refs/pr/2" in notice for notice in model.notices)
    assert not any("pytorch_model" in request for request in stand_in.requests)
    stand_in.broken.update(("config.json", hub.WEIGHTS))  # from now on from the cache
    again = Visitor(fresh(), pickled).done().got
    assert again.notices == model.notices


def test_what_somebody_else_proposes_is_never_taken(
    pickled: str, stand_in: HubStandIn, fresh: Fresh
) -> None:
    stand_in.proposer = "mallory"
    assert "never opened" in str(refusal(fresh(), pickled))
    assert fetched(stand_in) == []


# The bundled models, and the cache, meanwhile


TROUBLES = {
    "nosuch": "no public model",
    "gated": "is gated",
    "disabled": "has disabled",
    "boom": "out of order",
    "rate": "too many requests",
    "portal": "is not the Hub",
}


@pytest.mark.parametrize("owner", TROUBLES)
def test_each_trouble_is_named_and_the_bundled_models_go_on(
    owner: str, stand_in: HubStandIn, fresh: Fresh
) -> None:
    manager = fresh()
    with ThreadPoolExecutor(2) as pool, never_waiting():
        asked = pool.submit(manager.get, f"{owner}/x", Task.FILL_MASK)
        manager.get("bert-mini", Task.FILL_MASK)
        error = asked.exception(60)
    assert TROUBLES[owner] in str(error)
    assert isinstance(error, UnknownModelError if owner == "nosuch" else CheckpointError)


def test_a_pinned_checkpoint_that_was_fetched_asks_the_hub_for_nothing(
    stand_in: HubStandIn, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "components.models.checkpoint.read_pins", lambda: {BERT: "a" * 40, "have/gone": "b" * 40}
    )
    Visitor(fresh()).done()
    stand_in.requests.clear()
    assert Visitor(fresh()).done().got.id == BERT
    assert stand_in.requests == []


def test_a_hub_that_says_nothing_is_not_waited_for_when_the_model_is_here(
    stand_in: HubStandIn, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    Visitor(fresh()).done()
    monkeypatch.setattr(hub, "_PATIENCE", 0.05)
    stand_in.delay = 2.0
    asked = threading.Event()
    real = hub.ask

    def ask(model_id: str, name: str, timeout: float, revision: str | None = None) -> Any:
        assert timeout == 0.05
        asked.set()
        return real(model_id, name, timeout, revision)

    monkeypatch.setattr(hub, "ask", ask)
    assert Visitor(fresh()).done().got.id == BERT
    assert asked.is_set()


def test_remote_code_is_refused_before_the_vocabulary_is_fetched(
    stand_in: HubStandIn, fresh: Fresh, checkpoints: Checkpoints
) -> None:
    folder = stand_in.folder / "coded"
    copy_folder(checkpoints("bert", "fill-mask"), folder)
    own = {"AutoConfig": "own.OwnConfig", "AutoModelForMaskedLM": "own.OwnModel"}
    change_json(folder / "config.json", model_type="own", auto_map=own)
    error = refusal(fresh(), "have/coded")
    assert "never runs such code" in str(error)
    assert not any("vocab" in r or "tokenizer" in r or ".py" in r for r in stand_in.requests)


def test_what_has_gone_meanwhile_has_no_size(tmp_path: Path) -> None:
    part = tmp_path / ".model.safetensors.partial"
    part.write_bytes(b"12345")
    assert fetching.size_of(part) == 5
    part.unlink()
    assert fetching.size_of(part) == 0

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from transformers import PreTrainedModel

from components.config import Settings
from components.errors import AppError, CheckpointError
from components.models import checkpoint, loading
from components.models.families import Task
from components.models.flight import SingleFlight
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.models.conftest import logits

HEADS = (Task.FILL_MASK, Task.NEXT_SENTENCE, Task.SENTIMENT, Task.QUESTION_ANSWERING)
WANTED = [("bert-mini", task) for task in HEADS] + [("distilbert-mini", Task.FILL_MASK)]


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many from_pretrained calls were under way, noted at each: never more than one."""
    under_way, noted, lock = set[int](), list[int](), threading.Lock()

    def watched(real: Callable[..., Any]) -> classmethod[Any, Any, Any]:
        def call(cls: Any, *args: Any, **options: Any) -> Any:
            me = threading.get_ident()
            with lock:
                is_outer = me not in under_way
                under_way.add(me)
                noted.append(len(under_way))
            time.sleep(0.01)
            try:
                return real(cls, *args, **options)
            finally:
                if is_outer:
                    with lock:
                        under_way.discard(me)

        return classmethod(call)

    kinds = (PreTrainedModel, transformers.PreTrainedConfig, transformers.PreTrainedTokenizerBase)
    for kind in kinds:
        real = kind.__dict__["from_pretrained"].__func__
        monkeypatch.setattr(kind, "from_pretrained", watched(real))
    yield noted
    assert noted
    assert set(noted) == {1}


def test_who_asks_at_once_gets_the_same_network_loaded_once(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:  # H10
    calls: list[str] = []
    real = loading.load_resident

    def counted(*args: Any, **options: Any) -> Any:
        calls.append("load")
        time.sleep(0.05)
        return real(*args, **options)

    monkeypatch.setattr(loading, "load_resident", counted)
    ready = threading.Barrier(12)

    def ask(_: int) -> LoadedModel:
        ready.wait()
        return manager.get("bert-mini", Task.FILL_MASK)

    with ThreadPoolExecutor(12) as pool:
        models = list(pool.map(ask, range(12)))
    assert calls == ["load"]
    assert len({id(model._resident) for model in models}) == 1


def test_different_models_at_once_are_loaded_one_by_one_and_right(
    manager: ModelManager, tiny_dir: Path, together: list[int]
) -> None:  # H10
    with ThreadPoolExecutor(10) as pool:
        models = list(pool.map(lambda wanted: manager.get(*wanted), WANTED * 2))
    assert PreTrainedModel.tie_weights.__name__ == "tie_weights"
    alone = ModelManager(Settings(device="cpu", models_dir=tiny_dir))
    for model in models:
        np.testing.assert_array_equal(logits(model), logits(alone.get(model.id, model.task)))


def test_heads_asked_for_at_once_share_one_encoder(manager: ModelManager) -> None:
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda task: manager.get("bert-mini", task), HEADS))
    checkpoints = {id(model._resident.checkpoint) for model in models}
    assert len(checkpoints) == 1
    assert manager.status().weight_bytes < 1.3 * max(model.weight_bytes for model in models)


def test_inference_goes_on_during_a_load(manager: ModelManager) -> None:  # H10
    model = manager.get("bert-mini", Task.SENTIMENT)
    expected = logits(model)
    with checkpoint.LOAD_LOCK, ThreadPoolExecutor(2) as pool:  # a load that takes long
        waiting = pool.submit(manager.get, "distilbert-mini", Task.SENTIMENT)
        for _ in range(3):
            np.testing.assert_array_equal(
                logits(manager.get("bert-mini", Task.SENTIMENT)), expected
            )
            manager.status()
        assert not waiting.done()
        assert manager.is_loaded("bert-mini", Task.SENTIMENT)
        checkpoint.LOAD_LOCK.release()
        waiting.result(timeout=20)
        checkpoint.LOAD_LOCK.acquire()


def test_inference_stays_right_while_others_load(manager: ModelManager) -> None:  # H10
    model = manager.get("bert-mini", Task.FILL_MASK)
    expected = logits(model)
    with ThreadPoolExecutor(8) as pool:
        loads = [pool.submit(manager.get, *wanted) for wanted in WANTED]
        runs = [pool.submit(logits, model) for _ in range(40)]
        for run in runs:
            np.testing.assert_array_equal(run.result(), expected)
        for load in loads:
            load.result()


def test_only_the_modules_that_hold_the_lock_call_from_pretrained() -> None:
    layer = Path(checkpoint.__file__).parent
    call = re.compile(r"\.from_(pretrained|config)\(")
    calling = {file.name for file in layer.glob("*.py") if call.search(file.read_text())}
    assert calling == {"checkpoint.py", "classifiers.py", "loading.py", "tokenizers.py"}


def test_a_measurement_keeps_loads_waiting_and_gives_up_soon(manager: ModelManager) -> None:
    with manager.undisturbed():
        assert checkpoint.LOAD_LOCK.locked()
        with manager.undisturbed(patience=0.01):
            pass
        assert checkpoint.LOAD_LOCK.locked()
    assert not checkpoint.LOAD_LOCK.locked()


# Errors, and who waits


def test_everyone_who_waits_gets_an_error_of_his_own(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = threading.Barrier(6)

    def fail(*_args: Any, **_options: Any) -> None:
        time.sleep(0.2)
        raise CheckpointError("broken", suggestion="bert-mini")

    monkeypatch.setattr(loading, "load_resident", fail)

    def ask(_: int) -> AppError:
        waiting.wait()
        with pytest.raises(CheckpointError, match="broken") as error:
            manager.get("bert-mini", Task.FILL_MASK)
        return error.value

    with ThreadPoolExecutor(6) as pool:
        errors = list(pool.map(ask, range(6)))
    assert len({id(error) for error in errors}) == 6
    assert {error.suggestion for error in errors} == {"bert-mini"}
    assert sum(error.__cause__ is not None for error in errors) <= 1


def test_a_bug_reaches_everyone_who_waits_and_a_panic_too() -> None:
    class PanicException(BaseException):
        pass

    for kind in (KeyError, PanicException):
        flight, begun, go = SingleFlight[str, int](), threading.Event(), threading.Event()

        def fail(
            kind: type[BaseException] = kind,
            begun: threading.Event = begun,
            go: threading.Event = go,
        ) -> int:
            begun.set()
            go.wait(5)
            raise kind("x")

        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(flight.run, "a", fail)
            begun.wait(5)
            second = pool.submit(flight.run, "a", lambda: 1)
            time.sleep(0.05)
            go.set()
            assert isinstance(first.exception(5), kind)
            assert isinstance(second.exception(5), RuntimeError)
            assert kind.__name__ in str(second.exception())
        assert flight.run("a", lambda: 2) == 2


def test_a_failure_is_not_remembered(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(checkpoint.AutoConfig, "from_pretrained", lambda *_, **__: 1 / 0)
        with pytest.raises(CheckpointError):
            manager.get("bert-mini", Task.FILL_MASK)
    manager.get("bert-mini", Task.FILL_MASK)


def test_whoever_waits_holds_what_was_loaded_for_him(
    tight: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, done = SingleFlight.run, threading.Event()

    def slow(self: Any, key: Any, make: Any) -> Any:
        given = real(self, key, make)
        if threading.current_thread().name == "late" and isinstance(key, tuple):
            done.wait(10)  # between the end of the load and the answer
        return given

    monkeypatch.setattr(SingleFlight, "run", slow)
    answers: list[LoadedModel] = []
    late = threading.Thread(
        target=lambda: answers.append(tight.get("bert-mini", Task.FILL_MASK)), name="late"
    )
    late.start()
    while not tight.is_loaded("bert-mini", Task.FILL_MASK):
        time.sleep(0.005)
    tight.get("distilbert-mini", Task.FILL_MASK)
    assert tight.is_loaded("bert-mini", Task.FILL_MASK)
    done.set()
    late.join()
    assert answers[0] is tight.get("bert-mini", Task.FILL_MASK)

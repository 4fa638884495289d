from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from components.models.ask import Ask
from components.models.crowd import Crowd
from components.models.families import Task
from components.models.loaded import LoadedModel
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]


@dataclass(frozen=True)
class Sum:
    """A question of the tests: what is it plus one?"""

    number: int
    kind: str = "sum"
    room: int = 100


class Passes:
    """Answers sums, and notes who was answered together; the first pass waits for `go_on`."""

    def __init__(self, *, bad: int | None = None, error: type[BaseException] = KeyError) -> None:
        self.made: list[list[int]] = []
        self.threads: list[int] = []
        self.begun, self.go_on = threading.Event(), threading.Event()
        self._bad, self._error = bad, error

    def __call__(self, questions: Sequence[Sum]) -> list[int]:
        self.made.append([question.number for question in questions])
        self.threads.append(threading.get_ident())
        if len(self.made) == 1:
            self.begun.set()
            assert self.go_on.wait(10)
        if self._bad in self.made[-1]:
            raise self._error(self._bad)
        return [question.number + 1 for question in questions]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(24) as threads:
        yield threads


def behind_a_busy_pass(
    pool: ThreadPoolExecutor, passes: Passes, questions: Sequence[Sum]
) -> list[Any]:
    """Ask `questions` one after the other while a first pass runs; then let it end."""
    crowd = Crowd[Sum, int]()
    first = pool.submit(crowd.ask, [Sum(0)], passes)
    assert passes.begun.wait(10)
    asked = []
    for question in questions:
        asked.append(pool.submit(crowd.ask, [question], passes))
        wait_for(partial(crowd._under_way.__contains__, question))
    time.sleep(0.02)
    passes.go_on.set()
    assert first.result(10) == [1]
    threads = [future.exception(10) or future.result(10)[0] for future in asked]
    assert crowd._under_way == crowd._waiting == {}
    assert crowd._busy == set()
    return threads


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_one_that_meets_nobody_is_answered_at_once_in_its_own_thread() -> None:
    passes = Passes()
    passes.go_on.set()
    assert Crowd[Sum, int]().ask([Sum(4)], passes) == [5]
    assert passes.made == [[4]]
    assert passes.threads == [threading.get_ident()]


def test_what_comes_while_it_is_busy_goes_together_in_its_order(pool: ThreadPoolExecutor) -> None:
    passes = Passes()
    numbers = list(range(1, 12))
    assert behind_a_busy_pass(pool, passes, [Sum(n) for n in numbers]) == [n + 1 for n in numbers]
    assert passes.made == [[0], numbers]


def test_a_pass_takes_no_more_than_there_is_room_for(pool: ThreadPoolExecutor) -> None:
    passes = Passes()
    assert behind_a_busy_pass(pool, passes, [Sum(n, room=2) for n in (1, 2, 3)]) == [2, 3, 4]
    assert passes.made == [[0], [1, 2], [3]]


def test_one_that_comes_when_its_like_has_just_landed_is_answered_too(
    pool: ThreadPoolExecutor,
) -> None:
    passes, crowd = Passes(), Crowd[Sum, int]()
    first = pool.submit(crowd.ask, [Sum(0)], passes)
    assert passes.begun.wait(10)
    later = []

    def come_again(_landed: object) -> None:
        """Runs in the thread that leads, before that lets its batch go."""
        later.append(pool.submit(crowd.ask, [Sum(0)], passes))
        wait_for(lambda: Sum(0) in crowd._under_way)

    crowd._under_way[Sum(0)].add_done_callback(come_again)
    passes.go_on.set()
    assert first.result(10) == [1]
    assert later[0].result(10) == [1]
    assert passes.made == [[0], [0]]


def test_other_kinds_do_not_wait(pool: ThreadPoolExecutor) -> None:
    passes, crowd = Passes(), Crowd[Sum, int]()
    first = pool.submit(crowd.ask, [Sum(0)], passes)
    assert passes.begun.wait(10)
    assert crowd.ask([Sum(0, "other")], passes) == [1]
    passes.go_on.set()
    assert first.result(10) == [1]


def test_the_same_question_under_way_is_answered_once(pool: ThreadPoolExecutor) -> None:
    passes = Passes()
    assert behind_a_busy_pass(pool, passes, [Sum(7), Sum(0), Sum(7), Sum(7)]) == [8, 1, 8, 8]
    assert passes.made == [[0], [7]]
    assert Crowd[Sum, int]().ask([Sum(7)] * 3, passes) == [8, 8, 8]
    assert passes.made[-1] == [7]


class PanicException(BaseException):
    """As the tokenizers raise them."""


@pytest.mark.parametrize(("error", "told"), [(KeyError, KeyError), (PanicException, RuntimeError)])
def test_a_bad_one_fails_alone(
    error: type[BaseException], told: type[Exception], pool: ThreadPoolExecutor
) -> None:
    passes = Passes(bad=2, error=error)
    one, two, again, three = behind_a_busy_pass(pool, passes, [Sum(1), Sum(2), Sum(2), Sum(3)])
    assert (one, three) == (2, 4)
    assert isinstance(two, told)
    assert isinstance(again, told)
    assert two is not again  # raised in two threads, one object would grow one traceback


def test_a_pass_that_is_broken_off_leaves_nobody_waiting(pool: ThreadPoolExecutor) -> None:
    passes = Passes(bad=1, error=SystemExit)
    one, two = behind_a_busy_pass(pool, passes, [Sum(1), Sum(2)])
    assert {type(one), type(two)} == {SystemExit, RuntimeError}


def test_what_watches_the_thread_that_leads_does_not_see_the_others() -> None:
    watching = contextvars.ContextVar("watching", default=False)
    watching.set(True)
    assert Crowd[Sum, bool]().ask([Sum(1)], lambda _: [watching.get()]) == [False]


def test_a_crowd_of_threads_gets_all_its_answers(pool: ThreadPoolExecutor) -> None:
    crowd, most = Crowd[Sum, int](), [0]

    def answer(questions: Sequence[Sum]) -> list[int]:
        most[0] = max(most[0], len(questions))
        time.sleep(0.001)
        return [question.number + 1 for question in questions]

    def ask(n: int) -> list[int]:
        return crowd.ask([Sum(n, str(n % 3), 1 + n % 4), Sum(-n, str(n % 2))], answer)

    assert list(pool.map(ask, range(500))) == [[n + 1, 1 - n] for n in range(500)]
    assert most[0] > 1
    assert crowd._under_way == crowd._waiting == {}


# On networks

TEXTS = (
    "the river ran past",
    "a good teacher explains every step",
    "cold",
    "was it warm ?",
    "paris is a city and london is a city and berlin is a city and the library closes early",
    "the river ran past",
)
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


@every_family
@pytest.mark.parametrize(
    ("task", "options"),
    [
        (Task.FILL_MASK, {}),
        (Task.FILL_MASK, {"positions": [[1, 2]]}),
        (Task.SENTIMENT, {}),
        (Task.QUESTION_ANSWERING, {}),
        (Task.ENCODER, {"attentions": True, "hidden_states": True}),
    ],
    ids=str,
)
def test_answers_given_together_are_those_given_alone(
    family: str,
    task: Task,
    options: dict[str, Any],
    load: Load,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = load(family, task, attentions="attentions" in options)
    encodings = [model.encode(text) for text in TEXTS] * 3
    expected = [model.run([one], alone=True, **options)[0] for one in encodings]
    sizes: list[int] = []
    real = model._resident.forward.__func__  # type: ignore[attr-defined]

    def noted(self: Any, batch: Any, *args: Any, **more: Any) -> Any:
        sizes.append(len(batch))
        time.sleep(0.02)
        return real(self, batch, *args, **more)

    monkeypatch.setattr(type(model._resident), "forward", noted)
    answers = list(pool.map(lambda one: model.run([one], **options)[0], encodings))
    assert max(sizes) > 1
    assert sum(sizes) < len(encodings)  # the same ones were answered once
    for answer, alone in zip(answers, expected, strict=True):
        assert answer.keys() == alone.keys()
        for name, array in alone.items():
            assert answer[name].shape == array.shape
            np.testing.assert_allclose(answer[name], array, atol=1e-4)


def test_inputs_of_like_length_go_together(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)

    def asked(words: int) -> Ask:
        return Ask(model.encode("mill " * words), None, (), 1_024)

    assert asked(1).kind == asked(12).kind != asked(15).kind == asked(30).kind
    assert [asked(n).room for n in (1, 30, 31, 60)] == [64, 32, 16, 16]


def test_a_share_of_an_answer_does_not_keep_those_of_the_others(load: Load) -> None:
    model = load("bert", Task.FILL_MASK)
    for answer in model.run([model.encode(text) for text in TEXTS[:3]]):
        for array in answer.values():
            tensor = array.base
            assert isinstance(tensor, torch.Tensor)
            assert tensor.untyped_storage().nbytes() == array.nbytes


def test_attention_of_long_inputs_is_bounded_by_the_memory_it_takes(load: Load) -> None:
    model = load("bert", Task.ENCODER, attentions=True)
    assert model._batch_limit(False, attentions=True, longest=2_048) == 2**26 // (3 * 4 * 2_048)
    assert model._batch_limit(False, attentions=False, longest=2_048) == 8_192

"""Crowd: what is asked of one network while it is busy is answered together, in its next pass."""

from __future__ import annotations

import contextvars
import copy
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from components.errors import NEVER_CAUGHT


class Question(Hashable, Protocol):
    """One input and what is wanted of it; equal questions have equal answers."""

    @property
    def kind(self) -> Hashable:
        """What questions that are answered in one pass have in common."""

    @property
    def room(self) -> int:
        """How many questions of this kind fit into one pass."""


Q = TypeVar("Q", bound=Question)
A = TypeVar("A")
Answering = Callable[[Sequence[Q]], Sequence[A]]


class Crowd(Generic[Q, A]):
    """Answers questions, one pass a kind at a time.

    Nobody waits for company: a question that meets no pass of its kind is answered at once, in
    the thread that asks. Those that come meanwhile are answered together by one of the threads
    that wait. One that is asked again while it is under way is answered once for all.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way: dict[Q, Future[A]] = {}
        self._waiting: dict[Hashable, list[Q]] = {}  # by kind, in the order they came
        self._busy: set[Hashable] = set()

    def ask(self, questions: Sequence[Q], answer: Answering[Q, A]) -> list[A]:
        """Give an answer for each; raises what its pass raised, a copy for everyone who waits.

        `answer` makes one pass over questions of one kind, those of others among them.
        """
        with self._changed:
            futures = [self._enter(question) for question in questions]
        for question, future in zip(questions, futures, strict=True):
            while not future.done():
                self._lead_or_wait(question.kind, future, answer)
        return [_landed(future) for future in futures]

    def _enter(self, question: Q) -> Future[A]:
        known = self._under_way.get(question)
        if known is None:
            known = self._under_way[question] = Future()
            self._waiting.setdefault(question.kind, []).append(question)
        return known

    def _lead_or_wait(self, kind: Hashable, future: Future[A], answer: Answering[Q, A]) -> None:
        with self._changed:
            while kind in self._busy and not future.done():
                self._changed.wait()
            if future.done():
                return
            self._busy.add(kind)
            batch = self._next(kind)
        try:
            self._pass(batch, answer)
        finally:
            self._release(batch)
            with self._changed:
                self._busy.discard(kind)
                self._changed.notify_all()

    def _next(self, kind: Hashable) -> dict[Q, Future[A]]:
        """Take those who have waited longest; what is left waits for the next pass."""
        waiting = self._waiting.pop(kind, [])
        room = max(1, min((question.room for question in waiting), default=1))
        if waiting[room:]:
            self._waiting[kind] = waiting[room:]
        return {question: self._under_way[question] for question in waiting[:room]}

    def _pass(self, batch: Mapping[Q, Future[A]], answer: Answering[Q, A]) -> None:
        try:
            # A context of its own: what watches the thread that leads is not about the others.
            answers = list(contextvars.Context().run(answer, list(batch)))
            answered = list(zip(batch.items(), answers, strict=True))
        except BaseException as error:  # a panic too: whoever waits must hear of it
            if isinstance(error, NEVER_CAUGHT):
                raise
            if len(batch) == 1:
                self._land(*next(iter(batch.items())), _plain(error))
                return
            for question, future in batch.items():  # a bad one fails alone
                self._pass({question: future}, answer)
        else:
            for (question, future), its in answered:
                self._land(question, future, None, its)

    def _release(self, batch: Mapping[Q, Future[A]]) -> None:
        """Let nobody wait for what was broken off."""
        for question, future in batch.items():
            self._land(question, future, RuntimeError("a pass was broken off"))

    def _land(self, question: Q, future: Future[A], error: Exception | None, *answer: A) -> None:
        if future.done():
            return
        with self._changed:  # an equal question that comes from now on has a future of its own
            del self._under_way[question]
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(answer[0])


def _plain(error: BaseException) -> Exception:
    if isinstance(error, Exception):
        return error
    return RuntimeError(f"a pass failed: {type(error).__name__}: {error}")


def _landed(future: Future[A]) -> A:
    error = future.exception()
    if error is not None:  # raising one object in many threads would grow one traceback
        raise copy.copy(error) from error
    return future.result()

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from components.errors import InputError
from components.models.families import Task
from components.tasks.classroom import ClassroomResult, Question
from components.tasks.rooms import (
    IDLE_SECONDS,
    LETTERS,
    MAX_ANSWER,
    NoRoomError,
    Rooms,
    StrangerError,
)

TYPED = Question(Task.FILL_MASK, "a [MASK]", "", "bert-mini", ())
CHOSEN = Question(Task.SENTIMENT, "good", "", "bert-mini", ("negative", "positive"))
RESULT = ClassroomResult(TYPED, 0, 0, (), "cat", ())


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_room_goes_from_question_to_question() -> None:
    rooms = Rooms()
    code, token = rooms.open()
    assert len(code) == 5
    assert set(code) <= set(LETTERS)
    pupil = rooms.join(code.lower() + " ")
    assert rooms.join(code, pupil) == pupil, "a reload must not make another pupil"
    assert rooms.look(code, pupil).question is None
    number = rooms.ask(code, token, TYPED)
    rooms.answer(code, pupil, number, "dog")
    assert rooms.answer(code, pupil, number, "  a  cat ") == "a cat"
    assert rooms.look(code, pupil).yours == "a cat"
    assert rooms.stop(code, token) == (TYPED, number, ("a cat",))
    with pytest.raises(InputError, match="Too late"):
        rooms.answer(code, pupil, number, "dog")
    rooms.show(code, token, number, RESULT)
    assert rooms.look(code, pupil).result is RESULT
    assert rooms.ask(code, token, CHOSEN) == number + 1
    seen = rooms.steer(code, token)
    assert (seen.result, seen.answered, seen.joined) == (None, 0, 1)
    with pytest.raises(InputError, match="is over"):
        rooms.answer(code, pupil, number, "dog")
    rooms.show(code, token, number, RESULT)  # came late: of the question before
    assert rooms.steer(code, token).result is None
    rooms.close(code, token)
    with pytest.raises(NoRoomError, match=code):
        rooms.look(code, pupil)


@pytest.mark.parametrize("token", ["", "x", "ä" * 40, "\ud800"])
def test_nobody_steers_with_another_token_and_nothing_happens(token: str) -> None:
    rooms = Rooms()
    code, right = rooms.open()
    pupil = rooms.join(code)
    rooms.ask(code, right, TYPED)
    before = rooms.steer(code, right)
    for stolen in (token, pupil, rooms.open()[1]):
        for steal in (
            lambda t: rooms.ask(code, t, CHOSEN),
            lambda t: rooms.stop(code, t),
            lambda t: rooms.show(code, t, 1, RESULT),
            lambda t: rooms.close(code, t),
            lambda t: rooms.steer(code, t),
        ):
            with pytest.raises(StrangerError, match="only from the page"):
                steal(stolen)
    assert rooms.steer(code, right) == before


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (TYPED, "", "empty"),
        (TYPED, " \n ", "empty"),
        (TYPED, None, "empty"),
        (TYPED, ["cat"], "empty"),
        (TYPED, "x" * (MAX_ANSWER + 1), "too long"),
        (CHOSEN, "maybe", "none of the choices"),
    ],
)
def test_an_answer_that_is_none_is_refused_in_words(
    question: Question, answer: object, said: str
) -> None:
    rooms = Rooms()
    code, token = rooms.open()
    pupil = rooms.join(code)
    number = rooms.ask(code, token, question)
    with pytest.raises(InputError, match=said):
        rooms.answer(code, pupil, number, answer)
    for stranger in ("", token, "x"):
        with pytest.raises(StrangerError, match="not in room"):
            rooms.answer(code, stranger, number, "positive")
    assert rooms.steer(code, token).answered == 0


def test_half_a_character_can_be_shown() -> None:
    rooms = Rooms()
    code, token = rooms.open()
    number = rooms.ask(code, token, TYPED)
    assert rooms.answer(code, rooms.join(code), number, "a\ud800").encode() == b"a?"


def test_a_room_in_which_nothing_happens_is_gone_and_looking_on_does_not_keep_it() -> None:
    clock = Clock()
    rooms = Rooms(clock=clock)
    code, token = rooms.open()
    pupil = rooms.join(code)
    clock.now = IDLE_SECONDS
    number = rooms.ask(code, token, TYPED)
    clock.now = 2 * IDLE_SECONDS - 1
    rooms.look(code, pupil)
    rooms.answer(code, pupil, number, "cat")
    clock.now = 3 * IDLE_SECONDS - 1
    rooms.look(code, pupil)
    rooms.steer(code, token)
    clock.now += 1
    with pytest.raises(NoRoomError, match="2 hours"):
        rooms.look(code, pupil)


def test_rooms_and_pupils_are_bounded_and_an_empty_room_gives_way_first() -> None:
    clock = Clock()
    rooms = Rooms(clock=clock, most=2, most_pupils=2)
    used, token = rooms.open()
    rooms.join(used)
    clock.now += 1
    empty, _ = rooms.open()
    clock.now += 1
    third, _ = rooms.open()
    with pytest.raises(NoRoomError):
        rooms.join(empty)
    rooms.join(third)
    with pytest.raises(InputError, match="in use"):
        rooms.open()
    rooms.join(used)
    with pytest.raises(InputError, match="full"):
        rooms.join(used)
    assert rooms.steer(used, token).joined == 2


def test_many_at_once_lose_nothing() -> None:
    rooms = Rooms()
    code, token = rooms.open()
    with ThreadPoolExecutor(16) as threads:
        pupils = list(threads.map(lambda _: rooms.join(code), range(200)))
        for question in range(1, 6):
            rooms.ask(code, token, TYPED)
            told = list(
                threads.map(
                    lambda i, n=question: rooms.answer(code, pupils[i], n, f"{n}-{i}"), range(200)
                )
            )
            assert sorted(rooms.stop(code, token)[2]) == sorted(told)
    assert len(set(pupils)) == 200

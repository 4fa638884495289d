"""The rooms of classes: who may steer, who has answered what. In memory, without names.

A room is known by a short code that is told to all, and steered by a token that only the page
which opened it has. Nothing is kept of a room that is closed, or in which nothing happens.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from components.errors import InputError
from components.tasks.classroom import ClassroomResult, Question

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
CODE_LENGTH = 5
MAX_ROOMS = 100
MAX_PUPILS = 500  # of one room
MAX_ANSWER = 120  # characters
IDLE_SECONDS = 2 * 60 * 60.0  # without a question, an answer or a pupil who joins


class NoRoomError(InputError):
    """There is no room of that code."""


class StrangerError(InputError):
    """The token is none of this room."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A room at one moment; `yours` is the answer of the pupil who looks."""

    code: str
    version: int  # another one when there is something new for pupils
    number: int  # of the question, from 1; 0: none was asked yet
    question: Question | None
    is_open: bool  # answers are taken
    result: ClassroomResult | None
    joined: int
    answered: int
    yours: str


@dataclass(slots=True)
class _Room:
    code: str
    token: str
    used: float
    pupils: set[str] = field(default_factory=set)
    question: Question | None = None
    number: int = 0
    version: int = 0
    answers: dict[str, str] = field(default_factory=dict)  # by pupil
    is_open: bool = False
    result: ClassroomResult | None = None


class Rooms:
    """All rooms of one app; every method may be called by many threads at once."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        most: int = MAX_ROOMS,
        most_pupils: int = MAX_PUPILS,
    ) -> None:
        self._clock, self._most, self._most_pupils = clock, most, most_pupils
        self._rooms: dict[str, _Room] = {}
        self._lock = Lock()

    def open(self) -> tuple[str, str]:
        """Open a room; give its code, and the token that steers it.

        Where there are too many, the oldest in which nobody is goes; raises InputError if all are
        in use.
        """
        with self._lock:
            self._tidy()
            if len(self._rooms) >= self._most:
                self._make_room()
            code = _code()
            while code in self._rooms:
                code = _code()
            room = _Room(code, secrets.token_urlsafe(24), self._clock())
            self._rooms[code] = room
            return code, room.token

    def join(self, code: str, pupil: str = "") -> str:
        """Let a pupil in; give the token to answer with, the same again to `pupil` who has one."""
        with self._lock:
            room = self._find(code)
            if pupil in room.pupils:
                return pupil
            if len(room.pupils) >= self._most_pupils:
                raise InputError(f"Room {room.code} is full: {self._most_pupils} are in it.")
            pupil = secrets.token_urlsafe(16)
            room.pupils.add(pupil)
            room.used = self._clock()
            return pupil

    def ask(self, code: str, token: str, question: Question) -> int:
        """Put the next question to the class; give its number."""
        with self._lock:
            room = self._steered(code, token)
            room.question, room.number = question, room.number + 1
            room.answers, room.is_open, room.result = {}, True, None
            room.version += 1
            return room.number

    def answer(self, code: str, pupil: str, number: object, text: object) -> str:
        """Take a pupil's answer to question `number`; a later one takes the place of the first."""
        with self._lock:
            room = self._find(code)
            question = room.question
            _check_pupil(room, pupil)
            if question is None or number != room.number:
                raise InputError("That question is over. Answer the one that is shown now.")
            if not room.is_open:
                raise InputError("Too late: the answers are being shown already.")
            room.answers[pupil] = _checked(question, text)
            room.used = self._clock()
            return room.answers[pupil]

    def stop(self, code: str, token: str) -> tuple[Question, int, tuple[str, ...]]:
        """Take no more answers; give the question, its number and the answers, without pupils."""
        with self._lock:
            room = self._steered(code, token)
            if room.question is None:
                raise InputError("Nothing was asked yet. Choose a question and press “Ask”.")
            if room.is_open:
                room.is_open = False
                room.version += 1
            return room.question, room.number, tuple(room.answers.values())

    def show(self, code: str, token: str, number: int, result: ClassroomResult) -> None:
        """Show the answers to question `number`; a later question is left alone."""
        with self._lock:
            room = self._steered(code, token)
            if room.number == number and not room.is_open:
                room.result = result
                room.version += 1

    def close(self, code: str, token: str) -> None:
        """Close a room for good."""
        with self._lock:
            del self._rooms[self._steered(code, token).code]

    def steer(self, code: str, token: str) -> Seen:
        """Look at a room as its teacher."""
        with self._lock:
            return _seen(self._steered(code, token, is_act=False))

    def look(self, code: str, pupil: str) -> Seen:
        """Look at a room as a pupil who joined."""
        with self._lock:
            room = self._find(code)
            _check_pupil(room, pupil)
            return _seen(room, pupil)

    def _find(self, code: str) -> _Room:
        self._tidy()
        room = self._rooms.get(clean(code))
        if room is None:
            raise NoRoomError(
                f"There is no room {clean(code)[:12]}. Look at the code again; a room is closed "
                f"when nothing happens in it for {IDLE_SECONDS / 3600:.0f} hours."
            )
        return room

    def _steered(self, code: str, token: str, *, is_act: bool = True) -> _Room:
        room = self._find(code)
        if not secrets.compare_digest(_bytes(room.token), _bytes(token)):
            raise StrangerError(
                f"Room {room.code} can be steered only from the page that opened it."
            )
        if is_act:
            room.used = self._clock()
        return room

    def _tidy(self) -> None:
        oldest = self._clock() - IDLE_SECONDS
        for code in [code for code, room in self._rooms.items() if room.used < oldest]:
            del self._rooms[code]

    def _make_room(self) -> None:
        empty = [room for room in self._rooms.values() if not room.pupils]
        if not empty:
            raise InputError(
                f"All {self._most} rooms are in use. Try again when a class has gone home."
            )
        del self._rooms[min(empty, key=lambda room: room.used).code]


def clean(code: str) -> str:
    """Give a code as it was told, however it was typed."""
    return "".join(code.split()).upper()


def _code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")


def _check_pupil(room: _Room, pupil: str) -> None:
    if pupil not in room.pupils:
        raise StrangerError(f"You are not in room {room.code} yet. Join it with its code.")


def _checked(question: Question, text: object) -> str:
    answer = " ".join(text.split()) if isinstance(text, str) else ""
    answer = answer.encode("utf-8", "replace").decode()  # half a character is none
    if not answer:
        raise InputError("The answer is empty. Type something.")
    if len(answer) > MAX_ANSWER:
        raise InputError(
            f"The answer is too long: {len(answer):,} characters, and at most {MAX_ANSWER} are "
            "taken. Shorten it."
        )
    if question.choices and answer not in question.choices:
        raise InputError(f"“{answer[:40]}” is none of the choices. Choose one of them.")
    return answer


def _seen(room: _Room, pupil: str = "") -> Seen:
    return Seen(
        code=room.code,
        version=room.version,
        number=room.number,
        question=room.question,
        is_open=room.is_open,
        result=room.result,
        joined=len(room.pupils),
        answered=len(room.answers),
        yours=room.answers.get(pupil, ""),
    )

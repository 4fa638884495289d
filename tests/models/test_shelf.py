from __future__ import annotations

from dataclasses import dataclass

import pytest

from components.errors import ModelError
from components.models.shelf import Shelf


@dataclass
class Thing:
    bytes: int = 10


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_visitor_gets_their_own_thing_by_a_token_that_cannot_be_guessed() -> None:
    shelf: Shelf[Thing] = Shelf()
    one, other = Thing(), Thing()
    tokens = shelf.keep(one), shelf.keep(other)
    assert [shelf.get(token) for token in tokens] == [one, other]
    assert min(map(len, tokens)) >= 20
    for guess in ("", "x", tokens[0][:-1]):
        with pytest.raises(ModelError):
            shelf.get(guess)


def test_what_was_not_used_for_long_is_gone_and_said_to_be() -> None:
    clock, gone = Clock(), []
    shelf: Shelf[Thing] = Shelf(seconds=60, clock=clock)
    shelf.when_removed(gone.append)
    old, used = shelf.keep(Thing()), shelf.keep(Thing())
    clock.now = 50
    shelf.get(used)
    clock.now = 100
    shelf.get(used)
    with pytest.raises(ModelError, match=r"gone.*train it again"):
        shelf.get(old)
    assert gone == [old]
    assert len(shelf) == 1


@pytest.mark.parametrize("limit", [{"most": 2}, {"most_bytes": 25}])
def test_the_one_longest_unused_goes_when_room_is_short(limit: dict[str, int]) -> None:
    shelf: Shelf[Thing] = Shelf(**limit)
    first, second = shelf.keep(Thing()), shelf.keep(Thing())
    shelf.get(first)
    third = shelf.keep(Thing())
    assert len(shelf) == 2
    for token in (first, third):
        shelf.get(token)
    with pytest.raises(ModelError):
        shelf.get(second)


def test_the_newest_stays_though_it_is_too_large() -> None:
    shelf: Shelf[Thing] = Shelf(most_bytes=25)
    shelf.keep(Thing())
    large = shelf.keep(Thing(100))
    assert shelf.get(large).bytes == 100
    assert len(shelf) == 1

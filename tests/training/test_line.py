from __future__ import annotations

import pytest

from components.errors import InputError
from components.training.line import Line


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_first_come_first_served_and_each_knows_their_place() -> None:
    line = Line()
    tickets = [line.join() for _ in range(3)]
    assert [line.place(ticket) for ticket in tickets] == [0, 1, 2]
    line.leave(tickets[0])
    assert [line.place(ticket) for ticket in tickets[1:]] == [0, 1]
    assert len(set(tickets)) == 3


def test_who_closed_the_page_is_passed_over() -> None:
    clock = Clock()
    line = Line(patience=30, clock=clock)
    gone, here = line.join(), line.join()
    clock.now = 20
    assert line.place(here) == 1
    clock.now = 40
    assert line.place(here) == 0
    assert line.place(gone) == 1, "who comes back stands at the end"


def test_a_training_that_goes_on_keeps_its_turn() -> None:
    clock = Clock()
    line = Line(patience=30, clock=clock)
    running, waits = line.join(), line.join()
    for clock.now in range(0, 200, 10):
        assert not line.is_stopped(running)
        assert line.place(waits) == 1


def test_only_the_holder_of_a_ticket_can_stop_it() -> None:
    line = Line()
    mine, other = line.join(), line.join()
    line.stop("guess")
    line.stop("")
    assert not line.is_stopped(mine)
    line.stop(mine)
    assert line.is_stopped(mine)
    assert not line.is_stopped(other)
    line.leave(mine)
    line.leave(mine)
    assert not line.is_stopped(mine)


def test_a_full_line_is_said_in_words() -> None:
    line = Line(most=2)
    line.join()
    line.join()
    with pytest.raises(InputError, match="2 trainings wait already"):
        line.join()

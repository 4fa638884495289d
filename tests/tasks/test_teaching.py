from __future__ import annotations

import pytest

from components.errors import InputError
from components.tabs import TABS
from components.tasks import teaching


def test_every_tab_of_the_top_row_has_a_note_in_its_order_and_by_its_title() -> None:
    wanted = [(tab.id, tab.title) for tab in TABS if not tab.within]
    assert [(note.tab_id, note.title) for note in teaching.notes().values()] == wanted


def test_a_note_has_three_questions_a_goal_a_misconception_and_a_time() -> None:
    for note in teaching.notes().values():
        assert len(note.questions) == 3, note.tab_id
        assert all(question.ask and question.look_for for question in note.questions)
        assert len(note.goal) > 40
        assert note.believed.endswith(".")
        assert note.rather.endswith(".")
        assert 5 <= note.minutes <= 60
        words = " ".join((note.goal, note.rather, *(q.ask + q.look_for for q in note.questions)))
        assert len(words.split()) > 70, f"{note.tab_id}: half a page is wanted"


@pytest.mark.parametrize("wrong", ["", "fame", None, "lens"])
def test_a_tab_without_a_note_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(InputError, match="There is no note"):
        teaching.predict(wrong)

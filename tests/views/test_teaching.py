from __future__ import annotations

from components.tasks.teaching import Note, Question, notes
from components.views import teaching as views

HOSTILE = "<img src=x onerror=alert(1)>"


def test_all_of_a_note_is_on_the_page() -> None:
    for note in notes().values():
        drawn = views.page(note).unescape()
        assert all(q.ask in drawn and q.look_for in drawn for q in note.questions)
        assert note.believed in drawn
        assert note.rather in drawn
        assert f"{note.minutes} minutes" in drawn
        assert note.goal in views.finding(note).unescape()


def test_what_is_told_is_escaped() -> None:
    note = Note("x", HOSTILE, 5, HOSTILE, (Question(HOSTILE, HOSTILE),), HOSTILE, HOSTILE)
    assert "<img" not in views.page(note) + views.finding(note)
    assert views.page(note).count("&lt;img") == 4

from __future__ import annotations

import re

import pytest

from components.models.families import Task
from components.tasks.classroom import ClassroomResult, Question, Share
from components.tasks.rooms import Seen
from components.views import classroom as views

PAYLOAD = '<img src=x onerror="alert(1)"></script>${1}{{2}}'


def _question(task: Task, text: str = PAYLOAD, second: str = "") -> Question:
    return Question(task, text, second, "bert-mini", ())


def _seen(question: Question | None) -> Seen:
    return Seen("ABCDE", 1, 1, question, True, None, 1, 0, "")


def _result(*shares: Share, best: str = "cat", pupils: int = 10) -> ClassroomResult:
    others = pupils - sum(share.pupils for share in shares)
    return ClassroomResult(_question(Task.FILL_MASK), pupils, others, shares, best, ())


def test_hostile_answers_questions_and_codes_stay_text() -> None:
    drawn = views.answers(_result(Share(PAYLOAD, 6, 0.5), best=PAYLOAD))
    for task in (*views._ASKED,):
        drawn += views.asked(_seen(_question(task, f"{PAYLOAD} [MASK]", f"{PAYLOAD} {PAYLOAD}")))
    assert "<img" not in drawn
    assert "</script" not in drawn
    page = views.pupil_page('"><img src=x>')
    assert "<img" not in page
    assert page.count("</script>") == 2


def test_the_reveal_has_two_bars_a_row_on_one_scale() -> None:
    drawn = views.answers(_result(Share("dog", 6, 0.125), Share("cat", 1, None), pupils=8))
    assert re.findall(r"width:([\d.]+)%", drawn) == ["75.00", "12.50", "12.50", "0.00"]
    assert "6 · 75 %" in drawn
    assert "no figure" in drawn
    assert "1 gave other answers" in drawn
    assert "The class says “dog” (75 %), the model “cat”." in drawn


def test_agreement_and_silence_are_told() -> None:
    assert "agree: “cat”" in views.answers(_result(Share("cat", 10, 0.9)))
    assert "Nobody has answered" in views.answers(_result(Share("cat", 0, 0.9), pupils=0))


def test_a_question_shows_nothing_of_the_models_answer() -> None:
    drawn = views.asked(_seen(_question(Task.FILL_MASK, "Paris is the ___ of France.")))
    assert "___" not in drawn
    assert "lab-room-blank" in drawn
    assert "about to come" in views.asked(_seen(None))


def test_the_words_of_a_passage_can_be_tapped_and_are_the_passage() -> None:
    passage = "Two  words,\nand more."
    drawn = views.asked(_seen(_question(Task.QUESTION_ANSWERING, "Who?", passage)))
    assert drawn.count("data-word") == 4
    assert passage in re.sub(r"<[^>]+>", "", drawn)


@pytest.mark.parametrize("address", ["http://192.168.1.20:7860/?room=ABCDE", 'http://x/"><b>'])
def test_a_qr_code_is_dark_on_white_and_says_what_it_leads_to(address: str) -> None:
    drawn = views.qr(address)
    assert "<svg" in drawn
    assert "#fff" in drawn
    assert "<b>" not in drawn

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import answer_scores, question_answering
from components.tasks.answer_scores import MAX_QUESTIONS, lead
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
PASSAGE = "the boats ran past the mill and the children watched"
QUESTIONS = "where did the boats go\nwhat was cold\n\nwho ran"
ODD = (
    "☕ Zoe\u0308 👩🏽\u200d🍳 runs the cafe\u0301.\r\n  你好 世界\tمرحبا بالعالم 🇫🇷🇩🇪 "
    "<mask> ${x} e\u0301\u0323"
)


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.QUESTION_ANSWERING)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.QUESTION_ANSWERING)


def test_the_scores_are_those_of_a_plain_forward_pass(bert: LoadedModel) -> None:
    result = answer_scores.predict(bert, "who ran", PASSAGE)
    inputs = bert._resident.tokenizer("who ran", PASSAGE, return_tensors="pt")
    with torch.inference_mode():
        outputs = bert._resident.network(**inputs)
    passage = [i for i, which in enumerate(inputs.sequence_ids()) if which == 1]
    assert [PASSAGE[b:e] for b, e in result.pieces] == PASSAGE.split()
    np.testing.assert_allclose(result.tracks[0].start, outputs.start_logits[0, passage], atol=1e-4)
    np.testing.assert_allclose(result.tracks[0].end, outputs.end_logits[0, passage], atol=1e-4)
    ahead = (outputs.start_logits[0, 0] + outputs.end_logits[0, 0]).item()
    assert lead(result.results[0]) == pytest.approx(
        ahead - result.results[0].answers[0].logit, abs=1e-3
    )


def test_every_question_is_answered_as_if_it_were_asked_alone(model: LoadedModel) -> None:
    result = answer_scores.predict(model, QUESTIONS, PASSAGE, top_k=3)
    asked = [line for line in QUESTIONS.splitlines() if line]
    assert [one.question for one in result.results] == asked
    for question, one in zip(asked, result.results, strict=True):
        alone = question_answering.predict(model, question, PASSAGE, top_k=3)
        assert [a.span for a in one.answers] == [a.span for a in alone.answers]
        assert one.no_answer.logit == pytest.approx(alone.no_answer.logit, abs=1e-4)


def test_of_overlapping_windows_the_higher_score_of_a_piece_counts(bert: LoadedModel) -> None:
    options: dict[str, Any] = {"max_length": 32, "stride": 10}
    result = answer_scores.predict(bert, "who ran", PASSAGE * 4, **options)
    assert len(result.results[0].windows) > 2
    reading = question_answering.read(bert, "who ran", PASSAGE * 4, **options)
    highest: dict[tuple[int, int], float] = {}
    for encoding, start in zip(reading.encodings, reading.start_logits, strict=True):
        for span, which, logit in zip(encoding.offsets, encoding.sequence_ids, start, strict=True):
            if which == 1:
                highest[span] = max(highest.get(span, -np.inf), float(logit))
    found = dict(zip(map(tuple, result.pieces.tolist()), result.tracks[0].start, strict=True))
    assert found == {span: pytest.approx(logit) for span, logit in highest.items()}


@pytest.mark.parametrize("passage", [PASSAGE, ODD, ODD * 3, "😀", "\u200b"])
def test_pieces_are_visible_places_of_the_passage_in_their_order(
    model: LoadedModel, passage: str
) -> None:  # H29
    result = answer_scores.predict(model, QUESTIONS, passage)
    texts = [passage[begin:end] for begin, end in result.pieces]
    assert all(text.strip() == text != "" for text in texts)
    assert result.pieces.tolist() == sorted(result.pieces.tolist())
    for track in result.tracks:  # whatever the question, the pieces are the same
        assert len(track.start) == len(track.end) == len(result.pieces)
        assert np.isfinite(track.start).all()
    for one in result.results:
        for answer in one.answers:
            starts, ends = result.pieces[:, 0], result.pieces[:, 1]
            assert answer.span[0] in starts
            assert answer.span[1] in ends


def test_a_windows_own_softmax_stands_beside_the_raw_sum_and_decides_nothing(
    bert: LoadedModel,
) -> None:  # H30
    result = answer_scores.predict(bert, "who ran", PASSAGE * 5, max_length=48, stride=8)
    windows = result.results[0].windows
    reading = question_answering.read(bert, "who ran", PASSAGE * 5, max_length=48, stride=8)
    for window, encoding, start, end in zip(
        windows, reading.encodings, reading.start_logits, reading.end_logits, strict=True
    ):
        inside = [i for i, which in enumerate(encoding.sequence_ids) if which == 1]
        sums = [float(start[i]) + float(end[j]) for i in inside for j in inside if i <= j < i + 30]
        weights = np.exp(np.array([*sums, window.no_answer_logit]) - max(sums))
        assert window.own_score == pytest.approx(1 / weights.sum(), abs=1e-4)
    raw = [window.best_logit for window in windows]
    assert result.results[0].answers[0].window == int(np.argmax(raw))


def test_who_waits_hears_of_questions_and_windows(bert: LoadedModel) -> None:
    heard: list[tuple[str, float]] = []
    answer_scores.predict(
        bert, "who ran\nwho", PASSAGE * 30, max_length=32, stride=10,
        tell=lambda message, done: heard.append((message, done)),
    )  # fmt: skip
    assert heard[0] == ("Question 1 of 2", 0.0)
    assert any(message.startswith("Question 2 of 2, Window 9 of") for message, _ in heard)
    shares = [done for _, done in heard]
    assert shares == sorted(shares)
    assert shares[-1] < 1


def test_what_cannot_be_asked_is_refused_in_words(bert: LoadedModel) -> None:
    with pytest.raises(InputError, match="no question"):
        answer_scores.predict(bert, " \n ", PASSAGE)
    with pytest.raises(InputError, match="The passage is empty"):
        answer_scores.predict(bert, "who", "  ")
    with pytest.raises(InputError, match=f"at most {MAX_QUESTIONS}"):
        answer_scores.predict(bert, "who\n" * (MAX_QUESTIONS + 1), PASSAGE)
    with pytest.raises(InputError, match="Question 2: The question is too long"):  # H31
        answer_scores.predict(bert, "who\n" + "why " * 450, PASSAGE)

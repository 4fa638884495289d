"""What is shown is what predicted: attention belongs to the very input that made the answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, next_sentence, question_answering, sentiment
from components.tasks.answers import TASKS, read
from components.tasks.readings import Readings
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
PASSAGE = "the soup was cold but the bread was warm and fresh"


def _same_as_a_plain_pass(model: LoadedModel, reading: object) -> None:
    encoding = reading.encoding  # type: ignore[attr-defined]
    expected = model.run([encoding], attentions=True)[0]["attentions"]
    np.testing.assert_allclose(reading.attention, expected, atol=1e-5)  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_blank_is_in_the_input_whose_attention_is_given(load: Load, family: str) -> None:
    model = load(family, Task.FILL_MASK, attentions=True)
    reading = read(model, "the river ___ past the mill")
    assert model.mask_token_id in reading.encoding.input_ids
    assert reading.answer == fill_mask.predict(model, "the river ___ past the mill", top_k=3)
    _same_as_a_plain_pass(model, reading)


def test_a_pair_is_read_with_its_segments(load: Load) -> None:
    model = load("bert", Task.NEXT_SENTENCE, attentions=True)
    reading = read(model, "the river ran", "the boats go")
    assert set(reading.encoding.token_type_ids or ()) == {0, 1}
    assert reading.answer == next_sentence.predict(model, "the river ran", "the boats go")
    _same_as_a_plain_pass(model, reading)
    with pytest.raises(InputError, match="both sentences"):
        read(model, "the river ran")


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_review_is_weighed(load: Load, family: str) -> None:
    model = load(family, Task.SENTIMENT, attentions=True)
    reading = read(model, "the film was great", "left over")
    assert reading.answer == sentiment.predict(model, ["the film was great"])
    assert reading.notices == ("This task reads the first text only.",)
    _same_as_a_plain_pass(model, reading)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_of_a_long_passage_it_is_the_window_with_the_answer(load: Load, family: str) -> None:
    model = load(family, Task.QUESTION_ANSWERING, attentions=True)
    for passage in (PASSAGE, " ".join([PASSAGE] * 12)):
        reading = read(model, "what was cold", passage)
        answer = reading.answer
        assert isinstance(answer, question_answering.QuestionAnsweringResult)
        best = answer.answers[0] if answer.has_answer else answer.no_answer
        window = answer.windows[best.window]
        inside = [
            span
            for span, which in zip(
                reading.encoding.offsets, reading.encoding.sequence_ids, strict=True
            )
            if which == 1
        ]
        assert inside[0][0] <= window.span[0]
        assert inside[-1][1] >= window.span[1]
        assert ("windows" in " ".join(reading.notices)) == (len(answer.windows) > 1)
        _same_as_a_plain_pass(model, reading)
    with pytest.raises(InputError, match="no passage"):
        read(model, "what was cold", " ")


def test_another_view_of_the_same_text_needs_no_other_pass(load: Load) -> None:
    model = load("bert", Task.ENCODER, attentions=True)
    readings = Readings()
    first = readings.read(model, "the river ran")
    assert readings.read(model, "the river ran") is first
    assert readings.read(model, "the river ran", "past") is not first
    masked = load("bert", Task.FILL_MASK, attentions=True)
    assert readings.read(masked, "the ___ ran").answer is not None


def test_what_is_remembered_is_bounded(load: Load) -> None:
    model = load("bert", Task.ENCODER, attentions=True)
    size = read(model, "the river ran").attention.nbytes
    readings = Readings(limit=2 * size)
    kept = [readings.read(model, text) for text in ("the river ran", "the boats go", "a mill ran")]
    assert readings.read(model, "a mill ran") is kept[2]
    assert readings.read(model, "the river ran") is not kept[0]
    assert Readings(limit=1).read(model, "the river ran").answer is None  # too large to be kept


def test_every_task_that_is_offered_has_a_reader() -> None:
    assert set(TASKS) == {
        Task.ENCODER,
        Task.FILL_MASK,
        Task.NEXT_SENTENCE,
        Task.SENTIMENT,
        Task.QUESTION_ANSWERING,
    }

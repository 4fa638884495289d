from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from components.config import ASSETS, Settings
from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import question_answering
from components.tasks.question_answering import QuestionAnsweringResult
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
PASSAGE = "the boats ran past the mill and the children watched"
ODD = (
    "☕ Zoe\u0308 👩🏽\u200d🍳 runs the cafe\u0301.\r\n\r\n  你好 世界\tمرحبا بالعالم 🇫🇷🇩🇪 "
    "<mask> [SEP] </s> ${x} {{y}} \ud800 e\u0301\u0323"
)
JOINED = ("\u0301", "\u0308", "\u0323", "\u200d", "🏽")  # go on with a visible character


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.QUESTION_ANSWERING)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.QUESTION_ANSWERING)


class Pointing:
    """A model whose network is replaced: it points at the tokens of chosen characters."""

    def __init__(self, model: LoadedModel, start: int, end: int) -> None:
        self._model, self._span = model, (start, end)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def run(self, encodings: Any) -> list[dict[str, Any]]:
        return [self._answer(encoding) for encoding in encodings]

    def _answer(self, encoding: Any) -> dict[str, Any]:
        start = np.full(len(encoding), -10.0, dtype=np.float32)
        end = start.copy()
        for i, ((begin, stop), which) in enumerate(
            zip(encoding.offsets, encoding.sequence_ids, strict=True)
        ):
            if which == 1 and begin <= self._span[0] < stop:
                start[i] = 5.0
            if which == 1 and begin < self._span[1] <= stop:
                end[i] = 5.0
        return {"start_logits": start, "end_logits": end}


def test_logits_equal_a_plain_forward_pass(model: LoadedModel) -> None:
    question = "where did the boats go"
    result = question_answering.predict(model, question, PASSAGE, top_k=50, max_answer_length=100)
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(question, PASSAGE, return_tensors="pt", return_offsets_mapping=True)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    which = inputs.sequence_ids()
    if model.family.has_segments and network.config.type_vocab_size:  # H21
        inputs["token_type_ids"] = torch.tensor([[int(w == 1) for w in which]])
        inputs["token_type_ids"][0, -1] = 1
    with torch.no_grad():
        outputs = network(**inputs)
    assert result.no_answer.start_logit == pytest.approx(
        outputs.start_logits[0, 0].item(), abs=1e-4
    )
    assert result.no_answer.end_logit == pytest.approx(outputs.end_logits[0, 0].item(), abs=1e-4)
    passage = [i for i, w in enumerate(which) if w == 1 and offsets[i][0] < offsets[i][1]]
    best = max(
        (outputs.start_logits[0, i] + outputs.end_logits[0, j]).item()
        for i in passage
        for j in passage
        if i <= j
    )
    assert result.answers[0].logit == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("family", ["bert", "albert", "electra"])
def test_the_passage_is_the_second_segment(load: Load, family: str) -> None:  # H21
    model = load(family, Task.QUESTION_ANSWERING)
    (window,) = model.windows("the boats ran past", "the mill was old", max_length=64, stride=8)
    assert window.token_type_ids is not None
    of_passage = [t for t, w in zip(window.token_type_ids, window.sequence_ids, strict=True) if w]
    of_question = [
        t for t, w in zip(window.token_type_ids, window.sequence_ids, strict=True) if w == 0
    ]
    assert set(of_passage) == {1}
    assert set(of_question) == {0}


def check(result: QuestionAnsweringResult) -> None:
    """What holds for every result."""
    spans = [answer.span for answer in result.answers]
    assert len(set(spans)) == len(spans)
    for answer in result.answers:
        assert answer.text == result.passage[slice(*answer.span)]
        assert answer.text.strip() == answer.text != ""
    logits = [answer.logit for answer in result.answers]
    assert logits == sorted(logits, reverse=True)
    scores = [answer.score for answer in result.answers] + [result.no_answer.score]
    assert all(0 <= score <= 1 for score in scores)
    assert sum(scores) <= 1 + 1e-9
    assert result.has_answer == (bool(logits) and logits[0] >= result.no_answer.logit)


@pytest.mark.parametrize(
    "passage", [PASSAGE, ODD, ODD * 3, "boats", " \n boats \r\n", "😀", "你好"]
)
@pytest.mark.parametrize("longest", [1, 30])
def test_spans_are_places_of_the_passage_as_typed(
    model: LoadedModel, passage: str, longest: int
) -> None:
    result = question_answering.predict(
        model, "what was cold <mask> 😀 \ud800", passage, top_k=50, max_answer_length=longest
    )
    check(result)
    assert result.passage == passage
    assert len(result.answers) > 0


@pytest.mark.parametrize(
    "visible", ["cafe\u0301", "Zoe\u0308", "👩🏽\u200d🍳", "你好", "مرحبا", "🇫🇷", "e\u0301\u0323"]
)
def test_no_visible_character_is_cut_in_any_family(model: LoadedModel, visible: str) -> None:  # H29
    begin = ODD.index(visible)
    answered = 0
    for end in range(begin + 1, begin + len(visible) + 1):
        pointing: Any = Pointing(model, begin, end)
        best = question_answering.predict(pointing, "who", ODD).answers[0]
        if best.logit < 0:  # no token of this family ends there
            continue
        answered += 1
        assert best.text.startswith(visible[: end - begin])
        assert ODD[best.span[1] : best.span[1] + 1] not in JOINED
    assert answered > 0


def test_the_second_of_two_equal_words_is_found_where_it_stands(model: LoadedModel) -> None:  # H32
    passage = "Two boats left. Later two more left, so Two remained."
    pointing: Any = Pointing(model, 40, 43)
    best = question_answering.predict(pointing, "how many", passage).answers[0]
    assert best.span == (40, 43)


def test_a_long_passage_is_covered_and_its_last_sentence_can_win(model: LoadedModel) -> None:  # H30
    passage = " ".join(f"sentence {i} is here." for i in range(200))
    begin = passage.index("sentence 199")
    pointing: Any = Pointing(model, begin, begin + len("sentence 199"))
    result = question_answering.predict(pointing, "which is last", passage)
    assert result.answers[0].text == "sentence 199"
    assert result.answers[0].window == len(result.windows) - 1 > 0
    assert result.windows[0].span[0] == 0
    assert result.windows[-1].span[1] == len(passage)
    for one, other in zip(result.windows, result.windows[1:], strict=False):
        assert one.span[0] < other.span[0] < one.span[1] < other.span[1]
        assert one.tokens <= result.window_length == 64  # what the tiny networks can read
    check(result)


@pytest.mark.parametrize("text", ["", "   ", "\n", None, 7])
def test_an_empty_question_or_passage_is_refused_before_the_model_runs(
    bert: LoadedModel, text: Any
) -> None:  # H28
    with pytest.raises(InputError, match="The question"):
        question_answering.predict(replaced(bert), text, PASSAGE)
    with pytest.raises(InputError, match="The passage"):
        question_answering.predict(replaced(bert), "who ran", text)


def replaced(model: LoadedModel) -> Any:
    class Never(Pointing):
        def run(self, encodings: Any) -> list[dict[str, Any]]:  # noqa: ARG002
            raise AssertionError("the model was run")

    return Never(model, 0, 1)


def test_texts_over_their_limits_are_refused(bert: LoadedModel) -> None:
    with pytest.raises(InputError, match="2,000"):
        question_answering.predict(replaced(bert), "x" * 2_001, PASSAGE)
    with pytest.raises(InputError, match="100,000"):
        question_answering.predict(replaced(bert), "who", "x" * 100_001)


@pytest.mark.parametrize(
    "question",
    [
        "why " * 450,
        "why " * 499,
        "x" * 2_000,
        "[SEP] " * 333,
        "</s>" * 400,
        "<mask> " * 250,
        "😀" * 2_000,
    ],
)
def test_a_very_long_question_is_refused_and_never_panics(
    model: LoadedModel, question: str
) -> None:  # H31
    try:
        result = question_answering.predict(
            model, question, "mill " * 600, max_length=512, stride=128
        )
    except InputError as error:
        assert "The question is too long" in str(error)  # noqa: PT017
    else:  # a family that reads it as one unknown word
        check(result)


def test_every_length_of_question_is_answered_or_refused(model: LoadedModel) -> None:  # H31
    for count in range(1, 70):
        try:
            check(question_answering.predict(model, "[SEP] why </s> " * count, PASSAGE * 3))
        except InputError:
            return
    pytest.fail("no question was too long")


@pytest.mark.parametrize("number", [-5, 0, 1, 7, 10**9])
def test_options_are_kept_in_bounds(model: LoadedModel, number: int) -> None:
    options = ("top_k", "max_length", "stride", "max_answer_length")
    for option in options:
        result = question_answering.predict(model, "who ran", PASSAGE, **{option: number})
        check(result)
        assert 1 <= len(result.answers) <= 50
    result = question_answering.predict(model, "who", PASSAGE * 9, **dict.fromkeys(options, number))
    check(result)


def test_windows_of_one_batch_answer_as_each_alone(bert: LoadedModel) -> None:
    whole = question_answering.predict(bert, "who ran", PASSAGE * 9, top_k=50)
    assert len(whole.windows) > 2
    windows = bert.windows("who ran", PASSAGE * 9, max_length=64, stride=whole.overlap)
    alone = [bert.run([window])[0] for window in windows]
    for answer in whole.answers:
        logits = alone[answer.window]
        assert np.isclose(logits["start_logits"], answer.start_logit, atol=1e-4).any()
        assert np.isclose(logits["end_logits"], answer.end_logit, atol=1e-4).any()


def test_the_result_is_plain(bert: LoadedModel) -> None:
    import json

    result = question_answering.predict(bert, "who ran", PASSAGE)
    assert json.loads(json.dumps(asdict(result)))["answers"][0]["text"] == result.answers[0].text
    assert replace(result) == result


def test_a_passage_of_invisible_characters_has_no_answer(bert: LoadedModel) -> None:
    result = question_answering.predict(bert, "who", "\u200b\u200b")
    assert (result.answers, result.has_answer, result.no_answer.score) == ((), False, 1.0)


def test_nothing_asks_for_the_pipeline_that_is_gone() -> None:  # H26
    root = ASSETS.parent
    sources = [root / "app.py", *(root / "components").rglob("*.py")]
    asks = re.compile(
        r"pipeline\(\s*(?:task\s*=\s*)?[\"']question-answering|QuestionAnsweringPipeline"
    )
    assert [source for source in sources if asks.search(Path(source).read_text("utf-8"))] == []
    assert asks.search('pipeline("question-answering")')


@pytest.mark.slow
def test_windows_of_the_real_vocabulary() -> None:  # H30
    bundled = ModelManager(Settings(device="cpu")).get("bert-mini", Task.QUESTION_ANSWERING)
    passage = " ".join(f"sentence {i} is here." for i in range(200))
    result = question_answering.predict(bundled, "which sentence is last", passage)
    spans = [window.span for window in result.windows]
    assert spans == [(0, 1576), (1038, 2648), (2084, 3739), (3181, 4289)]

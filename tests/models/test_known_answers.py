from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components.config import Settings
from components.models import known_answers
from components.models.families import Task
from components.models.known_answers import CHECKS, QUESTIONS, doubts
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES
from tests.hub_stand_in import HubStandIn

Load = Callable[..., LoadedModel]


@pytest.fixture(scope="module")
def bundled() -> ModelManager:
    """The miniatures that ship: they are trained."""
    return ModelManager(Settings(device="cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("task", CHECKS)
@pytest.mark.parametrize("model_id", ["bert-mini", "distilbert-mini"])
def test_of_a_trained_head_nothing_is_said(
    model_id: str, task: Task, bundled: ModelManager
) -> None:
    assert doubts(bundled.get(model_id, task)) == ()


class Stub:
    """A model whose answers the test gives."""

    id = "owner/name"
    labels = ("NO", "YES")

    def __init__(self, model: LoadedModel, answers: Callable[[Any], dict[str, Any]]) -> None:
        self.task, self.encode, self.pieces = model.task, model.encode, model.pieces
        self.mask_token, self.mask_token_id = model.mask_token, model.mask_token_id
        self.answers = answers

    def run(self, encodings: list[Any], **_options: Any) -> list[dict[str, Any]]:
        return [self.answers(encoding) for encoding in encodings]


def test_a_head_that_gives_all_words_the_same_is_doubted(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load("bert", Task.FILL_MASK)
    words = ("cold", "warm", "film", "town")
    monkeypatch.setattr(known_answers, "BLANKS", [("the {} was", word) for word in words])
    size = len(model._checkpoint.tokenizer)

    def ranked(share: float) -> tuple[str, ...]:
        scores = np.zeros(size, dtype=np.float32)
        scores[: int(share * size)] = 1
        for word in words:
            scores[model.pieces(word)[0][0]] = 0.5
        return doubts(Stub(model, lambda _: {"logits": scores[None]}))  # type: ignore[arg-type]

    assert "no better than chance" in ranked(0.5)[0]
    assert ranked(0.05) == ()


def test_blanks_whose_word_the_vocabulary_lacks_decide_nothing(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_answers, "BLANKS", [("the {} was", "zyxwv")] * 6)
    assert doubts(load("bert", Task.FILL_MASK)) == ()


def test_a_classifier_that_tells_nothing_apart_is_doubted(load: Load) -> None:
    model = load("roberta", Task.SENTIMENT)
    alike = Stub(model, lambda _: {"logits": np.array([0.0, 1.0])})
    assert "same class (YES)" in doubts(alike)[0]  # type: ignore[arg-type]
    turns = iter(np.eye(2)[[0, 0, 1, 1]])
    apart = Stub(model, lambda _: {"logits": next(turns)})
    assert doubts(apart) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("family", FAMILY_NAMES)
@pytest.mark.parametrize(("right", "said"), [(4, False), (2, False), (1, True), (0, True)])
def test_a_head_that_finds_no_answers_is_doubted(
    family: str, right: int, said: bool, load: Load
) -> None:
    model = load(family, Task.QUESTION_ANSWERING)
    turns = iter(range(4))

    def answered(encoding: Any) -> dict[str, Any]:
        turn = next(turns)
        begin = QUESTIONS[turn][1].index(QUESTIONS[turn][2])
        spans = [
            s[0] if t == 1 else -99
            for s, t in zip(encoding.offsets, encoding.sequence_ids, strict=True)
        ]
        place = max(i for i, start in enumerate(spans) if -1 <= start <= begin)
        scores = np.zeros(len(spans), dtype=np.float32)
        scores[place if turn < right else spans.index(min(s for s in spans if s >= 0))] = 1
        scores[0] = 2  # no answer: is not looked at
        return {"start_logits": scores}

    found = doubts(Stub(model, answered))  # type: ignore[arg-type]
    assert bool(found) is said


def test_a_head_is_asked_once_and_its_doubts_are_shown(
    stand_in: HubStandIn,
    checkpoints: Callable[[str, str], Path],
    fresh: Callable[..., ModelManager],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoints("bert", "fill-mask")
    asked: list[str] = []

    def doubtful(model: LoadedModel) -> str:
        asked.append(model.id)
        return "Its head may be untrained."

    monkeypatch.setattr(known_answers, "CHECKS", {Task.FILL_MASK: doubtful})
    manager = fresh()
    for attentions in (False, True):
        model = manager.get("have/bert-fill-mask", Task.FILL_MASK, attentions=attentions)
        assert "Its head may be untrained." in model.notices
    assert "Its head may be untrained." not in manager.get("bert-mini", Task.FILL_MASK).notices
    assert asked == ["have/bert-fill-mask"]


def test_a_check_that_fails_says_nothing(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_model: LoadedModel) -> None:
        raise KeyError("x")

    monkeypatch.setattr(known_answers, "CHECKS", {Task.FILL_MASK: fails})
    assert doubts(load("bert", Task.FILL_MASK)) == ()

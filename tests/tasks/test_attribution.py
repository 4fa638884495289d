from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from components.errors import HeadError, InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import attribution
from components.tasks.attribution import AttributionResult, Method, predict
from components.tasks.followed import CASES, ORDER_ANSWERS, PAIR_ANSWERS, Given
from components.tasks.scores import softmax
from tests.fakes import FAMILY_NAMES, OWN_HEADS
from tests.models.test_switching import without_hooks
from tests.tasks.test_head_map import GIVEN, HOSTILE

Load = Callable[..., LoadedModel]
PLACES = [
    (family, task)
    for family, task in itertools.product(FAMILY_NAMES, CASES)
    if OWN_HEADS.get(task.value, family) == family
]
everywhere = pytest.mark.parametrize(("family", "task"), PLACES)


def plain_logit(model: LoadedModel, encoding: Any, target: Any, positions: Any) -> float:
    """The target's logit, from one plain forward pass of a copy without hooks."""
    inputs = {"input_ids": torch.tensor([encoding.input_ids])}
    if encoding.token_type_ids is not None:
        inputs["token_type_ids"] = torch.tensor([encoding.token_type_ids])
    with torch.inference_mode():
        outputs = without_hooks(model._resident.network)(**inputs)
    if positions is not None:
        return float(outputs.logits[0, positions[0], target["logits"][1]])
    return float(sum(outputs[name][0][at] for name, at in target.items()))


def asked(model: LoadedModel, given: Given) -> tuple[Any, Any]:
    """The input and the target, as the case has them."""
    case = CASES[model.task](model, given)
    options = {} if case.positions is None else {"positions": [case.positions]}
    (run,) = model.run([case.encoding], **options)
    return case, case.target(run, case.best(run, 1)[0])


@everywhere
def test_hiding_a_word_costs_what_a_plain_forward_pass_says(
    family: str, task: Task, load: Load
) -> None:
    model = load(family, task, attentions=True)
    result, (case, target) = predict(model, GIVEN[task], steps=4), asked(model, GIVEN[task])
    whole = plain_logit(model, case.encoding, target, case.positions)
    assert result.followed.logit == pytest.approx(whole, abs=1e-4)
    mask = model.mask_token, model.mask_token_id
    for word in result.words:
        hidden = case.encoding.put(dict.fromkeys(word.tokens, mask))
        without = plain_logit(model, hidden, target, case.positions)
        assert word.occlusion == pytest.approx(whole - without, abs=1e-4)
        assert word.without.logit == pytest.approx(without, abs=1e-4)
    assert max(abs(word.occlusion) for word in result.words) > 1e-3


@everywhere
def test_what_the_words_add_is_what_the_answer_gained(family: str, task: Task, load: Load) -> None:
    model = load(family, task, attentions=True)
    for baseline in ("mask", "pad"):
        result = predict(model, GIVEN[task], steps=48, baseline=baseline)
        case, target = asked(model, GIVEN[task])
        way, added = result.way, sum(word.gradients for word in result.words)
        assert added == pytest.approx(way.added, abs=1e-6)  # every token belongs to one word
        # DeBERTa's pad is a vector of zeros and no position is added, so its LayerNorm jumps there
        if (family, baseline) != ("deberta-v2", "pad"):
            assert way.gap == pytest.approx(0, abs=0.02 + 0.05 * abs(way.gained))
        whole = plain_logit(model, case.encoding, target, case.positions)
        assert way.end == pytest.approx(whole, abs=1e-4)
        if baseline == "mask":
            every = [p for word in result.words for p in word.tokens]
            mask = model.mask_token, model.mask_token_id
            empty = case.encoding.put(dict.fromkeys(every, mask))
            assert way.start == pytest.approx(
                plain_logit(model, empty, target, case.positions), abs=1e-4
            )
            assert way.baseline == model.mask_token


@everywhere
def test_the_words_are_those_of_the_text_and_attention_is_shared_out(
    family: str, task: Task, load: Load
) -> None:
    model = load(family, task, attentions=True)
    result = predict(model, GIVEN[task], steps=4)
    for word in result.words:
        assert result.texts[word.text][slice(*word.span)] == word.word
        assert word.word == word.word.strip() != ""
        assert 0 <= word.attention <= 1
    assert 0 < sum(word.attention for word in result.words) < 1  # special tokens have the rest
    positions = [p for word in result.words for p in word.tokens]
    assert len(positions) == len(set(positions))
    for method in Method:
        assert sorted(result.ranking(method)) == list(range(len(result.words)))


@everywhere
def test_the_curves_are_those_of_texts_with_words_hidden(
    family: str, task: Task, load: Load
) -> None:
    model = load(family, task, attentions=True)
    result = predict(model, GIVEN[task], steps=4)
    deletion = result.deletion
    first = result.words[result.ranking(Method.OCCLUSION)[0]]
    assert set(deletion.curves) == set(Method)
    assert deletion.hidden[:2] == (0, 1)
    for curve in (*deletion.curves.values(), *deletion.random):
        assert curve[0] == pytest.approx(result.followed.score, abs=1e-6)
        assert curve[-1] == pytest.approx(deletion.random[0][-1])
    assert deletion.curves[Method.OCCLUSION][1] == pytest.approx(first.without.score, abs=1e-6)
    assert 0 <= min(deletion.areas().values()) <= max(deletion.areas().values()) <= 1


def test_the_answer_the_visitor_picks_is_followed(load: Load) -> None:
    model = load("bert", Task.SENTIMENT, attentions=True)
    own = predict(model, GIVEN[Task.SENTIMENT], steps=4)
    other = next(c.answer for c in own.choices if c.answer != own.own_answer)
    result = predict(model, GIVEN[Task.SENTIMENT], steps=4, follow=other)
    assert (result.followed.answer, result.own_answer) == (other, own.own_answer)
    case, _ = asked(model, GIVEN[Task.SENTIMENT])
    logits = model.run([case.encoding])[0]["logits"]
    at = model.labels.index(other)
    assert result.followed.logit == pytest.approx(float(logits[at]), abs=1e-6)
    assert result.followed.score == pytest.approx(float(softmax(logits)[at]), abs=1e-6)
    unknown = predict(model, GIVEN[Task.SENTIMENT], steps=4, follow="sideways")
    assert "none of the answers" in unknown.notices[-1]


@pytest.mark.parametrize(
    ("family", "task", "names"),
    [
        ("bert", Task.NEXT_SENTENCE, PAIR_ANSWERS),
        ("albert", Task.SENTENCE_ORDER, ORDER_ANSWERS),
    ],
)
def test_of_a_pair_the_words_of_both_sentences_are_weighed(
    family: str, task: Task, names: tuple[str, ...], load: Load
) -> None:
    result = predict(load(family, task, attentions=True), GIVEN[task], steps=4, follow=names[0])
    assert result.followed.answer == names[0]
    assert {word.text for word in result.words} == {0, 1}


def test_the_blank_itself_is_no_word(load: Load) -> None:
    result = predict(load("bert", Task.FILL_MASK, attentions=True), GIVEN[Task.FILL_MASK], steps=4)
    assert [word.word for word in result.words] == ["the", "river", "past", "the", "mill"]


def test_several_words_share_a_pass_and_it_is_told_how_far_it_is(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load("bert", Task.SENTIMENT, attentions=True)
    told: list[float] = []
    at_once = predict(model, GIVEN[Task.SENTIMENT], steps=4, tell=lambda _, done: told.append(done))
    assert told == sorted(told)
    assert 0.5 < told[-1] <= 1  # of few words some orders are the same, which saves runs
    monkeypatch.setattr(attribution, "_AT_ONCE", 1)
    alone = predict(model, GIVEN[Task.SENTIMENT], steps=4)
    for one, other in zip(at_once.words, alone.words, strict=True):
        assert one.occlusion == pytest.approx(other.occlusion, abs=1e-4)


def test_who_listens_may_stop_it(load: Load) -> None:
    def stop(_message: str, _done: float) -> None:
        raise InputError("stopped")

    with pytest.raises(InputError, match="stopped"):
        predict(load("bert", Task.SENTIMENT, attentions=True), GIVEN[Task.SENTIMENT], tell=stop)


def test_rankings_agree_with_themselves(load: Load) -> None:
    result = predict(load("bert", Task.SENTIMENT, attentions=True), GIVEN[Task.SENTIMENT], steps=4)
    assert result.agreement(Method.OCCLUSION, Method.OCCLUSION) == pytest.approx(1)
    assert -1 <= result.agreement(Method.OCCLUSION, Method.ATTENTION) <= 1


def test_what_cannot_be_is_refused_in_words(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("bert", Task.SENTIMENT, attentions=True)
    with pytest.raises(InputError, match="nothing to start from"):
        predict(model, GIVEN[Task.SENTIMENT], baseline="noise")
    with pytest.raises(InputError, match="empty"):
        predict(model, Given("  "))
    with pytest.raises(InputError, match="no word here"):
        predict(load("bert", Task.FILL_MASK, attentions=True), Given("[MASK]"))
    monkeypatch.setattr(attribution, "MAX_POSITIONS", 10)
    with pytest.raises(InputError, match="takes too long"):
        predict(model, GIVEN[Task.SENTIMENT])


def test_a_head_that_gives_a_number_is_refused(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("bert", Task.SENTIMENT, attentions=True)
    monkeypatch.setattr(model, "problem_type", "regression")
    with pytest.raises(HeadError):
        predict(model, GIVEN[Task.SENTIMENT])


@everywhere
def test_odd_characters_do_no_harm(family: str, task: Task, load: Load) -> None:  # H38
    given = Given(f"{HOSTILE[:40]} ___ past", HOSTILE[:20])
    result = predict(load(family, task, attentions=True), given, steps=4)
    numbers = [word.score(method) for word in result.words for method in Method]
    assert np.isfinite(numbers).all()
    assert isinstance(result, AttributionResult)

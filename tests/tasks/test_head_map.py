from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from components.errors import HeadError, InputError
from components.models.families import Task
from components.models.heads import Filler, Head
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, head_map, next_sentence, question_answering, sentiment
from components.tasks.followed import CASES, NO_ANSWER, ORDER_ANSWERS, PAIR_ANSWERS, Given
from components.tasks.scores import softmax
from tests.fakes import FAMILY_NAMES, OWN_HEADS, SENTENCES
from tests.models.test_switching import changed

Load = Callable[..., LoadedModel]
HOSTILE = '<img src=x onerror="window.__pwn=1"> ${1} {{2}} \ud800 [SEP] </s>'
PASSAGE = "the boats ran past the mill and the children watched"
GIVEN = {
    Task.FILL_MASK: Given("the river ___ past the mill"),
    Task.NEXT_SENTENCE: Given("the boats ran past", "the mill was cold"),
    Task.SENTENCE_ORDER: Given("the boats ran past", "the mill was cold"),
    Task.SENTIMENT: Given("nobody liked the ending of the film"),
    Task.QUESTION_ANSWERING: Given(PASSAGE, "what ran ?"),
}
SETS: tuple[frozenset[Head], ...] = (
    frozenset(),
    frozenset({(0, 2)}),
    frozenset({(2, 1)}),
    frozenset((1, head) for head in range(4)),
)
PLACES = [
    (family, task)
    for family, task in itertools.product(FAMILY_NAMES, CASES)
    if OWN_HEADS.get(task.value, family) == family
]
everywhere = pytest.mark.parametrize(("family", "task"), PLACES)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def predicted(model: LoadedModel, given: Given, answer: str) -> float:
    """What the tabs of the tasks themselves say of an answer."""
    if model.task is Task.FILL_MASK:
        blank = fill_mask.predict(model, given.text, only=[answer]).blanks[0]
        return blank.candidates[0].score
    if model.task in next_sentence.OBJECTIVES:
        scores = next_sentence.predict(model, given.text, given.other).judgement.scores
        names = PAIR_ANSWERS if model.task is Task.NEXT_SENTENCE else ORDER_ANSWERS
        return scores[names.index(answer)]
    if model.task is Task.SENTIMENT:
        scores = sentiment.predict(model, [given.text]).texts[0].scores
        return scores[model.labels.index(answer)]
    result = question_answering.predict(model, given.other, given.text, top_k=50)
    spans = {found.text: found.score for found in reversed(result.answers)}
    return result.no_answer.score if answer == NO_ANSWER else spans.get(answer, 0.0)


@everywhere
@pytest.mark.parametrize("by", Filler)
def test_every_effect_is_what_the_task_says_of_a_changed_network(
    family: str, task: Task, by: Filler, load: Load
) -> None:
    model, given = load(family, task), GIVEN[task]
    result = head_map.predict(model, given, by=by)
    if task is Task.FILL_MASK:  # the best of a random network may be pieces, which go by no name
        names = [reading.answer for reading in result.choices]
        words = (word for line in SENTENCES for word in line.split() if word not in names)
        word = next(word for word in words if len(model.pieces(word)) == 1)
        result = head_map.predict(model, given, by=by, follow=word)
    answer = result.followed.answer
    (layers, heads), effects = (3, 4), (result[(0, 2)], result[(2, 1)], result.layers[1])
    assert [len(row) for row in result.heads] == [heads] * layers
    whole = result.followed
    assert whole.score == pytest.approx(predicted(model, given, answer), abs=1e-4)
    for without, effect in zip(SETS[1:], effects, strict=True):
        network = changed(model, without, by)
        other = LoadedModel(replace(model._resident, network=network))
        assert effect.score == pytest.approx(predicted(other, given, answer), abs=1e-4)
        assert effect.score_change == pytest.approx(effect.score - whole.score, abs=1e-9)
        assert effect.logit_change == pytest.approx(effect.logit - whole.logit, abs=1e-9)


@everywhere
def test_heads_together_are_measured_and_not_summed(family: str, task: Task, load: Load) -> None:
    model = load(family, task)
    alone = head_map.predict(model, GIVEN[task])
    result = head_map.together(model, GIVEN[task], "1.0 1.1, 1.2 1.3")
    assert result.chosen == ((1, 0), (1, 1), (1, 2), (1, 3))
    assert result.followed.answer == alone.followed.answer
    for single, expected in zip(result.singles, alone.heads[1], strict=True):
        assert single.score == pytest.approx(expected.score, abs=1e-4)
    assert result.joint.score == pytest.approx(alone.layers[1].score, abs=1e-4)
    assert result.joint.logit == pytest.approx(alone.layers[1].logit, abs=1e-3)
    assert result.score_sum == pytest.approx(sum(e.score_change for e in result.singles))
    assert result.logit_sum == pytest.approx(sum(e.logit_change for e in result.singles))


def test_the_sum_of_the_effects_is_not_their_joint_effect(bert: LoadedModel) -> None:
    result = head_map.together(bert, GIVEN[Task.FILL_MASK], "0.0 0.1 0.2 1.0 1.1 2.2")
    assert abs(result.logit_sum - result.joint.logit_change) > 0.005


def test_the_logit_and_the_probability_are_those_of_one_answer(bert: LoadedModel) -> None:
    given = GIVEN[Task.FILL_MASK]
    text = given.text.replace("___", "[MASK]")
    encoding = bert.encode(text, literal=False)
    at = encoding.positions_of(bert.mask_token_id)
    logits = bert.run([encoding], positions=[at])[0]["logits"][0]
    result = head_map.predict(bert, given)
    best = int(logits.argmax())
    assert result.followed.answer == bert.readable(bert.token(best))
    assert result.followed.logit == pytest.approx(float(logits[best]), abs=1e-3)
    assert result.followed.score == pytest.approx(float(softmax(logits)[best]), abs=1e-4)
    assert result.own_answer == result.followed.answer == result.choices[0].answer
    scores = [reading.score for reading in result.choices]
    assert scores == sorted(scores, reverse=True)


def test_the_strongest_head_changes_the_probability_most(bert: LoadedModel) -> None:
    result = head_map.predict(bert, GIVEN[Task.FILL_MASK])
    changes = np.abs([[effect.score_change for effect in row] for row in result.heads])
    assert changes[result.strongest] == changes.max() > 0


def test_another_answer_can_be_followed(bert: LoadedModel, load: Load) -> None:
    given = GIVEN[Task.FILL_MASK]
    result = head_map.predict(bert, given, follow=" boats ")
    assert result.followed.answer == "boats"
    assert result.notices[-1].startswith("___ was read as")
    model = load("bert", Task.SENTIMENT)
    for label in model.labels:  # the first of them, too, whose index is 0
        followed = head_map.predict(model, GIVEN[Task.SENTIMENT], follow=label.lower()).followed
        assert followed.answer == label
    pair = head_map.predict(
        load("bert", Task.NEXT_SENTENCE), GIVEN[Task.NEXT_SENTENCE], follow=PAIR_ANSWERS[1]
    )
    assert pair.followed.answer == PAIR_ANSWERS[1]
    assert pair.own_answer in PAIR_ANSWERS


@pytest.mark.parametrize("answer", ["the mill", "MILL", NO_ANSWER, "children watched"])
def test_a_span_can_be_followed_or_that_there_is_none(answer: str, load: Load) -> None:
    model = load("bert", Task.QUESTION_ANSWERING)
    result = head_map.predict(model, GIVEN[Task.QUESTION_ANSWERING], follow=answer)
    assert result.followed.answer == answer.lower()
    assert result.notices == ()
    assert 0 < result.followed.score < 1


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (Task.FILL_MASK, "riverx"), (Task.FILL_MASK, "你"), (Task.FILL_MASK, HOSTILE * 20),
        (Task.SENTIMENT, "boats"), (Task.QUESTION_ANSWERING, "Paris"),
        (Task.QUESTION_ANSWERING, "il"), (Task.QUESTION_ANSWERING, "(.*"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_followed_leaves_the_models_own(
    task: Task, answer: str, load: Load
) -> None:  # H05
    result = head_map.predict(load("bert", task), GIVEN[task], follow=answer)
    assert result.followed.answer == result.own_answer
    assert "is followed" in result.notices[-1]
    assert len(result.notices[-1]) < 300


def test_of_several_blanks_the_first_is_followed_and_none_is_refused(bert: LoadedModel) -> None:
    result = head_map.predict(bert, Given("[MASK] ran past the [MASK]"))
    assert "The first of the 2 blanks is followed." in result.notices
    first = fill_mask.predict(bert, "[MASK] ran past the [MASK]").blanks[0].candidates[0]
    assert result.followed.score == pytest.approx(first.score, abs=1e-4)
    with pytest.raises(fill_mask.NoBlankError):  # H01
        head_map.predict(bert, Given("the river ran"))


def test_a_long_passage_is_followed_in_the_window_that_answered(load: Load) -> None:  # H30
    model = load("bert", Task.QUESTION_ANSWERING)
    passage = f"{PASSAGE} " * 12
    result = head_map.predict(model, Given(passage, "what ran ?"))
    assert any("What is followed is the answer of window" in said for said in result.notices)
    assert result.tokens <= 64
    answered = question_answering.predict(model, "what ran ?", passage)
    assert result.followed.logit == pytest.approx(
        max(answered.answers[0].logit, answered.no_answer.logit), abs=1e-3
    )


@pytest.mark.parametrize("chosen", ["", " , ", "3", "1.x", "-1.0", "1.1.1", "1.1000", "0.1;1.0"])
def test_what_names_no_head_is_refused(bert: LoadedModel, chosen: str) -> None:
    with pytest.raises(InputError, match="is no head"):
        head_map.together(bert, GIVEN[Task.FILL_MASK], chosen)
    with pytest.raises(InputError, match="is no head"):
        head_map.together(bert, GIVEN[Task.FILL_MASK], "1.1 " * 5_000)


def test_heads_that_a_model_lacks_are_left_out_and_it_is_said(bert: LoadedModel) -> None:  # H36
    result = head_map.together(bert, GIVEN[Task.FILL_MASK], "5.0, 1.1, 1.1, 0.9")
    assert result.chosen == ((1, 1),)
    assert result.joint.score == pytest.approx(result.singles[0].score, abs=1e-5)
    assert result.notices[0].startswith("2 of the chosen heads are not there: bert-fill-mask has 3")
    with pytest.raises(InputError, match="None of the chosen heads"):
        head_map.together(bert, GIVEN[Task.FILL_MASK], "9.9")


def test_too_much_work_is_refused_with_a_length_that_works(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head_map, "MAX_POSITIONS", 15 * 7)
    with pytest.raises(InputError, match="Shorten the text to 7 tokens") as error:
        head_map.predict(bert, GIVEN[Task.FILL_MASK])
    assert "8 tokens 15 times" in str(error.value)
    assert head_map.predict(bert, Given("the river [MASK] mill")).tokens == 6


@pytest.mark.parametrize("by", ["", "ZERO", "nothing", None, 3])
def test_what_stands_in_for_a_head_is_one_of_two(bert: LoadedModel, by: Any) -> None:
    with pytest.raises(InputError, match="zero, mean"):
        head_map.predict(bert, GIVEN[Task.FILL_MASK], by=by)


def test_a_task_without_an_answer_to_follow_is_refused() -> None:
    assert head_map.task_of("fill-mask") is Task.FILL_MASK
    with pytest.raises(InputError, match="no answer to follow"):
        head_map.task_of("feature-extraction")


def test_it_tells_how_far_it_is(bert: LoadedModel) -> None:
    told: list[float] = []
    head_map.predict(bert, GIVEN[Task.FILL_MASK], tell=lambda _, done: told.append(done))
    assert told == sorted(told)
    assert len(told) == 3
    assert told[-1] <= 1


def test_a_number_is_no_class_that_can_be_followed(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    number = LoadedModel(model._resident)
    number.problem_type = "regression"
    with pytest.raises(HeadError, match="gives a number"):
        head_map.predict(number, GIVEN[Task.SENTIMENT])


@everywhere
@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, None])
def test_what_is_no_text_or_too_long_is_refused(
    family: str, task: Task, text: Any, load: Load
) -> None:
    with pytest.raises(InputError):
        head_map.predict(load(family, task), Given(text, "what ran ?"))


@everywhere
def test_odd_characters_do_no_harm(family: str, task: Task, load: Load) -> None:  # H38
    result = head_map.predict(load(family, task), Given(f"{HOSTILE} ___ past", HOSTILE[:20]))
    changes = [effect.score_change for row in result.heads for effect in row]
    assert np.isfinite(changes).all()

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from components.errors import HeadError, InputError, ModelError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import next_sentence
from components.tasks.next_sentence import NextSentenceResult, Refusal
from components.tasks.scores import sigmoid
from tests import fakes

Load = Callable[..., LoadedModel]
A, B = "the boats ran past", "the mill was cold"
HEADS = {"bert": Task.NEXT_SENTENCE, "albert": Task.SENTENCE_ORDER}
ASKED = {Task.NEXT_SENTENCE: "bert-mini", Task.SENTENCE_ORDER: "albert-mini"}


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.NEXT_SENTENCE)


@pytest.fixture(params=HEADS)
def judging(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    """A network with either head."""
    return load(request.param, HEADS[request.param])


def test_index_0_of_the_logits_means_that_b_follows() -> None:  # H17
    judgement = next_sentence.judge(np.array([4.0, -2.0], dtype=np.float32))
    assert judgement.follows
    assert [round(100 * score, 2) for score in judgement.scores] == [99.75, 0.25]
    assert (judgement.logits, judgement.gap) == ((4.0, -2.0), 6.0)


@pytest.mark.parametrize("logits", [(-2.0, 4.0), (0.3, 0.5), (-9.0, -8.0), (60.0, 61.0)])
def test_index_1_of_the_logits_means_that_b_does_not_follow(logits: tuple[float, float]) -> None:
    judgement = next_sentence.judge(np.array(logits))
    assert not judgement.follows
    assert judgement.scores[0] < 0.5 < judgement.scores[1]


@pytest.mark.parametrize("logits", [(4.0, -2.0), (-700.0, 700.0), (0.0, 0.0), (1e-3, -30.0)])
def test_the_score_of_follows_is_the_sigmoid_of_the_gap(logits: tuple[float, float]) -> None:
    judgement = next_sentence.judge(np.array(logits))
    assert sum(judgement.scores) == pytest.approx(1)
    with np.errstate(over="ignore"):
        assert judgement.scores[0] == pytest.approx(float(sigmoid(np.array(judgement.gap))))


def _plain_logits(model: LoadedModel, first: str, second: str) -> torch.Tensor:
    """Run transformers' own class, with the segments that the pair must have."""
    inputs = model._resident.tokenizer(first, second, return_tensors="pt")
    segments = [int(number == 1) for number in inputs.sequence_ids()]
    segments[-1] = 1  # its [SEP]
    inputs["token_type_ids"] = torch.tensor([segments])
    with torch.no_grad():
        output = model._resident.network(**inputs)
    logits: torch.Tensor = output[next_sentence.OBJECTIVES[model.task]][0]  # (2,)
    return logits


@pytest.mark.parametrize("pair", [(A, B), (B, A), ("where did the boats go?", "café naïve!")])
def test_logits_equal_a_plain_forward_pass(
    judging: LoadedModel, pair: tuple[str, str]
) -> None:  # H18, H21
    expected = _plain_logits(judging, *pair)
    result = next_sentence.predict(judging, *pair)
    np.testing.assert_allclose(result.judgement.logits, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(result.judgement.scores, expected.softmax(-1), atol=1e-4)
    assert result.task is judging.task
    assert result.family == judging.family.name


def test_both_objectives_are_those_whose_heads_judge_pairs(load: Load) -> None:
    for family, task in HEADS.items():
        model = load(family, task)
        answer = model.run([model.encode(A, B)])[0]
        assert answer[next_sentence.OBJECTIVES[task]].shape == (2,)
    assert set(next_sentence.OBJECTIVES) == set(HEADS.values())


def test_index_0_is_the_order_as_it_was_in_transformers_own_words() -> None:
    documented = inspect.getdoc(transformers.AlbertForPreTraining.forward) or ""
    said = " ".join(documented.replace("`", "").split())
    assert "0 indicates original order (sequence A, then sequence B)" in said
    assert "1 indicates switched order (sequence B, then sequence A)" in said


def test_the_swapped_pair_is_judged_as_if_it_had_been_typed(judging: LoadedModel) -> None:
    there, back = (next_sentence.predict(judging, *pair) for pair in ((A, B), (B, A)))
    for one, other in ((there.swapped, back.judgement), (there.judgement, back.swapped)):
        np.testing.assert_allclose(one.logits, other.logits, rtol=1e-4, atol=1e-4)
    assert there.judgement.logits != pytest.approx(there.swapped.logits)


# Both questions for one pair


def test_one_pair_is_put_to_the_model_of_each_objective(models: ModelManager) -> None:
    both = next_sentence.predict_each(models.get, ASKED, A, B)
    for (task, model_id), verdict in zip(ASKED.items(), both, strict=True):
        assert verdict == next_sentence.predict(models.get(model_id, task), A, B)


def test_a_model_without_the_head_leaves_the_other_standing(models: ModelManager) -> None:  # H20
    asked = {Task.NEXT_SENTENCE: "albert-mini", Task.SENTENCE_ORDER: "albert-mini"}
    refused, answered = next_sentence.predict_each(models.get, asked, A, B)
    assert isinstance(refused, Refusal)
    assert "ALBERT was trained on sentence order instead" in refused.reason
    assert isinstance(answered, NextSentenceResult)
    asked = {Task.NEXT_SENTENCE: "bert-mini", Task.SENTENCE_ORDER: "bert-mini"}
    answered, refused = next_sentence.predict_each(models.get, asked, A, B)
    assert isinstance(answered, NextSentenceResult)
    assert isinstance(refused, Refusal)
    assert "not which of the two comes first; use ALBERT" in refused.reason


@pytest.mark.parametrize("typed", ["roberta-mini", "../../etc", "", None])
def test_a_pair_that_no_model_can_be_asked_about_is_refused(
    models: ModelManager, typed: str | None
) -> None:  # H20
    with pytest.raises(ModelError):
        next_sentence.predict_each(models.get, dict.fromkeys(ASKED, typed), A, B)  # type: ignore[arg-type]


def test_half_a_pair_is_refused_before_any_model_is_asked() -> None:  # H19
    def never(model_id: str, task: Task) -> LoadedModel:
        raise AssertionError(f"{model_id} was loaded for {task}")

    with pytest.raises(InputError, match="Enter both sentences"):
        next_sentence.predict_each(never, ASKED, A, " ")


def test_an_objective_is_called_by_its_name() -> None:
    for task in next_sentence.OBJECTIVES:
        assert next_sentence.objective(task.value) is task
    with pytest.raises(InputError, match="sentence-order-prediction"):
        next_sentence.objective("fill-mask")


# The pair as it is read


def test_segments_tell_the_two_sentences_apart_and_matter(bert: LoadedModel) -> None:  # H18
    result = next_sentence.predict(bert, A, B)
    encoding = result.encoding
    assert encoding.tokens == ("[CLS]", *A.split(), "[SEP]", *B.split(), "[SEP]")
    assert encoding.token_type_ids == (0,) * 6 + (1,) * 5
    inputs = bert._resident.tokenizer(A, B, return_tensors="pt")
    with torch.no_grad():
        wrong = bert._resident.network(inputs["input_ids"]).logits[0]
    assert not np.allclose(result.judgement.logits, wrong, atol=1e-2)


@pytest.mark.parametrize("nothing", ["", "   ", "\n", "\t \r\n", "\u200b", "\u00ad\u200d", "\x07"])
def test_a_pair_with_an_empty_side_is_refused(bert: LoadedModel, nothing: str) -> None:  # H19
    for pair, name in (((A, nothing), "B is empty"), ((nothing, B), "A is empty")):
        with pytest.raises(InputError, match=f"Enter both sentences: {name}"):
            next_sentence.predict(bert, *pair)


@pytest.mark.parametrize("value", [None, 7, {"a": 1}, "x" * 2_001])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, value: object) -> None:
    for pair, name in (((value, B), "Sentence A"), ((A, value), "Sentence B")):
        with pytest.raises(InputError, match=name):
            next_sentence.predict(bert, *pair)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", [f for f in fakes.FAMILY_NAMES if f != "bert"])
def test_a_family_without_the_head_is_refused_with_its_reason(
    tmp_path: Path, family: str
) -> None:  # H20
    head = "text-classification" if family == "deberta-v2" else "fill-mask"
    place = fakes.write_checkpoint(tmp_path / family, family, head)
    with pytest.raises(HeadError, match=r"was trained (without|on sentence order).*use BERT"):
        fakes.load_folder(place, Task.NEXT_SENTENCE)
    if family != "albert":
        with pytest.raises(HeadError, match="two sentences; use ALBERT"):
            fakes.load_folder(place, Task.SENTENCE_ORDER)


def test_an_albert_whose_order_head_was_not_kept_is_refused(tmp_path: Path) -> None:  # H20
    place = fakes.write_checkpoint(tmp_path / "plain", "albert", "fill-mask")
    with pytest.raises(HeadError, match="sop_classifier"):
        fakes.load_folder(place, Task.SENTENCE_ORDER)


def test_a_bert_whose_head_was_never_trained_is_refused(tmp_path: Path) -> None:  # H20
    place = fakes.write_checkpoint(tmp_path / "plain", "bert", "fill-mask")
    with pytest.raises(HeadError, match="would be random"):
        fakes.load_folder(place, Task.NEXT_SENTENCE)


@pytest.mark.parametrize("family", ["bert", "albert", "electra", "roberta", "distilbert"])
def test_pairs_have_segments_in_the_families_that_know_them(load: Load, family: str) -> None:  # H21
    encoding = load(family, Task.ENCODER).encode(A, B)
    if family in ("roberta", "distilbert"):
        assert encoding.token_type_ids is None
        return
    assert encoding.token_type_ids is not None
    second = [i for i, s in enumerate(encoding.sequence_ids) if s == 1]
    assert all(encoding.token_type_ids[i] == 1 for i in second)
    assert encoding.token_type_ids[0] == 0
    assert sum(encoding.token_type_ids) == len(second) + 1  # its [SEP]


def test_typed_special_tokens_are_text(bert: LoadedModel) -> None:
    result = next_sentence.predict(bert, "the river [SEP] ran", "[CLS] the mill [MASK]")
    assert result.encoding.tokens.count("[SEP]") == 2
    assert result.encoding.tokens.count("[CLS]") == 1


def test_a_long_pair_is_cut_and_said_to_be(judging: LoadedModel) -> None:
    result = next_sentence.predict(judging, "the river " * 40, B)
    whole = result.encoding.full_length
    assert f"Only 64 of {whole} tokens were read" in result.notices[0]
    assert set(result.encoding.sequence_ids) == {0, 1, None}
    assert len(result.encoding) == 64

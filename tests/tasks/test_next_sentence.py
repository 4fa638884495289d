from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from components.errors import HeadError, InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import next_sentence
from components.tasks.scores import sigmoid
from tests import fakes

Load = Callable[..., LoadedModel]
A, B = "the boats ran past", "the mill was cold"


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.NEXT_SENTENCE)


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


@pytest.mark.parametrize("pair", [(A, B), (B, A), ("where did the boats go?", "café naïve!")])
def test_logits_equal_a_plain_forward_pass(bert: LoadedModel, pair: tuple[str, str]) -> None:  # H18
    inputs = bert._resident.tokenizer(*pair, return_tensors="pt")
    with torch.no_grad():
        expected = bert._resident.network(**inputs).logits[0]
    result = next_sentence.predict(bert, *pair)
    np.testing.assert_allclose(result.judgement.logits, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(result.judgement.scores, expected.softmax(-1), rtol=1e-4)


def test_segments_tell_the_two_sentences_apart_and_matter(bert: LoadedModel) -> None:  # H18
    result = next_sentence.predict(bert, A, B)
    encoding = result.encoding
    assert encoding.tokens == ("[CLS]", *A.split(), "[SEP]", *B.split(), "[SEP]")
    assert encoding.token_type_ids == (0,) * 6 + (1,) * 5
    inputs = bert._resident.tokenizer(A, B, return_tensors="pt")
    with torch.no_grad():
        wrong = bert._resident.network(inputs["input_ids"]).logits[0]
    assert not np.allclose(result.judgement.logits, wrong, atol=1e-2)


def test_the_order_of_the_pair_matters(bert: LoadedModel) -> None:
    there = next_sentence.predict(bert, A, B).judgement
    back = next_sentence.predict(bert, B, A).judgement
    assert there.logits != pytest.approx(back.logits)


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


def test_a_long_pair_is_cut_and_said_to_be(bert: LoadedModel) -> None:
    result = next_sentence.predict(bert, "the river " * 40, B)
    assert "Only 64 of 87 tokens were read" in result.notices[0]
    assert set(result.encoding.sequence_ids) == {0, 1, None}
    assert len(result.encoding) == 64

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import word_vectors
from components.tasks.baseline import SAMPLE
from components.tasks.word_vectors import _deals, _gaps, _verdict
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
A = "the boats ran past the mill\nthe children watched the boats"
B = "boats and bread and coffee\ni hate slow boats but the boats go"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.ENCODER)


def test_cosines_equal_those_of_a_plain_forward_pass(model: LoadedModel) -> None:
    result = word_vectors.predict(model, "boats", A, B)
    assert [one.name for one in result.occurrences] == ["A1", "A2", "B1", "B2a", "B2b"]
    vectors = [_vector(model, result, i) for i in (0, 3)]  # each (layers + 1, hidden), alone
    for step, (one, other) in enumerate(zip(*vectors, strict=True)):
        expected = torch.cosine_similarity(one, other, dim=0)
        assert result.raw[step, 0, 3] == pytest.approx(float(expected), abs=1e-4)
    for matrix in (result.raw, result.centred):
        assert np.abs(matrix).max() <= 1
        np.testing.assert_allclose(matrix, matrix.transpose(0, 2, 1), atol=1e-12)
        np.testing.assert_allclose(np.diagonal(matrix, axis1=1, axis2=2), 1, atol=1e-9)


def _vector(model: LoadedModel, result: word_vectors.WordVectorsResult, i: int) -> torch.Tensor:
    place = result.occurrences[i]
    encoding = model.encode(result.sentences[place.sentence].text)
    inputs = {"input_ids": torch.tensor([encoding.input_ids])}
    if encoding.token_type_ids is not None:
        inputs["token_type_ids"] = torch.tensor([encoding.token_type_ids])
    with torch.no_grad():
        states = model._resident.network(**inputs, output_hidden_states=True).hidden_states
    return torch.stack([state[0, list(place.positions)].mean(dim=0) for state in states])


def test_the_mean_that_is_taken_away_is_that_of_the_sample(bert: LoadedModel) -> None:
    result = word_vectors.predict(bert, "boats", A, B)
    inner = [
        bert.run([bert.encode(text)], hidden_states=True)[0]["hidden_states"][:, 1:-1]
        for text in SAMPLE
    ]
    mean = torch.tensor(np.concatenate(inner, axis=1).mean(axis=1))  # (layers + 1, hidden)
    one, other = (_vector(bert, result, i) - mean for i in (1, 2))
    expected = torch.cosine_similarity(one, other, dim=1)
    np.testing.assert_allclose(result.centred[:, 1, 2], expected, atol=1e-3)


def test_one_projection_serves_all_layers_and_loses_nothing_but_spread(model: LoadedModel) -> None:
    result = word_vectors.predict(model, "boats", A, B)
    vectors = np.stack(
        [_vector(model, result, i).numpy() for i in range(len(result.occurrences))], axis=1
    ).astype(float)
    around = vectors - vectors.mean(axis=1, keepdims=True)
    flat = around.reshape(-1, around.shape[-1])
    best = np.linalg.svd(flat, compute_uv=False)[:2]
    assert np.square(result.points).sum() == pytest.approx(np.square(best).sum(), rel=1e-3)
    apart = np.linalg.norm(around[:, :, None] - around[:, None], axis=-1)
    drawn = np.linalg.norm(result.points[:, :, None] - result.points[:, None], axis=-1)
    assert (drawn <= apart + 1e-3).all()
    for step, state, points in zip(result.steps, around, result.points, strict=True):
        whole = np.square(state).sum()  # none in DeBERTa's embeddings: they know no place
        share = np.square(points).sum() / whole if whole else 1
        assert step.kept == pytest.approx(share, abs=1e-3)
    again = word_vectors.predict(model, "boats", A, B)
    np.testing.assert_array_equal(again.points, result.points)


def test_means_within_and_between_are_those_of_the_pairs(bert: LoadedModel) -> None:
    result = word_vectors.predict(bert, "boats", A, B)
    senses = [one.sense for one in result.occurrences]
    assert senses == [0, 0, 1, 1, 1]
    for matrix, step in zip(result.raw, result.steps, strict=True):
        within = [matrix[0, 1], matrix[2, 3], matrix[2, 4], matrix[3, 4]]
        between = [matrix[i, j] for i in (0, 1) for j in (2, 3, 4)]
        assert step.raw.within == pytest.approx(np.mean(within))
        assert step.raw.between == pytest.approx(np.mean(between))
        assert step.raw.all == pytest.approx(np.mean(within + between))


def test_the_gap_of_every_deal_is_the_plain_one() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.uniform(-1, 1, size=(2, 6, 6))
    matrix = (matrix + matrix.transpose(0, 2, 1)) / 2
    dealt = _deals(6, 2)
    assert len({tuple(row) for row in dealt.tolist()}) == 15
    found = _gaps(matrix, dealt)
    for row, gaps in zip(dealt, found, strict=True):
        pairs = [(i, j) for i in range(6) for j in range(i)]
        for layer, gap in zip(matrix, gaps, strict=True):
            within = np.mean([layer[p] for p in pairs if row[p[0]] == row[p[1]]])
            between = np.mean([layer[p] for p in pairs if row[p[0]] != row[p[1]]])
            assert gap == pytest.approx(within - between)


def test_two_clear_senses_beat_every_other_deal_but_their_mirror() -> None:
    senses = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    clear = np.where(senses[:, None] == senses, 0.9, 0.2)
    verdict = _verdict(np.stack([clear * 0 + 1, clear * 0 + 1, clear]), senses)
    assert verdict is not None
    assert (verdict.best, verdict.ways) == (2, 70)
    assert verdict.chance == pytest.approx(2 / 70)


def test_senses_that_do_not_differ_are_as_good_as_chance() -> None:
    senses = np.array([0, 0, 0, 1, 1, 1])
    verdict = _verdict(np.full((3, 6, 6), 0.5), senses)
    assert verdict is not None
    assert verdict.chance == 1


def test_without_two_senses_nothing_is_told_apart(bert: LoadedModel) -> None:
    alone = word_vectors.predict(bert, "boats", A)
    assert alone.verdict is None
    assert alone.steps[0].raw.between is None
    pair = word_vectors.predict(bert, "boats", "the boats", "old boats")
    assert pair.verdict is None
    assert pair.steps[0].raw.within is None


def test_a_word_of_several_pieces_is_averaged_and_it_is_said(bert: LoadedModel) -> None:
    result = word_vectors.predict(bert, "riverx", "the riverx ran\na riverx", "")
    assert any("2 tokens here, river + ##x" in notice for notice in result.notices)


def test_a_word_outside_the_vocabulary_is_named(bert: LoadedModel) -> None:
    result = word_vectors.predict(bert, "你", "the 你 ran\na 你 here")
    assert any("vocabulary lacks “你”: the model reads [UNK]" in n for n in result.notices)


def test_one_place_alone_is_refused(bert: LoadedModel) -> None:
    with pytest.raises(InputError, match="takes two"):
        word_vectors.predict(bert, "boats", "the boats ran")


def test_the_same_sentence_twice_is_the_same_point(model: LoadedModel) -> None:
    result = word_vectors.predict(model, "mill", "past the mill\npast the mill\na mill and a city")
    np.testing.assert_allclose(result.points[:, 0], result.points[:, 1], atol=1e-2)
    np.testing.assert_allclose(result.raw[:, 0, 1], 1, atol=1e-5)


@pytest.mark.parametrize("text", ["😀 boats é\nboats \ud800 [SEP] </s>", "مرحبا boats 你好\nboats"])
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = word_vectors.predict(model, "boats", text)
    for place in result.occurrences:
        assert result.sentences[place.sentence].text[slice(*place.span)] == "boats"

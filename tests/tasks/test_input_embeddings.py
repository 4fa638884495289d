from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import input_embeddings
from tests.fakes import FAMILY_NAMES
from tests.models.test_encoding import NASTY

Load = Callable[..., LoadedModel]


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.ENCODER)


def test_the_numbers_add_up(model: LoadedModel) -> None:
    result = input_embeddings.predict(model, "the river ran", "the soup was cold", position=3)
    added = np.sum([part.vector.first for part in result.parts], axis=0)
    np.testing.assert_allclose(added, result.total.first, atol=1e-5)
    plain = model.run([result.encoding], hidden_states=True)[0]["hidden_states"][0, 3]
    np.testing.assert_allclose(result.entering.first, plain[: input_embeddings.SHOWN], atol=1e-6)
    assert result.entering.norm == pytest.approx(float(np.linalg.norm(plain)), rel=1e-5)
    assert result.entering.size == 32
    for part, norms in zip(result.parts, result.norms, strict=True):
        assert norms[3] == pytest.approx(part.vector.norm)
        assert len(norms) == len(result.encoding)
    names = [part.name for part in result.parts] + list(result.missing)
    assert sorted(names) == ["Position", "Segment", "Token"]
    assert result.is_widened == (model.family.model_type in ("albert", "electra"))


def test_what_families_do_not_add_is_missing(load: Load) -> None:
    def missing(family: str) -> tuple[str, ...]:
        return input_embeddings.predict(load(family, Task.ENCODER), "the river").missing

    assert missing("bert") == ()
    assert missing("distilbert") == ("Segment",)
    assert missing("deberta-v2") == ("Position", "Segment")
    roberta = input_embeddings.predict(load("roberta", Task.ENCODER), "the river")
    assert roberta.parts[-1].table_rows == 1  # the same for every token


def test_the_same_token_differs_by_its_position_where_positions_are_added(
    model: LoadedModel,
) -> None:
    result = input_embeddings.predict(model, "mill mill mill")
    assert result.twin is not None
    assert result.twin.token_cosine == pytest.approx(1)
    if "Position" in result.missing:
        assert result.twin.cosine == pytest.approx(1)
    else:
        assert result.twin.cosine < 0.999
    assert result.encoding.tokens[result.twin.position] == result.token


def test_without_a_position_the_last_word_is_looked_at(bert: LoadedModel) -> None:
    assert input_embeddings.predict(bert, "the river.").token == "river"
    assert input_embeddings.predict(bert, "the river.", "the mill !").token == "mill"
    assert input_embeddings.predict(bert, "?").token == "[CLS]"
    assert input_embeddings.predict(bert, "the river", position=" 1 ").token == "the"


@pytest.mark.parametrize("position", ["x", "-1", 4, "99999999", "²"])
def test_a_position_that_is_not_there_is_refused(bert: LoadedModel, position: int | str) -> None:
    with pytest.raises(InputError, match="this text has 4"):
        input_embeddings.predict(bert, "the river", position=position)


@pytest.mark.parametrize("text", [text for text in NASTY if text.strip()])
def test_odd_texts_do_no_harm(model: LoadedModel, text: str) -> None:
    result = input_embeddings.predict(model, text, "the mill")
    for vector in (result.total, result.normed, result.entering):
        assert np.isfinite(astuple(vector)[0])


def test_the_mask_is_the_mask(model: LoadedModel) -> None:
    result = input_embeddings.predict(model, f"the {model.mask_token} ran", position=None)
    assert model.mask_token_id in result.encoding.input_ids


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001])
def test_what_is_no_text_is_refused(bert: LoadedModel, text: str) -> None:
    with pytest.raises(InputError):
        input_embeddings.predict(bert, text)
    with pytest.raises(InputError):
        input_embeddings.predict(bert, "soup", "x" * 2_001)

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.models.families import FAMILIES, Task
from components.models.loaded import LoadedModel
from components.models.matching import PROJECTIONS
from components.tasks.scores import softmax
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river ran past the mill and the children watched the boats after the storm"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER, attentions=True)


def test_every_family_says_what_it_calls_its_queries_and_keys() -> None:
    assert set(PROJECTIONS) == set(FAMILIES)


def test_the_softmax_of_the_scores_is_the_attention(model: LoadedModel) -> None:
    encoding = model.encode(TEXT)
    attention = model.run([encoding], attentions=True)[0]["attentions"]
    for layer in range(model.layers):
        for head in range(model.heads):
            for token in (0, 5, len(encoding) - 1):
                match = model.match(encoding, layer=layer, head=head, token=token)
                row = attention[layer, head, token]
                np.testing.assert_allclose(softmax(match.scores), row, atol=1e-5)


def test_the_content_part_is_the_scaled_product_of_query_and_key(model: LoadedModel) -> None:
    match = model.match(model.encode(TEXT), layer=1, head=2, token=3)
    expected = match.keys @ match.query / match.scale
    np.testing.assert_allclose(match.parts["content"], expected, atol=1e-4)


def test_deberta_alone_tells_content_from_position(model: LoadedModel) -> None:
    match = model.match(model.encode(TEXT), layer=0, head=0, token=2)
    if model.family.model_type == "deberta-v2":
        assert set(match.parts) == {"content", "content → position", "position → content"}
        assert all(np.abs(part).max() > 1e-3 for part in match.parts.values())
        assert match.scale == pytest.approx(np.sqrt(3 * len(match.query)))
    else:
        assert set(match.parts) == {"content"}
        assert match.scale == pytest.approx(np.sqrt(len(match.query)))


def test_a_head_for_a_task_has_queries_and_keys_too(load: Load) -> None:
    masked = load("bert", Task.FILL_MASK, attentions=True)
    encoding = masked.encode("the [MASK] ran", literal=False)
    match = masked.match(encoding, layer=2, head=1, token=2)
    row = masked.run([encoding], attentions=True)[0]["attentions"][2, 1, 2]
    np.testing.assert_allclose(softmax(match.scores), row, atol=1e-5)

"""What enters layer 1 is the sum of its parts, for every family."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from components.models import parts
from components.models.families import Task
from components.models.loaded import LoadedModel
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
WORD, POSITION, SEGMENT = parts.TABLES
TABLES = {  # what each family adds
    "bert": (WORD, POSITION, SEGMENT),
    "roberta": (WORD, POSITION, SEGMENT),
    "albert": (WORD, POSITION, SEGMENT),
    "distilbert": (WORD, POSITION),
    "electra": (WORD, POSITION, SEGMENT),
    "deberta-v2": (WORD,),
}
MATRICES = ("embedding_hidden_mapping_in", "embeddings_project")
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


@every_family
def test_the_normed_sum_is_what_enters_layer_1(family: str, load: Load) -> None:
    model = load(family, Task.ENCODER)
    encoding = model.encode("the river ran past the mill", "the soup was cold")
    reading = model.embeddings(encoding)
    network = model._resident.network
    assert tuple(part.name for part in reading.parts) == TABLES[family]
    total = torch.from_numpy(sum(part.vectors for part in reading.parts))
    with torch.no_grad():
        normed = network.embeddings.LayerNorm(total)
        matrix = [m for name, m in network.named_modules() if name.endswith(MATRICES)]
        entering = matrix[0](normed) if matrix else normed
    np.testing.assert_allclose(reading.normed, normed, atol=1e-5)
    plain = model.run([encoding], hidden_states=True)[0]["hidden_states"][0]
    np.testing.assert_array_equal(reading.entering, plain)
    np.testing.assert_allclose(entering, plain, atol=1e-5)
    assert bool(matrix) == (family in ("albert", "electra"))


@every_family
@pytest.mark.parametrize("task", [Task.ENCODER, Task.SENTIMENT])
def test_every_part_is_the_row_of_its_table(family: str, task: Task, load: Load) -> None:
    model = load(family, task)
    encoding = model.encode("the river ran", "the soup")
    tables = model._resident.network.base_model.embeddings
    found = {part.name: part for part in model.embeddings(encoding).parts}
    for name, part in found.items():
        table = getattr(tables, name)
        assert part.table_rows == table.num_embeddings
        assert part.rows.shape == (len(encoding),)
        np.testing.assert_array_equal(part.vectors, table.weight[part.rows])
    assert found[WORD].rows.tolist() == list(encoding.input_ids)
    if POSITION in found:
        first = 2 if family == "roberta" else 0  # RoBERTa counts on from its padding
        assert found[POSITION].rows.tolist() == list(range(first, first + len(encoding)))
    if SEGMENT in found:
        segments = encoding.token_type_ids or (0,) * len(encoding)
        assert found[SEGMENT].rows.tolist() == list(segments)


def test_many_at_once_catch_their_own(load: Load) -> None:
    model = load("bert", Task.ENCODER)
    encodings = [model.encode("mill " * n) for n in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(model.embeddings, encodings * 4))
    for encoding, reading in zip(encodings * 4, found, strict=True):
        assert reading.parts[0].rows.tolist() == list(encoding.input_ids)
    assert parts._seen.get() is None


def test_a_copy_on_another_device_is_watched_too(load: Load) -> None:
    network = copy.deepcopy(load("bert", Task.ENCODER)._resident.network)
    with parts.catching() as seen, torch.no_grad():
        network(input_ids=torch.tensor([[2, 3]]))
    assert set(seen) == {*parts.TABLES, "LayerNorm"}

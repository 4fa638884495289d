from __future__ import annotations

import random

import pytest
import torch

from components.models.batches import BATCH_TOKENS, batches, padded, rectangle
from components.models.encoding import Encoding


def encoding(length: int, *, segments: bool = True) -> Encoding:
    ids = tuple(range(1, length + 1))
    return Encoding(
        tokens=tuple(map(str, ids)),
        input_ids=ids,
        token_type_ids=(1,) * length if segments else None,
        offsets=((0, 0),) * length,
        sequence_ids=(0,) * length,
        word_ids=ids,
        full_length=length,
    )


def test_every_input_is_in_one_batch_and_none_is_too_large() -> None:
    rng = random.Random(5)
    for _ in range(20):
        made = [encoding(rng.randint(1, 512)) for _ in range(rng.randint(0, 120))]
        groups = list(batches(made))
        assert sorted(i for group in groups for i in group) == list(range(len(made)))
        for group in groups:
            assert len(group) * max(len(made[i]) for i in group) <= BATCH_TOKENS


def test_inputs_of_like_length_go_together() -> None:
    made = [encoding(n) for n in (500, 3, 498, 2, 499, 1)]
    assert list(batches(made, limit=1_500)) == [[5, 3, 1], [2, 4, 0]]


def test_one_input_beyond_the_limit_goes_alone() -> None:
    assert list(batches([encoding(9), encoding(2), encoding(9)], limit=4)) == [[1], [0], [2]]


def test_rows_are_filled_up_to_the_longest() -> None:
    assert rectangle([[1, 2, 3], [4]], 9, "cpu").tolist() == [[1, 2, 3], [4, 9, 9]]


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
def test_rows_without_anything_are_a_rectangle_of_ids_too(rows: list[list[int]]) -> None:
    made = rectangle(rows, 0, "cpu")
    assert made.shape == (len(rows), 0)
    assert made.dtype == torch.long


def test_padding_is_masked_out() -> None:
    inputs = padded([encoding(2), encoding(3)], 7, "cpu")
    assert inputs["input_ids"].tolist() == [[1, 2, 7], [1, 2, 3]]
    assert inputs["attention_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert inputs["token_type_ids"].tolist() == [[1, 1, 0], [1, 1, 1]]


def test_families_without_segments_are_given_none() -> None:
    assert "token_type_ids" not in padded([encoding(2, segments=False)], 0, "cpu")

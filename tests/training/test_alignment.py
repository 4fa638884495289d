from __future__ import annotations

import numpy as np
import pytest
import torch

from components.training.alignment import PARENT, distance
from tests import fakes
from tests.training import tiny

ALIGNED = ("roberta-mini", "albert-mini", "deberta-mini")


@pytest.mark.parametrize("model_id", ALIGNED)
def test_aligned_tokens_end_at_the_same_letter(model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    _, parent = tiny.network(recipe)
    batch = tiny.objectives(recipe, parent)["aligned"].batch(0)
    ours, theirs = tiny.tokenizer(recipe), fakes.tokenizer_of("bert")
    ids = batch["input_ids"].flatten().clone()
    ids[batch["positions"]] = batch["hidden"]
    read = batch[PARENT + "input_ids"].flatten()
    assert len(batch["aligned"]) > batch["attention_mask"].sum() / 4
    pairs = zip(ids[batch["aligned"]].tolist(), read[batch["targets"]].tolist(), strict=True)
    for first, second in pairs:
        if first == ours.unk_token_id:
            continue
        a, b = ours.convert_ids_to_tokens(first), theirs.convert_ids_to_tokens(second)
        end = fakes.plain(ours.convert_tokens_to_string([a])).strip()[-1:]
        assert end in ("", b[-1:], "\ufffd")  # a single byte of a letter has no spelling


def test_vectors_like_the_parent_s_cost_nothing_and_their_mean_costs_one() -> None:
    wanted = torch.from_numpy(np.random.default_rng(0).normal(2, 3, (2000, 8))).float()
    assert distance(wanted, wanted).item() == 0
    mean = wanted.mean(0).expand_as(wanted)
    assert distance(mean, wanted).item() == pytest.approx(1, abs=0.02)

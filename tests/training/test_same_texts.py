from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from components.training.alignment import PARENT
from components.training.same_texts import AlignedExamples
from tests.training import tiny

GROWN = ("roberta-mini", "albert-mini", "deberta-mini")
NAMES = ("aligned_sentiment", "aligned_questions")


def objective(model_id: str, name: str) -> tuple[AlignedExamples, object]:
    recipe = replace(tiny.recipe(model_id), masked_in_passages=0.0)
    network, parent = tiny.network(recipe)
    found = tiny.objectives(recipe, parent)[name]
    assert isinstance(found, AlignedExamples)
    return found, network


@pytest.mark.parametrize("model_id", GROWN)
@pytest.mark.parametrize("name", NAMES)
def test_both_have_read_the_same_letters_where_they_are_compared(model_id: str, name: str) -> None:
    found, _ = objective(model_id, name)
    batch = found.batch(0)
    rows = batch["input_ids"], batch[PARENT + "input_ids"]
    for one, other in zip(batch["aligned"].tolist(), batch["targets"].tolist(), strict=True):
        read = []
        for at, ids, spelling in ((one, rows[0], found.ours), (other, rows[1], found.theirs)):
            row, end = divmod(at, ids.shape[1])
            read.append((row, _letters(ids[row, : end + 1].numpy(), spelling)))
        assert read[0] == read[1]


def _letters(ids: np.ndarray, spelling: object) -> str:
    return "".join(spelling.pieces[number][0] for number in ids).lower()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_a_good_part_and_every_first_token_are_compared(name: str) -> None:
    found, _ = objective("albert-mini", name)
    batch = found.batch(0)
    assert len(batch["aligned"]) > batch["attention_mask"].sum() / 4
    width = batch["input_ids"].shape[1]
    first = {at // width for at in batch["aligned"].tolist() if at % width == 0}
    assert first == set(range(len(batch["input_ids"])))


@pytest.mark.parametrize("name", NAMES)
def test_the_losses_are_those_of_the_labels_and_of_the_vectors(name: str) -> None:
    found, network = objective("albert-mini", name)
    batch = found.batch(0)
    with torch.no_grad():
        losses = found.losses(network, batch)  # type: ignore[arg-type]
        alone = found.inner.losses(network, batch)  # type: ignore[arg-type]
    for label, loss in alone.items():
        assert loss.item() == pytest.approx(losses[label].item(), abs=1e-6)
    assert set(losses) == {*alone, "aligned"}
    assert losses["aligned"].item() > 0


def test_a_text_that_the_parent_spells_with_other_letters_is_left_out() -> None:
    found, _ = objective("albert-mini", "aligned_sentiment")
    text = found.inner.examples.texts(0)[0]
    rows, others = [(text,)], [(found.theirs.read("quite another text"),)]
    ours, theirs = found._matched(rows, others, (20, 20))
    assert ours.tolist() == theirs.tolist() == [0]

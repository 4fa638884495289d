from __future__ import annotations

import torch

from components.training.networks import ElectraPair
from components.training.replaced import corrupted, judged_tokens
from tests.training import tiny


def batch_and_logits() -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    recipe = tiny.recipe("electra-mini")
    batch = tiny.objectives(recipe)["replaced"].batch(0)
    pair, _ = tiny.network(recipe)
    assert isinstance(pair, ElectraPair)
    vectors = pair.generator.encode(batch).flatten(0, 1)[batch["positions"]]
    return batch, pair.generator.mask_logits(vectors)


def test_only_chosen_tokens_are_replaced_and_only_changed_ones_count() -> None:
    batch, logits = batch_and_logits()
    shown, replaced = corrupted(batch, logits)
    chosen = torch.zeros(batch["input_ids"].numel(), dtype=torch.bool)
    chosen[batch["positions"]] = True
    assert not replaced.flatten()[~chosen].any()
    at = shown["input_ids"].flatten()[batch["positions"]]
    assert torch.equal(replaced.flatten()[batch["positions"]], at != batch["hidden"])
    assert torch.equal(corrupted(batch, logits)[0]["input_ids"], shown["input_ids"])


def test_a_sure_generator_puts_the_original_back_and_nothing_counts_as_replaced() -> None:
    batch, logits = batch_and_logits()
    sure = torch.full_like(logits, -1e4).scatter(1, batch["hidden"][:, None], 1e4)
    shown, replaced = corrupted(batch, sure)
    assert not replaced.any()
    assert not (shown["input_ids"] == tiny.special(tiny.recipe()).mask).any()


def test_replacements_are_sampled_as_the_generator_says() -> None:
    count = 20_000
    batch = {
        "input_ids": torch.full((1, count), 3),
        "positions": torch.arange(count),
        "hidden": torch.full((count,), 3),
        "seed": torch.tensor(1),
    }
    wanted = torch.tensor([0.1, 0.2, 0.3, 0.4])
    shown, _ = corrupted(batch, wanted.log().expand(count, 4))
    found = torch.bincount(shown["input_ids"].flatten(), minlength=4) / count
    torch.testing.assert_close(found, wanted, atol=0.02, rtol=0)


def test_special_tokens_are_not_judged() -> None:
    batch, _ = batch_and_logits()
    judged = judged_tokens(batch, tiny.special(tiny.recipe()))
    assert not judged[:, 0].any()
    assert not judged[~batch["attention_mask"].bool()].any()
    assert judged.any()

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch

from components.training import loop
from components.training.networks import Batch
from components.training.objectives import Objective
from components.training.recipes import RECIPES, Recipe
from tests.training import tiny


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_ten_steps_lower_the_loss_of_every_objective(model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    used = {name for stage in recipe.stages for name in stage.mix}
    for name in sorted(used):
        training = tiny.training(recipe)
        objective = tiny.objectives(recipe, training.teacher)[name]
        step = loop.Step(name, 0, 3e-3)
        losses = [sum(training.advance(objective, step).values()) for _ in range(10)]
        assert losses[-1] < losses[0], name


def test_a_training_taken_up_again_gives_the_same_weights(tmp_path: Path) -> None:
    recipe = tiny.recipe()
    objectives, steps = tiny.objectives(recipe), loop.plan(recipe, 0.002)
    whole = tiny.training(recipe)
    list(loop.train(whole, objectives, steps, tmp_path / "whole.pt"))
    first = tiny.training(recipe)
    list(islice(loop.train(first, objectives, steps, tmp_path / "cut.pt"), 4))
    first.save(tmp_path / "cut.pt")
    second = tiny.training(recipe)
    second.restore(tmp_path / "cut.pt")
    list(loop.train(second, objectives, steps, tmp_path / "cut.pt"))
    assert second.step == whole.step == len(steps)
    assert second.tokens == whole.tokens
    for name, weight in whole.network.named_parameters():
        assert torch.equal(weight, dict(second.network.named_parameters())[name]), name
        assert torch.equal(whole.average[name], second.average[name]), name


def test_a_head_that_is_new_since_the_checkpoint_begins_afresh(tmp_path: Path) -> None:
    """Parameters, averages and what the optimizer knows are found again by name."""
    made = tiny.recipe("roberta-mini")
    before = tiny.training(made)
    for name in ("weight", "bias"):
        delattr(before.network.classifier, name)
    before = loop.Training(before.network, made, before.device, before.teacher)
    text = tiny.objectives(made, before.teacher)["sentiment"]
    for number in range(5):
        before.advance(text, loop.Step("sentiment", number, 1e-3))
    before.save(tmp_path / "old.pt")
    after = tiny.training(made)
    after.restore(tmp_path / "old.pt")
    named, old = dict(after.network.named_parameters()), dict(before.network.named_parameters())
    assert set(named) - set(old) == {"classifier.weight", "classifier.bias"}
    assert list(after.average) == list(named)
    assert after.step == before.step
    moments = 0
    for name, weight in named.items():
        if name not in old:
            assert not weight.any()
            assert not after.optimizer.state[weight]
            continue
        assert torch.equal(weight, old[name]), name
        assert torch.equal(after.average[name], before.average[name]), name
        for key, value in before.optimizer.state[old[name]].items():
            assert torch.equal(after.optimizer.state[weight][key], value), (name, key)
            moments += 1
    assert moments > 3
    objectives = tiny.objectives(made, after.teacher)
    for objective in ("sentiment", "entities"):
        after.advance(objectives[objective], loop.Step(objective, 5, 1e-3))
    assert named["classifier.weight"].any()


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    training = tiny.training(tiny.recipe("roberta-mini"))
    training.save(tmp_path / "new.pt")
    del training.network.qa_outputs
    smaller = loop.Training(training.network, training.recipe, training.device)
    with pytest.raises(AssertionError, match=r"qa_outputs\.weight"):
        smaller.restore(tmp_path / "new.pt")


class SameParts:
    """Gives every part the same batch."""

    def __init__(self, inner: Objective) -> None:
        self.inner, self.losses = inner, inner.losses

    def batch(self, number: int, part: int = 0) -> Batch:
        return self.inner.batch(number, 0 * part)


def test_two_equal_parts_move_the_weights_as_one_does() -> None:
    moved = []
    for parts in (1, 2):
        recipe = replace(tiny.recipe(), parts=parts)
        training = tiny.training(recipe)
        text = tiny.objectives(replace(recipe, parts=1))["text"]
        training.advance(SameParts(text), loop.Step("text", 0, 1e-3))
        moved.append(training.network.state_dict()["cls.predictions.bias"])
    torch.testing.assert_close(moved[0], moved[1])


def test_the_average_lies_between_the_start_and_the_end() -> None:
    training = tiny.training(replace(tiny.recipe(), average_every=1))
    before = training.network.cls.predictions.bias.detach().clone()
    objective = tiny.objectives(training.recipe)["text"]
    for number in range(12):
        training.advance(objective, loop.Step("text", number, 1e-3))
    now = training.network.cls.predictions.bias.detach()
    average = training.average["cls.predictions.bias"]
    assert (average - before).norm() > 0
    assert (average - now).norm() < (before - now).norm()


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_plan_keeps_to_its_recipe(recipe: Recipe) -> None:
    steps = loop.plan(recipe)
    assert len(steps) == sum(stage.steps for stage in recipe.stages)
    assert steps[0].learning_rate < steps[recipe.warmup].learning_rate
    highest = max(step.learning_rate for step in steps)
    assert 0 < steps[-1].learning_rate < 0.01 * highest
    for name in {step.objective for step in steps}:
        numbers = [step.number for step in steps if step.objective == name]
        assert numbers == list(range(len(numbers)))

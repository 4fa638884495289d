from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.classifiers import Classifier
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.training.few_words import few_words
from components.training.progress import Ending, Moment, Part, Plan, plan_of
from components.training.tuning import Labelled, Tuning
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
WARM = ("the bread was warm", "a warm and fresh film", "warm music", "the sea was warm")
COLD = ("the soup was cold", "a cold and slow menu", "cold coffee", "the mill was cold")
PLAN = Plan(epochs=8, learning_rate=5e-3, rows=4)
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


def labelled(model: LoadedModel, warm: Sequence[str], cold: Sequence[str]) -> Labelled:
    encodings = [model.encode(text) for text in (*warm, *cold)]
    return Labelled(encodings, np.array([0] * len(warm) + [1] * len(cold)))


def tuning(model: LoadedModel, plan: Plan = PLAN, **options: Any) -> Tuning:
    classifier = Classifier(model, ("warm", "cold"), whole=plan.part is Part.WHOLE, seed=1)
    train = labelled(model, WARM[:3], COLD[:3])
    return Tuning(classifier, train, labelled(model, WARM[3:], COLD[3:]), plan, **options)


@every_family
def test_the_loss_falls_on_what_can_be_told_apart(load: Load, family: str) -> None:
    plan = replace(PLAN, learning_rate=1e-2, epochs=20)
    moments = list(tuning(load(family, Task.ENCODER), plan).run())
    losses = [moment.loss for moment in moments if moment.loss is not None]
    assert np.mean(losses[-4:]) < 0.1 * np.mean(losses[:4])
    assert [m.epoch for m in moments if m.held_out] == list(range(21))
    assert (moments[0].step, moments[-1].step, moments[-1].steps) == (0, 40, 40)


@pytest.mark.parametrize("part", list(Part))
def test_the_same_seed_gives_the_same_and_the_shared_weights_stay(load: Load, part: Part) -> None:
    encoder = load("bert", Task.ENCODER)
    before = {k: v.clone() for k, v in encoder._resident.network.state_dict().items()}
    plan = replace(PLAN, part=part)
    one, other = tuning(encoder, plan), tuning(encoder, plan)
    begun = one.classifier.weights()
    assert list(one.run()) == list(other.run())
    for name, tensor in one.classifier.network.state_dict().items():
        assert torch.equal(tensor, other.classifier.network.state_dict()[name]), name
    for name, tensor in encoder._resident.network.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    moved = [name for name, w in one.classifier.weights().items() if not w.equal(begun[name])]
    assert moved
    assert any(".layer.0." in name for name in moved) is (part is Part.WHOLE)


def test_held_out_lines_are_never_trained_on(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tuning(load("bert", Task.ENCODER))
    real, seen = run._logits, []

    def watched(encodings: Any) -> Any:
        if torch.is_grad_enabled():
            seen.extend(encoding.input_ids for encoding in encodings)
        return real(encodings)

    monkeypatch.setattr(run, "_logits", watched)
    list(run.run())
    assert set(seen) == {encoding.input_ids for encoding in run._train.encodings}
    assert len(seen) == 8 * 6, "each line to learn from once in each pass"


def test_a_stop_keeps_the_best_so_far(load: Load) -> None:
    asked = itertools.count()
    run = tuning(load("bert", Task.ENCODER), is_stopped=lambda: next(asked) == 2)
    moments = list(run.run())
    assert run.ending is Ending.STOPPED
    assert moments[-1].step == 3
    assert moments[-1].held_out is not None
    assert run.best_epoch in (1.0, 1.5)


def test_the_end_of_the_time_keeps_the_best_so_far(load: Load) -> None:
    ticks = itertools.count()
    plan = replace(PLAN, seconds=3.5)
    run = tuning(load("bert", Task.ENCODER), plan, clock=lambda: float(next(ticks)))
    assert [moment.step for moment in run.run()] == [0, 1, 2, 3, 4]
    assert run.ending is Ending.TIME


def test_what_is_kept_is_the_state_that_was_measured_as_best(load: Load) -> None:
    run = tuning(load("bert", Task.ENCODER), replace(PLAN, learning_rate=0.05))
    moments: list[Moment] = list(run.run())
    measured = [m for m in moments if m.held_out and m.step and np.isfinite(m.held_out.loss)]
    best = max(measured, key=lambda m: (m.held_out.right, -m.held_out.loss))
    assert run.best_epoch == best.epoch
    kept = run._measure()
    assert kept.right == best.held_out.right
    assert kept.loss == pytest.approx(best.held_out.loss, abs=2e-2)  # rounded to half precision


def test_a_loss_that_is_no_number_is_said_in_words(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tuning(load("bert", Task.ENCODER))
    monkeypatch.setattr(run, "_step", lambda *_: float("nan"))
    with pytest.raises(InputError, match="too high"):
        list(run.run())


@every_family
def test_fewer_vectors_give_the_same_gradients_and_the_whole_table_comes_back(
    load: Load, family: str
) -> None:
    encoder = load(family, Task.ENCODER)
    made = Classifier(encoder, ("a", "b"), whole=True, seed=1)
    run = Tuning(made, labelled(encoder, WARM, COLD), labelled(encoder, WARM, COLD), PLAN)
    table = made.network.get_input_embeddings()
    before, words = table.weight.detach().clone(), len(table.weight)
    encodings = run._train.encodings
    whole = run._logits(encodings)
    whole.sum().backward()
    expected = table.weight.grad
    used = sorted({i for e in encodings for i in e.input_ids} | {run._padding})
    with few_words(made.network, used):
        assert len(table.weight) == len(used) < words
        few = run._logits(encodings)
        few.sum().backward()
        torch.testing.assert_close(few, whole)
        torch.testing.assert_close(table.weight.grad, expected[used], atol=1e-4, rtol=1e-3)
        with torch.no_grad():
            table.weight.add_(1)
    others = [i for i in range(words) if i not in used]
    torch.testing.assert_close(table.weight[used], before[used] + 1)
    assert torch.equal(table.weight[others], before[others])
    torch.testing.assert_close(run._logits(encodings[:1]).shape, whole[:1].shape)


def test_a_plan_that_cannot_be_is_refused_in_words() -> None:
    assert plan_of("whole model", 3, "") == Plan(epochs=3)
    assert plan_of("head only", 3, "1e-2").learning_rate == 0.01
    for part, epochs, rate in (
        ("tail", 3, ""),
        ("head only", 0, ""),
        ("head only", 21, ""),
        ("head only", 3, "fast"),
        ("head only", 3, "nan"),
        ("head only", 3, "-1"),
        ("head only", 3, "0.5"),
    ):
        with pytest.raises(InputError):
            plan_of(part, epochs, rate)

"""The one training loop: a generator of steps, so that a script prints and a page draws them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from components.training.networks import Network
from components.training.objectives import Objective
from components.training.recipes import Recipe, Stage

SAVE_EVERY = 100  # steps
NO_DECAY = ("bias", "LayerNorm.weight", "layer_norm.weight")


Gradients = tuple[Tensor | None, ...]
PartResult = tuple[dict[str, float], Gradients]


@dataclass(frozen=True)
class Step:
    """What to do at one step: the `number`-th batch of an objective, at a learning rate."""

    objective: str
    number: int
    learning_rate: float


def plan(recipe: Recipe, scale: float = 1.0) -> list[Step]:
    """Lay out every step of a recipe; `scale` shortens it for a trial."""
    steps: list[Step] = []
    seen: Counter[str] = Counter()
    for index, stage in enumerate(recipe.stages):
        for objective, rate in _stage(stage, (recipe.seed, index), scale):
            warm = min(1.0, (len(steps) + 1) / max(1.0, recipe.warmup * scale))
            steps.append(Step(objective, seen[objective], rate * warm))
            seen[objective] += 1
    return steps


def _stage(stage: Stage, seed: tuple[int, int], scale: float) -> Iterator[tuple[str, float]]:
    count = max(1, round(stage.steps * scale))
    rates = np.linspace(*stage.learning_rate, count + 1)[:count]
    shares = np.asarray(list(stage.mix.values()))
    rng = np.random.default_rng(seed)
    for choice, rate in zip(
        rng.choice(len(shares), count, p=shares / shares.sum()), rates, strict=True
    ):
        yield list(stage.mix)[choice], float(rate)


def find_device() -> torch.device:
    """Give the GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Training:
    """A network in training, with all that is needed to take it up again."""

    def __init__(
        self,
        network: Network,
        recipe: Recipe,
        device: torch.device,
        teacher: Network | None = None,
    ) -> None:
        self.network, self.recipe, self.device = network, recipe, device
        self.teacher = teacher
        for each in filter(None, (network, teacher)):
            each.to(device)
        network.train()
        _switch_off_dropout(network)
        self.optimizer = make_optimizer(
            network.named_parameters(), betas=recipe.betas, weight_decay=recipe.weight_decay
        )
        self.parameters = list(network.parameters())
        self._cores: ThreadPoolExecutor | None = None
        self.step = 0  # steps done
        self.tokens = 0  # tokens seen, padding left out
        self.seconds = 0.0  # spent on the steps
        self.average = {key: value.clone() for key, value in _weights(network).items()}

    def advance(self, objective: Objective, step: Step) -> dict[str, float]:
        """Do one step; give its losses."""
        began = time.perf_counter()
        found = self._map(lambda part: self._part(objective, step.number, part))
        self._descend([gradients for _, gradients in found], step.learning_rate)
        self.step += 1
        if self.step % self.recipe.average_every == 0:
            self._update_average()
        self.seconds += time.perf_counter() - began
        losses = [part_losses for part_losses, _ in found]
        return {name: sum(each[name] for each in losses) / len(losses) for name in losses[0]}

    def _map(self, work: Callable[[int], PartResult]) -> list[PartResult]:
        """Compute the parts, side by side on a CPU, one after the other on a GPU.

        Cores that need not wait for each other at every operation do more on a busy machine.
        """
        parts = range(self.recipe.parts)
        if self.device.type != "cpu":
            return [work(part) for part in parts]
        if self._cores is None:
            threads = max(1, torch.get_num_threads() // self.recipe.parts)
            self._cores = ThreadPoolExecutor(
                self.recipe.parts, initializer=torch.set_num_threads, initargs=(threads,)
            )
        return list(self._cores.map(work, parts))

    def _part(self, objective: Objective, number: int, part: int) -> PartResult:
        """Give losses and gradients of one part of a batch."""
        batch = objective.batch(number, part)
        tokens = int(batch["attention_mask"].sum())
        batch = {key: value.to(self.device) for key, value in batch.items()}
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            losses = objective.losses(self.network, batch)
        total = torch.stack(list(losses.values())).sum() / self.recipe.parts
        gradients = torch.autograd.grad(total, self.parameters, allow_unused=True)
        self.tokens += tokens
        return {name: loss.item() for name, loss in losses.items()}, gradients

    def _descend(self, gradients: list[Gradients], learning_rate: float) -> None:
        """Take one step of the optimizer along the sum of the parts' gradients."""
        for parameter, *given in zip(self.parameters, *gradients, strict=True):
            parameter.grad = None
            for gradient in filter(lambda each: each is not None, given):
                parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
        nn.utils.clip_grad_norm_(self.parameters, self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()

    @torch.no_grad()
    def _update_average(self) -> None:
        """Move the average; young averages follow faster, so that the start is forgotten."""
        done = self.step / self.recipe.average_every
        decay = min(self.recipe.average, done / (done + 9))
        current = _weights(self.network)
        torch._foreach_lerp_(list(self.average.values()), list(current.values()), 1 - decay)

    def save(self, path: Path) -> None:
        """Write a checkpoint, whole or not at all."""
        state = {
            "step": self.step,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "network": _weights(self.network),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(state, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").replace(path)

    def restore(self, path: Path) -> None:
        """Take up from a checkpoint; parameters that are new since then begin as they are."""
        state: dict[str, Any] = torch.load(path, map_location=self.device, weights_only=True)
        self.step, self.tokens, self.seconds = state["step"], state["tokens"], state["seconds"]
        self._restore_optimizer(state["optimizer"], list(state["network"]))
        with torch.no_grad():
            for key, value in _weights(self.network).items():
                value.copy_(state["network"].get(key, value))
        self.average |= state["average"]

    def _restore_optimizer(self, saved: dict[str, Any], names: list[str]) -> None:
        """Give each parameter what was kept of it; `names` are the parameters' of that time."""
        ours = dict(self.network.named_parameters())
        lost = [name for name in names if name not in ours]
        assert not lost, f"the checkpoint has parameters that the network has not: {lost}"
        kept = {name: saved["state"].get(i) for i, name in enumerate(_in_groups(names))}
        state = self.optimizer.state_dict()
        for index, name in enumerate(_in_groups(list(ours))):
            if kept.get(name) is not None:
                state["state"][index] = kept[name]
        self.optimizer.load_state_dict(state)

    def use_average(self) -> None:
        """Put the averaged weights into the network."""
        with torch.no_grad():
            for key, value in _weights(self.network).items():
                value.copy_(self.average[key])


def train(
    training: Training,
    objectives: Mapping[str, Objective],
    steps: list[Step],
    checkpoint: Path,
) -> Iterator[tuple[int, dict[str, float]]]:
    """Train from where `training` stands to the end of the plan; save on the way."""
    while training.step < len(steps):
        step = steps[training.step]
        losses = training.advance(objectives[step.objective], step)
        if training.step % SAVE_EVERY == 0 or training.step == len(steps):
            training.save(checkpoint)
        yield training.step, losses


def make_optimizer(
    parameters: Iterable[tuple[str, nn.Parameter]],
    *,
    betas: tuple[float, float],
    weight_decay: float,
) -> torch.optim.Optimizer:
    """Make AdamW for named parameters; biases and norms are not decayed."""
    named = dict(parameters)
    decayed, others = _groups(list(named))
    groups: list[dict[str, Any]] = [
        {"params": [named[name] for name in decayed]},
        {"params": [named[name] for name in others], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=0.0, betas=betas, weight_decay=weight_decay, fused=True)


def _groups(names: list[str]) -> tuple[list[str], list[str]]:
    """Divide parameters into those that are decayed, and the others."""
    decayed = [name for name in names if not name.endswith(NO_DECAY)]
    return decayed, [name for name in names if name.endswith(NO_DECAY)]


def _in_groups(names: list[str]) -> list[str]:
    """Give the order in which the optimizer counts parameters."""
    return [name for group in _groups(names) for name in group]


def _weights(network: Network) -> dict[str, Tensor]:
    return {name: value.detach() for name, value in network.named_parameters()}


def _switch_off_dropout(network: Network) -> None:
    """Set every dropout to 0: short trainings do not overfit, and it costs time on a CPU."""
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0

"""Fine-tuning a visitor's classifier: a generator of moments, so that a page can draw them.

The best state, by the held-out lines, is kept on the way; a stop, the end of the time or a loss
that is no number any more leaves the best so far in the network. Slow to import (torch).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the field's name)
from numpy.typing import NDArray

from components.errors import InputError
from components.models.batches import batches, padded
from components.models.classifiers import Classifier, Weights
from components.models.encoding import Encoding
from components.training.few_words import few_words
from components.training.loop import make_optimizer
from components.training.progress import Ending, HeldOut, Moment, Plan

_BETAS, _DECAY, _CLIP = (0.9, 0.98), 0.01, 1.0  # AdamW's, and the largest norm of the gradient
_WARMUP = 0.1  # share of the steps over which the learning rate rises


@dataclass(frozen=True)
class Labelled:
    """Lines as the network reads them, and the number of each one's label."""

    encodings: Sequence[Encoding]
    labels: NDArray[np.int64]  # (lines,)

    def __len__(self) -> int:
        return len(self.encodings)


@dataclass(frozen=True)
class _Best:
    epoch: float
    held_out: HeldOut
    weights: Weights

    def beats(self, other: _Best | None) -> bool:
        """Tell the better of two states: more lines right, then the lower loss."""
        if other is None:
            return True
        mine, theirs = self.held_out, other.held_out
        return (mine.right, -mine.loss) > (theirs.right, -theirs.loss)


class Tuning:
    """One training of one classifier; `ending` and `best_epoch` are known when it has run."""

    def __init__(
        self,
        classifier: Classifier,
        train: Labelled,
        held_out: Labelled,
        plan: Plan,
        *,
        is_stopped: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.classifier, self.plan = classifier, plan
        self._train, self._held_out = train, held_out
        self._is_stopped, self._clock = is_stopped, clock
        self._best: _Best | None = None
        self.ending = Ending.DONE
        per_pass = math.ceil(len(train) / plan.rows)
        self.steps = per_pass * plan.epochs

    @property
    def best_epoch(self) -> float:
        """After how many passes the state that was kept had been reached."""
        assert self._best is not None
        return self._best.epoch

    def run(self) -> Iterator[Moment]:
        """Train; give every moment as it comes. Then the best state is in the network.

        Raises InputError when the loss is no number before anything could be kept.
        """
        yield Moment(0, self.steps, 0.0, None, self._measure())
        with self._words():
            yield from self._train_on()
            self._finish()

    def _train_on(self) -> Iterator[Moment]:
        begun = self._clock()
        optimizer = make_optimizer(self.classifier.trainable(), betas=_BETAS, weight_decay=_DECAY)
        for step, (epoch, chosen) in enumerate(self._batches(), start=1):
            loss = self._step(optimizer, chosen, step)
            self.ending = self._end(loss, begun)
            is_over = self.ending is not Ending.DONE
            measured = None
            if (is_over or epoch == int(epoch)) and self.ending is not Ending.DIVERGED:
                measured = self._keep_best(epoch)
            yield Moment(step, self.steps, epoch, loss, measured)
            if is_over:
                return

    def _words(self) -> AbstractContextManager[None]:
        """Leave out of the training what no line has."""
        if not self.classifier.whole:  # the table is the one that all share
            return nullcontext()
        encodings = (*self._train.encodings, *self._held_out.encodings)
        ids = {token_id for encoding in encodings for token_id in encoding.input_ids}
        return few_words(self.classifier.network, ids | {self._padding})

    @property
    def _padding(self) -> int:
        return int(self.classifier.network.config.pad_token_id or 0)

    def _batches(self) -> Iterator[tuple[float, NDArray[np.int64]]]:
        """Give shuffled passes in steps of about equal size, each with the passes then done."""
        for number in range(self.plan.epochs):
            order = np.random.default_rng((self.plan.seed, number)).permutation(len(self._train))
            parts = np.array_split(order, math.ceil(len(order) / self.plan.rows))
            for i, part in enumerate(parts, start=1):
                yield number + i / len(parts), part

    def _step(
        self, optimizer: torch.optim.Optimizer, chosen: NDArray[np.int64], step: int
    ) -> float:
        """Take one step on the `chosen` lines; give their mean loss before it."""
        optimizer.zero_grad(set_to_none=True)
        logits = self._logits([self._train.encodings[i] for i in chosen])
        labels = torch.from_numpy(self._train.labels[chosen]).to(logits.device)
        loss = F.cross_entropy(logits, labels)
        loss.backward()  # type: ignore[no-untyped-call]
        parameters = [parameter for _, parameter in self.classifier.trainable()]
        torch.nn.utils.clip_grad_norm_(parameters, _CLIP)
        for group in optimizer.param_groups:
            group["lr"] = self.plan.learning_rate * self._share_of_rate(step)
        optimizer.step()
        return float(loss.detach())

    def _share_of_rate(self, step: int) -> float:
        """Let the learning rate rise over the first steps, then fall in a straight line."""
        warm = max(1, round(_WARMUP * self.steps))
        return min(step / warm, (self.steps - step + 1) / max(1, self.steps - warm))

    def _end(self, loss: float, begun: float) -> Ending:
        if not math.isfinite(loss):
            return Ending.DIVERGED
        if self._is_stopped():
            return Ending.STOPPED
        return Ending.TIME if self._clock() - begun > self.plan.seconds else Ending.DONE

    def _keep_best(self, epoch: float) -> HeldOut:
        measured = self._measure()
        if math.isfinite(measured.loss):
            state = _Best(epoch, measured, {})
            if state.beats(self._best):
                self._best = _Best(epoch, measured, self.classifier.weights())
        return measured

    def _finish(self) -> None:
        if self._best is None:
            raise InputError(
                "The loss became infinite at once: the learning rate "
                f"{self.plan.learning_rate:g} is too high. Choose a lower one."
            )
        self.classifier.put(self._best.weights)

    def _measure(self) -> HeldOut:
        """Answer the held-out lines as the network stands."""
        loss, right = 0.0, 0
        with torch.no_grad():
            for batch in batches(self._held_out.encodings):
                logits = self._logits([self._held_out.encodings[i] for i in batch])
                labels = torch.from_numpy(self._held_out.labels[batch]).to(logits.device)
                loss += float(F.cross_entropy(logits, labels, reduction="sum"))
                right += int((logits.argmax(-1) == labels).sum())
        return HeldOut(loss / len(self._held_out), right, len(self._held_out))

    def _logits(self, encodings: Sequence[Encoding]) -> torch.Tensor:
        network = self.classifier.network
        inputs = padded(encodings, self._padding, network.device)
        logits: torch.Tensor = network(**inputs).logits
        return logits  # (lines, labels)

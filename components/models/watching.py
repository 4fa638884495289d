"""WatchedModel: a model that keeps what its own answers were made from, attention included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding
from components.models.loaded import Arrays, LoadedModel

_ROUNDING = 1e-4  # what rows of float32 are off by is far below


class WatchedModel(LoadedModel):
    """Hand it to a task in place of the model: afterwards it knows what the task ran.

    So what is measured or drawn is that of the very input that made the prediction, mask and
    segments included. For one visitor's run; it is not shared.
    """

    def __init__(self, model: LoadedModel, *, attentions: bool) -> None:
        super().__init__(model._resident)
        self.runs: list[tuple[tuple[Encoding, ...], dict[str, Any]]] = []  # inputs and options
        self._attentions = attentions
        self._answers: list[Arrays] = []

    @property
    def inputs(self) -> tuple[Encoding, ...]:
        """The inputs of the last run, in its order."""
        return self.runs[-1][0]

    def run(self, encodings: Sequence[Encoding], **options: Any) -> list[Arrays]:
        """Run the network as any model does, and keep the inputs.

        The attention of a single input comes from the very pass that answers. That of several
        would fill the memory, so it waits until one of them is asked for.
        """
        self.runs.append((tuple(encodings), options))
        is_kept = self._attentions and len(encodings) == 1
        self._answers = super().run(encodings, **{"attentions": is_kept, **options})
        return self._answers

    def again(self) -> None:
        """Run all of it once more, in passes of its own, which can be timed."""
        for encodings, options in self.runs:
            super().run(encodings, **{**options, "alone": True})

    def attention(self, index: int = 0) -> NDArray[np.float32]:
        """Give the attention of one of `inputs`, (layers, heads, queries, keys)."""
        kept = self._answers[index].get("attentions")
        if kept is None:
            kept = super().run([self.inputs[index]], attentions=True)[0]["attentions"]
        sums = kept.sum(axis=-1, keepdims=True)
        if np.abs(sums - 1).max() < _ROUNDING:
            return kept
        # Half precision rounds every weight; divided by their sum, the rows sum to one again.
        whole: NDArray[np.float32] = kept / sums
        return whole

"""A model that remembers what a task let it run: the very inputs that made the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel


class Recorder:
    """Stands in for a model while a task runs it."""

    def __init__(self, model: LoadedModel) -> None:
        self._model = model
        self.runs: list[tuple[Sequence[Any], dict[str, Any]]] = []  # encodings and options

    def run(self, encodings: Sequence[Any], **options: Any) -> list[Any]:
        """Run the model, and remember what it was given."""
        self.runs.append((encodings, options))
        return list(self._model.run(encodings, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def again(self) -> None:
        """Run all of it once more, in passes of its own, which can be timed."""
        for encodings, options in self.runs:
            self._model.run(encodings, **{**options, "alone": True})

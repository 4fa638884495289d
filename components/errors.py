"""The errors that a person can cause.

AppError            its message is shown as it is: what was wrong with this value, what to do
├── StoppedError    the visitor stopped what was being done
├── InputError      a text, a number or a file that cannot be used
└── ModelError      a model that cannot be used
    ├── UnknownModelError   the id is on no list, or is no id at all
    ├── HeadError           the checkpoint has no trained head for the task
    └── CheckpointError     the files are missing, broken or out of reach

Anything else that is raised is a bug: it is logged whole and never becomes output text.
"""

from __future__ import annotations

NEVER_CAUGHT = (KeyboardInterrupt, SystemExit, GeneratorExit)  # where all else is caught


class AppError(Exception):
    """Something that the visitor can put right; `suggestion` is a corrected value to offer."""

    def __init__(self, message: str, *, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


class StoppedError(AppError):
    """The visitor stopped what was being done for him."""


class InputError(AppError):
    """A text, a number or a file that cannot be used."""


class ModelError(AppError):
    """A model that cannot be used."""


class UnknownModelError(ModelError):
    """The id is on no list, or is no id at all."""


class HeadError(ModelError):
    """The checkpoint has no trained head for the task."""


class CheckpointError(ModelError):
    """The files of a checkpoint are missing, broken or out of reach."""

"""What a visitor trained, under an id that only his page knows: yours/TOKEN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from components.errors import HeadError
from components.models.families import Task

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

OWNER = "yours"  # no owner on the Hub: ids that begin with it are never asked for there


class Own(Protocol):
    """A trained classifier that is kept."""

    @property
    def bytes(self) -> int:
        """Bytes of memory that it takes up."""

    def answering(self) -> LoadedModel:
        """Give it as a model like any other."""


def own_id(token: str) -> str:
    """Give the id under which what was kept for `token` is asked for."""
    return f"{OWNER}/{token}"


def token_of(model_id: str) -> str | None:
    """Give the token in an id of this kind; None for every other id."""
    owner, slash, token = model_id.partition("/")
    return token if slash and owner == OWNER else None


def check_head(task: Task, *, attentions: bool) -> None:
    """Refuse what the model of a visitor is not asked for; raises HeadError."""
    if task is not Task.SENTIMENT or attentions:
        raise HeadError(
            "The model that you trained has one head, for your labels. Sentiment and Compare ask "
            "it; here, pick another model."
        )

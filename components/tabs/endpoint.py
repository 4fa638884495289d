"""What stands round every public endpoint: values of the types it names in, plain words out."""

from __future__ import annotations

import functools
import inspect
import logging
import typing
from collections.abc import Callable
from typing import Any

import gradio as gr

from components.errors import NEVER_CAUGHT, AppError, InputError

logger = logging.getLogger(__name__)

_LARGEST = 10**15 - 1  # what every program can still tell from its neighbours
FAILURE = (
    "Something went wrong here, and it was not your input. It has been written to the log. "
    "Try again, or try another model."
)


def plain_errors(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Tell programs what was wrong with their values, in words, and nothing of our insides.

    Values reach `endpoint` only with the types that its annotations name. Plain HTTP sends
    whatever it likes, and Gradio passes it on.
    """
    kinds = typing.get_type_hints(endpoint)
    signature = inspect.signature(endpoint)

    @functools.wraps(endpoint)
    def answer(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
            return endpoint(**{name: _as(kinds[name], name, v) for name, v in given.items()})
        except AppError as error:
            raise gr.Error(str(error), print_exception=False) from error
        except BaseException as error:  # also a panic of the tokenizers
            if isinstance(error, NEVER_CAUGHT):
                raise
            logger.exception("the endpoint %s failed", endpoint.__qualname__)
            raise gr.Error(FAILURE, print_exception=False) from error

    return answer


def well_formed(value: Any) -> Any:
    """Give `value`; a text without lone surrogates, which JSON refuses."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _as(kind: Any, name: str, value: Any) -> Any:
    """Give `value` as `kind`: str, int or list[str]; raises InputError for what is none."""
    if kind is int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST:
            return value
        raise InputError(f"{name} must be a whole number of at most 15 digits, such as 1.")
    if kind is str:
        if isinstance(value, str):
            return well_formed(value)
        raise InputError(f"{name} must be a text. Put it in quotes.")
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [well_formed(one) for one in value]
    raise InputError(f'{name} must be a list of texts, such as ["bert-mini"].')

"""The page as a server: whatever a request asks for, it gets an answer or a refusal in words."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

import gradio as gr
from fastapi.exceptions import RequestValidationError
from gradio.blocks import BlocksConfig
from gradio.route_utils import FnIndexInferError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from components.errors import NEVER_CAUGHT
from components.models.manager import ModelManager
from components.tabs.endpoint import FAILURE, well_formed
from components.tasks.rooms import Rooms

logger = logging.getLogger(__name__)

_NOTHING: dict[Any, Any] = {}  # one for all, and never written to
_PASSED_ON = (*NEVER_CAUGHT, asyncio.CancelledError, gr.Error)
_UNREADABLE = (
    "These values are not those that this part of the page takes: there are too few of them, or "
    "one has another type. The README lists what each endpoint takes; on the page, load it anew."
)
_MALFORMED = 'A JSON object such as {"data": ["some text"]} is read here.'
_NAMED = 5  # faults of one body that are named
_NOT_HERE = (
    "Nothing of this name or number can be asked for here. The endpoints have the ids that the "
    "README's table of tabs gives; on the page, load it anew."
)
# Gradio looks up what is asked for by KeyError, in these places only.
_LOOKS_UP = re.compile(r"/(queue/join|run|api|call)(/|$)")


class _Components(BlocksConfig):
    """All components of the page, of which a session gets what it needs and no more."""

    def __copy__(self) -> BlocksConfig:
        copied = _OfSession(self.root_block)
        copied.blocks = ChainMap({}, self.blocks)  # type: ignore[assignment]
        copied.fns, copied.fn_id = self.fns, self.fn_id
        return copied


class _OfSession(BlocksConfig):
    """What a session may change; without a description of every component, for deep links.

    Every visitor and every call of a program is a session, remembered long after. Describing a
    page of this size anew cost each of them a tenth of a second and 2 MB (`tests/bench/load.py`).
    """

    @staticmethod
    def config_for_block(*_args: Any, **_kwargs: Any) -> dict[Any, Any]:
        """Give nothing: only Gradio's deep links, which this page has not, read it."""
        return _NOTHING


class Lab(gr.Blocks):
    """The page, and what its own routes need.

    Gradio answers `{"error": null}` to what its own checks trip over, and to a fault of ours.
    """

    rooms: Rooms
    models: ModelManager

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.default_config = _Components(self)

    async def preprocess_data(self, *args: Any, **kwargs: Any) -> Any:
        """Read the values of a request; raises gr.Error in words where they cannot be read."""
        try:
            return await super().preprocess_data(*args, **kwargs)
        except _PASSED_ON:
            raise
        except BaseException as error:
            logger.info("values that cannot be read: %s", type(error).__name__)
            raise gr.Error(_UNREADABLE, print_exception=False) from error

    async def process_api(self, *args: Any, **kwargs: Any) -> Any:
        """Answer a request; what fails there is logged whole, and raised as a sentence."""
        try:
            return await super().process_api(*args, **kwargs)
        except _PASSED_ON:
            raise
        except BaseException as error:
            logger.exception("a request failed")
            raise gr.Error(FAILURE, print_exception=False) from error


async def not_here(request: Request, error: Exception) -> Response:
    """Refuse an endpoint that is not there, which Gradio raises as a KeyError."""
    if _LOOKS_UP.search(request.url.path):
        return JSONResponse({"detail": _NOT_HERE}, 404)
    return await failed(request, error)


async def unreadable(request: Request, error: Exception) -> Response:
    """Refuse arguments by name that an endpoint does not have."""
    if _LOOKS_UP.search(request.url.path):
        return JSONResponse({"detail": _UNREADABLE}, 422)
    return await failed(request, error)


async def malformed(_request: Request, error: Exception) -> Response:
    """Name what is amiss in a body; FastAPI's own answer repeats it, and fails for a NaN."""
    assert isinstance(error, RequestValidationError)
    amiss = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()[:_NAMED]}
    told = "; ".join(f"{place}: {what}" for place, what in amiss.items())
    return JSONResponse({"detail": well_formed(f"{_MALFORMED} {told}")}, 422)


async def failed(_request: Request, error: Exception) -> Response:
    """Say that something went wrong here; the log has it whole."""
    logger.error("a request failed", exc_info=error)
    return JSONResponse({"detail": FAILURE}, 500)


REFUSALS: Mapping[type[Exception], Any] = {
    KeyError: not_here,
    FnIndexInferError: not_here,
    TypeError: unreadable,
    RequestValidationError: malformed,
    Exception: failed,
}

"""The room's own addresses beside Gradio's: a phone that asks how it stands waits in no queue.

All but the pupil's page take a small JSON object by POST; tokens stand in it, never in an address.
A refusal is a sentence in `detail`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match, Route

from components.errors import AppError, InputError
from components.tabs.lab import Lab
from components.tasks import classroom
from components.tasks.rooms import NoRoomError, Seen, StrangerError
from components.views import classroom as views
from components.views import markup

logger = logging.getLogger(__name__)

MAX_BODY = 4_096  # bytes; an answer and two tokens are far less
_MAX_ADDRESS = 300  # characters in a QR code, which stays readable on a wall
_STATUS: Mapping[type[AppError], int] = {NoRoomError: 404, StrangerError: 403}
_NO_STORE = {"cache-control": "no-store"}

Told = dict[str, Any]


class RoomLink(Route):
    """The address /?room=CODE, which is a pupil's; without a room it is the page itself."""

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        """Match the address only when it names a room."""
        match, child = super().matches(scope)
        names_room = b"room=" in scope.get("query_string", b"")
        return (match, child) if names_room else (Match.NONE, {})


async def pupil_page(request: Request) -> Response:
    """Give the page of a pupil, whether or not there is such a room: the page says so."""
    code = request.query_params.get("room", "")[:12]
    return HTMLResponse(views.pupil_page(code), headers=_NO_STORE)


async def act(request: Request) -> Response:
    """Do one thing in a room, or say in words why not."""
    try:
        does = _act_named(request.path_params["act"])
        sent = await _body(request)
        lab: Lab = request.app.get_blocks()
        code = request.path_params.get("code", "")
        if does is _reveal:  # the only one that asks a network
            told = await anyio.to_thread.run_sync(does, lab, code, sent)
        else:
            told = does(lab, code, sent)
    except AppError as error:
        return _refused(str(error), _STATUS.get(type(error), 400))
    except Exception:
        logger.exception("a room failed")
        return _refused("Something went wrong here, not with what you did. Try again.", 500)
    return JSONResponse(told, headers=_NO_STORE)


async def open_room(request: Request) -> Response:
    """Open a room."""
    request.path_params["act"] = "open"
    return await act(request)


def _act_named(name: str) -> Callable[[Lab, str, Told], Told]:
    if name not in ACTS:
        raise InputError("Nothing of that name can be done in a room.")
    return ACTS[name]


def _refused(detail: str, status: int) -> Response:
    return JSONResponse({"detail": detail}, status, headers=_NO_STORE)


async def _body(request: Request) -> Told:
    """Read what was sent; never more than is allowed, whatever its headers say."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise InputError(f"That is too long: at most {MAX_BODY:,} bytes are read. Shorten it.")
    try:
        sent = json.loads(content)
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise InputError("What was sent is no JSON object.")
    return sent


def _word(sent: Told, name: str) -> str:
    value = sent.get(name)
    return value if isinstance(value, str) else ""


def _open(lab: Lab, _code: str, _sent: Told) -> Told:
    code, token = lab.rooms.open()
    return {"code": code, "token": token}


def _join(lab: Lab, code: str, sent: Told) -> Told:
    return {"pupil": lab.rooms.join(code, _word(sent, "pupil"))}


def _answer(lab: Lab, code: str, sent: Told) -> Told:
    pupil = _word(sent, "pupil")
    return {"yours": lab.rooms.answer(code, pupil, sent.get("number"), sent.get("answer"))}


def _look(lab: Lab, code: str, sent: Told) -> Told:
    seen = lab.rooms.look(code, _word(sent, "pupil"))
    if sent.get("seen") == seen.version:
        return {}  # nothing new: most looks of most phones
    choices = views.choices(seen.question)
    typed = seen.question is not None and not seen.question.choices
    return {
        **_drawn(seen),
        "version": seen.version,
        "yours": seen.yours,
        "choices": choices,
        "typed": typed,
    }


def _steer(lab: Lab, code: str, sent: Told) -> Told:
    seen = lab.rooms.steer(code, _word(sent, "token"))
    return {**_drawn(seen), "joined": seen.joined, "answered": seen.answered}


def _reveal(lab: Lab, code: str, sent: Told) -> Told:
    token = _word(sent, "token")
    if lab.rooms.steer(code, token).result is None:
        question, number, answers = lab.rooms.stop(code, token)
        model = lab.models.get(question.model_id, question.task)
        lab.rooms.show(code, token, number, classroom.predict(model, question, answers))
    return _steer(lab, code, sent)


def _close(lab: Lab, code: str, sent: Told) -> Told:
    lab.rooms.close(code, _word(sent, "token"))
    return {}


def _qr(lab: Lab, code: str, sent: Told) -> Told:
    lab.rooms.steer(code, _word(sent, "token"))
    address = _word(sent, "address")
    is_web = address.startswith(("http://", "https://")) and address.isascii()
    if not is_web or len(address) > _MAX_ADDRESS:
        raise InputError("That is no address that fits into a QR code. Tell the class the code.")
    return {"qr": views.qr(address)}


def _drawn(seen: Seen) -> Told:
    is_waiting = seen.question is None
    shown = markup.EMPTY if seen.result is None else views.answers(seen.result)
    phase = (
        "waiting" if is_waiting else "asked" if seen.is_open else "shown" if shown else "stopped"
    )
    return {"number": seen.number, "phase": phase, "asked": views.asked(seen), "answers": shown}


ACTS: Mapping[str, Callable[[Lab, str, Told], Told]] = {
    "open": _open,
    "join": _join,
    "look": _look,
    "answer": _answer,
    "steer": _steer,
    "reveal": _reveal,
    "close": _close,
    "qr": _qr,
}
ROUTES = [
    RoomLink("/", pupil_page, methods=["GET"]),
    Route("/classroom/open", open_room, methods=["POST"]),
    Route("/classroom/{code}/{act}", act, methods=["POST"]),
]

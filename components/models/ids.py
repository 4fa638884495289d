"""What a visitor may type as a model: an id of the catalog or of the Hub, and nothing else."""

from __future__ import annotations

import re

from components.errors import UnknownModelError

_NAME = r"\w(?:[\w.-]*\w)?"
_ID = re.compile(rf"{_NAME}(?:/{_NAME})?", re.ASCII)
_NEVER = re.compile(r"\.\.|--|\.git$")  # the Hub allows none of these either
_MAX_ID = 96  # characters, the Hub's own limit
_AROUND = " \t\r\n\f\v\xa0\u200b\u200c\u200d\u2060\ufeff\"'`“”‘’"  # comes along when one pastes
_HUB = re.compile(r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)(?:/|$)", re.IGNORECASE)
_PAGE = re.compile(r"/(?:tree|blob|resolve|raw|commits?|discussions|edit|settings)(?:/.*)?$")
_NO_MODELS = ("datasets", "spaces", "collections", "papers", "docs", "blog")  # kinds of Hub pages


def clean_id(typed: object) -> str:
    """Reduce what was typed, or the address of a Hub page, to `name` or `owner/name`.

    Raises UnknownModelError for everything else, so that a path of the server never gets further.
    """
    model_id = typed.strip(_AROUND) if isinstance(typed, str) else ""
    if not model_id:
        raise UnknownModelError("No model was chosen. Pick one from the list.")
    if _HUB.match(model_id):
        model_id = _from_address(model_id)
    if len(model_id) > _MAX_ID or _NEVER.search(model_id) or not _ID.fullmatch(model_id):
        raise UnknownModelError(
            f"“{_short(model_id)}” is no model id. Pick one from the list, or type an id of the "
            "Hub such as bert-base-uncased or owner/name: letters from A to Z, digits, - _ and ."
        )
    if model_id.split("/")[0] in _NO_MODELS:
        raise UnknownModelError(
            f"“{_short(model_id)}” is no model: it stands among the Hub's "
            f"{model_id.split('/')[0]}. Type the id of a model, such as bert-base-uncased."
        )
    return model_id


def _from_address(address: str) -> str:
    path = re.split(r"[?#]", _HUB.sub("", address, count=1))[0].strip("/")
    path = path.removeprefix("api/").removeprefix("models/")
    return "/".join(_PAGE.sub("", path).split("/")[:2]) or address


def _short(model_id: str) -> str:
    return model_id if len(model_id) <= 60 else model_id[:60] + "…"

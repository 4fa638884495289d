"""What a visitor may type as a model: an id of the catalog or of the Hub, and nothing else."""

from __future__ import annotations

import re

from components.errors import UnknownModelError

_ID = re.compile(r"[a-z0-9][\w.-]*(/[a-z0-9][\w.-]*)?", re.ASCII | re.IGNORECASE)
_MAX_ID = 96  # characters, the Hub's own limit
_URL = re.compile(r"https?://(www\.)?(huggingface\.co|hf\.co)/", re.IGNORECASE)


def clean_id(typed: object) -> str:
    """Reduce what was typed, or the address of a Hub page, to `name` or `owner/name`.

    Raises UnknownModelError for everything else, so that a path of the server never gets further.
    """
    model_id = typed.strip() if isinstance(typed, str) else ""
    if not model_id:
        raise UnknownModelError("No model was chosen. Pick one from the list.")
    if _URL.match(model_id):
        path = re.split(r"[?#]", _URL.sub("", model_id))[0]
        model_id = "/".join(path.strip("/").split("/")[:2])
    if len(model_id) > _MAX_ID or ".." in model_id or not _ID.fullmatch(model_id):
        shown = model_id if len(model_id) <= 60 else model_id[:60] + "…"
        raise UnknownModelError(
            f"“{shown}” is no model id. Pick one from the list, or type an id of the Hub such as "
            "bert-base-uncased or owner/name."
        )
    return model_id

"""Pin the full-size checkpoints: `python -m components.models.pinning`, where the Hub is in reach.

Asks the Hub for the commit of every entry of FULL_SIZE, and writes them to assets/full_size.json,
which the app then fetches them at. Nothing is downloaded.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from components.config import Settings
from components.errors import AppError
from components.models import hub
from components.models.full_size import FULL_SIZE, PINS, read_pins

logger = logging.getLogger(__name__)


def pin(file: Path = PINS, timeout: float = Settings().hub_timeout) -> tuple[str, ...]:
    """Write the commits of all entries to `file`; give the sentences of those that were not had.

    What was pinned before and cannot be had now stays pinned.
    """
    pins, troubles = dict(read_pins(file)), []
    for one in FULL_SIZE:
        try:
            pins[one.id] = hub.latest_commit(one.id, timeout)
        except AppError as error:
            troubles.append(str(error))
    if pins:
        file.write_text(json.dumps(pins, indent=2) + "\n", encoding="utf-8")
    return tuple(troubles)


def main() -> None:
    """Pin, and say what could not be pinned."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    for trouble in pin():
        logger.warning("%s", trouble)


if __name__ == "__main__":
    main()

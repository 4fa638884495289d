"""A table to take along: a CSV file inside the link itself, so that no server keeps it."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Sequence

from markupsafe import Markup

Cell = str | int | float

_FORMULA = ("=", "+", "-", "@")  # what spreadsheets run as a formula


def csv_link(name: str, headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    """Offer `rows` as a file called `name`, in UTF-8 as spreadsheets recognise it."""
    content = base64.b64encode(csv_text(headers, rows).encode("utf-8-sig", "replace")).decode()
    return Markup(
        '<p class="lab-download"><a download="{}" href="data:text/csv;charset=utf-8;base64,{}">'
        "Download as CSV</a></p>"
    ).format(name, content)


def csv_text(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a CSV; a text that a spreadsheet would run as a formula gets a leading quote."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerows([_harmless(cell) for cell in row] for row in (headers, *rows))
    return buffer.getvalue()


def _harmless(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.lstrip().startswith(_FORMULA):
        return f"'{cell}"
    return cell

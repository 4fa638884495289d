"""Many texts at once: typed one a line, or a column of a CSV file as people really save them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from components.config import MAX_FILE_BYTES, MAX_LINES, MAX_PASSAGE
from components.errors import InputError
from components.tasks.words import check_text

COLUMN_NAMES = ("text", "sentence", "review")  # looked for in this order

_SEPARATORS = (",", ";", "\t")
_NEVER = "\x1f"  # separates nothing: a file of one column may hold commas
_END = "\x1e"  # a record that closes the file, so that an open quote is noticed
_NAME = re.compile(r"[^\W\d][\w\-]*(?:[ .][\w\-]+){0,2}")  # as people name columns
_MARKUP = re.compile(r"\s*<(!doctype|html|\?xml)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts in their order, and what a person should know of how they were read."""

    texts: tuple[str, ...]
    notices: tuple[str, ...] = ()


def from_lines(text: str) -> Texts:
    """Read one text a line; empty lines are left out, and so is what comes after MAX_LINES."""
    check_text(text, "The text", MAX_PASSAGE)
    return _limited([line.strip() for line in text.splitlines() if line.strip()])


def from_document(text: str) -> Texts:
    """Read one text, line breaks and all."""
    return Texts((check_text(text, "The text", MAX_PASSAGE).strip(),))


def from_csv(content: bytes) -> Texts:
    """Read the column of a CSV file that holds the texts.

    That is the one named text, sentence or review, else the first whose cells are text. Commas,
    semicolons and tabs separate; UTF-8 or Latin-1. Raises InputError for what is no CSV.
    """
    text, notices = decoded(content)
    separator = _separator(text)
    rows = records(text, separator)
    if not rows:
        raise InputError("The file is empty. Choose a CSV file with one text a row.")
    column, is_named, notice = _column(rows)
    body = rows[1:] if is_named else rows
    cells = [row[column].strip() if column < len(row) else "" for row in body]
    read = _limited([cell for cell in cells if cell])
    skipped = _plural(cells.count(""), "row", "has no text and was", "have no text and were")
    notices += [notice] if notice else []
    notices += [f"{skipped} skipped."] if skipped else []
    notices += _ragged(body, len(rows[0]), separator)
    return Texts(read.texts, (*notices, *read.notices))


def _limited(texts: Sequence[str]) -> Texts:
    if not texts:
        raise InputError("No text was found: every row is empty. Give one text a row.")
    if len(texts) <= MAX_LINES:
        return Texts(tuple(texts))
    return Texts(
        tuple(texts[:MAX_LINES]),
        (f"Only the first {MAX_LINES:,} of {len(texts):,} texts were read.",),
    )


def decoded(content: bytes) -> tuple[str, list[str]]:
    """Read a file as text, and say how; raises InputError for what is no table of text."""
    if not content.strip():
        raise InputError("The file is empty. Choose a CSV file with one text a row.")
    if len(content) > MAX_FILE_BYTES:
        raise InputError(
            f"The file is too big: {len(content):,} bytes, and at most {MAX_FILE_BYTES:,} are "
            "read. Split it."
        )
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # what Excel calls Unicode text
        return _checked(content.decode("utf-16", "replace").removeprefix("\ufeff")), []
    try:
        return _checked(content.decode("utf-8-sig")), []
    except UnicodeDecodeError:
        return _checked(_western(content)), ["The file is not UTF-8; it was read as Latin-1."]


def _western(content: bytes) -> str:
    """Decode Latin-1 as browsers do: with the quotes and dashes of Windows where it has none."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _checked(text: str) -> str:
    """Refuse what is something else than a table of text."""
    if text.startswith("PK\x03\x04"):
        raise InputError("This is a spreadsheet or an archive, not a CSV file. Save it as CSV.")
    if "\x00" in text or len(_CONTROL.findall(text)) > len(text) / 100:
        raise InputError("This is a binary file, not a CSV file. Save the table as CSV.")
    if _MARKUP.match(text) or _is_json(text):
        raise InputError("This is a web page or JSON, not a CSV file. Save the table as CSV.")
    return _CONTROL.sub(" ", text).strip("\r\n")


def _is_json(text: str) -> bool:
    """Recognise JSON, whole or one value a line."""
    for part in (text, _first_line(text)):
        with contextlib.suppress(ValueError, RecursionError):
            return isinstance(json.loads(part), (dict, list))
    return False


def _separator(text: str) -> str:
    """Find what separates the cells: what stands most often in the first row, outside quotes."""
    first = _first_line(re.sub(r'"[^"]*"', "", text))
    for separator in sorted(_SEPARATORS, key=first.count, reverse=True):
        if separator in first and _is_table(records(text, separator), first, separator):
            return separator
    return _NEVER


def _is_table(rows: Sequence[Sequence[str]], first: str, separator: str) -> bool:
    """Tell rows of cells from sentences that hold a comma."""
    if _names(rows) & set(COLUMN_NAMES):
        return True
    is_sentence = first.rstrip().endswith((".", "!", "?", "…"))
    if is_sentence and first.count(separator) == first.count(f"{separator} "):
        return False
    alike = sum(len(row) == len(rows[0]) for row in rows if row)
    return alike * 2 > sum(bool(row) for row in rows)


def _names(rows: Sequence[Sequence[str]]) -> set[str]:
    return {cell.strip().casefold() for cell in rows[0]}


def _first_line(text: str) -> str:
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


def records(text: str, separator: str) -> list[list[str]]:
    """Split into rows of cells; line breaks inside quotes stay, empty lines at the end do not.

    Raises InputError for a quote that is never closed.
    """
    csv.field_size_limit(2 * MAX_FILE_BYTES)
    lines = io.StringIO(f"{text}\n{_END}", newline="")
    try:
        rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"The file cannot be read as CSV: {error}. Save it again.") from error
    if rows.pop() != [_END]:
        raise InputError(
            f"A quote that opens in row {len(rows) + 1} of the file is never closed. Close it, or "
            "double the quotes that belong to the text."
        )
    return rows


def _column(rows: Sequence[Sequence[str]]) -> tuple[int, bool, str]:
    """Give the column of the texts, whether the first row names the columns, and a notice."""
    names = [cell.strip().casefold() for cell in rows[0]]
    for name in COLUMN_NAMES:
        if name in names:
            return names.index(name), True, ""
    is_named = _are_names(rows)
    column = _first_of_text(rows[1:] if is_named else rows)
    where = f"column {column + 1}"
    if is_named and column < len(names):
        where += f", which the first row calls “{rows[0][column].strip()}”,"
    return column, is_named, f"No column is named text, sentence or review: {where} was read."


def _are_names(rows: Sequence[Sequence[str]]) -> bool:
    """Guess whether the first row names the columns; a text alone in its row is no name."""
    cells = [cell.strip() for cell in rows[0] if cell.strip()]
    if len(rows) < 2 or not cells or (len(rows[0]) == 1 and " " in cells[0]):
        return False
    return all(_NAME.fullmatch(cell) for cell in cells)


def _first_of_text(rows: Sequence[Sequence[str]]) -> int:
    """Give the first column whose cells are mostly of several words, else of letters."""
    width = max(len(row) for row in rows)
    for pattern in (r"[^\W\d]\S*\s+\S", r"[^\W\d]"):
        for column in range(width):
            cells = [row[column] for row in rows if column < len(row) and row[column].strip()]
            if sum(bool(re.search(pattern, cell)) for cell in cells) * 2 > len(cells):
                return column
    raise InputError("The file has no column of text: all its cells are numbers or empty.")


def _ragged(rows: Sequence[Sequence[str]], width: int, separator: str) -> list[str]:
    longer = _plural(sum(len(row) > width for row in rows), "row", "has", "have")
    if not longer:
        return []
    name = "tabs" if separator == "\t" else f"“{separator}”"
    return [f"{longer} more cells than the first row: put texts that contain {name} in quotes."]


def _plural(count: int, noun: str, one: str, many: str) -> str:
    """Count things, as in "1 row has" or "2 rows have"; nothing for none."""
    if not count:
        return ""
    return f"1 {noun} {one}" if count == 1 else f"{count:,} {noun}s {many}"

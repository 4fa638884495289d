"""Labelled lines as people paste them: one example a line, its label first or last.

What would spoil a training is said in words: empty rows, one class only, thirty classes, a text
with two labels, and a text that stands twice, which would leak from training into the test.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.config import (
    MAX_CLASSES,
    MAX_EXAMPLE,
    MAX_EXAMPLES,
    MAX_PASSAGE,
    MIN_EXAMPLES,
)
from components.errors import InputError
from components.tasks.texts import COLUMN_NAMES, decoded, records
from components.tasks.words import check_text

LABEL_NAMES = ("label", "class", "category", "topic", "sentiment", "target", "y")
FEWEST_OF_A_CLASS = 4  # lines: three to learn from, one to be tested with
_SEPARATORS = {"\t": "a tab", ";": "a semicolon", ",": "a comma"}
_LONGEST_LABEL = 40  # characters
_SPLIT = 0.8  # share of the rows that must have a label for a separator to be the one
_HOW = "Write one example a line, its label first or last: “positive; I learned a lot”."


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """Texts, the number of each one's label, the names of the labels, and what was done."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]
    names: tuple[str, ...]  # in the order of the alphabet
    notices: tuple[str, ...]


Row = tuple[str, str]  # text, label


def from_lines(text: str, seed: int = 1) -> LabelledLines:
    """Read one example a line. Raises InputError for lines that nothing can be learned from."""
    check_text(text, "The field of labelled lines", MAX_PASSAGE)
    return _checked(*_rows(text.strip("\r\n"), is_file=False), seed)


def from_file(content: bytes, seed: int = 1) -> LabelledLines:
    """Read a table of examples, as `from_lines` does; UTF-8 or Latin-1."""
    text, notices = decoded(content)
    rows, more = _rows(text, is_file=True)
    return _checked(rows, [*notices, *more], seed)


def _rows(text: str, *, is_file: bool) -> tuple[list[Row], list[str]]:
    """Find the separator and the side of the label: those that make the fewest labels."""
    best: tuple[float, float, list[Row], list[str]] | None = None
    for separator, name in _SEPARATORS.items():
        cells = _cells(text, separator, is_file=is_file)
        for rows, where in _readings(cells, separator):
            if sum(bool(label) for _, label in rows) < _SPLIT * sum(map(any, rows)):
                continue
            labels = [label.casefold() for _, label in rows if label]
            key = (len(set(labels)), sum(map(len, labels)) / max(1, len(labels)))
            if best is None or key < best[:2]:
                said = f"Read with {name} between text and label, the label {where}."
                best = (*key, rows, [said])
    if best is None:
        raise InputError(
            "No labels were found: a comma, a semicolon or a tab must stand between a text and "
            f"its label. {_HOW}"
        )
    return _without_header(best[2], best[3])


def _cells(text: str, separator: str, *, is_file: bool) -> list[list[str]]:
    if separator not in text:
        return []
    try:
        return records(text, separator)
    except InputError:
        if is_file:
            raise
        return [line.split(separator) for line in text.splitlines()]  # a quote is a letter


def _readings(cells: Sequence[Sequence[str]], separator: str) -> list[tuple[list[Row], str]]:
    """Read rows of cells with the label last, first, or in the column that is called so."""
    names = [cell.strip().casefold() for cell in cells[0]] if cells else []
    label = next((names.index(name) for name in LABEL_NAMES if name in names), None)
    text = next((names.index(name) for name in COLUMN_NAMES if name in names), None)
    if label is not None and text is not None:
        return [([_named(row, text, label) for row in cells], "in the column that is called so")]
    glue = " " if separator == "\t" else f"{separator} "
    last = [(glue.join(c.strip() for c in row[:-1]), _label(row, -1)) for row in cells]
    first = [(glue.join(c.strip() for c in row[1:]), _label(row, 0)) for row in cells]
    alone = [(row[0].strip(), "") if len(row) == 1 else None for row in cells]
    return [
        ([a or b for a, b in zip(alone, rows, strict=True)], where)
        for rows, where in ((last, "last"), (first, "first"))
        if rows
    ]


def _named(row: Sequence[str], text: int, label: int) -> Row:
    cell = dict(enumerate(row))
    return cell.get(text, "").strip(), cell.get(label, "").strip()


def _label(row: Sequence[str], place: int) -> str:
    return row[place].strip() if row else ""


def _without_header(rows: list[Row], notices: list[str]) -> tuple[list[Row], list[str]]:
    if rows[0][1].casefold() in LABEL_NAMES or rows[0][0].casefold() in COLUMN_NAMES:
        return rows[1:], [*notices, "The first row names the columns, and was left out."]
    return rows, notices


def _checked(rows: Sequence[Row], notices: list[str], seed: int) -> LabelledLines:
    """Leave out what is no example, say so, and refuse what cannot be learned from."""
    said = list(notices)
    whole = [(text, label) for text, label in rows if text and label]
    said += _some(len(rows) - len(whole), "without a text or without a label", "left out")
    _refuse_sentences(whole)
    long = sum(len(text) > MAX_EXAMPLE for text, _ in whole)
    said += _some(long, f"longer than {MAX_EXAMPLE} characters", "cut there")
    whole = [(text[:MAX_EXAMPLE], label) for text, label in whole]
    whole = _single(_one_spelling(whole, said), said)
    names = sorted({label for _, label in whole})
    _refuse_classes(whole, names)
    if len(whole) > MAX_EXAMPLES:
        drawn = sorted(np.random.default_rng(seed).permutation(len(whole))[:MAX_EXAMPLES])
        said.append(f"{MAX_EXAMPLES} of the {len(whole):,} lines were drawn at random.")
        whole = [whole[i] for i in drawn]
        _refuse_classes(whole, names)
    numbers = tuple(names.index(label) for _, label in whole)
    return LabelledLines(tuple(t for t, _ in whole), numbers, tuple(names), tuple(said))


def _some(count: int, what: str, done: str) -> list[str]:
    if not count:
        return []
    return [f"1 row is {what}: {done}." if count == 1 else f"{count:,} rows are {what}: {done}."]


def _refuse_sentences(rows: Sequence[Row]) -> None:
    long = [label for _, label in rows if len(label) > _LONGEST_LABEL]
    if len(long) > len(rows) / 10:
        raise InputError(
            f"“{long[0][:_LONGEST_LABEL]}…” was read as a label, and is too long for one (at most "
            f"{_LONGEST_LABEL} characters). {_HOW}"
        )
    if not rows:
        raise InputError(f"No line has both a text and a label. {_HOW}")


def _one_spelling(rows: Sequence[Row], said: list[str]) -> list[Row]:
    """Spell labels that differ in capital letters alike, as the most do."""
    counts = Counter(label for _, label in rows)
    spelling: dict[str, str] = {}
    for label, _ in counts.most_common():
        spelling.setdefault(label.casefold(), label)
    if len(spelling) < len(counts):
        said.append("Labels that differ only in capital letters were taken for one.")
    return [(text, spelling[label.casefold()]) for text, label in rows]


def _single(rows: Sequence[Row], said: list[str]) -> list[Row]:
    """Keep each text once; none of those that stand there with two labels."""
    labels: dict[str, set[str]] = defaultdict(set)
    for text, label in rows:
        labels[_key(text)].add(label)
    torn = [text for text, _ in rows if len(labels[_key(text)]) > 1]
    if torn:
        said.append(
            f"“{torn[0][:60]}” stands there with two labels"
            + (f", and so do others: {len(torn)} rows were" if len(torn) > 2 else ": both were")
            + " left out. Nobody could learn from them."
        )
    kept = {_key(text): (text, label) for text, label in reversed(rows)}
    single = [row for key, row in reversed(kept.items()) if len(labels[key]) == 1]
    copies = len(rows) - len(torn) - len(single)
    if copies:
        said.append(
            f"{copies} {'copy' if copies == 1 else 'copies'} of lines that stand twice left out: a "
            "line to learn from that is in the test too would be a leak."
        )
    return single


def _key(text: str) -> str:
    """Give what two lines have in common that differ in capitals, spaces and marks alone."""
    return "".join(filter(str.isalnum, text.casefold())) or text


def _refuse_classes(rows: Sequence[Row], names: Sequence[str]) -> None:
    counts = Counter(label for _, label in rows)
    if len(rows) < MIN_EXAMPLES:
        raise InputError(
            f"Only {len(rows)} labelled lines are left: at least {MIN_EXAMPLES} are needed, and 50 "
            "or more are better. Add some, or take an example set."
        )
    if len(names) == 1:
        raise InputError(
            f"All {len(rows)} lines have the label “{names[0]}”: there is nothing to tell apart. "
            "Add lines with another label."
        )
    if len(names) > MAX_CLASSES:
        raise InputError(
            f"{len(names)} different labels, such as “{names[0]}” and “{names[1]}”: at most "
            f"{MAX_CLASSES} can be learned from so few lines. Is the label really first or last "
            "in each line? If it is, put labels that are alike together."
        )
    few = [name for name in names if counts[name] < FEWEST_OF_A_CLASS]
    if few:
        shown = ", ".join(f"“{name}” ({counts[name]})" for name in few[:5])
        raise InputError(
            f"Too few lines of {shown}: each label needs at least {FEWEST_OF_A_CLASS}. Add lines, "
            "or take these out."
        )

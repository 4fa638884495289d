from __future__ import annotations

import pytest

from components.config import ASSETS
from components.errors import InputError
from components.tasks.labelled_lines import from_file, from_lines

WORDS = ("river", "mill", "boat", "bread", "soup", "film", "music", "sea", "town", "storm", "menu")


def rows(count: int, classes: int = 2) -> list[tuple[str, str]]:
    return [(f"the {WORDS[i % 11]}, number {i}", f"class{i % classes}") for i in range(count)]


def lines(count: int, classes: int = 2) -> str:
    return "\n".join(f"{label}; {text}" for text, label in rows(count, classes))


@pytest.mark.parametrize("separator", ["; ", ", ", "\t", ";", ","])
@pytest.mark.parametrize("last", [True, False])
def test_the_label_may_stand_first_or_last_behind_any_separator(separator: str, last: bool) -> None:
    pairs = [(t, n) if last else (n, t) for t, n in rows(24)]
    read = from_lines("\n".join(separator.join(pair) for pair in pairs))
    assert read.names == ("class0", "class1")
    assert read.labels == tuple(i % 2 for i in range(24))
    assert read.texts == tuple(text for text, _ in rows(24)), "a comma inside a text stays"


def test_a_header_is_left_out_and_said_to_be() -> None:
    body = "\n".join(f'{i},"{text}",{label}' for i, (text, label) in enumerate(rows(20)))
    read = from_file(f"id,text,label\n{body}".encode())
    assert read.texts[1] == "the mill, number 1"
    assert any("names the columns" in notice for notice in read.notices)
    read = from_lines("label; text\n" + lines(20))
    assert len(read.texts) == 20
    assert any("names the columns" in notice for notice in read.notices)


def test_empty_and_unlabelled_rows_are_left_out_and_counted() -> None:
    read = from_lines(lines(20) + "\n\nclass0;\n; alone\nno label at all")
    assert len(read.texts) == 20
    assert any(notice.startswith("4 rows are without a text") for notice in read.notices)


def test_a_line_that_stands_twice_is_kept_once_because_it_would_leak() -> None:
    read = from_lines(lines(20) + "\nclass0; The RIVER number 0!\nclass1; the mill, number 1")
    assert len(read.texts) == 20
    assert any("2 copies" in notice and "leak" in notice for notice in read.notices)


def test_a_text_with_two_labels_is_left_out_and_named() -> None:
    read = from_lines(lines(22) + "\nclass1; the river, number 0")
    assert len(read.texts) == 21
    assert "the river, number 0" not in read.texts
    assert any("the river, number 0" in n and "two labels" in n for n in read.notices)


def test_labels_in_other_capitals_are_one() -> None:
    read = from_lines(lines(20) + "\nCLASS1; once more")
    assert read.names == ("class0", "class1")
    assert any("capital" in notice for notice in read.notices)


def test_long_lines_are_cut_and_too_many_are_drawn_from() -> None:
    read = from_lines(lines(20) + "\nclass0; " + "word " * 200)
    assert max(map(len, read.texts)) == 400
    many = from_file(lines(900).encode())
    assert len(many.texts) == 500
    assert set(many.labels) == {0, 1}
    assert many.texts == from_file(lines(900).encode()).texts
    assert any("500 of the 900 lines" in notice for notice in many.notices)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a sentence\nand another", "No labels were found"),
        (lines(19), "Only 19 labelled lines"),
        (lines(30, 1), "All 30 lines have the label “class0”"),
        (lines(120, 30), "30 different labels"),
        (lines(24) + "\nother; one\nother; two", "Too few lines of “other” .2."),
        ("\n".join(f"{'very ' * 12}long {i}; {'x' * 50} {i}" for i in range(30)), "too long for"),
        ("x;y;" * 30_000, "too long"),
    ],
)
def test_what_nothing_can_be_learned_from_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        from_lines(text)


def test_a_quote_that_is_never_closed_is_a_letter_in_a_line_and_a_fault_in_a_file() -> None:
    text = lines(20) + '\nclass0; "I was told to wait'
    assert len(from_lines(text).texts) == 21
    with pytest.raises(InputError, match="never closed"):
        from_file(text.encode())


@pytest.mark.parametrize("name", ["course_feedback", "questions_by_topic", "spam"])
def test_the_bundled_sets_are_clean(name: str) -> None:
    read = from_file((ASSETS / "examples" / f"{name}.txt").read_bytes())
    assert len(read.texts) >= 60
    assert len(read.notices) == 1, "nothing was left out"

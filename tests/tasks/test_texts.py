from __future__ import annotations

import contextlib
import csv
import io
import random

import pytest

from components.errors import InputError
from components.tasks.texts import Texts, from_csv, from_lines

TEXTS = ("It's good, really", "Weak; slow", 'She said "no"', "two\nlines", "café – naïve")


def written(separator: str, header: str = "text", **options: object) -> str:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=separator, **options)  # type: ignore[arg-type]
    writer.writerow(["id", header, "stars"])
    writer.writerows([i, text, 5] for i, text in enumerate(TEXTS))
    return buffer.getvalue()


def test_one_text_a_line() -> None:
    assert from_lines(" a \n\n\t\r\nb c\rd") == Texts(("a", "b c", "d"))


@pytest.mark.parametrize("text", ["", "\n \n", None, 7, "x" * 100_001])
def test_lines_that_cannot_be_used_are_refused(text: object) -> None:
    with pytest.raises(InputError):
        from_lines(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_files_as_people_save_them(
    separator: str, encoding: str, line_end: str, quoting: int
) -> None:
    content = written(separator, lineterminator=line_end, quoting=quoting).encode(encoding)
    read = from_csv(content)
    assert read.texts == TEXTS
    assert bool(read.notices) == (encoding == "cp1252")


@pytest.mark.parametrize("content", [b"text,id\ngood,1", b'"text";"id"\n"good";1', b"text\ngood"])
def test_the_mark_before_the_first_column_is_no_part_of_its_name(content: bytes) -> None:
    assert from_csv(b"\xef\xbb\xbf" + content) == Texts(("good",))


@pytest.mark.parametrize("name", ["text", "Text", "SENTENCE", " Review ", "review"])
def test_the_column_is_found_by_its_name(name: str) -> None:
    assert from_csv(written(",", header=name).encode()) == Texts(TEXTS)


def test_a_column_called_text_comes_before_one_called_review() -> None:
    assert from_csv(b"review,text\nno,yes").texts == ("yes",)


def test_a_file_of_one_column_may_hold_commas() -> None:
    assert from_csv(b"text\nWell, I liked it.\nNo, thanks").texts == (
        "Well, I liked it.",
        "No, thanks",
    )
    assert from_csv(b"Well, I liked it.\nNo, I did not.").texts == (
        "Well, I liked it.",
        "No, I did not.",
    )
    assert from_csv(b"The food, the room, all of it was fine\nGood").texts[1] == "Good"


@pytest.mark.parametrize(
    ("content", "texts", "said"),
    [
        (
            b"id,opinion,stars\n1,so very good,5\n2,bad one,1",
            ("so very good", "bad one"),
            "“opinion”",
        ),
        (b"id,mood,opinion\n1,pos,so good\n2,neg,bad one", ("so good", "bad one"), "“opinion”"),
        (b"1,so good\n2,bad one", ("so good", "bad one"), "column 2"),
        (b"So good!\nBad one.", ("So good!", "Bad one."), "column 1"),
        (b"Great film\nBad one", ("Great film", "Bad one"), "column 1"),
        (b"opinion\ngood\nbad", ("good", "bad"), "“opinion”"),
        (b"a b c", ("a b c",), "column 1"),
    ],
)
def test_without_a_known_name_the_first_column_of_text_is_read_and_said(
    content: bytes, texts: tuple[str, ...], said: str
) -> None:
    read = from_csv(content)
    assert read.texts == texts
    assert said in read.notices[0]


def test_rows_without_a_text_are_skipped_and_said() -> None:
    read = from_csv(b"id,text\n1,good\n2,\n\n3,  \n4\n5,bad\n")
    assert read == Texts(("good", "bad"), ("4 rows have no text and were skipped.",))
    assert from_csv(b"text,id\ngood,1\n,2").notices == ("1 row has no text and was skipped.",)


def test_texts_with_unquoted_commas_are_noticed() -> None:
    read = from_csv(b"text,label\nfine,1\ngood, really,1\nwell,0")
    assert read.notices == (
        "1 row has more cells than the first row: put texts that contain “,” in quotes.",
    )


def test_too_many_rows_are_cut_and_said() -> None:
    read = from_csv(b"text\n" + b"good\n" * 1_234)
    assert len(read.texts) == 1_000
    assert read.notices == ("Only the first 1,000 of 1,234 texts were read.",)
    assert len(from_lines("good\n" * 1_000).texts) == 1_000
    assert from_lines("good\n" * 1_001).notices


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b" \r\n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"text\n", "every row is empty"),
        (b"text,id\n\n ,\n", "every row is empty"),
        (b",,\n,,", "no column of text"),
        (b"1,2\n3,4", "no column of text"),
        (b"PK\x03\x04" + bytes(range(256)) * 9, "spreadsheet"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "binary"),
        (b"%PDF-1.7\n" + bytes(range(1, 256)) * 9, "binary"),
        ("text\ngood".encode("utf-16-le"), "binary"),
        (b"<!DOCTYPE html><html><p>text", "web page"),
        (b"  <html>\n<p>text", "web page"),
        (b'[{"text": "good"}]', "JSON"),
        (b'{"text": "good"}\n{"text": "bad"}', "JSON"),
        (b'text,label\n"good,1\nbad,0', "never closed"),
        (b"text\n" + b"good " * 300_000, "too big"),
    ],
)
def test_what_is_no_csv_is_refused_in_words(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_csv(content)


@pytest.mark.parametrize("seed", range(30))
def test_any_bytes_are_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    letters = b"a b,;\t\n\r\"'\xe9\xff\x00\x80{[<=" if seed % 2 else b"ab ,;\t\n\r\"'\xe9."
    content = bytes(chance.choice(letters) for _ in range(chance.randrange(1, 400)))
    texts: tuple[str, ...] = ()
    with contextlib.suppress(InputError):
        texts = from_csv(content).texts
    assert all(text.strip() for text in texts)


def test_old_line_ends_and_formulas_are_plain_text() -> None:
    assert from_csv(b"text,id\rgood,1\r=1+1,2").texts == ("good", "=1+1")

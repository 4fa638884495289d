from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from components.models.encoding import NormalizerStep
from components.models.manager import ModelManager
from components.tasks import tokenization
from components.tasks.compare import Refusal
from components.tasks.tokenization import Kind, Piece, Row, TokenizationResult
from components.tasks.words import Word
from components.views import letters, normalizer
from components.views import tokenization as views

TEXT = "unbelievable <b>"


def piece(token: str, span: tuple[int, int] | None, word: int | None = 0, **more: Any) -> Piece:
    kind = more.pop("kind", Kind.SPECIAL if span is None else Kind.PIECE)
    return Piece(token, 7, kind, span, span, word, more.pop("is_cut", False))


def row(model_id: str, *tokens: Piece, per_word: tuple[int, ...], family: str = "BERT") -> Row:
    return Row(model_id, "bert", family, tokens, per_word, (), 64, ())


BERT = row(
    "bert-mini",
    piece("[CLS]", None),
    piece("unbelievable", (0, 12)),
    piece("[UNK]", (13, 16), 1, kind=Kind.UNKNOWN),
    per_word=(1, 1),
)
ROBERTA = row(
    "roberta-mini",
    piece("<s>", None),
    piece("un", (0, 2)),
    piece("believ", (2, 8)),
    piece("able", (8, 12)),
    piece("Ġ<b>", (13, 16), 1),
    per_word=(3, 1),
    family="RoBERTa",
)


def result_of(*entries: Row | Refusal) -> TokenizationResult:
    characters = tuple((i, i + 1) for i in range(len(TEXT)))
    return TokenizationResult(TEXT, (Word((0, 12)), Word((13, 16))), characters, entries)


def _visible(drawn: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", drawn))


def test_the_finding_names_the_word_that_is_split_most_differently() -> None:
    said = _visible(views.finding(result_of(BERT, ROBERTA)))
    assert "“unbelievable” is 1 piece for BERT and 3 for RoBERTa; the text is 3 to 5 tokens" in said
    assert "BERT: the vocabulary has nothing for “<b>”. 1 piece is [UNK]" in said  # H07


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ((BERT,), "“unbelievable” is 1 piece for BERT; the text is 3 tokens long"),
        ((), "None of the tokenizers could be opened"),
        (
            (BERT, row("owner/x", *BERT.pieces[1:], per_word=(1, 1))),
            "is 1 piece for all; the text is 2 to 3 tokens long",
        ),
    ],
)
def test_the_finding_without_a_difference(entries: tuple[Row, ...], words: str) -> None:
    assert words in _visible(views.finding(result_of(*entries)))


def test_the_finding_says_what_is_cut_and_which_special_token_was_typed() -> None:
    cut = row("bert-mini", piece("un", (0, 2)), piece("b", (13, 14), is_cut=True), per_word=(1, 1))
    assert "64 tokens can be read, and the text has 2. From “<b>” on" in _visible(
        views.finding(result_of(cut))
    )
    typed = row("bert-mini", piece("<b>", (13, 16), kind=Kind.SPECIAL), per_word=(0, 1))
    said = _visible(views.finding(result_of(typed, ROBERTA)))
    assert "<b> was typed: it is the special token for BERT. For the others it is plain" in said


def test_every_piece_and_every_character_says_what_it_links_to() -> None:
    drawn = views.picture(result_of(BERT, ROBERTA))
    links = re.findall(r'data-from="(\d+)" data-to="(\d+)"', drawn)
    pieces = [p.span or (0, 0) for one in (BERT, ROBERTA) for p in one.pieces]
    assert [(int(a), int(b)) for a, b in links] == [*((i, i + 1) for i in range(16)), *pieces]
    assert drawn.count('tabindex="0"') == 3  # one stop of the Tab key in each line
    assert "<b>" not in drawn
    assert "for <bdi>&lt;b&gt;</bdi>" in drawn  # the unknown token's text


def test_words_have_one_tint_in_the_text_and_in_every_row() -> None:
    drawn = views.picture(result_of(BERT, ROBERTA))
    assert drawn.count("lab-tint-0") == 12 + 1 + 3
    assert drawn.count("lab-tint-1") == 3 + 1 + 1


def test_rows_that_are_alike_are_drawn_once_with_both_names() -> None:
    twin = row("distilbert-mini", *BERT.pieces, per_word=(1, 1), family="DistilBERT")
    drawn = views.picture(result_of(BERT, twin))
    assert drawn.count("lab-link-row") == 1
    assert "BERT" in _visible(drawn)
    assert "DistilBERT" in _visible(drawn)
    assert views.table(result_of(BERT, twin))[0][0] == "BERT and DistilBERT"


def test_a_refusal_is_said_below_the_rows() -> None:
    drawn = views.picture(result_of(BERT, Refusal("<i>x", "It is <b>gone</b>.")))
    assert "<i>x It is <b>gone</b>." in _visible(drawn)
    assert "<i>" not in drawn


def test_of_a_long_row_the_beginning_is_drawn_and_it_is_said() -> None:
    many = row("bert-mini", *[piece("x", (0, 1))] * 1_000, per_word=(1_000, 0))
    drawn = views.picture(result_of(many))
    assert drawn.count("lab-unit ") == views.MAX_DRAWN
    assert "… and 700 more" in drawn
    assert len(views.table(result_of(many))) == views.MAX_DRAWN


def test_the_table_has_the_spans_and_the_text_they_stand_for() -> None:  # H07
    rows = views.table(result_of(BERT))
    assert rows[0] == ["BERT", 0, "[CLS]", 7, "special token", "–", "–", "–"]
    assert rows[2] == ["BERT", 2, "[UNK]", 7, "unknown", "<b>", "13:16", "13:16"]
    assert len(rows[0]) == len(views.HEADERS)


def test_a_piece_of_a_character_says_how_many_bytes_it_is(models: ModelManager) -> None:
    result = tokenization.predict(models.tokenizer, ["roberta-mini"], "😀")
    assert "1 of the 4 bytes of “😀”" in unescape(views.picture(result))


@pytest.mark.parametrize("text", ["\x00\x07\u202e\ufeff", "a\r\nb\tc", "<img src=x>" * 30])
def test_nothing_odd_reaches_the_page(models: ModelManager, text: str) -> None:  # H38
    result = tokenization.predict(models.tokenizer, ["bert-mini", "roberta-mini"], text)
    drawn = views.picture(result) + views.finding(result)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e\ufeff]", drawn)
    assert "<img" not in drawn


# Characters and steps


def test_what_cannot_be_seen_is_written_out() -> None:
    assert letters.visible("a b\n\t\x00\u200d", spaces=True) == "a␣b⏎⇥␀[U+200D]"
    assert letters.visible("👩\u200d👧 x\u200d") == "👩\u200d👧 x[U+200D]"
    assert letters.isolated("שלום") == "\u2068שלום\u2069"
    assert letters.isolated("shalom") == "shalom"
    assert letters.visible("e\u0301", parted=True) == "e + ◌\u0301"
    assert letters.described("é") == "U+00E9 LATIN SMALL LETTER E WITH ACUTE"
    assert letters.described("e" + "\u0301" * 50).endswith("+ 43 more")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Zürich is Nice", "zürich is nice", (("Zürich", "zürich"), ("Nice", "nice"))),
        ("a 你好", "a  你  好 ", (("你好", " 你  好 "),)),
        ("same", "same", ()),
        ("gone x", " x", (("gone", ""),)),
    ],
)
def test_changes_are_told_word_by_word(before: str, after: str, expected: Any) -> None:
    assert normalizer.changes(before, after) == expected


def test_steps_that_changed_nothing_are_only_named() -> None:
    steps = (
        NormalizerStep("Lowercase", "", "Zü", "zü"),
        NormalizerStep("NFKD", "", "zü", "zu\u0308"),
        NormalizerStep("Replace", '`` → "', "zu\u0308", "zu\u0308"),
        NormalizerStep("Odd", "<b>", "zu\u0308", "<b>"),
    )
    drawn = normalizer.draw_steps(steps)
    said = _visible(drawn)
    assert "capitals become small letters Zü → zü" in said
    assert "zu + ◌\u0308" in said
    assert "Replace also looked, and found nothing to change." in said
    assert "<b>Odd</b>" in drawn
    assert "&lt;b&gt;" in drawn
    assert "No normalizer" in normalizer.draw_steps(())
    assert "Lowercase found nothing to change" in normalizer.draw_steps(
        (NormalizerStep("Lowercase", "", "a", "a"),)
    )


def test_a_text_of_one_word_a_thousand_times_is_told_in_short() -> None:
    steps = (NormalizerStep("strip_accents", "", "Á a " * 500, "A a " * 500),)
    assert len(normalizer.draw_steps(steps)) < 2_000

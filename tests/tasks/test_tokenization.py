from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from components.config import ASSETS, Settings
from components.errors import InputError
from components.models.catalog import one_per_family
from components.models.manager import ModelManager
from components.tasks import tokenization
from components.tasks.compare import Refusal
from components.tasks.tokenization import Kind, Row, TokenizationResult
from tests.models.test_encoding import NASTY

ALL = [card.id for card in one_per_family()]
HOSTILE = [text for text in NASTY if text.strip()]


@pytest.fixture
def split(models: ModelManager) -> Callable[..., TokenizationResult]:
    def made(text: str, *ids: str, **options: Any) -> TokenizationResult:
        return tokenization.predict(models.tokenizer, ids or ALL, text, **options)

    return made


Split = Callable[..., TokenizationResult]


def _row(result: TokenizationResult, model_type: str) -> Row:
    return next(row for row in result.rows if row.model_type == model_type)


@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("text", HOSTILE)
def test_pieces_and_ids_are_those_of_transformers_own_call(
    split: Split, models: ModelManager, text: str, literal: bool
) -> None:
    result = split(text, literal=literal)
    assert len(result.rows) == 6
    for row in result.rows:
        tokenizer = models.tokenizer(row.model_id)._checkpoint.tokenizer
        own = tokenizer(result.text, split_special_tokens=literal, verbose=False)
        assert [piece.token_id for piece in row.pieces] == own["input_ids"]
        assert [piece.token for piece in row.pieces] == tokenizer.convert_ids_to_tokens(
            own["input_ids"]
        )


@pytest.mark.parametrize("text", HOSTILE)
def test_spans_slice_back_to_the_text_in_characters_and_in_bytes(
    split: Split, text: str
) -> None:  # H07, H29, H39
    result = split(text)
    whole = result.text.encode("utf-8")
    assert len(result.text) == len(text)
    for row in result.rows:
        ends = [0]
        for piece in row.pieces:
            assert (piece.span is None) == (piece.byte_span is None)
            if piece.span is None or piece.byte_span is None:
                assert piece.kind is Kind.SPECIAL
                continue
            part, own = result.text[slice(*piece.span)], whole[slice(*piece.byte_span)]
            assert own in part.encode("utf-8")
            if row.model_type != "roberta":
                assert own.decode("utf-8") == part
            assert piece.span[1] >= ends[-1]
            ends.append(piece.span[1])


@pytest.mark.parametrize("text", HOSTILE)
def test_byte_level_pieces_share_out_the_bytes_of_a_character(split: Split, text: str) -> None:
    result = split(text, "roberta-mini", literal=True)
    (row,) = result.rows
    covered = [b for p in row.pieces if p.byte_span for b in range(*p.byte_span)]
    assert covered == sorted(set(covered))  # no byte is given to two pieces
    whole, given = result.text.encode("utf-8"), set(covered)
    missed = bytes(byte for i, byte in enumerate(whole) if i not in given)
    assert not missed.decode("utf-8").strip()  # spaces alone


@pytest.mark.parametrize("text", [*HOSTILE, "e\u0301👩‍👩‍👧\r\n🇫🇷x"])
def test_the_characters_are_the_whole_text_once(split: Split, text: str) -> None:  # H39
    result = split(text, "bert-mini")
    assert "".join(result.text[slice(*span)] for span in result.characters) == result.text
    assert all(start < stop for start, stop in result.characters)
    flag = split("e\u0301👩‍👩‍👧🇫🇷x", "bert-mini")
    assert [stop - start for start, stop in flag.characters] == [2, 5, 2, 1]


def test_accents_go_and_chinese_is_unknown(split: Split) -> None:  # H07
    for model_type in ("bert", "distilbert", "electra"):
        row = _row(split("Zürich 你好"), model_type)
        assert [piece.span for piece in row.unknown] == [(7, 8), (8, 9)]
        assert row.pieces[1].span == (0, 1)
        assert [s.name for s in row.steps if s.before != s.after] == [
            "handle_chinese_chars",
            "strip_accents",
            "lowercase",
        ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zürich 你好", [("zurich", (0, 6)), ("[UNK]", (7, 8)), ("[UNK]", (8, 9))]),
        ("naïve café 😀", [("naive", (0, 5)), ("cafe", (6, 10)), ("[UNK]", (11, 12))]),
        ("unhappiness", [("un", (0, 2)), ("##ha", (2, 4)), ("##pp", (4, 6)), ("##iness", (6, 11))]),
    ],
)
def test_the_real_vocabulary(text: str, expected: list[Any]) -> None:  # H05, H07
    opened = ModelManager(Settings(device="cpu", models_dir=Path(ASSETS / "models"))).tokenizer
    (row,) = tokenization.predict(opened, ["bert-mini"], text).rows
    assert [(piece.token, piece.span) for piece in row.pieces[1:-1]] == expected


def test_a_special_token_that_is_typed_is_one_for_its_own_family(split: Split) -> None:  # H02
    result = split("is [MASK] or <mask>")
    typed = {
        row.model_type: [p.token for p in row.pieces if p.kind is Kind.SPECIAL and p.span]
        for row in result.rows
    }
    assert typed.pop("roberta") == ["<mask>"]
    assert set(map(tuple, typed.values())) == {("[MASK]",)}
    plain = split("is [MASK] or <mask>", "bert-mini", "roberta-mini", literal=True)
    for row in plain.rows:
        assert all(p.span is None for p in row.pieces if p.kind is Kind.SPECIAL)


def test_a_normalizer_leaves_typed_special_tokens_alone(split: Split) -> None:
    assert _row(split("Is [MASK] It"), "bert").steps[-1].after == "is [MASK] it"
    assert _row(split("Is [MASK] It", literal=True), "bert").steps[-1].after == "is [mask] it"


def test_what_would_be_cut_is_marked_as_the_model_cuts_it(
    split: Split, models: ModelManager
) -> None:  # H23, H30
    result = split("soup 😀 " * 90)
    for row in result.rows:
        reader = models.tokenizer(row.model_id)
        read = [p.token_id for p in row.pieces if not p.is_cut]
        assert read == list(reader.encode(result.text, literal=False).input_ids)
        assert row.cut_at is not None
        assert result.text[row.cut_at :].strip()
    assert all(row.cut_at is None for row in split("soup").rows)


def test_every_word_has_its_pieces(split: Split) -> None:
    result = split("the unhappiness, 😀")
    texts = [result.text[slice(*word.span)] for word in result.words]
    assert texts == ["the", "unhappiness", ",", "😀"]
    for row in result.rows:
        inside = [piece for piece in row.pieces if piece.word is not None]
        assert all(piece.word is None for piece in row.pieces if piece.span is None)
        assert sum(row.per_word) >= len(inside)
        for i, count in enumerate(row.per_word):
            assert count >= sum(piece.word == i for piece in inside)
    bert = _row(result, "bert")
    assert bert.per_word[0] == 1
    inner = [piece.word for piece in bert.pieces if piece.word is not None]
    assert inner == sorted(inner)
    assert set(inner) == set(range(4))


def test_families_that_split_alike_are_one_group(split: Split) -> None:
    result = split("The river ran.")
    kinds = [[row.model_type for row in group] for group in result.groups]
    assert ["bert", "distilbert", "electra"] in kinds
    assert len(kinds) == 4
    apart = split("The river ran.", "bert-mini", "roberta-mini")
    assert [len(group) for group in apart.groups] == [1, 1]


def test_a_tokenizer_that_cannot_be_had_is_said_and_the_others_are_shown(split: Split) -> None:
    result = split("soup", "bert-mini", "nobody/nothing", "../etc", "x" * 500)
    assert [type(entry) for entry in result.entries] == [Row, Refusal, Refusal, Refusal]
    refused = [entry for entry in result.entries if isinstance(entry, Refusal)]
    assert all(len(entry.model_id) <= 96 and entry.reason for entry in refused)


@pytest.mark.parametrize("text", ["", "   ", "x" * 2_001, None, 7])
def test_what_is_no_text_or_too_long_is_refused(split: Split, text: Any) -> None:
    with pytest.raises(InputError):
        split(text)


def test_no_model_and_too_many_are_refused(split: Split) -> None:
    with pytest.raises(InputError, match="No model"):
        split("soup", " ")
    with pytest.raises(InputError, match="at most 10"):
        split("soup", *(f"owner/m{i}" for i in range(11)))


def test_who_waits_hears_what_is_opened(split: Split) -> None:
    heard: list[tuple[str, float]] = []
    split("soup", "bert-mini", "roberta-mini", tell=lambda *said: heard.append(said))
    assert heard == [("Tokenizer of bert-mini", 0.0), ("Tokenizer of roberta-mini", 0.5)]

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import every_word, fill_mask
from components.tasks.every_word import ALONE, REST
from tests.fakes import FAMILY_NAMES
from tests.plain import plain_logs, typed_ids

Load = Callable[..., LoadedModel]
TEXT = "the river ran past the unplayed mill"  # the last but one is several pieces everywhere


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def test_the_score_is_the_sum_of_plain_forward_passes(model: LoadedModel) -> None:
    ids = typed_ids(model, TEXT)
    result = every_word.predict(model, TEXT)
    pieces = result.first.pieces
    assert len(pieces) == len(ids) - 2  # all but the special tokens
    logs = []
    for at, piece in enumerate(pieces, start=1):
        hidden = [model.mask_token_id if i == at else token for i, token in enumerate(ids)]
        row = plain_logs(model, hidden)[at]
        logs.append(row[ids[at]])
        assert piece.alone == pytest.approx(row[ids[at]], abs=2e-3)
        assert [g.token_id for g in piece.guesses] == np.argsort(-row)[:5].tolist()
        assert [g.score for g in piece.guesses] == pytest.approx(
            np.exp(np.sort(row)[::-1][:5]), rel=2e-3
        )
    assert result.first.score(ALONE) == pytest.approx(sum(logs), abs=0.02)


def test_pieces_right_of_it_in_the_word_are_hidden_too(model: LoadedModel) -> None:
    ids = typed_ids(model, TEXT)
    result = every_word.predict(model, TEXT, method=REST)
    at, several = 0, 0
    for word in result.first.words:
        count = len(word.pieces)
        several += count > 1
        for number, piece in enumerate(word.pieces):
            at += 1
            end = at + count - number
            hidden = [model.mask_token_id if at <= i < end else t for i, t in enumerate(ids)]
            row = plain_logs(model, hidden)[at]
            assert piece.rest == pytest.approx(row[ids[at]], abs=2e-3)
            assert piece.guesses[0].token_id == row.argmax()
            if number == count - 1:
                assert piece.rest == piece.alone
    assert several
    assert result.first.score(REST) != pytest.approx(result.first.score(ALONE), abs=1e-3)


def test_every_token_is_hidden_once_and_spans_slice_back(model: LoadedModel) -> None:
    text = "  The river,\tran past “cafe”...\n"
    encoding = model.encode(text)
    result = every_word.predict(model, text)
    assert [p.token for p in result.first.pieces] == [
        token
        for token, sequence in zip(encoding.tokens, encoding.sequence_ids, strict=True)
        if sequence == 0
    ]
    ends = [0]
    for word in result.first.words:
        assert ends[-1] <= word.span[0] < word.span[1]
        ends.append(word.span[1])
        for piece in word.pieces:
            written = text[slice(*piece.span)]
            assert written == written.strip()
            assert word.span[0] <= piece.span[0] <= piece.span[1] <= word.span[1]


def test_a_guess_is_what_fill_mask_says(model: LoadedModel) -> None:
    result = every_word.predict(model, "the river ran past")
    *_, river = result.first.words[1].pieces
    text = f"the {model.mask_token} ran past"
    answer = fill_mask.predict(model, text).blanks[0].candidates
    typed, hidden = (model.encode(t, literal=False) for t in (text, "the river ran past"))
    if len(typed) == len(hidden):  # the tiny RoBERTa puts a bare mark before a typed mask
        assert [g.token_id for g in river.guesses] == [c.token_id for c in answer]
        assert river.guesses[0].score == pytest.approx(answer[0].score, rel=1e-3)


def test_a_blank_stays_a_blank_and_is_not_scored(model: LoadedModel) -> None:  # H01, H02
    typed = every_word.predict(model, "the ___ ran past")
    own = every_word.predict(model, f"the {model.mask_token} ran past")
    assert typed.first.words == own.first.words
    blank = typed.first.words[1].pieces[-1]
    assert blank.is_blank
    assert typed.first.words[-1].score(ALONE) == own.first.words[-1].score(ALONE) < 0
    assert typed.first.score(ALONE) == pytest.approx(
        sum(piece.alone for piece in typed.first.pieces if piece is not blank)
    )
    assert typed.first.tokens == len(typed.first.pieces) - 1
    assert any("was read as" in notice for notice in typed.notices)


@pytest.mark.parametrize("method", [ALONE, REST])
@pytest.mark.parametrize(
    "other", ["the boats ran past the mill", "the old river ran", "go", "THE RIVER ran past!"]
)
def test_the_differences_add_up_to_that_of_the_sentences(
    model: LoadedModel, method: str, other: str
) -> None:
    result = every_word.predict(model, TEXT, other, method=method)
    alone = every_word.predict(model, other, method=method)
    assert result.second is not None
    assert result.second.score(method) == pytest.approx(alone.first.score(method), abs=1e-2)
    assert sum(d.gain for d in result.differences) == pytest.approx(result.gain, abs=1e-9)
    assert [d.first for d in result.differences if d.first] == [
        TEXT[slice(*word.span)] for word in result.first.words
    ]


def test_words_at_the_same_place_stand_side_by_side(bert: LoadedModel) -> None:
    result = every_word.predict(bert, "the soup was cold", "The bread was warm and fresh")
    assert [(d.first, d.second) for d in result.differences] == [
        ("the", "The"),
        ("soup", "bread"),
        ("was", "was"),
        ("cold", "warm"),
        (None, "and"),
        (None, "fresh"),
    ]


def test_the_same_sentence_twice_makes_no_difference(model: LoadedModel) -> None:
    result = every_word.predict(model, TEXT, TEXT)
    assert result.gain == pytest.approx(0)
    assert all(d.gain == pytest.approx(0) for d in result.differences)


def test_unknown_text_is_said(bert: LoadedModel) -> None:  # H07
    result = every_word.predict(bert, "the 你 river")
    assert "1 of the tokens stand for text that the vocabulary lacks" in result.notices[0]


def test_of_a_long_text_the_first_tokens_are_hidden_and_it_is_said(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_word, "MAX_HIDDEN", 4)
    result = every_word.predict(bert, "the river ran past the mill")
    assert [p.token for p in result.first.pieces] == ["the", "river", "ran", "past"]
    assert "Only the first 4 of 6 tokens were hidden in turn" in result.notices[0]
    long = every_word.predict(bert, "the river " * 60)
    assert any("Only the first 64 of 122 tokens were read." in n for n in long.notices)


@pytest.mark.parametrize("method", ["", "both", "ALONE", "score"])
def test_another_method_is_refused(bert: LoadedModel, method: str) -> None:
    with pytest.raises(InputError, match="no way to hide pieces"):
        every_word.predict(bert, TEXT, method=method)


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, None, 7, "\u200b\u200b"])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError, match="The sentence"):
        every_word.predict(bert, text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "😀 👩‍👩‍👧 é \ud800 [SEP] </s> ___",
        "مرحبا 你好\r\nשלום",
        "e\u0301 Zürich naïve",
        "...!!?",
        "[CLS]",
    ],
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:  # H03, H07
    result = every_word.predict(model, text, "the river")
    assert result.first.pieces
    assert np.isfinite(result.first.score(ALONE))
    assert result.first.score(ALONE) <= 0

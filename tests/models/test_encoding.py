"""What tokenizers make of texts: the properties that every tab relies on, for every family."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from components.config import ASSETS, Settings
from components.models.catalog import CATALOG
from components.models.encoding import Encoding
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
# Weights that are not there at all are for test_catalog to report.
BUNDLED = [card for card in CATALOG if (ASSETS / "models" / card.id / "model.safetensors").exists()]

NASTY = (
    "the river ran past",
    "Zürich 你好",  # H07
    "naïve café 😀",
    "cafe\u0301 re\u0301sume\u0301 A\u030a",  # accents as marks of their own
    "漢字かな交じり文 한국어",
    "שלום עולם مرحبا بالعالم",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 e\u200dx",
    "one\r\ntwo\r\n\r\nthree\n",
    "a\ttab\t\tand   spaces  ",
    "\ud83d lone \udc00 surrogates \ud800",
    "nul \x00 and \x07 bell \x7f",
    "w" * 400,
    "unhappiness" * 30,
    "",
    "   ",
    "\u200b\ufeff",
    "!?.,;:—…“”",
    "[CLS] [SEP] [MASK] [PAD] [UNK] <mask> <s> </s> <pad> ▁ Ġ ##ing",
    "İ ﬁ ß ǆ ½ ①",
    "x" + "\u0301" * 50,
)


@functools.cache
def _bundled() -> ModelManager:
    return ModelManager(Settings(device="cpu"))


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.ENCODER)


def check(model: LoadedModel, encoding: Encoding, texts: Sequence[str]) -> None:
    """Check what holds of every encoding of `texts`."""
    length = len(encoding)
    for row in (encoding.tokens, encoding.offsets, encoding.sequence_ids, encoding.word_ids):
        assert len(row) == length
    assert 2 <= length <= model.max_length
    assert [model.token(i) for i in encoding.input_ids] == list(encoding.tokens)
    assert encoding.sequence_ids[0] is None
    assert encoding.sequence_ids[-1] is None
    for number, text in enumerate(texts):
        spans = [
            s for s, n in zip(encoding.offsets, encoding.sequence_ids, strict=True) if n == number
        ]
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        assert spans == sorted(spans, key=lambda span: span[0])
        assert [end for _, end in spans] == sorted(end for _, end in spans)
    specials = [i for i, number in enumerate(encoding.sequence_ids) if number is None]
    assert all(encoding.offsets[i] == (0, 0) for i in specials)
    assert len(specials) in (2, 3, 4)


def test_offsets_lie_in_the_text_in_reading_order(model: LoadedModel) -> None:  # H07
    for text in NASTY:
        encoding = model.encode(text)
        check(model, encoding, [text])
        assert set(encoding.token_type_ids or [0]) == {0}
        assert not encoding.is_truncated or encoding.full_length > model.max_length


def test_a_pair_is_told_apart(model: LoadedModel) -> None:  # H18, H21
    pairs = [(text, "the mill was old") for text in NASTY]
    for first, second in [*pairs, *((second, first) for first, second in pairs)]:
        encoding = model.encode(first, second)
        check(model, encoding, [first, second])
        numbers = [n for n in encoding.sequence_ids if n is not None]
        assert numbers == sorted(numbers)
        if encoding.token_type_ids is not None:
            both = zip(encoding.sequence_ids, encoding.token_type_ids, strict=True)
            assert all(number == segment for number, segment in both if number is not None)


def test_segments_are_given_to_the_families_that_have_them(model: LoadedModel) -> None:  # H21
    encoding = model.encode("the boats ran past", "the mill was old")
    has = model.family.model_type in ("bert", "albert", "electra")
    assert (encoding.token_type_ids is not None) == has
    if has:
        assert encoding.token_type_ids is not None
        assert encoding.token_type_ids[-1] == 1
        assert encoding.token_type_ids == tuple(sorted(encoding.token_type_ids))


def test_special_tokens_that_were_typed_are_text(model: LoadedModel) -> None:
    tokenizer = model._resident.tokenizer
    meant = model.encode(f"the river {model.mask_token} past", literal=False)
    assert len(meant.positions_of(model.mask_token_id)) == 1
    encoding = model.encode(" and ".join(tokenizer.all_special_tokens))
    if model.family.word_prefix == "▁":  # in a SentencePiece vocabulary they are pieces
        return
    for token_id, number in zip(encoding.input_ids, encoding.sequence_ids, strict=True):
        if number is not None and token_id != model.unknown_token_id:
            assert token_id not in tokenizer.all_special_ids
    assert len(model.pieces(model.mask_token)) > 1


def test_one_call_leaves_no_trace_in_the_next(model: LoadedModel) -> None:
    before = model.encode("the river ran")
    model.encode("w " * 300)
    model.encode("[MASK] <mask>", literal=False)
    model.windows("who ran", "boats " * 100, max_length=32, stride=8)
    model.pieces("mill")
    assert model.encode("the river ran") == before


def test_slices_of_the_text_are_what_the_tokens_say(load: Load) -> None:  # H07
    model = load("bert", Task.ENCODER)
    for text in NASTY:
        text = text.encode("utf-8", "replace").decode()
        encoding = model.encode(text)
        for token, token_id, (start, end), number in zip(
            encoding.tokens,
            encoding.input_ids,
            encoding.offsets,
            encoding.sequence_ids,
            strict=True,
        ):
            if number is not None and token_id != model.unknown_token_id:
                marks = unicodedata.normalize("NFD", text[start:end].lower())
                plain = "".join(c for c in marks if unicodedata.category(c) != "Mn")
                assert model.readable(token) == plain


MIXED = "Zoë's naïve cafe\u0301 你好 漢字かな שלום مرحبا بالعالم 👩‍👩‍👧 🙂 Ångström ½ end."


def _plain_letters(text: str) -> str:
    """Take away what a tokenizer may: capitals, accents, spaces, characters of no width."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in letters if not c.isspace() and unicodedata.category(c)[0] not in "MC")


def _spelled(model: LoadedModel, token: str) -> str:
    """Write a token as text; U+FFFD stands for a piece of a character."""
    decoder = model._resident.tokenizer.backend_tokenizer.decoder
    return str(decoder.decode([token])) if model.family.word_prefix == "Ġ" else token


@pytest.mark.parametrize("name", [*FAMILY_NAMES, *(card.id for card in BUNDLED)])
@pytest.mark.parametrize("pair", [False, True])
def test_a_text_of_many_scripts_has_right_offsets(
    load: Load, name: str, pair: bool
) -> None:  # H07, H29
    model = load(name, Task.ENCODER) if name in FAMILY_NAMES else _bundled().get(name, Task.ENCODER)
    encoding = model.encode("the mill", MIXED) if pair else model.encode(MIXED)
    check(model, encoding, ["the mill", MIXED] if pair else [MIXED])
    covered = set[int]()
    for token, token_id, span, number in zip(
        encoding.tokens, encoding.input_ids, encoding.offsets, encoding.sequence_ids, strict=True
    ):
        if number != int(pair):
            continue
        covered |= set(range(*span))
        said, slice_ = _spelled(model, token), MIXED[slice(*span)]
        if token_id == model.unknown_token_id:
            assert slice_.strip(), token
        elif "\ufffd" in said:  # some bytes of the characters of the slice
            assert not slice_.isascii(), token
        else:
            piece, letters = _plain_letters(model.readable(said)), _plain_letters(slice_)
            # one character may be spelled by several pieces: ½ by 1, ⁄ and 2
            assert piece == letters or (len(slice_) == 1 and piece in letters)
    if not encoding.is_truncated:
        missed = {c for i, c in enumerate(MIXED) if i not in covered}
        assert _plain_letters("".join(missed)) == ""


def test_accents_and_chinese_keep_their_places(load: Load) -> None:  # H07
    model = load("bert", Task.ENCODER)
    encoding = model.encode("Zürich 你好")
    inside = [s for s, n in zip(encoding.offsets, encoding.sequence_ids, strict=True) if n == 0]
    assert inside[-2:] == [(7, 8), (8, 9)]
    assert encoding.tokens[-3:-1] == ("[UNK]", "[UNK]")
    assert inside[0][0] == 0
    assert inside[-3][1] == 6
    assert model.lowercases


@pytest.mark.parametrize("pair", [None, "the mill was old"])
def test_a_long_text_is_cut_and_its_whole_length_kept(
    model: LoadedModel, pair: str | None
) -> None:  # H23
    short, long = model.encode("good film " * 5, pair), model.encode("good film " * 400, pair)
    assert not short.is_truncated
    assert short.full_length == len(short)
    assert long.is_truncated
    assert len(long) == model.max_length
    per_round = len(model.encode("good film " * 6, pair)) - len(short)
    assert long.full_length == len(short) + 395 * per_round
    check(model, long, ["good film " * 400, *([pair] if pair else [])])


def test_a_surrogate_is_one_character_of_the_text(model: LoadedModel) -> None:
    broken, whole = model.encode("ran \ud800 past"), model.encode("ran ? past")
    assert broken == whole


def test_neighbours_in_a_batch_change_nothing(model: LoadedModel) -> None:  # H37
    encodings = [model.encode(text) for text in NASTY]
    encodings += [model.encode(text, "the mill was old") for text in NASTY]
    together = model.run(encodings)
    for encoding, answer in [*zip(encodings, together, strict=True)][::3]:
        alone = model.run([encoding])[0]["last_hidden_state"]
        assert answer["last_hidden_state"].shape == (len(encoding), 32)
        np.testing.assert_allclose(answer["last_hidden_state"], alone, atol=1e-4)


def test_what_is_put_in_leaves_the_original_and_the_offsets(load: Load) -> None:
    before = load("bert", Task.FILL_MASK).encode("the river ran")
    after = before.put({2: ("[MASK]", 4)})
    assert (after.tokens[2], after.input_ids[2]) == ("[MASK]", 4)
    assert before.tokens[2] == "river"
    assert after.offsets == before.offsets
    assert after.positions_of(4) == (2,)

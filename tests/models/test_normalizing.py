"""The steps of a normalizer, one after the other, are the normalizer."""

from __future__ import annotations

import pytest
from tokenizers import Regex, normalizers

from components.models.normalizing import follow_normalizer
from tests.fakes import FAMILY_NAMES, tokenizer_of
from tests.models.test_encoding import NASTY

TEXTS = [text.encode("utf-8", "replace").decode() for text in NASTY]


@pytest.mark.parametrize("family", FAMILY_NAMES)
@pytest.mark.parametrize("text", TEXTS)
def test_the_steps_together_are_the_whole_normalizer(family: str, text: str) -> None:  # H07
    normalizer = tokenizer_of(family).backend_tokenizer.normalizer
    steps = follow_normalizer(normalizer, text)
    expected = normalizer.normalize_str(text) if normalizer else text
    texts = [text, *(step.after for step in steps)]
    assert texts[-1] == expected
    assert [step.before for step in steps] == texts[:-1]


@pytest.mark.parametrize("accents", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
def test_what_a_bert_normalizer_leaves_out_is_no_step(
    accents: bool | None, lowercase: bool
) -> None:
    normalizer = normalizers.BertNormalizer(
        clean_text=False, handle_chinese_chars=True, strip_accents=accents, lowercase=lowercase
    )
    names = [step.name for step in follow_normalizer(normalizer, "Zürich 你")]
    dropped = lowercase if accents is None else accents
    expected = ["handle_chinese_chars"]
    expected += ["strip_accents"] * dropped + ["lowercase"] * lowercase
    assert names == expected


def test_steps_within_steps_are_followed_and_say_what_they_replace() -> None:
    inner = normalizers.Sequence(
        [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Prepend("_")]
    )
    steps = follow_normalizer(normalizers.Sequence([normalizers.NFC(), inner]), "a \t b")
    assert [(s.name, s.detail) for s in steps] == [
        ("NFC", ""),
        ("Replace", r"\s+ →  "),
        ("Prepend", "_"),
    ]
    assert steps[-1].after == "_a b"


def test_a_text_without_a_normalizer_has_no_steps() -> None:
    assert follow_normalizer(None, "Zürich") == ()


def test_special_tokens_are_passed_over() -> None:
    (step,) = follow_normalizer(normalizers.Lowercase(), "Is [MASK] A Word", [(3, 9)])
    assert step.after == "is [MASK] a word"

from __future__ import annotations

import random
from pathlib import Path

import pytest
from huggingface_hub.utils import validate_repo_id

from components.errors import UnknownModelError
from components.models.ids import clean_id

HUB = "https://huggingface.co"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("bert-base-uncased", "bert-base-uncased"),
        ("  bert-base-uncased ", "bert-base-uncased"),
        ("\n\tgoogle/electra-small\r\n", "google/electra-small"),
        ("\u200bbert-mini\ufeff\xa0", "bert-mini"),  # pasted from a page
        ('"bert-base-uncased"', "bert-base-uncased"),
        ("`roberta-base`", "roberta-base"),
        ("“roberta-base”", "roberta-base"),
        ("a", "a"),
        ("Owner_1/Na.me-2_3", "Owner_1/Na.me-2_3"),
        (f"{HUB}/bert-base-uncased", "bert-base-uncased"),
        (f"{HUB}/google/electra-small/", "google/electra-small"),
        (f"{HUB}/google/electra-small/tree/main", "google/electra-small"),
        (f"{HUB}/bert-base-uncased/tree/main", "bert-base-uncased"),
        (f"{HUB}/bert-base-uncased/blob/main/config.json", "bert-base-uncased"),
        (f"{HUB}/bert-base-uncased/resolve/main/a/b.json", "bert-base-uncased"),
        (f"{HUB}/google/bert?library=transformers#usage", "google/bert"),
        (f"{HUB}/google/bert/discussions/3", "google/bert"),
        (f"{HUB}/api/models/google/bert", "google/bert"),
        ("HTTP://HuggingFace.co/google/bert", "google/bert"),
        ("https://www.hf.co/google/bert", "google/bert"),
        ("huggingface.co/google/bert", "google/bert"),
        ("hf.co/bert-base-uncased", "bert-base-uncased"),
        ("x" * 96, "x" * 96),
    ],
)
def test_an_id_is_found_in_what_was_typed(typed: str, expected: str) -> None:  # H16
    assert clean_id(typed) == expected


@pytest.mark.parametrize("typed", [None, 7, 1.5, True, b"bert", ["bert"], {}, "", " \n", "\u200b"])
def test_nothing_typed_is_said_to_be_so(typed: object) -> None:
    with pytest.raises(UnknownModelError, match="No model was chosen"):
        clean_id(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "/etc", "..", ".", "../x", "a/..", "a/../b", "./a", "~/a", "a/b/c", "a//b", "a/", "/a",
        "C:\\models\\bert", "..\\x", "\\\\server\\share", "file:///etc/passwd", "hf://a/b",
        "http://127.0.0.1/a/b", "https://example.org/google/bert", HUB, f"{HUB}/",
        "https://huggingface.co.example.org/a/b", "a b/c!", "a b", "bert\nbase", "bert\x00base",
        "a--b", "a..b", "a.git", "-a", "a-", ".a", "a.", "a/.b", "a@main", "a:b", "a%2Fb", "$HOME",
        "bеrt-base",  # the second letter is Cyrillic
        "ｂｅｒｔ", "café", "文件夹", "\u212Aey", "bert\u0301", "<b>x</b>", "[MASK]", "x" * 97,
        "x" * 200, f"{'o' * 60}/{'n' * 60}",
    ],
)  # fmt: skip
def test_what_is_no_id_is_refused_before_anything_is_opened(typed: str) -> None:  # H16
    with pytest.raises(UnknownModelError) as error:
        clean_id(typed)
    assert "no model id" in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("kind", ["datasets", "spaces", "collections"])
def test_a_page_of_the_hub_that_is_no_model_is_said_to_be_so(kind: str) -> None:
    for typed in (f"{HUB}/{kind}/owner/name", f"{kind}/name"):
        with pytest.raises(UnknownModelError, match=kind):
            clean_id(typed)


def test_whatever_is_typed_gives_an_id_that_the_hub_takes_or_a_refusal() -> None:
    rng = random.Random(3)
    alphabet = "ab1-_./\\ :~%$@\n\t…é\u200b"
    for _ in range(3_000):
        typed = "".join(rng.choices(alphabet, k=rng.randint(1, 9)))
        try:
            found = clean_id(typed)
        except UnknownModelError:
            continue
        validate_repo_id(found)
        assert clean_id(found) == found
        assert not Path(found).is_absolute()
        assert Path("/models", found).resolve().is_relative_to("/models")

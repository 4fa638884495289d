from __future__ import annotations

from collections.abc import Callable

import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks.occurrences import (
    MAX_OCCURRENCES,
    find_occurrences,
    place_notices,
    read_sentences,
)
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]


def _places(word: str, *senses: str) -> list[list[str]]:
    found = read_sentences(word, senses)
    return [[one.text[slice(*span)] for span in one.spans] for one in found]


def test_a_word_is_found_by_characters_as_a_word_of_its_own() -> None:
    assert _places("bank", "The bank, a riverbank and banks.\nBANK!\n\n-bank-bank") == [
        ["bank"],
        ["BANK"],
        ["bank", "bank"],
    ]
    assert _places("new york", "New York is new.") == [["New York"]]
    assert _places("c++", "C++ or c++?") == [["C++", "c++"]]
    assert _places("straße", "Die Straße.") == [["Straße"]]


def test_scripts_without_case_are_searched_inside_words() -> None:
    assert _places("银行", "他去银行取钱") == [["银行"]]
    assert _places("بنك", "البنك كبير") == [["بنك"]]


def test_sentences_are_named_by_their_sense_and_a_second_box_may_be_empty() -> None:
    found = read_sentences("bank", ("bank one\n \nbank two", "bank three"))
    assert [(one.name, one.sense) for one in found] == [("A1", 0), ("A2", 0), ("B1", 1)]
    assert len(read_sentences("bank", ("a bank", " \n"))) == 1


@pytest.mark.parametrize(
    ("word", "senses"),
    [
        ("", ("a bank", "")),
        ("bank", ("", "a bank")),
        ("bank", ("a river", "a mill")),
        ("x" * 61, ("a bank", "")),
        ("bank", ("a bank\n" * 13, "")),
        ("bank", ("a bank " * 300, "")),
    ],
)
def test_what_cannot_be_used_is_refused(word: str, senses: tuple[str, str]) -> None:
    with pytest.raises(InputError):
        read_sentences(word, senses)


def test_a_word_that_is_nowhere_is_answered_with_one_that_is() -> None:
    with pytest.raises(InputError) as error:
        read_sentences("bank", ("The river is wide.", "A river runs by."))
    assert error.value.suggestion == "river"


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_tokens_of_a_place_spell_the_word(load: Load, family: str) -> None:
    model = load(family, Task.ENCODER)
    found = read_sentences("boats", ("The boats ran.\nSome (boats)!\nBoats",))
    encodings = [model.encode(one.text) for one in found]
    places = find_occurrences(found, encodings)
    assert [place.name for place in places] == ["A1", "A2", "A3"]
    for place in places:
        encoding = encodings[place.sentence]
        read = [encoding.offsets[i] for i in place.positions]
        text = found[place.sentence].text
        assert text[min(s for s, _ in read) : max(e for _, e in read)].strip(" (").lower() in (
            "boats",
            "boats)",
        )
        assert all(encoding.sequence_ids[i] == 0 for i in place.positions)


def test_places_beyond_what_is_read_are_said(load: Load) -> None:
    model = load("bert", Task.ENCODER)
    found = read_sentences("boats", ("boats " + "the river " * 40 + "boats\nno such word",))
    places = find_occurrences(found, [model.encode(one.text) for one in found])
    assert [place.name for place in places] == ["A1a"]
    notices = list(place_notices("boats", found, places))
    assert "does not stand in A2" in notices[0]
    assert notices[1].startswith("1 place of “boats”")


def test_of_very_many_places_the_first_are_compared(load: Load) -> None:
    model = load("bert", Task.ENCODER)
    found = read_sentences("boats", ("boats " * 60,))
    places = find_occurrences(found, [model.encode(one.text) for one in found])
    assert len(places) == MAX_OCCURRENCES

from __future__ import annotations

import pytest

from components.tasks.characters import find_edges

FAMILY = "👨\u200d👩\u200d👧"


def whole(text: str, begin: int, end: int) -> str:
    edges = find_edges(text)
    return text[edges.begin[begin] : edges.end[end]]


@pytest.mark.parametrize(
    "character",
    [
        "e\u0301",  # an accent as a mark of its own
        "e\u0301\u0323",
        "☕\ufe0f",  # variation selector
        "1\ufe0f\u20e3",  # keycap
        "👍🏽",  # skin tone
        FAMILY,
        "👩🏽\u200d🍳",
        "🇫🇷",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",  # tags
        "क\u094d\u200d",  # virama and joiner
        "\u1112\u1161\u11ab",  # a Korean syllable in parts
    ],
)
def test_a_visible_character_is_taken_whole_wherever_it_is_cut(character: str) -> None:  # H29
    text = f"ab {character} cd"
    for begin in range(3, 3 + len(character)):
        for end in range(begin + 1, 4 + len(character)):
            assert whole(text, begin, end) == character


@pytest.mark.parametrize("text", ["ab", "你好", "مر", "éa", "🇫🇷🇩🇪", "👍👍", "a\u00adb", "a\ud800"])
def test_neighbours_stay_apart(text: str) -> None:
    middle = len(text) // 2
    assert whole(text, 0, middle) + whole(text, middle, len(text)) == text
    assert whole(text, 0, middle) == text[:middle]


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028"])
def test_spaces_at_either_end_are_left_out(space: str) -> None:
    text = f"{space}the boats{space}{space}"
    assert whole(text, 0, len(text)) == "the boats"


def test_a_mark_without_a_letter_stands_alone() -> None:
    assert whole("\u0301a", 0, 1) == "\u0301"
    assert whole("a \u0301b", 2, 3) == "\u0301"


@pytest.mark.parametrize("text", [" ", "\r\n\t", "  \n"])
def test_nothing_but_spaces_gives_nothing(text: str) -> None:
    assert whole(text, 0, len(text)) == ""

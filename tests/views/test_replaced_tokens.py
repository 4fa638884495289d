from __future__ import annotations

import re
from html import unescape

import pytest

from components.tasks.fill_mask import Candidate
from components.tasks.generator import AlteredText, Proposal, Replacement
from components.tasks.replaced_tokens import (
    JudgedWord,
    ReplacedTokensResult,
    Round,
    Score,
    Suspicion,
    play,
)
from components.views import detective
from components.views import replaced_tokens as views

TEXT = "<b> riverx ran."


def _token(token: str, start: int, end: int, score: float) -> Suspicion:
    return Suspicion(token, (start, end), 0.5, score, score > 0.5)


def _result(*scores: float) -> ReplacedTokensResult:
    river, x, ran, dot = scores
    tokens = (
        _token("b", 1, 2, 0.02),
        _token("river", 4, 9, river),
        _token("##x", 9, 10, x),
        _token("ran", 11, 14, ran),
        _token(".", 14, 15, dot),
    )
    words = (
        JudgedWord((0, 1), False, (), False),
        JudgedWord((1, 2), True, (0,), False),
        JudgedWord((2, 3), False, (), False),
        JudgedWord((4, 10), True, (1, 2), max(river, x) > 0.5),
        JudgedWord((11, 14), True, (3,), ran > 0.5),
        JudgedWord((14, 15), False, (4,), dot > 0.5),
    )
    return ReplacedTokensResult("electra-mini", TEXT, tokens, words, ("A notice.",))


def _game(*marks: int) -> Round:
    swap = Replacement((4, 10), "un<i>happy", ("un", "##happy"), "riverx", 0.125)
    altered = AlteredText("maker", 7, "…", TEXT, (swap,), ())
    return play(altered, _result(0.1, 0.75, 0.6, 0.9), marks)


def _visible(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


@pytest.mark.parametrize(
    ("scores", "headline"),
    [
        ((0.1, 0.2, 0.3, 0.1), "No token looks replaced; most suspicious is “ran” (30.0 %)"),
        ((0.1, 0.2, 0.875, 0.5), "“ran” looks replaced (87.5 %)"),
        ((0.1, 0.75, 0.3, 0.1), "The piece “x” of “riverx” looks replaced (75.0 %)"),
        (
            (0.1, 0.75, 0.875, 0.1),
            "2 of 5 tokens look replaced: “ran” (87.5 %), the piece “x” of “riverx” (75.0 %)",
        ),
        ((0.6, 0.75, 0.875, 0.9), "4 of 5 tokens look replaced: “.” (90.0 %), “ran” (87.5 %), "),
    ],
)
def test_the_finding_names_what_looks_replaced(scores: tuple[float, ...], headline: str) -> None:
    shown = _visible(views.finding(_result(*scores)))
    assert shown.startswith(headline)
    assert "a miniature" in shown
    assert "A notice." in shown


def test_the_strip_is_the_text_with_a_number_below_every_token() -> None:
    html = views.strip(_result(0.1, 0.75, 0.3, 0.1), [4], carry='{"a": "<"}')
    without_numbers = re.sub(r"<small>.*?</small>|<p class.*", "", html)
    assert _visible(without_numbers) == TEXT
    assert re.findall(r"<small>(.*?)</small>", html) == [
        f"{share} %" for share in ("2.0", "10.0", "75.0", "30.0", "10.0")
    ]
    assert html.count("lab-suspected") == 1
    assert re.findall(r'data-word="(\d)" aria-pressed="(\w+)"', html) == [
        ("1", "false"),
        ("3", "false"),
        ("4", "true"),
    ]
    assert unescape(re.findall(r'data-carry="([^"]*)"', html)[0]) == '{"a": "<"}'


def test_what_is_offered_can_be_put_in_and_pieces_are_said() -> None:
    proposal = Proposal(
        3, (4, 10), "riverx", ("river", "##x"), None, (Candidate("a", "a", 1, 0.5),)
    )
    single = Proposal(4, (11, 14), "ran", ("ran",), 0.25, ())
    html = views.proposals(TEXT, [proposal, single])
    assert 'data-span="4,10" data-put="a"' in html
    assert "2 tokens (river + ##x)" in _visible(html)
    assert "stands there now" in _visible(html)
    assert f'data-text="{TEXT.replace("<", "&lt;").replace(">", "&gt;")}"' in html


def test_the_table_tells_the_truth_of_a_game_only() -> None:
    rows = views.table(_result(0.1, 0.75, 0.3, 0.1))
    assert rows[2] == ["##x", "9–10", "0.500", "75.0 %", "replaced", "not known"]
    game = _game()
    assert [row[-1] for row in views.table(game.judged, game)] == [
        *("original", "replaced", "replaced", "original", "original")
    ]
    assert all(len(row) == len(views.HEADERS) for row in rows)


def test_before_the_reveal_nothing_tells_the_truth_or_the_suspicion() -> None:
    html = detective.question(_game()) + detective.guess(_game(), carry="{}")
    shown = _visible(html)
    assert "1 of 3 words was replaced. Which one?" in shown
    assert "un<i>happy" not in shown
    assert "lab-replaced" not in html
    assert "%" not in shown
    assert "strength" not in html
    assert re.findall(r'data-word="(\d)"', html) == ["1", "3", "4"]


def test_the_reveal_shows_truth_marks_and_suspicion() -> None:
    shown = _visible(detective.truth(_game(3, 4)))
    assert "was “un<i>happy”you: found" in shown
    assert "you: false alarm" in shown
    assert "75.0 %" in shown
    assert "you: missed" in _visible(detective.truth(_game(4)))
    html = detective.truth(_game())
    assert html.count("lab-replaced") == 1
    assert 'data-put="&lt;b&gt; riverx ran."' in html


def test_both_are_scored_and_pieces_are_said() -> None:
    game = _game(4)
    assert (game.yours, game.machines) == (Score(0, 1, 1), Score(1, 0, 1))
    shown = _visible(detective.verdict(game))
    assert (
        "You found 0 of 1 with 1 false alarm; the discriminator found 1 of 1 with 1 false alarm"
        in shown
    )
    board = _visible(detective.scoreboard(game))
    assert "above 50 %" in board
    assert "“un<i>happy” was 2 tokens (un + ##happy)" in board
    assert "“riverx” is 2 tokens for the discriminator: one word." in board
    assert "12.5 %" in board

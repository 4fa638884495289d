from __future__ import annotations

from components.training import corpus


def test_sentences_end_at_full_stops_before_capitals_and_at_line_ends() -> None:
    text = 'He left. "Where to?" she said. Mr. Gray of 3.5 Mill St. was silent\nNext day it rained.'
    assert corpus.split_sentences(text) == [
        "He left.",
        '"Where to?" she said.',
        "Mr. Gray of 3.5 Mill St. was silent",
        "Next day it rained.",
    ]


def test_about_one_article_in_forty_is_held_out_and_always_the_same() -> None:
    titles = [f"Article {number}" for number in range(8_000)]
    held = [title for title in titles if corpus.is_held_out(title)]
    assert 150 < len(held) < 250
    assert held == [title for title in titles if corpus.is_held_out(title)]

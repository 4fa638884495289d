from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from components.models.encoding import Encoding, Span
from components.tasks.span_search import Decoded, decode

BOATS = "the boats ran past the mill"


def words(passage: str) -> list[Span]:
    spans, end = [], 0
    for word in passage.split():
        begin = passage.index(word, end)
        end = begin + len(word)
        spans.append((begin, end))
    return spans


def encoded(spans: Sequence[Span], question: int = 2) -> Encoding:
    """Make [CLS] question [SEP] passage [SEP], as a tokenizer of whole words would."""
    which = [None, *[0] * question, None, *[1] * len(spans), None]
    offsets = [(0, 0), *[(i, i + 1) for i in range(question)], (0, 0), *spans, (0, 0)]
    count = len(which)
    return Encoding(("t",) * count, (0,) * count, None, offsets, which, (0,) * count, count)  # type: ignore[arg-type]


def logits(length: int, given: Mapping[int, float], rest: float = -10.0) -> np.ndarray:
    row = np.full(length, rest, dtype=np.float32)
    row[list(given)] = list(given.values())
    return row


def search(
    passage: str,
    start: Mapping[int, float],
    end: Mapping[int, float],
    top_k: int = 3,
    longest: int = 30,
) -> Decoded:
    encoding = encoded(words(passage))
    pair = [[logits(len(encoding), given)] for given in (start, end)]
    return decode(passage, [encoding], *pair, top_k=top_k, max_answer_length=longest)


# [CLS] who ran [SEP] the boats ran past the mill [SEP]: boats 5, ran 6, mill 9


def test_start_and_end_are_sought_together() -> None:  # H27
    found = search(BOATS, {9: 5.0, 5: 3.0}, {5: 6.5, 9: 4.0}).answers
    assert [(a.text, a.logit) for a in found] == [
        ("boats", 9.5),
        ("mill", 9.0),
        ("boats ran past the mill", 7.0),
    ]
    assert all(BOATS[slice(*a.span)] == a.text for a in found)


def test_the_question_is_never_an_answer() -> None:  # H27
    found = search(BOATS, {1: 9.0, 5: 4.0}, {2: 9.0, 6: 3.0})
    assert (found.answers[0].text, found.answers[0].logit) == ("boats ran", 7.0)


def test_a_windows_own_softmax_counts_its_spans_and_no_answer() -> None:  # H30
    found = search("ran", {0: 1.0, 4: 2.0}, {0: 1.0, 4: 2.0})
    (window,) = found.windows
    assert (window.best_logit, window.no_answer_logit) == (4.0, 2.0)
    assert window.own_score == pytest.approx(1 / (1 + np.exp(-2)))


def test_no_special_token_is_an_answer_but_the_first_says_that_there_is_none() -> None:  # H28
    special = {0: 9.0, 3: 50.0, 10: 50.0}
    found = search(BOATS, {**special, 5: 4.0}, {**special, 5: 3.0})
    assert (found.answers[0].text, found.answers[0].logit) == ("boats", 7.0)
    assert found.no_answer.logit == 18.0
    assert found.no_answer.score == pytest.approx(1 / (1 + np.exp(-11)), rel=1e-4)


def test_every_span_is_the_one_that_a_plain_search_finds() -> None:
    rng = np.random.default_rng(3)
    spans = words(BOATS)
    for longest in (1, 2, 4, 30):
        encoding = encoded(spans)
        start, end = rng.normal(size=(2, len(encoding)))
        plain = sorted(
            (
                (start[4 + i] + end[4 + j], BOATS[spans[i][0] : spans[j][1]])
                for i, j in itertools.combinations_with_replacement(range(len(spans)), 2)
                if j - i < longest
            ),
            reverse=True,
        )
        found = decode(BOATS, [encoding], [start], [end], top_k=50, max_answer_length=longest)
        assert [a.text for a in found.answers] == [text for _, text in plain]
        np.testing.assert_allclose([a.logit for a in found.answers], [sum_ for sum_, _ in plain])
        shares = np.exp([found.no_answer.logit, *[sum_ for sum_, _ in plain]])
        expected = shares / shares.sum()
        np.testing.assert_allclose(
            [found.no_answer.score, *[a.score for a in found.answers]], expected
        )
        assert found.compared == len(plain)


def test_windows_are_compared_by_raw_sums() -> None:  # H30
    passage = "a b c d e f g h"
    spans = words(passage)
    first, second = encoded(spans[:4]), encoded(spans[4:])
    starts = [logits(9, {4: -5, 5: 2, 6: -5, 7: -5}), logits(9, {4: 0, 5: 8, 6: 7.9, 7: 7.8})]
    found = decode(passage, [first, second], starts, starts, top_k=1, max_answer_length=1)
    assert (found.answers[0].text, found.answers[0].logit, found.answers[0].window) == ("f", 16, 1)
    assert [window.best_logit for window in found.windows] == [4, 16]


def test_of_several_windows_the_least_no_answer_counts() -> None:
    passage = "a b"
    spans = words(passage)
    encodings = [encoded(spans[:1]), encoded(spans[1:])]
    rows = [logits(6, {0: 20.0, 4: 0.0}), logits(6, {0: 1.0, 4: 5.0})]
    found = decode(passage, encodings, rows, rows, top_k=2, max_answer_length=30)
    assert (found.no_answer.logit, found.no_answer.window) == (2.0, 1)
    assert [a.text for a in found.answers] == ["b", "a"]


def test_a_span_seen_in_two_windows_is_listed_once_with_its_best_sum() -> None:
    passage = "a b c"
    spans = words(passage)
    encodings = [encoded(spans[:2]), encoded(spans[1:])]
    rows = [logits(7, {5: 2.0}), logits(7, {4: 3.0})]  # b in both
    found = decode(passage, encodings, rows, rows, top_k=3, max_answer_length=1)
    best = found.answers[0]
    assert (best.text, best.logit, best.window) == ("b", 6.0, 1)
    assert sorted(a.text for a in found.answers) == ["a", "b", "c"]
    assert found.compared == 3


def test_the_list_is_cut_after_doubles_are_gone() -> None:
    passage = "ab"
    bytes_of_one = [(0, 1), (0, 1), (1, 2)]  # two tokens, one character
    encoding = encoded(bytes_of_one)
    row = logits(len(encoding), {4: 5.0, 5: 5.0, 6: 1.0})
    found = decode(passage, [encoding], [row], [row], top_k=2, max_answer_length=30)
    assert [a.text for a in found.answers] == ["a", "ab"]


def test_the_place_comes_from_offsets_never_from_a_search_for_the_words() -> None:  # H32
    passage = "Two boats left. Later two more left, so Two remained."
    spans = words(passage)
    place = 4 + spans.index((40, 43))
    found = search(passage, {place: 5.0}, {place: 5.0}, top_k=1)
    assert found.answers[0].span == (40, 43)


def test_an_accent_written_as_a_mark_stays_with_its_letter() -> None:  # H29
    passage = "Visit cafe\u0301 now"
    encoding = encoded([(0, 5), (6, 10), (12, 15)])
    row = logits(len(encoding), {5: 5.0})
    found = decode(passage, [encoding], [row], [row], top_k=1, max_answer_length=30)
    assert found.answers[0].span == (6, 11)
    assert found.answers[0].text == "cafe\u0301"


def test_spaces_in_offsets_are_left_out_and_make_no_span() -> None:
    passage = "  the  boats "
    encoding = encoded([(0, 2), (1, 5), (5, 6), (6, 12), (12, 13)])  # as Metaspace does
    row = logits(len(encoding), {4: 9.0, 6: 9.0, 8: 9.0}, rest=0.0)
    found = decode(passage, [encoding], [row], [row], top_k=50, max_answer_length=30)
    assert {a.text for a in found.answers} == {"the", "boats", "the  boats"}
    assert found.windows[0].span == (2, 12)


@pytest.mark.parametrize("passage", ["", "   ", "x"])
def test_a_window_without_a_word_gives_no_span(passage: str) -> None:  # H28
    encoding = encoded([])
    row = logits(len(encoding), {0: 1.0})
    found = decode(passage, [encoding], [row], [row], top_k=5, max_answer_length=30)
    assert found.answers == ()
    assert (found.no_answer.score, found.no_answer.logit) == (1.0, 2.0)
    assert found.windows[0].best_logit is None


def test_sixteen_thousand_words_are_searched() -> None:
    passage = "word " * 16_000
    spans = words_of_equal_length(16_000)
    encodings = [encoded(spans[begin : begin + 370]) for begin in range(0, 16_000, 242)]
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=len(encoding)).astype(np.float32) for encoding in encodings]
    found = decode(passage, encodings, rows, rows, top_k=5, max_answer_length=30)
    assert len({a.span for a in found.answers}) == 5


def words_of_equal_length(count: int) -> list[Span]:
    return [(5 * i, 5 * i + 4) for i in range(count)]

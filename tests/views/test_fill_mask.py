from __future__ import annotations

import re
from html import unescape

from components.tasks.fill_mask import Blank, Candidate, FillMaskResult, NoBlankError
from components.tasks.words import split_words
from components.views import fill_mask as views

TEXT = "the <b>river</b> <mask> past\nthe <mask>."


def _result(text: str = TEXT, mask_token: str = "<mask>") -> FillMaskResult:
    words = split_words(text, mask_token)
    candidates = (Candidate("Ġran", "ran", 7, 0.75), Candidate("<s>", "<s>", 0, 0.00001))
    return FillMaskResult(
        model_id="bert-mini",
        text=text,
        mask_token=mask_token,
        words=words,
        blanks=tuple(Blank(word.span, candidates) for word in words if word.is_blank),
        not_tokens=(("unhappy", ("un", "##happy")),),
        notices=("[MASK] was read as <mask>.",),
    )


def _visible(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_the_strip_shows_the_text_as_typed_with_the_best_word_in_each_blank() -> None:
    shown = _visible(views.strip(_result()))
    assert shown == "the <b>river</b> ran1 past\nthe ran2."


def test_a_click_on_a_word_replaces_exactly_that_word() -> None:
    result = _result()
    html = views.strip(result)
    spans = re.findall(r'data-span="(\d+),(\d+)" data-put="([^"]+)"', html)
    assert [(result.text[int(a) : int(b)], unescape(put)) for a, b, put in spans] == [
        *((word, "<mask>") for word in ("the", "b", "river", "b")),
        ("<mask>", "ran"),
        *((word, "<mask>") for word in ("past", "the")),
        ("<mask>", "ran"),
    ]
    assert unescape(re.findall(r'data-text="([^"]*)"', html)[0]) == result.text


def test_a_text_without_a_blank_is_still_there_to_click_on() -> None:
    error = NoBlankError("the <b>river", "[MASK]")
    assert _visible(views.strip(error)) == "the <b>river"
    assert 'data-put="the &lt;b&gt;[MASK]"' in views.no_blank(error)
    assert "[MASK]" in _visible(views.no_blank(error))


def test_each_blank_has_its_own_bars() -> None:
    html = views.bar_chart(_result())
    assert html.count("<section") == 2
    assert "Blank 2" in html
    assert "75.0 %" in html
    assert "&lt;s&gt;" in html
    assert "<s>" not in html


def test_the_finding_says_what_is_scored_and_what_is_not() -> None:
    shown = _visible(views.finding(_result()))
    assert "Blank 1: “ran” (75.0 %); Blank 2: “ran” (75.0 %)" in shown
    assert "“unhappy” is not one token here: un + ##happy" in shown
    assert "scored on its own, not jointly" in shown
    assert "[MASK] was read as <mask>." in shown


def test_the_table_lists_every_candidate_with_its_id() -> None:
    rows = views.table(_result())
    assert rows[0] == ["Blank 1", "Ġran", "75.0 %", 7]
    assert [row[0] for row in rows] == ["Blank 1", "Blank 1", "Blank 2", "Blank 2"]
    assert all(len(row) == len(views.HEADERS) for row in rows)

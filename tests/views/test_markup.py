from __future__ import annotations

import re

import pytest

from components.views import markup
from components.views.markup import Bar, Edit
from components.views.wording import millions, milliseconds, percent, size

HOSTILE = "<script>x</script>\"'&${1}{{2}}<s>"


def test_every_piece_escapes_what_it_is_given() -> None:
    edit = Edit((0, 1), HOSTILE)
    drawn = [
        markup.finding(HOSTILE, model_id=HOSTILE, notices=[HOSTILE]),
        markup.refusal(HOSTILE, HOSTILE),
        markup.waiting(HOSTILE),
        markup.guide(HOSTILE, HOSTILE),
        markup.why_missing([HOSTILE]),
        markup.bars([Bar(HOSTILE, 0.5, remark=HOSTILE, edit=edit)], text=HOSTILE),
        markup.editable(HOSTILE, markup.button(HOSTILE, edit, css="c", title=HOSTILE), css="c"),
    ]
    for html in drawn:
        assert "<script" not in html
        assert "<s>" not in html
        assert "&lt;script&gt;" in html
        assert not re.search(r'"[^"<>]*<script', html)


def test_a_miniature_is_called_one_and_a_stranger_is_named() -> None:
    assert "a miniature" in markup.model_line("bert-mini")
    assert "miniature" not in markup.model_line("owner/name")
    line = markup.model_line("google/electra-base-generator")
    assert "full size" in line
    assert "lab-electra" in line


def test_why_models_are_missing_is_folded_away() -> None:
    html = markup.why_missing(["One has no head.", "Another neither."])
    assert html.startswith('<details class="lab-missing"><summary>Why are some models missing?')
    assert html.count("<li>") == 2
    assert " open" not in html


def test_a_refusal_offers_its_correction_as_the_whole_text() -> None:
    html = markup.refusal("no blank", "the [MASK]")
    assert 'data-text=""' in html
    assert 'data-span="0,0" data-put="the [MASK]"' in html
    assert "data-put" not in markup.refusal("no blank")


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0.0, "0.00 %"),
        (1e-7, "< 0.01 %"),
        (0.00014, "0.01 %"),
        (0.0474, "4.7 %"),
        (0.5, "50.0 %"),
        (0.9975, "99.75 %"),
        (0.999_999, "> 99.99 %"),
        (1.0, "100.00 %"),
    ],
)
def test_a_percentage_keeps_the_digits_that_matter(score: float, text: str) -> None:
    assert percent(score) == text


def test_sizes_and_times_are_short() -> None:
    assert [size(n) for n in (12, 1_500, 45_501_188, 2e9)] == [
        "12 bytes",
        "1.5 kB",
        "45.5 MB",
        "2.0 GB",
    ]
    assert millions(22_700_000) == "22.7 M"
    assert [milliseconds(s) for s in (0.0042, 0.123)] == ["4.2 ms", "123 ms"]

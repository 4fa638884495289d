from __future__ import annotations

import re
from dataclasses import replace

from components.tasks.sentiment import Classified, Scale, SentimentResult, Window
from components.views import document
from components.views import sentiment as views

TEXT = "<b>good</b> morning, bad evening"
WINDOWS = (
    Window((0, 20), 30, (-2.0, 2.0), (0.018, 0.982)),
    Window((12, len(TEXT)), 10, (1.0, -1.0), (0.881, 0.119)),
)
LONG = Classified(TEXT, (0.1, 0.9), (1,), 40, 40, WINDOWS)
RESULT = SentimentResult("bert-mini", Scale.ONE_OF, ("NEGATIVE", "POSITIVE"), (LONG,), ())


def test_a_long_text_says_how_it_was_read_and_how_windows_are_combined() -> None:  # H23
    page = views.panels(RESULT)
    assert "all 40 tokens were read in 2 windows" in page
    assert "mean of their logits, weighted by the tokens" in page
    assert "Only the first" not in page
    many = replace(RESULT, texts=(LONG,) * 7)
    assert "7 longer texts were read in windows" in views.finding(many)


def test_each_window_stands_where_it_lies_and_as_high_as_its_score() -> None:
    drawn = document.curve(RESULT, LONG, ("no", "yes"))
    steps = re.findall(
        r"lab-curve-step lab-(\w+).*?left:([\d.]+)%;width:([\d.]+)%;--height:([\d.]+)%", drawn
    )
    scale = 100 / len(TEXT)
    assert [(tone, float(left), float(high)) for tone, left, _, high in steps] == [
        ("yes", 0.0, 98.2),
        ("no", round(12 * scale, 2), 11.9),
    ]
    assert 'y1="10.00"' in drawn  # the whole text, 90 %
    assert "Window 2: characters 12 to" in drawn
    assert "NEGATIVE 88.1 %" in drawn


def test_the_text_is_cut_at_windows_and_each_piece_knows_where_it_belongs() -> None:
    drawn = views.panels(RESULT)
    assert re.findall(r'data-lit-by="([^"]*)"', drawn) == ["0", "0 1", "1"]
    assert "<b>good" not in drawn
    beside = replace(RESULT, texts=(LONG, LONG))
    assert "lab-passage" not in views.panels(beside)  # a window lights up in one text only


def test_a_number_is_drawn_from_its_lowest_to_its_highest() -> None:
    windows = tuple(
        replace(w, scores=(s,), logits=(s,)) for w, s in zip(WINDOWS, (1.5, 3.5), strict=True)
    )
    text = replace(LONG, scores=(2.0,), chosen=(), windows=windows)
    result = replace(RESULT, scale=Scale.NUMBER, labels=("LABEL_0",), texts=(text,))
    drawn = document.curve(result, text, ("muted",))
    assert re.findall(r"--height:([\d.]+)%", drawn) == ["0.00", "100.00"]
    assert "%</span>" not in drawn
    assert "+2.50" in drawn
    assert document.table(result)["data"][0][5:] == ["", "+1.50", "+1.50"]


def test_the_table_lists_every_window_with_its_logits() -> None:
    drawn = document.table(RESULT)
    assert drawn["headers"][-2:] == ["Logit NEGATIVE", "Logit POSITIVE"]
    assert drawn["data"][1] == [TEXT, 2, 12, len(TEXT), 10, "NEGATIVE", "88.1 %", "+1.00", "−1.00"]

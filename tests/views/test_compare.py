from __future__ import annotations

import dataclasses

import pytest

from components.models.evaluation import Figure
from components.models.families import Task
from components.tasks.compare import Choice, CompareResult, Entry, Given, Latency, Refusal
from components.views import compare as views
from components.views.compare_chart import chart as draw_chart

HOSTILE = "<img src=x onerror=alert(1)> <s>"


def entry(
    model_id: str = "bert-mini",
    answer: str = "capital",
    *,
    model_type: str = "bert",
    seconds: float = 0.010,
    score: float = 0.5,
    accuracy: float | None = None,
) -> Entry:
    return Entry(
        model_id=model_id,
        model_type=model_type,
        answers=((Choice(answer, score), Choice("city", score / 2)),),
        tokens=9,
        parameters=22_700_000,
        disk_bytes=45_000_000,
        weight_bytes=91_000_000,
        latency=Latency(seconds, seconds * 0.9, seconds * 1.2, 5),
        accuracy=accuracy,
        notices=(),
    )


def result(
    *entries: Entry | Refusal, text: str = "Paris is the [MASK] of France."
) -> CompareResult:
    return CompareResult(Task.FILL_MASK, Given(text), entries)


BERT = entry()
DISTILBERT = entry("distilbert-mini", model_type="distilbert", seconds=0.0052)


def test_two_that_agree_are_said_to_with_the_ratio_of_their_times() -> None:
    found = views.finding(result(BERT, DISTILBERT))
    assert "Both say “capital”; distilbert-mini needs 0.52× the time" in found


def test_many_that_agree_and_the_fastest_against_the_slowest() -> None:
    found = views.finding(result(BERT, DISTILBERT, entry("x/y", "Capital", seconds=0.02)))
    assert "All 3 say “capital”; distilbert-mini needs 0.26× the time of x/y" in found


def test_camps_are_named_the_largest_first() -> None:
    found = views.finding(result(entry("a", "city"), entry("b"), entry("c", "CAPITAL")))
    assert "b and c say “capital”, a says “city”; they need about the same time" in found


def test_of_many_that_differ_the_largest_camp_is_counted_and_all_are_drawn() -> None:
    six = result(*(entry(f"m{i}", "city" if i > 3 else "capital") for i in range(6)))
    assert "4 of 6 say “capital”" in views.finding(six)
    drawn = views.agreement(six)
    assert drawn.count("<li>") == 2
    assert drawn.index("m0") < drawn.index("m3") < drawn.index("“city”") < drawn.index("m4")
    assert views.agreement(result(BERT, DISTILBERT)) == ""
    alone = result(*(entry(f"m{i}", f"w{i}") for i in range(4)))
    assert "4 models, 4 answers" in views.finding(alone)


FIGURE = Figure("sentiment", "Sentiment", "Of reviews.")


def test_accuracy_is_said_with_what_it_means_or_that_it_is_unknown() -> None:
    known = entry(accuracy=0.8865)
    drawn = views.cards(dataclasses.replace(result(known, entry("x/y")), figure=FIGURE))
    first, second = drawn.split("<article")[1:]
    assert "88.6 % <small>Sentiment</small>" in first
    assert "not measured" in second
    assert drawn.count("Of reviews.") == 1
    assert views.table(result(known))[0][7] == "88.6 %"


def test_one_model_alone_is_compared_with_none() -> None:
    found = views.finding(result(BERT, Refusal("nosuch", "There is none.")))
    assert "bert-mini says “capital”<" in found
    assert "nosuch did not answer" in found


def test_nobody_answers() -> None:
    silence = result(Refusal("nosuch", "There is none."), Refusal("x" * 500, "Too long."))
    assert "None of these models can answer" in views.finding(silence)
    assert "There is none." in views.cards(silence)
    assert "x" * 61 not in views.cards(silence)
    assert draw_chart(silence) is None
    assert len(views.table(silence)) == 2


def test_several_blanks_are_all_said() -> None:
    two = dataclasses.replace(BERT, answers=((Choice("tea", 0.4),), (Choice("paper", 0.2),)))
    assert "“tea” … “paper”" in views.finding(result(two))
    assert views.cards(result(two)).count("lab-bars") == 2
    figure = draw_chart(result(two, DISTILBERT))
    assert [list(trace.y) for trace in figure.data[:2]] == [[0, 1], [0]]


def test_a_card_says_all_figures() -> None:
    card = views.cards(result(BERT))
    for figure in ("10 ms", "median of 5 runs", "9.0 ms to 12 ms", "9<", "22.7 M", "45.0 MB",
                   "91.0 MB", "50.0 %", "a miniature", "BERT"):  # fmt: skip
        assert figure in card, figure


def test_a_refused_model_has_a_card_with_its_reason() -> None:
    drawn = views.cards(result(BERT, Refusal("nosuch", "There is no public model nosuch.")))
    assert drawn.count("<article") == 2
    assert "There is no public model nosuch." in drawn
    assert "miniature" not in drawn.split("<article")[2]


@pytest.mark.parametrize("draw", [views.finding, views.cards])
def test_nothing_becomes_html(draw: object) -> None:  # H38
    hostile = dataclasses.replace(
        entry(HOSTILE, HOSTILE), notices=(HOSTILE,), model_type="bert"
    )  # fmt: skip
    drawn = draw(result(hostile, Refusal(HOSTILE, HOSTILE), text=HOSTILE))  # type: ignore[operator]
    assert "<img" not in drawn
    assert "<s>" not in drawn


def test_the_chart_shows_names_and_answers_literally() -> None:  # H34
    figure = draw_chart(result(entry("<s>", "<b>x</b>"), entry("<s>", "a"), text="<s> [MASK]"))
    names = figure.layout.yaxis.ticktext
    assert list(names) == ["&lt;s&gt;", "&lt;s&gt;"]
    assert list(figure.layout.yaxis.tickvals) == [0, 1]  # two models of one name stay two
    assert figure.data[0].text[0] == "&lt;b&gt;x&lt;/b&gt; · 50.0 %"
    assert "<s>" not in figure.layout.annotations[-1].text


def test_the_chart_holds_the_numbers_with_their_range() -> None:
    figure = draw_chart(result(BERT, DISTILBERT))
    scores, times = figure.data
    assert list(scores.x) == [0.5, 0.5]
    assert list(times.x) == pytest.approx([10, 5.2])
    assert list(times.error_x.array) == pytest.approx([2, 1.04])
    assert list(times.error_x.arrayminus) == pytest.approx([1, 0.52])
    assert list(scores.marker.color) == list(times.marker.color)
    assert len(set(scores.marker.color)) == 2


def test_the_chart_names_the_input_and_the_miniatures() -> None:
    figure = draw_chart(result(BERT, entry("x/y"), text="word " * 300))
    caption = figure.layout.annotations[-1].text
    assert caption.startswith("“word word")
    assert caption.endswith("Miniatures: bert-mini")
    assert max(len(line) for line in caption.split("<br>")) <= 48
    assert len(caption.split("<br>")) <= 4


def test_the_table_lists_every_model_in_order_with_all_numbers() -> None:
    rows = views.table(result(DISTILBERT, Refusal("nosuch", "There is none."), BERT))
    assert [row[0] for row in rows] == ["distilbert-mini", "nosuch", "bert-mini"]
    assert {len(row) for row in rows} == {len(views.HEADERS)}
    assert rows[2] == [
        "bert-mini", "capital", "50.0 %", 9, "22,700,000", "45.0 MB", "91.0 MB", "not measured",
        "10 ms", "9.0 ms", "12 ms", 5,
    ]  # fmt: skip

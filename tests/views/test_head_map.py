from __future__ import annotations

import base64
import csv
import io
import re
from dataclasses import replace
from typing import Any

import pytest

from components.config import ASSETS
from components.models.families import Task
from components.models.heads import Filler
from components.tasks.followed import Reading
from components.tasks.head_map import Effect, HeadMapResult, TogetherResult
from components.views import head_map as views
from components.views import together
from components.views.wording import points

HOSTILE = '<img src=x onerror="1"> ${1} {{2}}'
WHOLE = Reading("capital", 9.5, 0.97)


def effect(change: float, logit: float = 0.0, own: str = "capital") -> Effect:
    return Effect(9.5 + logit, 0.97 + change, logit, change, own)


def result_of(changes: list[list[float]], **more: Any) -> HeadMapResult:
    made = HeadMapResult(
        model_id="bert-mini",
        task=Task.FILL_MASK,
        by=Filler.ZERO,
        tokens=9,
        followed=WHOLE,
        own_answer="capital",
        choices=(WHOLE, Reading("city", 4.0, 0.01)),
        heads=tuple(tuple(effect(change, 2 * change) for change in row) for row in changes),
        layers=tuple(effect(-0.9, -8.0) for _ in changes),
        notices=(),
    )
    return replace(made, **more)


CHANGES = [[-0.123, 0.004, 0.0], [0.02, -0.0001, -0.009]]


def together_of(singles: list[float], joint: float, **more: Any) -> TogetherResult:
    made = TogetherResult(
        model_id="bert-mini",
        by=Filler.ZERO,
        followed=WHOLE,
        own_answer="capital",
        chosen=tuple((2, head) for head in range(len(singles))),
        singles=tuple(effect(change, change) for change in singles),
        joint=effect(joint, joint),
        notices=(),
    )
    return replace(made, **more)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (CHANGES, "Switching off head 1 of layer 1 costs “capital” 12.3 points, more than any "
         "other. 4 of 6 heads matter less than 1 point."),
        ([[0.021, -0.02]], "head 1 of layer 1 gives “capital” 2.1 points: it was in the way"),
        ([[0.0099, -0.0001]], "No single head decides: switching off any one of the 2 moves"),
        ([[-0.01]], "costs “capital” 1.0 points, more than any other. 0 of 1 heads"),
    ],
)  # fmt: skip
def test_the_finding_names_the_head_that_matters_most(
    changes: list[list[float]], words: str
) -> None:
    drawn = views.finding(result_of(changes))
    assert words in drawn
    assert "“capital” 97.0 % (logit +9.50)" in drawn


def test_the_finding_says_where_the_answer_turns() -> None:
    plain = result_of(CHANGES)
    assert "first answer is another" not in views.finding(plain)
    turned = ((effect(-0.5, own="city"), effect(0.0)), (effect(0.1), effect(0.0, own="town")))
    drawn = views.finding(replace(plain, heads=turned)).unescape()
    assert "any one of 2 heads the model's first answer is another one" in drawn
    assert "Without the strongest it is “city”" in drawn
    other = replace(plain, followed=Reading("city", 4.0, 0.01))
    assert "Its own is “capital”." in views.finding(other)


def cells(drawn: str) -> list[dict[str, str]]:
    found = []
    for cell in re.findall(r"<button type=\"button\" class=\"lab-cell.*?</button>", drawn):
        shares = re.search(r"--p:([\d.]+);--l:([\d.]+)", cell)
        assert shares
        found.append(
            {
                "heads": re.findall(r'data-heads="(.*?)"', cell)[0],
                "says": re.findall(r'aria-label="(.*?)"', cell)[0],
                "short": re.findall(r'points">(.*?)<', cell)[0],
                "points": shares[1],
                "logits": shares[2],
                "tones": " ".join(re.findall(r"lab-([pl]-\w+)", cell)),
            }
        )
    return found


def test_every_head_has_its_cell_and_every_layer_one_for_all_of_it() -> None:
    found = cells(views.head_map(result_of(CHANGES)))
    assert [cell["heads"] for cell in found] == [
        "0.0", "0.1", "0.2", "0.0 0.1 0.2", "1.0", "1.1", "1.2", "1.0 1.1 1.2",
    ]  # fmt: skip
    assert found[0]["says"] == (
        "Head 1 of layer 1: −12.3 points (then 84.7 %), logit −0.25"
    )  # fmt: skip
    assert found[3]["says"].startswith("Layer 1, all its heads: −90.0 points (then 7.0 %)")
    assert [cell["short"] for cell in found[:3]] == ["−12", "+0.4", "0"]
    tones = [cell["tones"] for cell in found[:3]]
    assert tones == ["p-loss l-loss", "p-gain l-gain", "p-gain l-gain"]


def test_colour_is_in_proportion_and_its_scale_is_said() -> None:
    drawn = views.head_map(result_of(CHANGES))  # the largest is 12.3 points: full at 20
    shares = [float(cell["points"]) for cell in cells(drawn)]
    assert shares[:3] == pytest.approx([0.615, 0.02, 0.0], abs=1e-3)
    assert shares[3] == 1  # all of a layer may pass the scale of the single heads
    assert "−20 points or more" in drawn
    assert "+20 points or more" in drawn


def test_tiny_changes_are_not_shown_as_large() -> None:
    drawn = views.head_map(result_of([[0.001, -0.002], [0.0005, 0.0]]))
    for cell in cells(drawn):
        if " " not in cell["heads"]:
            assert float(cell["points"]) <= 0.04
            assert float(cell["logits"]) <= 0.01
    assert "−5 points or more" in drawn
    assert "−0.5 or more" in drawn


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (-0.123, "−12.3 points"),
        (0.02, "+2.0 points"),
        (-0.0042, "−0.42 points"),
        (0.00001, "±0.00 points"),
        (0.0, "0 points"),
    ],
)
def test_points_keep_their_sign_and_the_digits_that_matter(change: float, written: str) -> None:
    assert points(change) == written


def test_the_answers_can_be_clicked_and_the_followed_one_is_among_them() -> None:
    drawn = views.answers(result_of(CHANGES))
    assert 'data-put="city"' in drawn
    assert 'title="Follow “city”"' in drawn
    assert drawn.count("lab-muted") == 1
    rare = Reading("river", -3.0, 0.0001)
    assert 'data-put="river"' in views.answers(result_of(CHANGES, followed=rare))


def test_the_table_and_the_file_hold_every_number() -> None:
    result = result_of(CHANGES)
    rows = views.table(result)
    assert len(rows) == 8
    assert all(len(row) == len(views.HEADERS) for row in rows)
    assert rows[0][:4] == [1, 1, "−12.3", "−0.25"]
    assert rows[3][1] == "all"
    packed = re.search(r"base64,([\w+/=]+)", views.download(result))
    assert packed
    lines = list(csv.reader(io.StringIO(base64.b64decode(packed[1]).decode("utf-8-sig"))))
    assert len(lines) == 9
    assert float(lines[1][2]) == pytest.approx(-0.123)


@pytest.mark.parametrize(
    ("singles", "joint", "words"),
    [
        ([-0.1, -0.05], -0.4, "Here the heads do 25.0 points more together than the sum says."),
        ([-0.3, -0.2], -0.1, "Here the heads do 40.0 points less together than the sum says."),
        ([0.1, 0.1], -0.1, "Here even the sign is another: the two are 30.0 points apart."),
        ([-0.1, -0.1], -0.2, "Here the two are nearly the same, which is no rule."),
    ],
)
def test_the_joint_effect_stands_beside_the_sum(
    singles: list[float], joint: float, words: str
) -> None:
    drawn = together.panel(together_of(singles, joint))
    assert "Without head 1 of layer 3 and head 2 of layer 3 together “capital” changes by" in drawn
    assert f"their single effects sum to {points(sum(singles))}." in drawn
    assert words in drawn
    assert "redundancy" in drawn
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", drawn)]
    assert len(widths) == 4
    assert max(widths) <= 50
    assert drawn.index("Sum of the single effects") < drawn.index("Together, measured")


def test_one_head_needs_no_sum_and_many_are_not_all_drawn() -> None:
    one = together.panel(together_of([-0.1], -0.1))
    assert "Without head 1 of layer 3 “capital” changes by −10.0 points." in one
    assert "Sum of" not in one
    many = together.panel(together_of([-0.01] * 30, -0.9))
    assert "the 30 chosen heads together" in many
    assert "and 22 more heads alone" in many
    assert many.count("lab-change-track") == 10
    turned = replace(together_of([-0.1], -0.1), joint=effect(-0.1, own="city"))
    assert "the model's first answer is “city”" in together.panel(turned).unescape()


def test_what_visitors_and_models_write_never_becomes_html() -> None:  # H38
    reading = Reading(HOSTILE, 1.0, 0.5)
    row = (effect(-0.2, own=HOSTILE),)
    result = result_of(
        CHANGES, followed=reading, choices=(reading,), heads=(row,), layers=row,
        own_answer=HOSTILE, model_id=HOSTILE, notices=(HOSTILE,),
    )  # fmt: skip
    joint = together_of([-0.1, 0.1], 0.2, followed=reading, notices=(HOSTILE,))
    for draw in (views.finding, views.head_map, views.answers, views.download):
        assert "<img" not in draw(result)
    assert "<img" not in together.panel(joint)


def test_the_script_makes_no_html() -> None:
    script = (ASSETS / "head_map.js").read_text(encoding="utf-8")
    assert "innerHTML" not in script
    for do in re.findall(r'data-do="(\w+)"', views.head_map(result_of(CHANGES))):
        assert re.search(rf"^  {do}[:,]", script, re.MULTILINE), do

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from components.models.anatomy import Anatomy
from components.models.choices import CHOICES, Need
from components.models.evaluation import Figure
from components.models.families import FAMILIES
from components.tasks.families import Evidence, FamiliesResult, Miniature, Reason, Row
from components.views import families as views
from components.views.anatomy import anatomy_bars

HOSTILE = "<img src=x onerror=alert(1)> <s>"
BERT = Anatomy(12_000_000, 10_800_000, 300_000, 6, 6, 384, 30_522, 45_800_000)
ALBERT = Anatomy(2_600_000, 1_800_000, 200_000, 6, 1, 384, 20_000, 9_200_000)
MINIATURES = (
    Miniature("bert-mini", "bert", BERT, {"sentiment": 0.8865}),
    Miniature("roberta-mini", "roberta", None, {}),
    Miniature("albert-mini", "albert", ALBERT, {}),
)


def result(need: Need = Need.DOWNLOAD, *, rows: tuple[Row, ...] | None = None) -> FamiliesResult:
    choice = CHOICES[need]
    best = (Row("albert-mini", "albert", 9_200_000), Row("bert-mini", "bert", 45_800_000))
    evidence = Evidence(
        "disk_bytes", "File with the weights", "File with the weights", rows or best
    )
    return FamiliesResult(
        need=need,
        headline=choice.headline.format(name="ALBERT"),
        picks=tuple(
            Reason(p.model_type, FAMILIES[p.model_type].name, p.why.text, p.why.source)
            for p in choice.picks
        ),
        caveat=choice.caveat,
        evidence=(evidence,),
        miniatures=MINIATURES,
        figures=(Figure("sentiment", "Sentiment (SST-2)", "Accuracy on SST-2."),),
    )


def test_the_finding_names_the_family_and_says_whether_ours_agree() -> None:
    found = views.finding(result())
    assert "For a small download: ALBERT" in found
    assert "albert-mini comes first (File with the weights: 9.2 MB), as the papers" in found
    assert "Small is not fast" in found
    other = views.finding(result(rows=(Row("bert-mini", "bert", 1.0),)))
    assert "bert-mini comes first" in other
    assert "not as in the papers" in other


def test_both_choices_stand_with_reason_and_source() -> None:
    drawn = views.picks(result())
    assert drawn.index("First choice") < drawn.index("Second choice")
    for pick in CHOICES[Need.DOWNLOAD].picks:
        assert pick.why.text.replace("'", "&#39;") in drawn
        assert pick.why.source in drawn
    assert re.findall(r"width:([\d.]+)%", drawn) == ["20.09", "100.00"]


def test_shares_are_drawn_from_0_to_100_percent() -> None:
    share = Evidence("sentiment", "Sentiment", "Of reviews.", (Row("bert-mini", "bert", 0.8865),))
    drawn = views.picks(replace(result(), evidence=(share,)))
    assert "width:88.65%" in drawn
    assert "88.7 %" in drawn or "88.6 %" in drawn


def test_a_card_for_each_family_tells_published_from_ours() -> None:
    drawn = views.cards(result())
    assert drawn.count("<article") == len(FAMILIES)
    bert = drawn.split("<article")[1]
    published, ours = bert.split("Published, full size")[1].split("Ours, a miniature")
    assert "110 M" in published
    assert "22." not in published
    for figure in ("bert-mini", "23.1 M parameters", "45.8 MB", "88.6 %"):
        assert figure in ours, figure
    assert "110 M" not in ours
    assert "Its files are not here." in drawn
    assert "1 stored" in drawn


def test_the_picks_are_marked_on_their_cards() -> None:
    drawn = {a.split('"')[0]: a for a in views.cards(result()).split("lab-family-card lab-")[1:]}
    assert "first choice" in drawn["albert"]
    assert "second choice" in drawn["electra"]
    assert "choice" not in drawn["bert"].split("<p")[0]


def test_every_claim_stands_on_its_card_with_its_source() -> None:
    drawn = views.cards(result())
    for family in FAMILIES.values():
        for claim in (*family.profile.changes, *family.profile.strengths, family.profile.weakness):
            assert claim.source.replace("'", "&#39;") in drawn
            assert claim.text.replace("'", "&#39;") in drawn


def test_the_bars_are_on_one_scale_and_albert_shows_its_layer_six_times() -> None:
    drawn = anatomy_bars(MINIATURES)
    rows = drawn.split('class="lab-anatomy ')[1:]
    assert len(rows) == 2  # the third has no files
    bert, albert = rows
    assert (bert.count("lab-part-layer"), bert.count("lab-part-again")) == (6, 0)
    assert (albert.count("lab-part-layer"), albert.count("lab-part-again")) == (1, 5)
    widths = [[float(w) for w in re.findall(r"width:([\d.]+)%", row)] for row in rows]
    assert sum(widths[0]) == pytest.approx(100, abs=0.01)
    assert sum(widths[1]) == pytest.approx(100 * (4.6 + 5 * 1.8) / 23.1, abs=0.01)
    assert "1 layer of 1.8 M, used 6 times" in albert
    assert "6 layers of 1.8 M" in bert
    assert "ALBERT stores one layer and uses it 6 times" in drawn
    assert 'role="img"' in drawn


def test_without_files_there_are_no_bars() -> None:
    assert anatomy_bars(MINIATURES[1:2]) == ""


def test_the_tables_have_a_cell_for_every_column() -> None:
    shown = result()
    assert {len(row) for row in views.table(shown)} == {len(views.HEADERS)}
    ids = [one.model_id for one in shown.miniatures]
    assert {len(row) for row in views.figure_table(shown)} == {len(views.figure_headers(ids))}
    assert views.figure_table(shown) == [
        ["Sentiment (SST-2)", "88.6 %", "not measured", "not measured", "Accuracy on SST-2."]
    ]
    assert {len(row) for row in views.published_table()} == {len(views.PUBLISHED_HEADERS)}
    assert views.table(shown)[1][2] == "not here"
    assert views.table(shown)[2][6:8] == [6, 1]


@pytest.mark.parametrize("draw", [views.finding, views.picks, views.cards])
def test_nothing_becomes_html(draw: Callable[[FamiliesResult], str]) -> None:  # H38
    pick = Reason("bert", HOSTILE, HOSTILE, HOSTILE)
    evidence = Evidence("sentiment", HOSTILE, HOSTILE, (Row(HOSTILE, "bert", 0.5),))
    hostile = replace(
        result(),
        headline=HOSTILE,
        picks=(pick, pick),
        caveat=HOSTILE,
        evidence=(evidence,),
        miniatures=(Miniature(HOSTILE, "bert", BERT, {"x": 0.5}),),
        figures=(Figure("x", HOSTILE, HOSTILE),),
    )
    assert "<img" not in draw(hostile)
    assert "<img" not in anatomy_bars(hostile.miniatures)

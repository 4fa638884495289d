from __future__ import annotations

import re

import pytest

from components.models.choices import CHOICES, DEFAULT_NEED, Need
from components.models.evaluation import FIGURES
from components.models.families import FAMILIES, Family
from components.models.profiles import Claim
from components.tasks.families import SIZES

every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.model_type)
SOURCE = re.compile(r"et al\. 20(19|20|21)|its objective|model card of |fairseq")


def claims(family: Family) -> list[Claim]:
    profile = family.profile
    return [profile.objective, *profile.changes, *profile.strengths, profile.weakness]


@every_family
def test_every_claim_is_a_sentence_with_a_source(family: Family) -> None:
    profile = family.profile
    assert profile.changes
    assert profile.strengths
    for claim in claims(family):
        assert claim.text.endswith((".", "?"))
        assert claim.text[0].isupper() or claim.text[0].isdigit()
        assert SOURCE.search(claim.source), claim.source
    assert profile.choose_for.endswith(".")


@every_family
def test_every_published_size_has_a_source(family: Family) -> None:
    assert family.profile.published
    for one in family.profile.published:
        assert one.parameters >= 10_000_000
        assert SOURCE.search(one.source), one.source


def test_a_section_is_cited_by_its_number_or_table() -> None:
    for family in FAMILIES.values():
        for claim in claims(family):
            if "et al." in claim.source:
                assert re.search(r"abstract|section|sec\.|table|appendix", claim.source)


def test_every_need_has_two_picks_that_differ_and_measures_that_exist() -> None:
    assert set(CHOICES) == set(Need)
    assert DEFAULT_NEED in CHOICES
    for choice in CHOICES.values():
        first, second = choice.picks
        assert first.model_type != second.model_type
        assert all(SOURCE.search(pick.why.source) for pick in choice.picks)
        assert {first.model_type, second.model_type} <= set(FAMILIES)
        assert set(choice.measures) <= {*SIZES, *FIGURES}
        assert "{name}" in choice.headline


def test_every_family_is_somebodys_pick() -> None:
    assert {p.model_type for c in CHOICES.values() for p in c.picks} == set(FAMILIES)

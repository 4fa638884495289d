from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, joint_mask
from tests.fakes import FAMILY_NAMES
from tests.plain import plain_logs, typed_ids

Load = Callable[..., LoadedModel]
TWO = "the {} ran past the {}"
THREE = "the {} ran {} the {}"


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.FILL_MASK)


def _with(ids: list[int], places: list[int], filled: dict[int, int]) -> list[int]:
    put = {places[blank]: token_id for blank, token_id in filled.items()}
    return [put.get(i, token_id) for i, token_id in enumerate(ids)]


def _masked(model: LoadedModel, template: str) -> tuple[list[int], list[int]]:
    ids = typed_ids(model, template.format(*[model.mask_token] * template.count("{}")))
    return ids, [i for i, token_id in enumerate(ids) if token_id == model.mask_token_id]


def _chain(model: LoadedModel, template: str, chosen: tuple[int, ...], order: list[int]) -> float:
    ids, places = _masked(model, template)
    filled: dict[int, int] = {}
    total = 0.0
    for blank in order:
        logs = plain_logs(model, _with(ids, places, filled))
        total += logs[places[blank], chosen[blank]]
        filled[blank] = chosen[blank]
    return float(np.exp(total))


def test_two_blanks_equal_an_exhaustive_search_over_the_best_first_words(
    model: LoadedModel,
) -> None:
    ids, places = _masked(model, TWO)
    beam = 4
    first = plain_logs(model, ids)[places[0]]
    totals = {
        (int(i), j): first[i] + second
        for i in np.argsort(-first)[:beam]
        for j, second in enumerate(plain_logs(model, _with(ids, places, {0: int(i)}))[places[1]])
    }
    best = sorted(totals, key=lambda pair: -totals[pair])[:beam]
    result = joint_mask.predict(model, TWO.format("[MASK]", "___"), beam=beam)
    assert [filling.token_ids for filling in result.beam] == best
    np.testing.assert_allclose(
        [filling.score for filling in result.beam], np.exp([totals[p] for p in best]), rtol=1e-4
    )


@pytest.mark.parametrize("template", [TWO, THREE])
def test_joint_probabilities_are_the_chain_rule_of_plain_forward_passes(
    model: LoadedModel, template: str
) -> None:
    blanks = list(range(template.count("{}")))
    result = joint_mask.predict(model, template.format(*["___"] * len(blanks)), beam=3)
    for way in result.ways:
        ids = way.filling.token_ids
        assert way.filling.score == pytest.approx(_chain(model, template, ids, blanks), rel=1e-3)
        assert way.backwards == pytest.approx(_chain(model, template, ids, blanks[::-1]), rel=1e-3)
    for filling in result.beam:
        expected = _chain(model, template, filling.token_ids, blanks)
        assert filling.score == pytest.approx(expected, rel=1e-3)


def test_alone_is_what_fill_mask_answers(model: LoadedModel) -> None:
    text = THREE.format(*["[MASK]"] * 3)
    way = joint_mask.predict(model, text).way("alone")
    answer = [blank.candidates[0] for blank in fill_mask.predict(model, text).blanks]
    assert way.filling.token_ids == tuple(c.token_id for c in answer)
    np.testing.assert_allclose(way.chosen, [c.score for c in answer], rtol=1e-3)


def test_the_surest_blank_is_filled_first_and_then_it_looks_again(model: LoadedModel) -> None:
    ids, places = _masked(model, THREE)
    filled: dict[int, int] = {}
    while len(filled) < 3:
        logs = plain_logs(model, _with(ids, places, filled))
        open_ = [blank for blank in range(3) if blank not in filled]
        surest = max(open_, key=lambda blank: logs[places[blank]].max())
        filled[surest] = int(logs[places[surest]].argmax())
    way = joint_mask.predict(model, THREE.format(*["[MASK]"] * 3)).way("surest")
    assert way.order == tuple(filled)
    assert way.filling.token_ids == tuple(filled[blank] for blank in range(3))


def test_a_wide_beam_finds_nothing_worse_than_a_narrow_one_for_two_blanks(
    model: LoadedModel,
) -> None:
    text = TWO.format("[MASK]", "[MASK]")
    scores = [joint_mask.predict(model, text, beam=b).beam[0].score for b in (1, 3, 10)]
    assert all(a <= b * (1 + 1e-6) for a, b in itertools.pairwise(scores))
    full = joint_mask.predict(model, text, beam=10)
    assert full.way("joint").filling.score >= full.way("alone").filling.score * (1 - 1e-4)
    assert sum(filling.score for filling in full.beam) <= 1 + 1e-6


def test_the_pairs_hold_the_joint_probabilities_of_the_choices(model: LoadedModel) -> None:
    result = joint_mask.predict(model, TWO.format("[MASK]", "[MASK]"), beam=6)
    pairs = result.pairs
    assert pairs is not None
    assert pairs.scores.shape == (6, len(pairs.seconds))
    for name, (row, column) in (("joint", pairs.joint), ("alone", pairs.alone)):
        filling = result.way(name).filling
        assert (pairs.firsts[row], pairs.seconds[column]) == filling.words
        assert pairs.scores[row, column] == pytest.approx(filling.score, rel=1e-3)
    assert pairs.scores.max() == pytest.approx(result.beam[0].score, rel=1e-3)


def test_one_blank_makes_all_ways_one(model: LoadedModel) -> None:
    result = joint_mask.predict(model, "the [MASK] ran past")
    fillings = {way.filling.token_ids for way in result.ways}
    assert len(fillings) == 1
    assert result.pairs is None
    assert "the three ways are one and the same" in result.notices[-1]


@pytest.mark.parametrize("blank", ["[MASK]", "<mask>", "___", "[ mask ]"])
def test_every_spelling_of_a_blank_is_understood(
    model: LoadedModel, blank: str
) -> None:  # H01, H02
    own = joint_mask.predict(model, TWO.format(model.mask_token, model.mask_token))
    typed = joint_mask.predict(model, TWO.format(blank, blank))
    assert typed.ways == own.ways
    assert bool(typed.notices) == (blank != model.mask_token)


def test_the_blanks_stand_where_the_text_has_them(model: LoadedModel) -> None:  # H04
    result = joint_mask.predict(model, THREE.format("___", "[MASK]", "<mask>"))
    assert [result.text[slice(*span)] for span in result.spans] == [model.mask_token] * 3


@pytest.mark.parametrize("count", [6, 50])
def test_too_many_blanks_are_refused(bert: LoadedModel, count: int) -> None:
    with pytest.raises(InputError, match=f"There are {count} blanks, and at most 5"):
        joint_mask.predict(bert, "[MASK] " * count)


def test_no_blank_is_said_with_an_offer(model: LoadedModel) -> None:
    with pytest.raises(fill_mask.NoBlankError) as error:
        joint_mask.predict(model, "the river ran past")
    assert model.mask_token in str(error.value.suggestion)


def test_a_blank_that_is_not_read_stays_empty_and_it_is_said(bert: LoadedModel) -> None:
    result = joint_mask.predict(bert, f"[MASK] {'the river ' * 40} [MASK]")
    assert len(result.spans) == 1
    assert "1 of the blanks came later, and stayed empty." in result.notices
    with pytest.raises(InputError, match="stops reading"):
        joint_mask.predict(bert, f"{'the river ' * 40} [MASK]")


@pytest.mark.parametrize("beam", [-3, 0, 1, 10**9])
def test_the_beam_is_kept_in_bounds(bert: LoadedModel, beam: int) -> None:
    result = joint_mask.predict(bert, TWO.format("___", "___"), beam=beam)
    assert 1 <= len(result.beam) <= joint_mask.MAX_BEAM


def test_five_blanks_cost_a_bounded_number_of_passes(
    bert: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    run = LoadedModel.run

    def counted(self: LoadedModel, encodings, **options):  # type: ignore[no-untyped-def]
        read.append(len(encodings))
        return run(self, encodings, **options)

    monkeypatch.setattr(LoadedModel, "run", counted)
    joint_mask.predict(bert, "the " + "[MASK] " * 5, beam=10)
    assert sum(read) <= 1 + 5 + (1 + 4 * 10) + 3 * 2 * 5  # alone, surest, beam, chains
    assert len(read) <= 1 + 5 + 5 + 6  # each of them in batches


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, None, 7])
def test_what_is_no_text_or_too_long_is_refused(bert: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        joint_mask.predict(bert, text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["😀 ___ é \ud800 [SEP] </s> ___", "مرحبا ___ 你好\r\n___", "____________"]
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:  # H03
    result = joint_mask.predict(model, text)
    assert all(0 <= way.filling.score <= 1 for way in result.ways)
    for a, b in itertools.pairwise(result.beam):
        assert a.score >= b.score

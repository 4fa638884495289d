from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import next_sentence, story
from components.tasks.next_sentence import OBJECTIVES
from tests.fakes import OWN_HEADS

Load = Callable[..., LoadedModel]
LINES = ("the boats ran past", "the mill was cold", "paris is a city", "we ran home")
TEXT = "\n".join(LINES)


@pytest.fixture(params=OBJECTIVES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(OWN_HEADS[request.param.value], request.param)


def test_every_ordered_pair_is_judged_as_if_it_were_alone(model: LoadedModel) -> None:
    result = story.predict(model, TEXT)
    for i, first in enumerate(LINES):
        for j, second in enumerate(LINES):
            if i == j:
                assert np.isnan(result.logits[i, j]).all()
                continue
            alone = next_sentence.predict(model, first, second).judgement
            assert tuple(result.logits[i, j]) == pytest.approx(alone.logits, abs=1e-4)
            assert result.scores[i, j] == pytest.approx(alone.scores[0], abs=1e-5)
            assert result.gaps[i, j] == pytest.approx(alone.gap, abs=1e-4)


@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_the_order_is_the_best_there_is(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(5):
        gaps = rng.normal(size=(count, count))
        np.fill_diagonal(gaps, np.nan)
        orders = list(permutations(range(count)))
        sums = [sum(gaps[a, b] for a, b in pairwise(o)) for o in orders]
        found = story.best_order(gaps)
        assert found == orders[int(np.argmax(sums))]
        assert story.worth(gaps, found) == pytest.approx(max(sums))
        for truth in orders[:: max(1, len(orders) // 7)]:
            told = story.compare(gaps, found, truth)
            mine = sums[orders.index(truth)]
            assert told.total == pytest.approx(mine)
            assert told.place == 1 + sum(total > mine + 1e-9 for total in sums)


def test_the_true_order_is_compared_by_pairs_and_neighbours() -> None:
    told = story.compare(np.zeros((4, 4)), (0, 2, 3, 1), (0, 1, 2, 3))
    assert told.pairs_right == 4  # 0 before all three, 2 before 3
    assert told.neighbours_right == 1  # 2, 3
    assert told.place == 1


def test_a_true_order_is_read_by_its_sentences(model: LoadedModel) -> None:
    result = story.predict(model, TEXT, "\n".join(reversed(LINES)) + "\n\n")
    assert result.truth is not None
    assert result.truth.order == (3, 2, 1, 0)
    assert result.orders == 24
    assert story.predict(model, TEXT, " \n").truth is None
    twice = story.predict(model, "we ran\na city\nwe ran", "we ran\nwe ran\na city").truth
    assert twice is not None
    assert twice.order == (0, 2, 1)


@pytest.mark.parametrize("truth", ["\n".join(LINES[:3]), TEXT + "\nmore", "something else"])
def test_a_true_order_of_other_sentences_is_left_aside_and_said_so(
    model: LoadedModel, truth: str
) -> None:
    result = story.predict(model, TEXT, truth)
    assert result.truth is None
    assert "not compared" in result.notices[-1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "The story is empty"),
        ("one line", "no story"),
        ("a\n" * 9, "at most 8"),
    ],
)
def test_what_is_no_story_is_refused(model: LoadedModel, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        story.predict(model, text)


def test_a_line_of_invisible_characters_is_refused(load: Load) -> None:
    with pytest.raises(InputError, match="nothing that the model can read"):
        story.predict(load("bert", Task.NEXT_SENTENCE), "a\n\u200b")


def test_a_longer_sentence_is_cut_and_said_so(load: Load) -> None:
    result = story.predict(load("bert", Task.NEXT_SENTENCE), "the river " * 90 + "\na city")
    assert "2 pairs were longer" in result.notices[-1]

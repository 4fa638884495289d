from __future__ import annotations

from collections.abc import Callable

import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import next_sentence, topic_or_order
from components.tasks.next_sentence import OBJECTIVES
from components.tasks.topic_or_order import SAMPLE, Kind, Quartet
from tests.fakes import OWN_HEADS

Load = Callable[..., LoadedModel]
QUARTET = Quartet("the boats ran past", "the mill was cold", "we ran home", "paris is a city")


@pytest.fixture(params=OBJECTIVES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(OWN_HEADS[request.param.value], request.param)


def test_the_four_pairs_are_judged_as_if_each_were_alone(model: LoadedModel) -> None:
    result = topic_or_order.predict(model, QUARTET)
    assert [one.kind for one in result.variants] == list(Kind)
    assert [(one.first, one.second) for one in result.variants] == [
        (QUARTET.first, QUARTET.following),
        (QUARTET.following, QUARTET.first),
        (QUARTET.first, QUARTET.related),
        (QUARTET.first, QUARTET.unrelated),
    ]
    for one in result.variants:
        alone = next_sentence.predict(model, one.first, one.second).judgement
        assert one.judgement.logits == pytest.approx(alone.logits, abs=1e-4)


def test_an_effect_is_what_the_gap_falls_by(model: LoadedModel) -> None:
    result = topic_or_order.predict(model, QUARTET)
    following, swapped, related, unrelated = (one.judgement.gap for one in result.variants)
    assert result.effects.order == pytest.approx(following - swapped)
    assert result.effects.near == pytest.approx(following - related)
    assert result.effects.topic == pytest.approx(following - unrelated)


def test_what_is_usual_is_the_mean_over_the_sample(model: LoadedModel) -> None:
    result = topic_or_order.predict(model, QUARTET)
    single = [topic_or_order.predict(model, one).effects for one in SAMPLE]
    for name in ("topic", "order", "near"):
        mean = sum(getattr(one, name) for one in single) / len(SAMPLE)
        assert getattr(result.usual, name) == pytest.approx(mean, abs=1e-4)


def test_the_sample_holds_no_sentence_twice() -> None:
    everything = [s for q in SAMPLE for s in (q.first, q.following, q.related, q.unrelated)]
    assert len(set(everything)) == len(everything) == 4 * len(SAMPLE)


def test_an_empty_sentence_is_refused_by_its_name(model: LoadedModel) -> None:
    with pytest.raises(InputError, match="The sentence of the same topic is empty"):
        topic_or_order.predict(model, Quartet("a", "b", " ", "d"))


def test_a_sentence_of_invisible_characters_is_refused(load: Load) -> None:
    bert = load("bert", Task.NEXT_SENTENCE)
    with pytest.raises(InputError, match="nothing that the model can read"):
        topic_or_order.predict(bert, Quartet("a", "b", "\u200b", "d"))

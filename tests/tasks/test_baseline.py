from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks.baseline import SAMPLE, measure, measure_tokens


def test_only_other_words_of_other_sentences_are_unrelated() -> None:
    vectors = np.array([[1.0, 0], [0, 1], [1, 0], [1, 1]])
    base = measure(vectors, sentences=[0, 0, 1, 1], kinds=[5, 6, 5, 7])
    # pairs left: (0, 3), (1, 2), (1, 3); (0, 2) is the same word, (0, 1) and (2, 3) one sentence
    assert base.raw.mean == pytest.approx((np.sqrt(0.5) + 0 + np.sqrt(0.5)) / 3)
    np.testing.assert_allclose(base.mean, [0.75, 0.5])
    assert -1 <= base.centred.low <= base.centred.mean <= base.centred.high <= 1


def test_vectors_that_all_lean_one_way_are_alike_until_their_mean_is_taken_away() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(60, 30)) + 10
    base = measure(vectors, range(60), range(60))
    assert base.raw.mean > 0.95
    assert abs(base.centred.mean) < 0.1


def test_special_tokens_are_no_part_of_the_sample(load: Callable[..., LoadedModel]) -> None:
    model = load("bert", Task.ENCODER)
    encodings = [model.encode(text) for text in SAMPLE[:3]]
    states = [one["hidden_states"] for one in model.run(encodings, hidden_states=True)]
    base = measure_tokens(states, encodings)
    inner = np.concatenate([state[:, 1:-1] for state in states], axis=1)  # without [CLS] and [SEP]
    assert len(base) == model.layers + 1
    np.testing.assert_allclose(base[2].mean, inner[2].mean(axis=0), rtol=1e-5)


def test_the_sample_is_plain_and_nothing_stands_in_it_twice() -> None:
    assert len(set(SAMPLE)) == len(SAMPLE) == 32
    assert all(text.isascii() and text.endswith(".") for text in SAMPLE)

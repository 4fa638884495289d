from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fine_tune
from components.tasks.fine_tune import Data, FineTuneResult
from components.tasks.labelled_lines import LabelledLines

Load = Callable[..., LoadedModel]


def data(counts: tuple[int, ...] = (20, 40), seed: int = 1) -> Data:
    labels = tuple(label for label, count in enumerate(counts) for _ in range(count))
    texts = tuple(f"line {i}" for i in range(len(labels)))
    names = tuple("abc"[: len(counts)])
    return fine_tune.prepare(LabelledLines(texts, labels, names, ()), seed)


def result(after: np.ndarray) -> FineTuneResult:
    made = data((4, 8))
    flat = np.zeros((12, 2))
    even = np.full((12, 2), 0.5)
    none = np.empty(0)
    return FineTuneResult(
        "bert-mini", made, "", even, after, none, none, 1, flat, flat, 1.0, ()
    )  # fmt: skip


def test_a_quarter_of_each_label_is_held_out_by_seed_and_no_line_is_in_both_halves() -> None:
    made = data()
    held, rest = made.lines(held_out=True), made.lines(held_out=False)
    assert not set(held) & set(rest)
    assert sorted((*held, *rest)) == list(range(60))
    assert np.bincount([made.labels[i] for i in held]).tolist() == [5, 10]
    assert data() == made
    assert data(seed=2).is_held_out != made.is_held_out
    assert len(data((4, 4)).lines(held_out=True)) == 2


def test_always_saying_the_commonest_label_is_the_first_comparison() -> None:
    made = data()
    assert (made.commonest, made.majority) == (1, 10)


def test_the_probe_finds_what_a_line_can_tell_apart_and_nothing_in_noise() -> None:
    made = data((100, 100))
    chance = np.random.default_rng(3)
    noise = chance.normal(size=(200, 16)).astype(np.float32)
    assert fine_tune.frozen_right(noise, made) < 36, "50 held out: near 25"
    told = noise.copy()
    told[:, 3] += 8 * np.array(made.labels)
    assert fine_tune.frozen_right(told, made) >= 49


def test_the_probe_never_sees_a_held_out_label() -> None:
    made = data((10, 10))
    vectors = np.random.default_rng(1).normal(size=(20, 4))
    weights, *_ = fine_tune._probe(vectors, np.array(made.labels), 2)
    labels, held = list(made.labels), made.lines(held_out=True)
    for i in held:
        labels[i] = 1 - labels[i]
    turned = Data(made.names, made.texts, tuple(labels), made.is_held_out, ())
    both = fine_tune.frozen_right(vectors, made) + fine_tune.frozen_right(vectors, turned)
    assert both == len(held), "the same answers, judged by the opposite labels"
    assert weights.shape == (5, 2)


def test_before_and_after_lie_on_one_map() -> None:
    chance = np.random.default_rng(1)
    before = chance.normal(size=(30, 8))
    one, other, kept = fine_tune.one_map(before, before)
    np.testing.assert_allclose(one, other)
    moved = before + np.eye(8)[0] * 5
    one, other, kept = fine_tune.one_map(before, moved)
    assert 0 < kept < 1
    np.testing.assert_allclose(np.linalg.norm((other - one).mean(0)), 5, rtol=0.05)


def test_the_confusion_counts_held_out_lines_alone_by_true_then_given_label() -> None:
    after = np.tile([0.2, 0.8], (12, 1))
    made = result(after)
    assert made.confusion() == ((0, 1), (0, 2))
    assert made.right(after) == 2


def test_the_labels_that_it_doubts_most_come_first() -> None:
    after = np.tile([0.1, 0.9], (12, 1))
    after[:4] = [0.9, 0.1]
    after[2], after[7] = [0.3, 0.7], [0.95, 0.05]
    assert result(after).doubtful() == (7, 2)


def test_a_long_line_is_read_by_its_beginning_and_keeps_its_end_token(load: Load) -> None:
    model = load("bert", Task.ENCODER)
    original, fine_tune.TOKENS = fine_tune.TOKENS, 8
    try:
        (encoding,) = fine_tune.encode(model, ["the river ran past the mill and the boats"])
    finally:
        fine_tune.TOKENS = original
    assert len(encoding) == 8
    assert (encoding.tokens[0], encoding.tokens[-1]) == ("[CLS]", "[SEP]")
    assert fine_tune.cut_notices([encoding])[0].startswith("1 line is longer")
    assert fine_tune.cut_notices(fine_tune.encode(model, ["the sea"])) == ()
    with pytest.raises(InputError, match="nothing that the model can read"):
        fine_tune.encode(model, ["\u200b"])


def test_probabilities_and_vectors_are_those_of_a_plain_pass(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    encodings = fine_tune.encode(model, ["the sea"] * 40 + ["the mill was cold"])
    scores, vectors = fine_tune.read(model, encodings)
    assert (scores.shape, vectors.shape) == ((41, 2), (41, 32))
    np.testing.assert_allclose(scores.sum(1), 1)
    last = model.run(encodings[-1:], hidden_states=True)[0]
    np.testing.assert_allclose(vectors[-1], last["hidden_states"][-1, 0], atol=1e-6)


def test_few_lines_leave_much_open() -> None:
    low, high = fine_tune.likely_range(13, 15)
    assert (round(low, 2), round(high, 2)) == (0.62, 0.96)
    assert fine_tune.likely_range(5, 5)[1] == 1
    assert fine_tune.likely_range(0, 5)[0] == 0


def test_a_sentence_of_ones_own_may_be_missing_but_not_endless() -> None:
    assert fine_tune.check_sentence("  ") == ""
    with pytest.raises(InputError, match="too long"):
        fine_tune.check_sentence("x" * 401)

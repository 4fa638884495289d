from __future__ import annotations

import numpy as np
import pytest
import torch

from components.training import scoring
from components.training.answering import LONGEST_ANSWER, best_spans


def test_articles_case_and_punctuation_do_not_count() -> None:
    assert scoring.exact_match("The Mill.", ["mill"]) == 1
    assert scoring.exact_match("mills", ["mill"]) == 0


def test_f1_is_the_overlap_with_the_answer_that_fits_best() -> None:
    assert scoring.f1("old mill", ["the mill", "river"]) == pytest.approx(2 / 3)
    assert scoring.f1("boat", ["mill"]) == 0


def test_the_area_is_the_chance_that_a_positive_scores_higher() -> None:
    positive = np.asarray([True, False, True, False])
    assert scoring.area_under_curve(np.asarray([3.0, 1.0, 4.0, 2.0]), positive) == 1
    assert scoring.area_under_curve(np.asarray([1.0, 1.0, 1.0, 1.0]), positive) == 0.5
    assert scoring.area_under_curve(np.asarray([1.0, 2.0, 3.0, 4.0]), positive) == 0.25


def test_the_best_threshold_is_found() -> None:
    positive = np.asarray([True, False, True, False])
    assert scoring.best_accuracy(np.asarray([3.0, 1.0, 4.0, 2.0]), positive) == 1
    assert scoring.best_accuracy(np.asarray([1.0, 2.0, 3.0, 4.0]), positive) == 0.5


def test_the_best_span_starts_before_it_ends_and_is_short() -> None:
    torch.manual_seed(0)
    start, end = torch.randn(20, 50), torch.randn(20, 50)
    first, last, score = best_spans(start, end)
    assert (first <= last).all()
    assert (last - first < LONGEST_ANSWER).all()
    rows = torch.arange(20)
    torch.testing.assert_close(score, start[rows, first] + end[rows, last])

from __future__ import annotations

import numpy as np
import pytest

from components.tasks.geometry import cosines, kept_spread, main_axes

RNG = np.random.default_rng(3)


def test_cosines_are_those_of_the_formula_and_never_leave_their_bounds() -> None:
    vectors = RNG.normal(size=(5, 7)).astype(np.float32)
    found = cosines(vectors)
    a, b = vectors[1].astype(float), vectors[4].astype(float)
    assert found[1, 4] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)), abs=1e-12)
    assert found.min() >= -1
    assert found.max() <= 1
    np.testing.assert_allclose(np.diag(found), 1)
    assert cosines(np.zeros((2, 3))).tolist() == [[0, 0], [0, 0]]
    np.testing.assert_allclose(cosines(vectors[:2], vectors), found[:2])


def test_a_map_keeps_distances_where_the_points_lie_in_a_plane() -> None:
    plane = RNG.normal(size=(2, 40))
    points = RNG.normal(size=(9, 2)) @ plane
    points -= points.mean(axis=0)
    flat = points @ main_axes(points).T
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(flat[:, None] - flat[None], axis=-1), apart)
    assert kept_spread(points, flat) == pytest.approx(1)


def test_the_axes_are_those_of_the_covariance_and_their_signs_are_fixed() -> None:
    points = RNG.normal(size=(30, 6)) * [5, 3, 1, 1, 1, 1]
    points -= points.mean(axis=0)
    axes = main_axes(points)
    values, vectors = np.linalg.eigh(points.T @ points)
    for axis, value in zip(axes, values[::-1], strict=False):
        np.testing.assert_allclose(points.T @ points @ axis, value * axis, atol=1e-8)
        assert axis[np.argmax(np.abs(axis))] > 0
    np.testing.assert_allclose(np.abs(axes), np.abs(vectors.T[::-1][:2]), atol=1e-8)
    np.testing.assert_allclose(main_axes(-points), axes, atol=1e-12)
    assert kept_spread(points, points @ axes.T) == pytest.approx(values[-2:].sum() / values.sum())


def test_points_of_one_direction_or_none_still_have_a_map() -> None:
    line = np.outer([-1.0, 0, 1], [0, -2.0, 0])
    np.testing.assert_allclose(main_axes(line), [[0, 1, 0], [0, 0, 0]], atol=1e-12)
    assert not main_axes(np.zeros((3, 4))).any()
    assert kept_spread(np.zeros((3, 4)), np.zeros((3, 2))) == 1

"""Scrambled Sobol points are those of SciPy."""

import numpy as np
import pytest
from scipy.stats import qmc

from benchinfer.numerics.directions.sobol import scrambled


@pytest.mark.parametrize("d", [1, 2, 7, 20, 300, 1024])
def test_points_and_further_random_numbers_are_those_of_scipy(d: int) -> None:
    """Not one bit differs, and the generator goes on as after SciPy."""
    ours, scipys = np.random.default_rng(d), np.random.default_rng(d)
    points = scrambled(d, 7, ours)
    np.testing.assert_array_equal(points, qmc.Sobol(d, rng=scipys).random_base2(7))
    assert ours.spawn(1)[0].random() == scipys.spawn(1)[0].random()


def test_dimensions_beyond_the_table_are_uniform() -> None:
    """The first 1,024 are as without them."""
    points = scrambled(1030, 5, np.random.default_rng(1))
    np.testing.assert_array_equal(points[:, :1024], scrambled(1024, 5, np.random.default_rng(1)))
    assert points.shape == (32, 1030)
    assert 0 <= points.min() < points.max() < 1

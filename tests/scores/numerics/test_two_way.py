"""Spread of rows of two-way tables beside each other."""

import numpy as np
import pytest

from benchinfer.scores.numerics import two_way


def test_units_far_apart_are_found_whatever_the_levels():
    """Medians of columns are those of the large units, and fill the rows of small ones."""
    rng, flags = np.random.default_rng(1), np.zeros(2)
    for _ in range(100):
        unit = np.exp(3 * rng.normal(size=(12, 1)))
        table = unit * np.exp(0.1 * rng.normal(size=(12, 4)) + np.linspace(0, 0.2, 4))
        flags += two_way.unit_ratio(table) > 5, two_way.unit_ratio(table, medians=False) > 15
    assert flags[1] >= 80 > flags[0]


@pytest.mark.parametrize("seed", range(5))
def test_levels_far_apart_are_no_units(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(20, 1)) + 0.3 * rng.normal(size=(20, 5)) + np.linspace(0, 3, 5)
    assert two_way.unit_ratio(table, medians=False) < 15


def test_of_many_columns_the_one_that_makes_units_is_left_out():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(30, 80))
    table[:, 41] *= np.geomspace(1, 1e4, 30)
    every = [two_way.unit_ratio(np.delete(table, j, axis=1)) for j in (40, 41)]
    assert every[0] > every[1] * 0.99
    assert two_way.unit_ratio(table) < 5 < two_way._decile_ratio(table, medians=True)

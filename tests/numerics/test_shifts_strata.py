"""Unpaired scores in strata: against brute force, scipy, and coverage by simulation."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.numerics.shifts import mean_contrast, shift_within


@pytest.mark.parametrize("seed", range(20))
def test_shift_is_the_median_of_all_differences_within_strata(seed):
    rng = np.random.default_rng(seed)
    strata = [
        (rng.normal(size=rng.integers(1, 9)), rng.normal(size=rng.integers(1, 9))) for _ in range(3)
    ]
    everything = np.sort(np.concatenate([(x[:, None] - y).ravel() for x, y in strata]))
    found = shift_within(strata, 0.9)
    np.testing.assert_allclose(found.estimate, np.median(everything), atol=1e-12)
    if np.isfinite(found.low):
        low = np.searchsorted(everything, found.low - 1e-9)
        assert found.low in everything
        np.testing.assert_allclose(everything[::-1][low], found.high, atol=1e-12)


def test_welch_in_one_stratum():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=7), 2 * rng.normal(size=5)
    estimate, error, df = mean_contrast([(x, y)], np.array([1.0, -1.0]))
    welch = stats.ttest_ind(x, y, equal_var=False)
    np.testing.assert_allclose([estimate / error, df], [welch.statistic, welch.df])


def test_samples_without_a_spread():
    one = np.array([1.0])
    assert mean_contrast([(one, one)], np.array([1.0, -1.0])) == (0.0, np.inf, 1.0)
    flat = np.ones(3)
    assert mean_contrast([(flat, flat)], np.array([1.0, -1.0])) == (0.0, 0.0, 4.0)


@pytest.mark.slow
def test_coverage_of_the_shift():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(600):
        strata = [(rng.normal(1, 1, 6) + m, rng.normal(0, 1, 5) + m) for m in (0, 5, -3)]
        found = shift_within(strata, 0.95)
        covered += found.low <= 1 <= found.high
    assert 0.93 < covered / 600 < 0.985

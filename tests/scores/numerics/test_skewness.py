"""Skewness of differences against SciPy, and Hall's transformation against its closed form."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.scores.numerics.skewness import corrected_t, excessive, skewness


@pytest.mark.parametrize("n", [8, 12, 40, 300])
def test_skewness_is_fishers_over_its_standard_error(n):
    d = np.random.default_rng(n).exponential(size=(n, 4))
    error = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    expected = stats.skew(d, bias=False) / error
    assert skewness(d) == pytest.approx(expected)
    d[2, 1] = np.nan
    error = np.sqrt(6 * (n - 1) * (n - 2) / ((n - 3) * n * (n + 2)))
    without = stats.skew(np.delete(d[:, 1], 2), bias=False) / error
    assert skewness(d)[1] == pytest.approx(without if n > 8 else 0)


@pytest.mark.parametrize(("n", "errors"), [(8, 3.015), (9, 3.451), (20, 8.064)])
def test_the_largest_skewness_that_n_values_have(n, errors):
    """One value apart from n - 1 equal ones: no skewness of eight is sure."""
    d = np.zeros((n, 1))
    d[0] = 1
    error = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    assert (n - 2) / np.sqrt(n - 1) / error == pytest.approx(errors, abs=1e-3)
    assert stats.skew(d[:, 0]) == pytest.approx((n - 2) / np.sqrt(n - 1))
    assert excessive(skewness(d), np.array([n]))
    assert not excessive(skewness(d[1:]), np.array([n - 1]))
    assert skewness(d[:7]) == 0


@pytest.mark.slow
def test_the_skewness_of_normal_differences_is_seldom_excessive():
    draw = np.random.default_rng(1)
    for n in (8, 12, 30, 200, 2000):
        flagged = excessive(skewness(draw.normal(size=(n, 4000))), np.full(4000, n))
        assert flagged.mean() < 0.012


def test_skewness_that_does_not_matter_is_not_excessive():
    """Student's t of 2,000 exponential differences of skewness 2 is as good as exact."""
    d = np.random.default_rng(2).exponential(size=(2000, 200)) - 1
    assert (np.abs(skewness(d)) > 3).all()
    assert excessive(skewness(d), np.full(200, 2000)).mean() < 0.25
    assert excessive(skewness(d[:60]), np.full(200, 60)).mean() > 0.9
    t = np.abs(np.sqrt(2000) * d.mean(axis=0) / d.std(axis=0, ddof=1))
    assert (t > 1.96).mean() < 0.1


def test_the_correction_is_a_cube():
    d = np.random.default_rng(3).gamma(1.5, size=(15, 6)) - 0.8
    n, s = len(d), d.mean(axis=0) / d.std(axis=0, ddof=1)
    g = ((d - d.mean(axis=0)) ** 3).mean(axis=0) / d.std(axis=0, ddof=1) ** 3
    expected = np.sqrt(n) * (((1 + g * s / 3) ** 3 - 1) / g + g / (6 * n))
    assert corrected_t(d) == pytest.approx(expected)
    assert corrected_t(-d) == pytest.approx(-expected)
    assert corrected_t(5 * d) == pytest.approx(expected)


def test_the_correction_leaves_symmetric_differences_as_they_are():
    half = np.random.default_rng(4).normal(size=(9, 3))
    d = np.concatenate([1 + half, 1 - half])
    assert corrected_t(d) == pytest.approx(np.sqrt(18) * d.mean(axis=0) / d.std(axis=0, ddof=1))
    assert corrected_t(np.ones((6, 1))) == 0


def test_the_correction_grows_with_the_mean():
    d = np.random.default_rng(5).exponential(size=(12, 1))
    shifted = d + np.linspace(-4, 4, 60)
    assert (np.diff(corrected_t(shifted)) > 0).all()


def test_the_larger_p_value_errs_less_than_students():
    """Equal means, one exponential and one turned round, 20 data sets: .074 by t at 12."""
    draw = np.random.default_rng(6)
    n, tables = 20, 20_000
    d = draw.exponential(size=(n, tables)) + draw.exponential(size=(n, tables)) - 2
    own = np.sqrt(n) * d.mean(axis=0) / d.std(axis=0, ddof=1)
    p = [2 * stats.t.sf(np.abs(t), n - 1) for t in (own, corrected_t(d))]
    assert (p[0] <= 0.05).mean() > 0.06
    assert (np.maximum(*p) <= 0.05).mean() < 0.055

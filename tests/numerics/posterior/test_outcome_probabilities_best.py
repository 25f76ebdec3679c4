"""The probability to be best against closed forms, one-dimensional integrals and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from benchinfer.numerics.posterior.outcome_probabilities import probability_best


def equal(k, variance=1.3):
    return variance * (1 - np.eye(k))


@pytest.mark.parametrize("df", [3.5, np.inf])
def test_two_algorithms_have_the_closed_form(df):
    found = probability_best(np.array([0.4, 0.0]), equal(2), df, margin=0.3)
    sd = np.sqrt(1.3)
    np.testing.assert_allclose(found.best, stats.t.cdf(np.array([0.4, -0.4]) / sd, df), atol=1e-12)
    np.testing.assert_allclose(found.near, stats.t.cdf(np.array([0.7, -0.1]) / sd, df), atol=1e-12)
    assert found.error < 1e-12


@pytest.mark.parametrize("k", [3, 8])
def test_like_algorithms_are_best_equally_often(k):
    found = probability_best(np.zeros(k), equal(k), 7.0)
    np.testing.assert_allclose(found.best, 1 / k, atol=6 * found.error)
    assert 0 < found.error < 2e-3
    np.testing.assert_array_equal(found.near, found.best * found.near.sum())


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_equal_variances_against_the_integral(margin):
    levels = np.array([0.0, 0.3, 0.9, 1.0, -0.5])
    sd = np.sqrt(1.3 / 2)
    expected = [
        integrate.quad(
            lambda x, i=i: (
                stats.norm.pdf(x)
                * stats.norm.cdf(x + (levels[i] + margin - np.delete(levels, i)) / sd).prod()
            ),
            -9,
            9,
        )[0]
        for i in range(5)
    ]
    found = probability_best(levels, equal(5), np.inf, margin)
    np.testing.assert_allclose(found.near, expected, atol=5 * found.error + 1e-5)
    assert found.best.sum() == pytest.approx(1)


def test_any_covariance_against_simulation():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(4, 4))
    cov = root @ root.T
    diagonal = cov.diagonal()
    levels = np.array([0.0, 0.5, 1.0, -0.5])
    draws = levels + (rng.normal(size=(200_000, 4)) @ root.T) / np.sqrt(
        rng.chisquare(6, size=(200_000, 1)) / 6
    )
    shares = np.bincount(draws.argmax(axis=1), minlength=4) / len(draws)
    found = probability_best(levels, diagonal[:, None] + diagonal - 2 * cov, 6.0)
    np.testing.assert_allclose(found.best, shares, atol=0.005)


def test_algorithms_that_never_differ_share():
    # The first two are one; without them the third would be best half of the time.
    variances = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = probability_best(np.zeros(3), variances, np.inf)
    np.testing.assert_allclose(found.best, [1 / 3, 1 / 3, 1 / 3], atol=1e-9)
    np.testing.assert_allclose(found.near, 0.5, atol=1e-9)
    behind = probability_best(np.array([0.0, -0.1, 0.0]), variances, np.inf)
    np.testing.assert_allclose(behind.best, [0.5, 0.0, 0.5], atol=1e-9)


def test_without_variance_the_levels_decide():
    found = probability_best(np.array([1.0, 2.0, 2.0, 1.9]), np.zeros((4, 4)), 5.0, margin=0.5)
    np.testing.assert_array_equal(found.best, [0, 0.5, 0.5, 0])
    np.testing.assert_array_equal(found.near, [0, 1, 1, 1])


def test_the_same_call_gives_the_same_numbers():
    one, other = (probability_best(np.arange(4.0), equal(4), 5.0) for _ in range(2))
    np.testing.assert_array_equal(one.best, other.best)

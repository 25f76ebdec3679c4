import numpy as np
import pytest
from scipy.stats import multivariate_normal

from benchinfer.analyses.bayes.numerics.contrasts import helmert, reduce_contrasts, standardised
from benchinfer.core.errors import FitError


def tables(kind):
    """Return blocks of four data sets and three algorithms."""
    rng = np.random.default_rng(3)
    dataset = np.repeat(np.arange(4), 5)
    count = np.ones((20, 3), int)
    if kind != "whole":
        count[rng.random(count.shape) < 0.3] = 0
        count[:5, 2] = 0
    if kind == "repeats":
        count[count > 0] += rng.integers(2, size=(count > 0).sum())
    if kind == "unpaired":
        dataset, count = np.arange(4), rng.integers(1, 6, (4, 3))
    return dataset, count, 3 + rng.standard_normal(count.shape), rng.random(4)


def rows(dataset, count, mean, d):
    """Return the scores of a data set one by one, at their means, with block and algorithm."""
    own = np.flatnonzero(dataset == d)
    return [(b, k, mean[b, k]) for b in own for k in range(3) for _ in range(int(count[b, k]))]


@pytest.mark.parametrize("kind", ["whole", "missing", "repeats", "unpaired"])
def test_least_squares_with_block_effects(kind):
    dataset, count, mean, within = tables(kind)
    within = within if kind in ("repeats", "unpaired") else 0 * within
    data = reduce_contrasts(dataset, count, mean, within)
    h = helmert(3)
    assert data.balanced.all() == (kind == "whole")
    for m, d in enumerate(data.dataset):
        own = rows(dataset, count, mean, d)
        block = np.unique([b for b, _, _ in own], return_inverse=True)[1]
        algorithm, y = np.array([k for _, k, _ in own]), np.array([v for _, _, v in own])
        x = np.hstack([np.eye(block.max() + 1)[block], h.T[algorithm]])
        coefficients, *_ = np.linalg.lstsq(x, y, rcond=None)
        rank, r = np.linalg.matrix_rank(x), data.rank[m]
        assert r == rank - block.max() - 1
        rss = ((y - x @ coefficients) ** 2).sum() + within[d]
        np.testing.assert_allclose(data.rss[m] * data.scale**2, rss, atol=1e-12)
        assert data.df[m] == len(y) - rank
        # What is identified of the effects, and its covariance by the pseudo-inverse.
        q = data.design[m, :r]
        own_effects = q @ coefficients[block.max() + 1 :]
        np.testing.assert_allclose(data.scale * data.z[m, :r], own_effects, atol=1e-10)
        inverse = np.linalg.pinv(x.T @ x)[block.max() + 1 :, block.max() + 1 :]
        np.testing.assert_allclose(q @ inverse @ q.T, np.diag(data.variance[m, :r]), atol=1e-10)
    np.testing.assert_allclose((data.z**2).sum() / data.rank.sum(), 1)
    np.testing.assert_allclose(np.exp(2 * data.log_sd), data.rss.sum() / data.df.sum())


def test_likelihood_is_that_of_the_rows_with_flat_block_effects():
    dataset, count, mean, _ = tables("missing")
    data = reduce_contrasts(dataset, count, mean, np.zeros(4))
    rng, gaps = np.random.default_rng(1), []
    for _ in range(4):
        theta, sigma = rng.standard_normal(2), np.exp(rng.standard_normal())
        full = reduced = 0.0
        for m, d in enumerate(data.dataset):
            own = rows(dataset, count, mean, d)
            same = np.equal.outer([b for b, _, _ in own], [b for b, _, _ in own])
            cov = sigma**2 * np.eye(len(own)) + 1e8 * same
            centre = (helmert(3).T @ theta)[[k for _, k, _ in own]]
            y = np.array([v for _, _, v in own])
            full += multivariate_normal(centre, cov, allow_singular=True).logpdf(y)
            r = data.rank[m]
            z, at = data.scale * data.z[m, :r], data.design[m, :r] @ theta
            reduced += -0.5 * ((z - at) ** 2 / data.variance[m, :r]).sum() / sigma**2
            reduced -= r * np.log(sigma) + data.df[m] * np.log(sigma)
            reduced -= data.scale**2 * data.rss[m] / sigma**2 / 2
        gaps.append(full - reduced)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-4)


def test_correlation_adds_to_the_variances():
    dataset, count, mean, within = tables("whole")
    one = reduce_contrasts(dataset, count, mean, within)
    two = reduce_contrasts(dataset, count, mean, within, 0.1)
    np.testing.assert_allclose(two.variance - one.variance, 1 / 9)


def test_units_and_levels_do_not_matter():
    dataset, count, mean, _ = tables("missing")
    one = reduce_contrasts(dataset, count, mean, np.zeros(4))
    two = reduce_contrasts(dataset, count, 1e9 + 1e3 * mean, np.zeros(4))
    np.testing.assert_allclose(two.z, one.z, atol=1e-8)
    np.testing.assert_allclose(two.scale, 1e3 * one.scale)


def test_data_sets_that_compare_nothing_are_left_out():
    data = reduce_contrasts(
        np.array([0, 1, 2]),
        np.array([[1, 1], [3, 0], [1, 1]]),
        np.array([[1.0, 2.0], [1.0, 0.0], [2.0, 5.0]]),
        np.zeros(3),
    )
    assert data.dataset.tolist() == [0, 2]
    assert not data.noisy


def test_equal_scores_have_the_residuals_of_rounding():
    mean = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [1.5, 2.5]])
    data = reduce_contrasts(np.array([0, 0, 1, 1]), np.ones((4, 2), int), mean, np.zeros(2), 0, 0.5)
    assert data.silent.tolist() == [True, False]
    np.testing.assert_allclose(data.rss[0] * data.scale**2, 0.5**2 / 12)


def test_nothing_to_compare():
    with pytest.raises(FitError, match="no data set"):
        reduce_contrasts(np.array([0]), np.array([[1, 0]]), np.ones((1, 2)), np.zeros(1))
    with pytest.raises(FitError, match="same on every"):
        reduce_contrasts(np.array([0]), np.array([[1, 1]]), np.ones((1, 2)), np.zeros(1))


def reduced(factor):
    rng = np.random.default_rng(2)
    dataset = np.repeat(np.arange(5), 3)
    count = np.ones((15, 3), int)
    count[1, 2] = count[4, 0] = 0
    mean = rng.standard_normal((15, 3)) * factor[dataset][:, None]
    return reduce_contrasts(dataset, count, mean, 0.1 * factor**2)


def test_units_of_data_sets_do_not_matter():
    factor = np.array([1.0, 100.0, 1e-3, 5.0, 1e6])
    one, other = standardised(reduced(np.ones(5))), standardised(reduced(factor))
    for name in ("z", "rss", "log_sd", "scale"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose((one.z**2).sum(axis=1) / one.rank, 1)


def test_what_was_standardised_stays():
    once = standardised(reduced(np.ones(5)))
    twice = standardised(once)
    np.testing.assert_allclose(once.z, twice.z, rtol=1e-12)
    np.testing.assert_allclose(once.rss, twice.rss, rtol=1e-12)
    np.testing.assert_allclose(once.log_sd, twice.log_sd, rtol=1e-12)

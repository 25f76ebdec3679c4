"""Integrated likelihoods against sums over fine grids and closed forms."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics.predictive import Shared, log_marginals
from tests.analyses.bayes.numerics.simulator import design


def shared(data, df, spread, n=3, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    j = data.z.shape[1]
    root = rng.standard_normal((n, j, j))
    return Shared(
        centre=shift + 0.5 * rng.standard_normal((n, 1, j)),
        covariance=0.5 * root @ root.swapaxes(1, 2) + 0.05 * np.eye(j),
        df=None if df is None else np.full(n, df),
        residual_centre=0.5 * rng.standard_normal(n) if data.noisy else None,
        residual_spread=np.full(n, spread) if data.noisy else None,
    )


def brute(data, of, i, m):
    """Sum over both scales, with the dense normal density at each pair of them."""
    r = data.rank[m]
    x, z = data.design[m][:r], data.z[m][:r]
    log, step = np.linspace(-7, 7, 400, retstep=True)
    noise = np.exp(2 * (log + data.log_sd))
    weight = stats.norm.logpdf(log, of.residual_centre[i], of.residual_spread[i]) + np.log(step)
    if data.df[m] > 0:
        weight += stats.chi2.logpdf(data.rss[m] / noise, data.df[m]) - np.log(noise)
    u, mixed = np.zeros(1), np.zeros(1)
    if of.df is not None:
        u, gap = np.linspace(-6, 25, 400, retstep=True)
        half = of.df[i] / 2
        mixed = stats.invgamma.logpdf(np.exp(u), half, scale=half) + u + np.log(gap)
    between = x @ of.covariance[i] @ x.T
    own = np.diag(data.variance[m][:r])
    missed = z - x @ of.centre[i, 0]
    total = np.exp(u)[:, None, None, None] * between + noise[:, None, None] * own
    square = (missed * np.linalg.solve(total, missed[:, None])[..., 0]).sum(axis=-1)
    density = -(square + np.linalg.slogdet(2 * np.pi * total).logabsdet) / 2
    return np.logaddexp.reduce((density + weight + mixed[:, None]).ravel())


@pytest.mark.parametrize("kind", ["whole", "missing", "unpaired"])
@pytest.mark.parametrize(("df", "spread"), [(1.2, 1.0), (4.0, 0.1), (60.0, 2.0), (None, 0.5)])
def test_quadrature(kind, df, spread):
    data = design(kind, d=4)
    given = shared(data, df, spread)
    found, _ = log_marginals(data, given)
    for i, m in np.ndindex(found.shape):
        assert found[i, m] == pytest.approx(brute(data, given, i, m), abs=3e-3)


def test_far_data_sets_of_nearly_normal_interactions():
    # Contrasts far from what Sigma allows: the residual scale has to give, not the mixing scale.
    data = design("whole", d=3)
    given = shared(data, 200.0, 2.0, shift=15.0)
    found, _ = log_marginals(data, given)
    for i, m in np.ndindex(found.shape):
        assert found[i, m] == pytest.approx(brute(data, given, i, m), abs=0.01)


@pytest.mark.parametrize("kind", ["single", "single-missing"])
def test_without_residuals_it_is_a_multivariate_t(kind):
    data = design(kind, d=3)
    given = shared(data, 3.0, 1.0)
    found, residuals = log_marginals(data, given)
    assert not residuals.any()
    for i, m in np.ndindex(found.shape):
        x = data.design[m][: data.rank[m]]
        t = stats.multivariate_t(x @ given.centre[i, 0], x @ given.covariance[i] @ x.T, 3.0)
        assert found[i, m] == pytest.approx(t.logpdf(data.z[m][: data.rank[m]]), abs=1e-10)


def test_residuals_alone():
    data = design("whole", d=3)
    given = shared(data, 3.0, 0.7)
    _, residuals = log_marginals(data, given)
    x, step = np.linspace(-7, 7, 4000, retstep=True)
    noise = np.exp(2 * (x + data.log_sd))
    for i, m in np.ndindex(residuals.shape):
        density = stats.chi2.logpdf(data.rss[m] / noise, data.df[m]) - np.log(noise)
        density += stats.norm.logpdf(x, given.residual_centre[i], given.residual_spread[i])
        wanted = np.logaddexp.reduce(density) + np.log(step)
        assert residuals[i, m] == pytest.approx(wanted, abs=1e-6)

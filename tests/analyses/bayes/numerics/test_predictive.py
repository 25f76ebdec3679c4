"""Predictive densities against sums over fine grids and closed forms, and data sets drawn anew."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.predictive import (
    Shared,
    draw_prior,
    log_marginals,
    observed,
    present,
    replicate,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design, numbers, prior


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
    densities, _ = log_marginals(data, given)
    for i, m in np.ndindex(densities.shape):
        assert densities[i, m] == pytest.approx(brute(data, given, i, m), abs=3e-3)


def test_far_data_sets_of_nearly_normal_interactions():
    # Contrasts far from what Sigma allows: the residual scale has to give, not the mixing scale.
    data = design("whole", d=3)
    given = shared(data, 200.0, 2.0, shift=15.0)
    densities, _ = log_marginals(data, given)
    for i, m in np.ndindex(densities.shape):
        assert densities[i, m] == pytest.approx(brute(data, given, i, m), abs=0.01)


@pytest.mark.parametrize("kind", ["single", "single-missing"])
def test_without_residuals_it_is_a_multivariate_t(kind):
    data = design(kind, d=3)
    given = shared(data, 3.0, 1.0)
    densities, residuals = log_marginals(data, given)
    assert not residuals.any()
    for i, m in np.ndindex(densities.shape):
        x = data.design[m][: data.rank[m]]
        t = stats.multivariate_t(x @ given.centre[i, 0], x @ given.covariance[i] @ x.T, 3.0)
        assert densities[i, m] == pytest.approx(t.logpdf(data.z[m][: data.rank[m]]), abs=1e-10)


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


DRAWS = 40_000


@pytest.mark.parametrize("kind", ["whole", "missing"])
def test_moments(kind):
    data, rng = design(kind, d=3), np.random.default_rng(1)
    sigma, average = np.array([[1.0, 0.6], [0.6, 0.5]]), np.array([1.0, -2.0])
    every = np.ones(DRAWS)
    given = Shared(
        centre=np.tile(average, (DRAWS, 1, 1)),
        covariance=np.tile(sigma, (DRAWS, 1, 1)),
        df=8 * every,
        residual_centre=-0.5 * every,
        residual_spread=1e-9 * every,
    )
    noise = np.exp(2 * (data.log_sd - 0.5))
    for m in range(3):
        drawn = replicate(data, m, given, rng)
        q = data.design[m] @ helmert(3)
        q[data.rank[m] :] = 0
        cov = data.design[m] @ sigma @ data.design[m].T * 8 / 6 + noise * np.diag(data.variance[m])
        wanted = q.T @ cov @ q
        mean = q.T @ data.design[m] @ average
        sd = np.sqrt(np.maximum(np.diag(wanted), 1e-12))
        np.testing.assert_array_less(
            np.abs(drawn.effects.mean(axis=0) - mean), 5 * sd / np.sqrt(DRAWS) + 1e-9
        )
        np.testing.assert_allclose(np.cov(drawn.effects.T), wanted, atol=0.06 * sd.max() ** 2)
        if data.df[m] > 0:
            assert drawn.variance.mean() == pytest.approx(noise, rel=0.03)
            assert drawn.variance.var() == pytest.approx(2 * noise**2 / data.df[m], rel=0.1)


def test_what_a_data_set_does_not_compare():
    data = design("missing", d=3)
    absent = ~present(data, 0)
    assert absent.tolist() == [False, True, False]
    assert observed(data, 0).effects[0, 1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("structure", ["common", "unstructured"])
def test_prior_is_that_of_the_simulator(structure):
    rng = np.random.default_rng(1)
    code = np.arange(5) % 3
    model = GibbsModel(design("whole", 5, 4), "t", structure, Priors(domain_scale=0.5), code)
    prior_draws = draw_prior(model, 1000, rng)
    state = prior(model, 1000, rng)
    wanted = numbers(state) | {
        "effective_scale": np.sqrt(np.trace(state.covariance, axis1=1, axis2=2) / 3)
    }
    pairs = {"average": "average", "residual_centre": "centre", "residual_spread": "spread"}
    pairs |= {
        "effect_scale": "effect_sd",
        "df": "nu",
        "scale": "scale",
        "domain_scale": "domain_scale",
    }
    pairs |= {"effective_scale": "effective_scale"}
    if structure == "unstructured":
        pairs["shrinkage"] = "kappa"
    covariance = {"covariance"} if structure == "unstructured" else set[str]()
    assert set(pairs) | covariance == set(prior_draws)
    for name, other in pairs.items():
        own = prior_draws[name][:, 0] if name == "average" else prior_draws[name]
        assert stats.ks_2samp(own, wanted[other]).pvalue > 1e-4, name


def test_what_a_model_has_not_has_no_prior():
    model = GibbsModel(design("single"), "normal", "common", Priors(effect_sd=2.0))
    prior_draws = draw_prior(model, 10, np.random.default_rng(1))
    assert set(prior_draws) == {"average", "scale", "effective_scale"}

"""Slice sampling of scales and degrees of freedom."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy import stats
from scipy.stats import invwishart, multivariate_normal

from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel, compiled_priors
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_scales, half_t, scale_prior
from benchinfer.analyses.bayes.numerics.slices import (
    COMMON,
    DF,
    FLAT,
    LOG_SD,
    SHRINKAGE,
    UNSTRUCTURED,
    log_density,
    log_prior,
    moved,
)
from tests.analyses.bayes.numerics.simulator import design

NOTHING = np.empty(0)


@njit(error_model="numpy")
def many_moved(kind, at, times, width, numbers, prior, rng):
    """Replace each of several values by one drawn by so many steps of slice sampling."""
    for i in range(len(at)):
        for _ in range(times):
            at[i] = moved(kind, at[i], width, numbers, prior, at, at, rng)


@pytest.mark.parametrize(
    ("kind", "numbers", "prior", "width", "start", "expected"),
    [
        (LOG_SD, (0.0, 0.0, 1.0, 2.0), FLAT, 3.0, stats.norm(1, 2), stats.norm(1, 2).cdf),
        (
            LOG_SD,
            (0.0, 0.0, 0.0, np.inf),
            half_t(1.0),
            20.0,
            stats.norm(),
            lambda u: 2 * stats.t(3).cdf(np.exp(u)) - 1,
        ),
    ],
)
def test_keeps_densities_of_many_shapes(kind, numbers, prior, width, start, expected):
    rng = np.random.default_rng(2)
    x = start.rvs(3000, random_state=rng)
    many_moved(kind, x, 30, width, numbers, prior, rng)
    assert stats.kstest(x, expected).pvalue > 1e-4


def test_keeps_the_density_of_degrees_of_freedom():
    """Of no vectors at all, whose prior is that of the log of a gamma variable."""
    rng = np.random.default_rng(2)
    x = stats.loggamma(1.3).rvs(1000, random_state=rng)
    for _ in range(10):
        given = (2.0, 1.3, 1.0, 0.0), FLAT, NOTHING, NOTHING
        x = np.array([moved(DF, at, 0.5, *given, rng) for at in x])
    assert stats.kstest(x, stats.loggamma(1.3).cdf).pvalue > 1e-4


@pytest.mark.slow
def test_a_start_far_off_moves_in_bounded_steps():
    rng = np.random.default_rng(1)
    values = np.full(1000, 50.0)
    many_moved(LOG_SD, values, 1, 1.0, (0.0, 0.0, 0.0, 1.0), FLAT, rng)
    assert min(values) >= 42
    assert np.mean(values) < 49


def differences(kind, at, numbers, x):
    """Return the differences of a log density between points."""
    return np.diff([log_density(kind, u, numbers, FLAT, x, x) for u in at])


def test_tails_are_those_of_a_multivariate_t():
    w = np.random.default_rng(1).standard_normal((7, 3))
    square, u = (w**2).sum(axis=1), np.log([0.4, 8.0])
    values = differences(DF, u, (3.0, 2.0, 0.1, 0.0), square)
    direct = [
        stats.multivariate_t(np.zeros(3), df=1 + np.exp(x)).logpdf(w).sum()
        + stats.loggamma(2.0, loc=np.log(10)).logpdf(x)
        for x in u
    ]
    np.testing.assert_allclose(values, np.diff(direct))


@pytest.mark.parametrize("nu", [4.0, np.inf])
def test_the_common_scale_has_the_density_of_its_vectors(nu):
    w = np.random.default_rng(2).standard_normal((5, 2))
    u = np.array([-0.4, 0.9])
    values = differences(COMMON, u, (2.0, nu, 0.0, 0.0), (w**2).sum(axis=1))
    shape = (
        (lambda s: multivariate_normal(np.zeros(2), s**2 * np.eye(2)))
        if nu == np.inf
        else (lambda s: stats.multivariate_t(np.zeros(2), s**2 * np.eye(2), df=nu))
    )
    np.testing.assert_allclose(values, np.diff([shape(np.exp(x)).logpdf(w).sum() for x in u]))


def test_marginal_is_likelihood_times_prior_over_posterior():
    rng = np.random.default_rng(1)
    w = rng.standard_normal((6, 3)) * [1.0, 0.3, 2.0]
    scatter = w.T @ w
    at, roots = invwishart(9, np.eye(3)).rvs(random_state=rng), np.linalg.eigvalsh(scatter)

    def direct(log_s, log_kappa):
        kappa = np.exp(log_kappa)
        df, psi = 5 + kappa, (1 + kappa) * np.exp(2 * log_s) * np.eye(3)
        values = multivariate_normal(np.zeros(3), at).logpdf(w).sum()
        return (
            values + invwishart(df, psi).logpdf(at) - invwishart(df + 6, psi + scatter).logpdf(at)
        )

    u, prior = np.log([0.2, 300.0]), stats.norm(1.0, 2.0).logpdf
    values = differences(SHRINKAGE, u, (6.0, 0.3, 1.0, 2.0), roots)
    np.testing.assert_allclose(values, np.diff([direct(0.3, x) + prior(x) for x in u]), rtol=1e-9)
    u = np.log([0.5, 1.5])
    values = differences(UNSTRUCTURED, u, (6.0, 0.7, 0.0, 0.0), roots)
    np.testing.assert_allclose(values, np.diff([direct(x, 0.7) for x in u]), rtol=1e-9)


def test_marginal_tends_to_that_of_the_common_covariance():
    roots, u = np.array([0.5, 2.0, 7.0]), np.array([0.3, 0.7])
    values = differences(UNSTRUCTURED, u, (6.0, np.log(1e9), 0.0, 0.0), roots)
    expected = -18 * 0.4 - roots.sum() / 2 * (np.exp(-1.4) - np.exp(-0.6))
    np.testing.assert_allclose(values, expected, rtol=1e-5)


PRIOR = compiled_priors(Priors(residual_sd=1.0, residual_spread=0.8), 2)


def prior(rng, chains, m):
    centre = rng.standard_normal(chains)
    spread = 0.8 * np.abs(rng.standard_t(3, chains))
    log = centre[:, None] + spread[:, None] * rng.standard_normal((chains, m))
    return log, centre, spread


@njit(error_model="numpy")
def many_scales(log, centre, spread, n, square, prior, rng):
    """Draw the scales of each chain."""
    for c in range(len(log)):
        centre[c], spread[c] = draw_scales(
            log[c], centre[c], spread[c], n, square[c], n[1], prior, rng
        )


@pytest.mark.slow
@pytest.mark.parametrize("n", [[1.0, 2.0, 3.0], [60.0, 70.0, 80.0]])
def test_draws_keep_to_the_prior(n):
    rng, n = np.random.default_rng(4), np.array(n)
    (log, centre, spread), expected = prior(rng, 3000, len(n)), prior(rng, 30_000, len(n))
    for _ in range(25):
        square = np.exp(2 * log) * rng.chisquare(n, log.shape)
        many_scales(log, centre, spread, n, square, PRIOR, rng)
    for found, wanted in zip(
        (log[:, 1], centre, spread), (expected[0][:, 1], *expected[1:]), strict=True
    ):
        assert stats.ks_2samp(found, wanted).pvalue > 1e-4


D, K = 6, 4
CHAINS, WARM_UP, SWEEPS = 800, 60, 100


def ratio(table):
    """Return a grid of log g and its posterior, for normal interactions with p(s) = 1 / s."""
    u = np.linspace(-7, 4, 2000)
    centre = table.mean(axis=0)
    sse, nu = ((table - centre) ** 2).sum(), (D - 1) * (K - 1)
    variance = np.exp(2 * u) + 1 / D
    log = -(K - 1) / 2 * np.log(variance)
    log -= (nu + K - 1) / 2 * np.log(sse + (centre**2).sum() / variance)
    weight = np.exp(log - log.max()) * stats.t(3).pdf(np.exp(u) / 0.8) * np.exp(u)
    return u, weight / weight.sum()


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_posterior_of_the_ratio_is_the_closed_form(shift):
    """Weights make the half-t prior of the scale of the interactions flat on the log."""
    rng = np.random.default_rng(5)
    data = design("single", D, K)
    data = replace(data, z=rng.standard_normal((D, K - 1)) + shift * np.array([1.0, 0.0, -1.0]))
    wide = Priors(effect_scale=0.8, interaction_scale=3.0)
    state, values = gibbs.start(GibbsModel(data, "normal", "common", wide), CHAINS, rng), []
    for i in range(WARM_UP + SWEEPS):
        state = gibbs.sweep(GibbsModel(data, "normal", "common", wide), state, rng)
        if i >= WARM_UP:
            values.append(np.log([state.effect_sd / state.scale, state.scale]))
    log_ratio, log_scale = np.moveaxis(values, 1, 0).reshape(2, -1)
    flat = 1 / (stats.t(3).pdf(np.exp(log_scale) / 3.0) * np.exp(log_scale))
    u, weight = ratio(data.z)
    below = np.cumsum(weight)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        share = np.average(log_ratio <= u[below.searchsorted(p)], weights=flat)
        assert share == pytest.approx(p, abs=0.015), p


def test_both_scales_have_half_t_priors():
    prior, u = compiled_priors(Priors(effect_scale=0.5), 3), np.array([-1.2, 0.4])

    def log_half_t(x, scale):
        return np.log(stats.t(3).pdf(np.exp(x) / scale)) + x

    for sd in (0.3, 2.0):
        values = [log_prior(x, scale_prior(sd, prior)) for x in u]
        both = [log_half_t(x, 1.0) + log_half_t(np.log(sd) - x, 0.5) for x in u]
        np.testing.assert_allclose(np.diff(values), np.diff(both))
    fixed = compiled_priors(Priors(effect_sd=0.7, interaction_scale=0.6), 3)
    values = [log_prior(x, scale_prior(0.7, fixed)) for x in u]
    np.testing.assert_allclose(np.diff(values), np.diff([log_half_t(x, 0.6) for x in u]))

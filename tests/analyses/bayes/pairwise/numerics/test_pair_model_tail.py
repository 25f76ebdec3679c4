import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import gammaln
from scipy.stats import norm

from benchinfer.analyses.bayes.pairwise.numerics import pair_model
from benchinfer.analyses.bayes.pairwise.numerics.pair_model import (
    ALPHA,
    BETA,
    draw_hyperparameters,
    log_prior,
)


def gamma_log_density(v, alpha, beta):
    return alpha * np.log(beta) - gammaln(alpha) + (alpha - 1) * np.log(v) - beta * v


def marginal(v):
    """Density of v = nu - 1, alpha and beta integrated out by adaptive quadrature."""
    return dblquad(lambda b, a: np.exp(gamma_log_density(v, a, b)), *ALPHA, *BETA)[0]


def test_marginal_prior_is_the_integral_over_both_hyperparameters():
    u = np.array([-20.0, -3.0, 0.0, 1.3, 3.0, 5.0])
    expected = np.log([marginal(np.exp(x)) for x in u]) + u
    values = log_prior(u)
    np.testing.assert_allclose(values - values[0], expected - expected[0], atol=1e-4)


def test_prior_falls_beyond_its_table():
    far = log_prior(np.array([-80.0, -60.0, 9.0, 12.0, np.inf]))
    assert far[0] == pytest.approx(far[1] - 10)
    assert (np.diff(far[2:]) < 0).all()


def test_a_normal_variable_becomes_one_of_the_prior():
    """Shares of log(nu - 1) below some values are those of a sum over a fine grid."""
    table = pair_model._quantiles()
    normal = np.linspace(-8, 8, len(table))
    grid = np.linspace(-60, 9, 690_001)
    density = np.exp(log_prior(grid))
    share = np.cumsum(density) / density.sum()
    for at in (-20.0, -5.0, 0.0, 2.0, 4.0, 5.5):
        below = share[np.searchsorted(grid, at)]
        assert norm.cdf(np.interp(at, table, normal)) == pytest.approx(below, rel=2e-3)
        value, slope = pair_model._log_above(float(np.interp(at, table, normal)), table)
        assert value == pytest.approx(at)
        steps = np.interp(at, table, normal) + np.array([-1e-4, 1e-4])
        rise = [pair_model._log_above(float(y), table)[0] for y in steps]
        assert slope == pytest.approx((rise[1] - rise[0]) / 2e-4, rel=0.05)


@pytest.mark.parametrize("v", [1e-12, 1e-6, 0.5, 8.0, 90.0])
def test_hyperparameters_have_their_means_given_nu(v):
    alpha, beta = draw_hyperparameters(np.full(40_000, 1 + v), np.random.default_rng(1))
    grid_a = ALPHA[0] + (ALPHA[1] - ALPHA[0]) * (np.arange(4000)[:, None] + 0.5) / 4000
    grid_b = BETA[0] + (BETA[1] - BETA[0]) * (np.arange(100) + 0.5) / 100
    log_weight = gamma_log_density(v, grid_a, grid_b)
    weight = np.exp(log_weight - log_weight.max())
    for drawn, grid in ((alpha, grid_a), (beta, grid_b)):
        mean = (weight * grid).sum() / weight.sum()
        assert abs(drawn.mean() - mean) < 4 * drawn.std() / 200 + 1e-3 * mean
    assert ((alpha >= ALPHA[0]) & (alpha <= ALPHA[1])).all()
    assert ((beta >= BETA[0]) & (beta <= BETA[1])).all()

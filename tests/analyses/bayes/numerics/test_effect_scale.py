"""Scale of the average effects over that of the interactions, against its closed form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel, compiled_priors
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.slices import log_half_t, log_scale_prior
from tests.analyses.bayes.numerics.simulator import design

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


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_posterior_of_the_ratio_is_the_closed_form(shift):
    """Weights make the half-t prior of the scale of the interactions flat on the log."""
    rng = np.random.default_rng(5)
    data = design("single", D, K)
    data = replace(data, z=rng.standard_normal((D, K - 1)) + shift * np.array([1.0, 0.0, -1.0]))
    wide = Priors(effect_scale=0.8, interaction_scale=3.0)
    state, found = gibbs.start(GibbsModel(data, "normal", "common", wide), CHAINS, rng), []
    for i in range(WARM_UP + SWEEPS):
        state = gibbs.sweep(GibbsModel(data, "normal", "common", wide), state, rng)
        if i >= WARM_UP:
            found.append(np.log([state.effect_sd / state.scale, state.scale]))
    log_ratio, log_scale = np.moveaxis(found, 1, 0).reshape(2, -1)
    flat = 1 / (stats.t(3).pdf(np.exp(log_scale) / 3.0) * np.exp(log_scale))
    u, weight = ratio(data.z)
    below = np.cumsum(weight)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        share = np.average(log_ratio <= u[below.searchsorted(p)], weights=flat)
        assert share == pytest.approx(p, abs=0.015), p


def test_both_scales_have_half_t_priors():
    prior, u = compiled_priors(Priors(effect_scale=0.5), 3), np.array([-1.2, 0.4])
    for sd in (0.3, 2.0):
        found = [log_scale_prior(x, sd, prior) for x in u]
        both = [log_half_t(x, 1.0) + log_half_t(np.log(sd) - x, 0.5) for x in u]
        np.testing.assert_allclose(np.diff(found), np.diff(both))

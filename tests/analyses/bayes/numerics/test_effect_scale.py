"""Scale of the average effects over that of the interactions, against its closed form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics import covariance, gibbs
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_effect_sd, scale_prior
from benchinfer.analyses.bayes.numerics.slices import Quantity, log_density, log_half_t, rows
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
def test_posterior_of_the_ratio_is_the_closed_form(monkeypatch, shift):
    def flat(effect_sd, priors):
        near = (effect_sd / priors.effect_scale) ** 2 / 3
        return rows(-1.0, np.inf, near)

    monkeypatch.setattr(covariance, "scale_prior", flat)
    rng = np.random.default_rng(5)
    data = design("single", D, K)
    data = replace(data, z=rng.standard_normal((D, K - 1)) + shift * np.array([1.0, 0.0, -1.0]))
    model = GibbsModel(data, "normal", "common", Priors(effect_scale=0.8))
    state, found = gibbs.start(model, CHAINS, rng), []
    for i in range(WARM_UP + SWEEPS):
        state = gibbs.sweep(model, state, rng)
        if i >= WARM_UP:
            found.append(np.log(state.effects.effect_sd / state.sigma.scale))
    u, weight = ratio(data.z)
    below = np.cumsum(weight)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.mean(found <= u[below.searchsorted(p)]) == pytest.approx(p, abs=0.01), p


def test_both_scales_have_half_t_priors():
    sd, u, priors = np.array([0.3, 2.0]), np.array([-1.2, 0.4]), Priors(effect_scale=0.5)
    for i, given in enumerate(rows(scale_prior(sd, priors), 0.0, 0.0, 0.0)):
        found = [log_density(Quantity.STRETCH, x, given) for x in u]
        both = [log_half_t(x, 1.0) + log_half_t(np.log(sd[i]) - x, 0.5) for x in u]
        np.testing.assert_allclose(np.diff(found), np.diff(both))


def test_a_dense_precision_is_turned_to_its_axes():
    rng = np.random.default_rng(2)
    values, vectors = np.array([[0.0, 0.7, 3.0]]), np.linalg.qr(rng.standard_normal((1, 3, 3)))[0]
    shift, now = rng.standard_normal((1, 3)), np.ones(1)
    dense = (vectors * values[:, None, :]) @ vectors.swapaxes(1, 2)
    turned = (vectors @ shift[..., None])[..., 0]
    one, two = (
        draw_effect_sd(now, now, *given, Priors(), np.random.default_rng(7))
        for given in ((values, shift), (dense, turned))
    )
    np.testing.assert_allclose(one, two)
    assert draw_effect_sd(now, now, values, shift, Priors(effect_sd=1.0), rng) is now

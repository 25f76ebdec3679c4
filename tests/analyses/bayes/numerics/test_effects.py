"""Draws of effects against the dense normal distribution of all of them together."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy.linalg import block_diag

from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.effects import (
    draw_effects,
    draws_jointly,
    residual_variances,
)
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import check_moments, design

CHAINS = 20_000
SCALES = ("scale", "effect_sd", "domain_scale")


@njit(error_model="numpy")
def many_effects(
    z,
    design,
    variance,
    rank,
    balanced,
    others,
    domain,
    covariates,
    prior,
    noise,
    vectors,
    values,
    mixing,
    average,
    slopes,
    domains,
    interaction,
    scale,
    effect_sd,
    domain_scale,
    joint,
    rng,
):
    """Draw the effects of each chain once."""
    for c in range(len(scale)):
        draw_effects(
            z[min(c, len(z) - 1)],
            design,
            variance,
            rank,
            balanced,
            others,
            domain,
            covariates,
            prior,
            noise[c],
            vectors[c],
            values[c],
            mixing[c],
            scale[c],
            effect_sd[c],
            domain_scale[c],
            average[c],
            slopes[c],
            domains[c],
            interaction[c],
            joint,
            rng,
        )


def drawn(model, chains, sigma, mixing, noise, rng):
    """Return draws of effects given the (J, J) covariance and (M,) mixing scales and noise."""
    values, vectors = np.linalg.eigh(sigma)
    scales = {"vectors": vectors, "values": values, "mixing": mixing}
    state = gibbs.start(model, chains, rng)
    if model.data.noisy:
        scales["log_sd"] = np.log(noise) / 2
    held = {name: np.repeat(x[None], chains, axis=0) for name, x in scales.items()}
    state = state._replace(**held)
    known = gibbs.compiled(model)
    names = ("design", "variance", "rank", "balanced", "others", "domain", "covariates", "prior")
    given = {name: getattr(known, name) for name in names}
    noises = np.array([residual_variances(known.pooled, x) for x in state.log_sd])
    places = ("vectors", "values", "mixing", "average", "slopes", "domains", "interaction")
    arrays = [np.ascontiguousarray(getattr(state, name)) for name in places]
    scales = [getattr(state, name) for name in SCALES]
    many_effects(
        known.z, *given.values(), noises, *arrays, *scales, draws_jointly(known, state), rng
    )
    return state._replace(**dict(zip(places, arrays, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["whole", "missing", "single-missing"])
@pytest.mark.parametrize("covariates", [0, 2])
def test_moments(kind, covariates):
    rng = np.random.default_rng(3)
    data = design(kind, d=4)
    m, j = data.z.shape
    x = rng.standard_normal((m, covariates)) if covariates else None
    sigma = np.array([[1.0, 0.6], [0.6, 0.5]])
    mixing = np.array([0.5, 1.0, 3.0, 0.7])
    noise = np.array([0.2, 0.5, 0.1, 0.4]) * (not kind.startswith("single"))
    priors = Priors(effect_sd=2.0, slope_sd=0.7)
    model = GibbsModel(data, "t", "unstructured", priors, None, x)
    draws = drawn(model, CHAINS, sigma, mixing, noise, rng)
    parts = [draws.average, *draws.slopes.swapaxes(0, 1), draws.interaction.reshape(CHAINS, -1)]
    eye = np.eye(j)
    maps, variances = [np.tile(eye, (m, 1))], [4 * eye]
    if covariates:
        maps.append(np.kron(x, eye))
        variances.append(0.49 * np.eye(2 * j))
    dense = block_diag(*data.design) @ np.hstack([*maps, np.eye(m * j)])
    prior = block_diag(*variances, np.kron(np.diag(mixing), sigma))
    check_moments(np.hstack(parts), data, dense, prior, noise, 0.045)


@pytest.mark.slow
def test_a_table_for_each_chain():
    data = design("missing", d=3)
    tables = replace(data, z=np.repeat(data.z[None], 4, axis=0))
    one, two = (
        drawn(
            GibbsModel(x, "t", "unstructured", Priors(effect_sd=2.0)),
            4,
            np.diag([1.0, 2.0]),
            np.ones(3),
            np.ones(3),
            np.random.default_rng(1),
        )
        for x in (data, tables)
    )
    np.testing.assert_allclose(one.average, two.average)
    np.testing.assert_allclose(one.interaction, two.interaction)


@pytest.mark.slow
def test_precise_scores_give_weighted_least_squares():
    """With a wide prior and no noise the slopes are those of a regression of the contrasts."""
    data = design("whole", d=6)
    m, j = data.z.shape
    x = np.linspace(-1, 1, m)[:, None]
    wide = Priors(effect_sd=1e3, slope_sd=1e3)
    exact = replace(data, variance=data.variance * 1e-9)
    model = GibbsModel(exact, "t", "unstructured", wide, None, x)
    rng = np.random.default_rng(1)
    draws = drawn(model, 2000, 1e-6 * np.eye(j), np.ones(m), np.ones(m), rng)
    wanted = np.linalg.lstsq(np.column_stack([np.ones(m), x]), data.z, rcond=None)[0]
    np.testing.assert_allclose(draws.average.mean(axis=0), wanted[0], atol=1e-4)
    np.testing.assert_allclose(draws.slopes.mean(axis=0)[0], wanted[1], atol=1e-4)

"""Draws of effects against the dense normal distribution of average and interactions together."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag

from benchinfer.analyses.bayes.numerics.covariance import Covariance
from benchinfer.analyses.bayes.numerics.interactions import InteractionEffects, draw_effects
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import check_moments, design

CHAINS, PRIORS = 40_000, Priors(effect_sd=2.0)


def start(chains, m, j):
    return InteractionEffects(np.zeros((chains, j)), np.full(chains, 2.0), np.zeros((chains, m, j)))


@pytest.mark.parametrize("kind", ["whole", "missing", "single-missing"])
def test_moments(kind):
    rng = np.random.default_rng(3)
    data = design(kind, d=3)
    m, j = data.z.shape
    single = kind.startswith("single")
    sigma = np.array([[1.0, 0.6], [0.6, 0.5]])
    mixing, noise = np.array([0.5, 1.0, 3.0]), np.array([0.2, 0.5, 0.1]) * (not single)
    values, vectors = np.linalg.eigh(sigma)

    def repeated(x):
        return np.repeat(np.asarray(x)[None], CHAINS, axis=0)

    unused = np.ones(CHAINS)
    covariance = Covariance(repeated(vectors), repeated(values), unused, unused)
    given = repeated(mixing), repeated(noise), start(CHAINS, m, j)
    found = draw_effects(data, covariance, *given, PRIORS, rng)
    draws = np.hstack([found.average, found.interaction.reshape(CHAINS, -1)])
    x = np.vstack([np.hstack([a, np.kron(np.eye(m)[i], a)]) for i, a in enumerate(data.design)])
    prior = block_diag(4 * np.eye(j), np.kron(np.diag(mixing), sigma))
    check_moments(draws, data, x, prior, noise, 0.03)


def test_a_table_for_each_chain():
    data = design("missing", d=3)
    c = 4
    tables = replace(data, z=np.repeat(data.z[None], c, axis=0))
    ones = np.ones((c, 3))
    sigma = Covariance(np.repeat(np.eye(2)[None], c, axis=0), np.ones((c, 2)), ones, ones)
    one, two = (
        draw_effects(x, sigma, ones, ones, start(c, 3, 2), PRIORS, np.random.default_rng(1))
        for x in (data, tables)
    )
    np.testing.assert_allclose(one.average, two.average)
    np.testing.assert_allclose(one.interaction, two.interaction)

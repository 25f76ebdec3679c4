"""Average effects, slopes and domains against the dense normal distribution of all together."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag

from benchinfer.analyses.bayes.numerics.covariance import Covariance
from benchinfer.analyses.bayes.numerics.interactions import InteractionEffects, draw_effects
from benchinfer.analyses.bayes.numerics.levels import DomainEffects, Slopes
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import check_moments, design

CHAINS = 20_000


@pytest.mark.parametrize("kind", ["whole", "missing", "single-missing"])
@pytest.mark.parametrize("domains", [0, 2])
def test_moments(kind, domains, monkeypatch):
    """Every scale is held, so that what is left is normal."""
    monkeypatch.setattr("benchinfer.analyses.bayes.numerics.levels._given_effects", lambda s, *_: s)
    monkeypatch.setattr("benchinfer.analyses.bayes.numerics.levels._given_unit", lambda s, *_: s)
    rng = np.random.default_rng(3)
    data = design(kind, d=4)
    m, j = data.z.shape
    x = rng.standard_normal((m, 2))
    sigma = np.array([[1.0, 0.6], [0.6, 0.5]])
    mixing = np.array([0.5, 1.0, 3.0, 0.7])
    noise = np.array([0.2, 0.5, 0.1, 0.4]) * (not kind.startswith("single"))
    code = np.array([0, 1, 0, 1])
    priors = Priors(effect_sd=2.0, slope_sd=0.7)
    values, vectors = np.linalg.eigh(sigma)

    def repeated(a):
        return np.repeat(np.asarray(a, float)[None], CHAINS, axis=0)

    unused = np.ones(CHAINS)
    covariance = Covariance(repeated(vectors), repeated(values), unused, unused)
    held = DomainEffects(repeated(np.zeros((2, j))), 0.6 * unused, code) if domains else None
    none = repeated(np.zeros(j)), 2 * unused, np.zeros((CHAINS, m, j))
    now = InteractionEffects(*none, held, Slopes(np.zeros((CHAINS, 2, j)), x))
    found = draw_effects(data, covariance, repeated(mixing), repeated(noise), now, priors, rng)
    parts = [found.average, found.slopes.coefficients.reshape(CHAINS, -1)]
    if domains:
        parts.append(found.domains.effects.reshape(CHAINS, -1))
    draws = np.hstack([*parts, found.interaction.reshape(CHAINS, -1)])
    eye = np.eye(j)
    maps = [np.tile(eye, (m, 1)), np.kron(x, eye)]
    variances = [4 * eye, 0.49 * np.eye(2 * j)]
    if domains:
        maps.append(np.kron(np.eye(2)[code], eye))
        variances.append(0.36 * np.eye(2 * j))
    dense = block_diag(*data.design) @ np.hstack([*maps, np.eye(m * j)])
    prior = block_diag(*variances, np.kron(np.diag(mixing), sigma))
    check_moments(draws, data, dense, prior, noise, 0.045)


def test_precise_scores_give_weighted_least_squares():
    """With a wide prior and no noise the slopes are those of a regression of the contrasts."""
    data = design("whole", d=6)
    m, j = data.z.shape
    x = np.linspace(-1, 1, m)[:, None]
    c = 2000
    ones = np.ones((c, m))
    sigma = Covariance(np.repeat(np.eye(j)[None], c, 0), np.full((c, j), 1e-6), ones, ones)
    now = InteractionEffects(
        np.zeros((c, j)),
        np.full(c, 1e3),
        np.zeros((c, m, j)),
        None,
        Slopes(np.zeros((c, 1, j)), x),
    )
    wide = Priors(effect_sd=1e3, slope_sd=1e3)
    exact = replace(data, variance=data.variance * 1e-9)
    found = draw_effects(exact, sigma, ones, ones, now, wide, np.random.default_rng(1))
    wanted = np.linalg.lstsq(np.column_stack([np.ones(m), x]), data.z, rcond=None)[0]
    np.testing.assert_allclose(found.average.mean(axis=0), wanted[0], atol=1e-4)
    np.testing.assert_allclose(found.slopes.coefficients.mean(axis=0)[0], wanted[1], atol=1e-4)

"""Levels of data sets given effects, against dense linear algebra."""

import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics import dataset_levels, gibbs
from benchinfer.analyses.bayes.numerics.contrasts import helmert, reduce_contrasts
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    CompiledMeans,
    DatasetMeans,
    average_means,
    draw_dataset_levels,
    draw_variances,
    with_errors,
)
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design

M, K, CHAINS = 9, 3, 20_000
J = K - 1


X = np.linspace(-1, 1, M)[:, None]


def effects(rng, **more):
    """Return what the sampler knows, and one draw of one chain."""
    model = GibbsModel(design("single", M, K), "t", "unstructured", Priors(), **more)
    state = gibbs.start(model, 1, rng)
    drawn = {
        name: rng.standard_normal(getattr(state, name).shape)
        for name in ("average", "interaction", "domains", "slopes")
    }
    state = state._replace(**drawn)
    return gibbs.compiled(model), type(state)(*(x[:, None] for x in state))


def test_coefficients_have_their_normal_posterior():
    """Of alpha, gamma, b and c, some cells missing: by the joint covariance with the levels."""
    rng = np.random.default_rng(1)
    known, state = effects(rng, domain=np.arange(M) % 3, covariates=X)
    mixing = np.exp(rng.standard_normal(M))
    held = np.ones((M, K), bool)
    held[2, 0] = held[5, 1:] = False
    means = DatasetMeans(3 + rng.standard_normal(M), held, np.zeros(M), np.zeros(M))
    given = CompiledMeans.of(means, J)
    variance = np.tile([0.5, 0.8, 1.3], (CHAINS, 1))
    states = type(state)(*(np.repeat(x, CHAINS, axis=0) for x in state))
    states = states._replace(mixing=np.tile(mixing, (CHAINS, 1, 1)))
    values, these, _ = draw_dataset_levels(given, known, states, variance, rng)
    values, these = values[:, 0], these[0, 0]
    state = type(state)(*(x[:, 0] for x in state))
    departure = state.interaction[0] + state.domains[0, np.arange(M) % 3]
    theta = (state.average[0] + X @ state.slopes[0] + departure) @ helmert(K)
    seen = means.mean - np.array([theta[m, held[m]].mean() for m in range(M)])
    x = np.column_stack([np.ones(M), X, departure, np.eye(3)[np.arange(M) % 3]])
    flat = dataset_levels._FLAT * means.spread**2
    prior = np.diag([flat, flat, *[0.8] * J, *[1.3] * 3])
    gain = prior @ x.T @ np.linalg.inv(x @ prior @ x.T + 0.5 * np.diag(mixing))
    wanted = gain @ (seen - means.centre)
    cov = prior - gain @ x @ prior
    error = np.sqrt(np.diag(cov) / CHAINS)
    np.testing.assert_array_less(np.abs(values.mean(axis=0) - wanted), 5 * error)
    np.testing.assert_allclose(np.cov(values.T), cov, atol=0.05 * np.diag(cov).max())
    np.testing.assert_allclose(means.centre + these, seen.mean())


def test_roots_of_variances_are_half_t():
    """Variables drawn given their variance, and it given them, leave the prior where it is."""
    rng, scale, n = np.random.default_rng(2), 1.7, 4
    variance = (scale * np.abs(rng.standard_t(3, CHAINS))) ** 2
    for _ in range(3):
        x = np.sqrt(variance)[:, None] * rng.standard_normal((CHAINS, n))
        gammas = rng.standard_gamma([2.0, (3 + n) / 2], (CHAINS, 1, 2))
        squares = (x**2).sum(axis=1, keepdims=True)
        variance = draw_variances(squares, variance[:, None], (scale,), gammas)[:, 0]
    test = stats.kstest(np.sqrt(variance) / scale, lambda x: 2 * stats.t(3).cdf(x) - 1)
    assert test.pvalue > 1e-3


def test_an_algorithm_that_is_alike_everywhere_has_that_level():
    rng = np.random.default_rng(3)
    known, state = effects(rng)
    theta = (state.average[0] + state.interaction[0, 0]) @ helmert(K)
    means = DatasetMeans(0.8 - theta[:, 1], np.ones((M, K), bool), np.zeros(M), np.zeros(M))
    states = type(state)(*(np.repeat(x, 60, axis=1) for x in state))
    drawn, _, _ = draw_dataset_levels(
        CompiledMeans.of(means, J), known, states, np.zeros((1, 3)), rng
    )
    level = means.centre + drawn[0, -1, 0] + state.average[0, 0] @ helmert(K)
    np.testing.assert_allclose(level[1], 0.8, atol=1e-3)


def test_errors_of_means_are_those_of_blocks():
    """Of shared replications the block means vary; of others each cell by itself."""
    rng = np.random.default_rng(4)
    dataset, count = np.repeat([0, 1], 5), np.ones((10, K), int)
    values = rng.standard_normal((10, K)) + 4 * rng.standard_normal((10, 1))
    data = reduce_contrasts(dataset, count, values, np.zeros(2))
    cells = np.stack([values[:5].mean(axis=0), values[5:].mean(axis=0)])
    n = np.full((2, K), 5)
    means = average_means(data, cells, n)
    np.testing.assert_allclose(means.mean * data.scale, cells.mean(axis=1))
    found = with_errors(means, data, (dataset, count, values), 0.2)
    rows = values.mean(axis=1).reshape(2, 5)
    wanted = rows.var(axis=1, ddof=1) * (1 / 5 + 0.25)
    np.testing.assert_allclose(found.square * data.scale**2 / found.df, wanted)
    np.testing.assert_allclose(found.df, 4)

    n = rng.integers(2, 6, (2, K))
    within = np.array([3.0, 7.0])
    data = reduce_contrasts(np.arange(2), n, cells, within)
    found = with_errors(average_means(data, cells, n), data, (np.arange(2), n, cells), 0.0)
    df = n.sum(axis=1) - K
    wanted = within / df * (1 / n).sum(axis=1) / K**2
    np.testing.assert_allclose(found.square * data.scale**2 / found.df, wanted)
    np.testing.assert_allclose(found.df, df)

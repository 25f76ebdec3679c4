from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln, stdtr

from benchinfer.analyses.bayes.pairwise.numerics import pair_model
from benchinfer.analyses.bayes.pairwise.numerics.pair_model import log_prior

MARGIN = 0.4


def simulated(rng, m=7, n=10, gap=0.6, spread=0.7):
    """Return number, mean and sum of squares of differences on m data sets of one pair."""
    delta = gap + spread * rng.standard_t(3, m)
    x = delta[:, None] + rng.uniform(0.5, 1.5, m)[:, None] * rng.standard_normal((m, n))
    square = ((x - x.mean(axis=1)[:, None]) ** 2).sum(axis=1)
    return np.full((1, m), n), x.mean(axis=1)[None], square[None], np.abs(x).max()[None]


def by_quadrature(data):
    """Return what the posterior says, on a grid of delta_0, std_0 and nu, without any sampling.

    sigma_m is integrated out in closed form (its bound is far away), delta_m on a grid.
    """
    n, mean, square, spread = (x[0] for x in (data.n, data.mean, data.square, data.spread))
    delta = np.linspace(mean.min() - 6, mean.max() + 6, 500)
    off = (delta - mean[:, None]) ** 2 / spread[:, None]
    seen = (1 + off / square[:, None]) ** (-(n[:, None] - 1) / 2)
    centre = np.linspace(-4, 5, 61)
    log_std, log_above = np.linspace(-5, 3.5, 44), np.linspace(-9, 5.5, 30)
    far = (delta[:, None] - centre) ** 2
    values = np.empty((len(log_std), len(log_above), len(centre)))
    for i, u in enumerate(log_std):
        for j, v in enumerate(log_above):
            nu = 1 + np.exp(v)
            constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu * np.pi) / 2 - u
            t = np.exp(constant - (nu + 1) / 2 * np.log1p(far / (nu * np.exp(2 * u))))
            prior = u + float(log_prior(np.array(v)))
            values[i, j] = np.log(seen @ t).sum(axis=0) + prior
    weight = np.exp(values - values.max())
    weight /= weight.sum()
    return weight, centre, np.exp(log_std)[:, None, None], 1 + np.exp(log_above)[:, None]


def outcomes(centre, std, nu, margin):
    first, second = stdtr(nu, (centre - margin) / std), stdtr(nu, (-centre - margin) / std)
    return np.stack([first, 1 - first - second, second])


@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_posterior_is_that_of_brute_force_quadrature(rho):
    rng = np.random.default_rng(5)
    data = pair_model.pair_data(*simulated(rng), rho)
    weight, centre, std, nu = by_quadrature(data)
    rows = data.of(np.zeros(40, dtype=int))
    _, state = pair_model.sample(rows, pair_model.start(rows, rng), 100, rng, tune=True)
    draws, _ = pair_model.sample(rows, state, 500, rng)
    known = outcomes(centre, std, nu, MARGIN)
    drawn = outcomes(draws.centre, draws.std, draws.nu, MARGIN)
    pairs = [(drawn[k], (weight * known[k]).sum()) for k in range(3)]
    pairs += [(draws.centre, (weight * centre).sum()), (1 / draws.nu, (weight / nu).sum())]
    pairs += [
        (draws.centre**2, (weight * centre**2).sum()),
        (np.log(draws.std), (weight * np.log(std)).sum()),
    ]
    for found, expected in pairs:
        chains = found.mean(axis=1)
        error = chains.std(ddof=1) / np.sqrt(len(chains))
        assert abs(chains.mean() - expected) < 4 * error + 0.002


def test_bound_of_sigma_holds_where_two_replications_leave_it_open():
    n = np.full((1, 6), 2)
    mean, square = np.linspace(-1, 1, 6)[None], np.full((1, 6), 0.5)
    data = pair_model.pair_data(n, mean, square, np.array([2.0]), 0.0)
    data = replace(data, sigma_high=np.array([3.0]))
    rows, rng = data.of(np.zeros(600, dtype=int)), np.random.default_rng(2)
    drawn = np.sqrt(pair_model._draw_variance(rows, rows.mean, rng))
    assert drawn.max() <= 3
    # CompiledModel Q the density of sigma is exp(-Q / (2 sigma^2)) / sigma^n up to the bound.
    grid = np.linspace(1e-3, 3, 20_000)
    density = np.exp(-rows.square[0, 0] / 2 / grid**2) / grid**2
    expected = np.trapezoid(density * (grid > 2), grid) / np.trapezoid(density, grid)
    assert expected > 0.1
    assert abs((drawn > 2).mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / drawn.size)


def test_data_sets_that_say_nothing_change_nothing():
    rng = np.random.default_rng(5)
    n, mean, square, top = simulated(rng)
    pad = [np.concatenate([x, np.zeros((1, 3), x.dtype)], axis=1) for x in (n, mean, square)]
    plain = pair_model.pair_data(n, mean, square, top, 0.1)
    padded = pair_model.pair_data(*pad, top, 0.1)
    np.testing.assert_allclose(padded.scale, plain.scale)
    np.testing.assert_allclose(padded.std_high, plain.std_high)
    said = []
    for data in (plain, padded):
        rows = data.of(np.zeros(60, dtype=int))
        _, state = pair_model.sample(rows, pair_model.start(rows, rng), 60, rng, tune=True)
        draws, _ = pair_model.sample(rows, state, 300, rng)
        said.append((draws.centre.mean(axis=1), np.log(draws.std).mean(axis=1)))
    for one, other in zip(*said, strict=True):
        error = np.hypot(one.std(), other.std()) / np.sqrt(60)
        assert abs(one.mean() - other.mean()) < 4 * error


def test_rows_are_sampled_each_by_itself_and_seeds_repeat():
    data = pair_model.pair_data(*simulated(np.random.default_rng(5)), 0.0)
    rows = data.of(np.zeros(4, dtype=int))
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(9)
        runs.append(pair_model.sample(rows, pair_model.start(rows, rng), 10, rng)[0])
    np.testing.assert_array_equal(runs[0].centre, runs[1].centre)
    assert len(np.unique(runs[0].nu)) > 20

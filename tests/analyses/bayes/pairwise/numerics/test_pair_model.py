import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln, stdtr

from benchinfer.analyses.bayes.pairwise.numerics import pair_model
from benchinfer.analyses.bayes.pairwise.numerics.pair_model import PairDensity, log_prior
from benchinfer.numerics.posterior.nuts import until_settled

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


def drawn(data, chains, n):
    """Return draws of a pair, without divergences."""
    density = PairDensity.of(data, 0)

    def fit(points):
        assert points.divergences == 0
        return density.draws(points.points), True

    rng = np.random.default_rng(9)
    return until_settled(density, (chains, n), rng, None, fit, accept=0.9, warm_up=500)


def outcomes(centre, std, nu, margin):
    first, second = stdtr(nu, (centre - margin) / std), stdtr(nu, (-centre - margin) / std)
    return np.stack([first, 1 - first - second, second])


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_posterior_is_that_of_brute_force_quadrature(rho):
    rng = np.random.default_rng(5)
    data = pair_model.pair_data(*simulated(rng), rho)
    weight, centre, std, nu = by_quadrature(data)
    draws = drawn(data, 30, 500)
    known = outcomes(centre, std, nu, MARGIN)
    found = outcomes(draws.centre, draws.std, draws.nu, MARGIN)
    pairs = [(found[k], (weight * known[k]).sum()) for k in range(3)]
    pairs += [(draws.centre, (weight * centre).sum()), (1 / draws.nu, (weight / nu).sum())]
    pairs += [
        (draws.centre**2, (weight * centre**2).sum()),
        (np.log(draws.std), (weight * np.log(std)).sum()),
    ]
    for found, expected in pairs:
        chains = found.mean(axis=1)
        error = chains.std(ddof=1) / np.sqrt(len(chains))
        assert abs(chains.mean() - expected) < 4 * error + 0.002


@pytest.mark.parametrize("n", [2, 3, 4, 9, 20])
@pytest.mark.parametrize("high", [0.3, 3.0, 1000.0])
def test_sigma_is_integrated_out_up_to_its_bound(n, high):
    """The density of the mean is that of quadrature over sigma, up to a constant."""
    deltas, mean, square, spread = (-2.0, 0.1, 0.5, 4.0), 0.2, 0.7, 0.3

    def by_quadrature(delta):
        total, top = square + (delta - mean) ** 2 / spread, np.log(high)
        peak = min(0.5 * np.log(total / (n - 1)), top)

        def exponent(u):  # of the density of log sigma
            return -total / 2 * np.exp(-2 * u) - (n - 1) * u

        inside = quad(lambda u: np.exp(exponent(u) - exponent(peak)), peak - 6, peak)[0]
        inside += quad(lambda u: np.exp(exponent(u) - exponent(peak)), peak, top)[0]
        return np.log(inside) + exponent(peak)

    given = n, mean, square, spread, high, pair_model._limits(n, high)

    def density(delta):
        total, log_share, _ = pair_model._seen(delta, *given)
        return log_share - (n - 1) / 2 * np.log(total)

    found = np.array([density(delta) for delta in deltas])
    expected = np.array([by_quadrature(delta) for delta in deltas])
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-6)
    for delta in deltas:
        slope = (density(delta + 1e-6) - density(delta - 1e-6)) / 2e-6
        assert pair_model._seen(delta, *given)[2] == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_slopes_are_those_of_the_density():
    rng = np.random.default_rng(5)
    density = PairDensity.of(pair_model.pair_data(*simulated(rng), 0.1), 0)
    step = 1e-5
    for _ in range(5):
        x = 1.5 * rng.standard_normal(density.size)
        by_differences = [
            (density(x + step * e)[0] - density(x - step * e)[0]) / (2 * step)
            for e in np.eye(density.size)
        ]
        np.testing.assert_allclose(density(x)[1], by_differences, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_data_sets_that_say_nothing_change_nothing():
    rng = np.random.default_rng(5)
    n, mean, square, top = simulated(rng)
    pad = [np.concatenate([x, np.zeros((1, 3), x.dtype)], axis=1) for x in (n, mean, square)]
    plain = pair_model.pair_data(n, mean, square, top, 0.1)
    padded = pair_model.pair_data(*pad, top, 0.1)
    np.testing.assert_allclose(padded.scale, plain.scale)
    np.testing.assert_allclose(padded.std_high, plain.std_high)
    one, other = (PairDensity.of(data, 0) for data in (plain, padded))
    assert one.size == other.size
    x = rng.standard_normal(one.size)
    assert one(x)[0] == other(x)[0]
    points = rng.standard_normal((2, 4, one.size))
    few, more = one.draws(points), other.draws(points)
    np.testing.assert_array_equal(few.mean, more.mean[..., : n.shape[1]])
    # What is not seen is expected where the average is.
    unseen = few.centre.reshape(2, 2, 2).mean(axis=2).T
    np.testing.assert_allclose(more.mean[..., -1], unseen)

import numpy as np
import pytest
from scipy import stats
from scipy.stats import invwishart, multivariate_normal

from benchinfer.analyses.bayes.numerics.slices import Quantity, log_density, rows, slice_step


def half_t(u):
    return np.log(2) + stats.t(3).logpdf(np.exp(u)) + u


@pytest.mark.parametrize(
    ("quantity", "given", "width", "start", "expected"),
    [
        (Quantity.RESIDUAL, (0.0, 0.0, 1.0, 2.0), 3.0, stats.norm(1, 2), stats.norm(1, 2).cdf),
        (
            Quantity.DF,
            (2.0, 1.3, 1.0),
            0.5,
            stats.loggamma(1.3),
            stats.loggamma(1.3).cdf,
        ),
        (
            Quantity.DOMAIN,
            (0.0, 0.0, 1.0),
            20.0,
            stats.norm(),
            lambda u: 2 * stats.t(3).cdf(np.exp(u)) - 1,
        ),
    ],
)
def test_keeps_densities_of_many_shapes(quantity, given, width, start, expected):
    rng = np.random.default_rng(2)
    x = start.rvs(3000, random_state=rng)
    given = np.tile(given, (3000, 1))
    for _ in range(30):
        x = slice_step(quantity, x, given, width, rng)
    assert stats.kstest(x, expected).pvalue > 1e-4


def test_a_start_far_off_moves_in_bounded_steps():
    given = rows(0.0, 0.0, np.zeros(1000), 1.0)
    x = slice_step(Quantity.RESIDUAL, np.full(1000, 50.0), given, 1.0, np.random.default_rng(1))
    assert x.min() >= 42
    assert x.mean() < 49


def differences(quantity, at, *parts):
    """Return the differences of a log density between points."""
    return np.diff([log_density(quantity, u, rows(*parts, np.zeros((1, 0)))[0]) for u in at])


def test_tails_are_those_of_a_multivariate_t():
    w = np.random.default_rng(1).standard_normal((7, 3))
    square, u = (w**2).sum(axis=1), np.log([0.4, 8.0])
    found = differences(Quantity.DF, u, 3, 2.0, 0.1, square[None])
    direct = [
        stats.multivariate_t(np.zeros(3), df=1 + np.exp(x)).logpdf(w).sum()
        + stats.loggamma(2.0, loc=np.log(10)).logpdf(x)
        for x in u
    ]
    np.testing.assert_allclose(found, np.diff(direct))


FLAT = 0.0, np.inf, 0.0


@pytest.mark.parametrize("nu", [4.0, np.inf])
def test_the_common_scale_has_the_density_of_its_vectors(nu):
    w = np.random.default_rng(2).standard_normal((5, 2))
    u = np.array([-0.4, 0.9])
    found = differences(Quantity.COMMON, u, *FLAT, nu, 2, (w**2).sum(axis=1)[None])
    shape = (
        (lambda s: multivariate_normal(np.zeros(2), s**2 * np.eye(2)))
        if nu == np.inf
        else (lambda s: stats.multivariate_t(np.zeros(2), s**2 * np.eye(2), df=nu))
    )
    np.testing.assert_allclose(found, np.diff([shape(np.exp(x)).logpdf(w).sum() for x in u]))


def test_marginal_is_likelihood_times_prior_over_posterior():
    rng = np.random.default_rng(1)
    w = rng.standard_normal((6, 3)) * [1.0, 0.3, 2.0]
    scatter = w.T @ w
    at, roots = invwishart(9, np.eye(3)).rvs(random_state=rng), np.linalg.eigvalsh(scatter)[None]

    def direct(log_s, log_kappa):
        kappa = np.exp(log_kappa)
        df, psi = 5 + kappa, (1 + kappa) * np.exp(2 * log_s) * np.eye(3)
        found = multivariate_normal(np.zeros(3), at).logpdf(w).sum()
        return found + invwishart(df, psi).logpdf(at) - invwishart(df + 6, psi + scatter).logpdf(at)

    u, prior = np.log([0.2, 300.0]), stats.norm(1.0, 2.0).logpdf
    found = differences(Quantity.SHRINKAGE, u, 6, 0.3, 1.0, 2.0, roots)
    np.testing.assert_allclose(found, np.diff([direct(0.3, x) + prior(x) for x in u]), rtol=1e-9)
    u = np.log([0.5, 1.5])
    found = differences(Quantity.UNSTRUCTURED, u, *FLAT, 6, 0.7, roots)
    np.testing.assert_allclose(found, np.diff([direct(x, 0.7) for x in u]), rtol=1e-9)


def test_marginal_tends_to_that_of_the_common_covariance():
    roots, u = np.array([[0.5, 2.0, 7.0]]), np.array([0.3, 0.7])
    found = differences(Quantity.UNSTRUCTURED, u, *FLAT, 6, np.log(1e9), roots)
    expected = -18 * 0.4 - roots.sum() / 2 * (np.exp(-1.4) - np.exp(-0.6))
    np.testing.assert_allclose(found, expected, rtol=1e-5)

import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics.covariance import draw_covariances, draw_normal
from benchinfer.analyses.bayes.numerics.scales import draw_mixing


def test_normal_from_precision():
    rng = np.random.default_rng(1)
    precision = np.array([[2.0, 0.7], [0.7, 1.0]])
    shift = np.array([1.0, -2.0])
    found = np.array([draw_normal(precision, shift, rng) for _ in range(40_000)])
    covariance = np.linalg.inv(precision)
    np.testing.assert_allclose(np.cov(found.T), covariance, atol=0.05)
    np.testing.assert_allclose(found.mean(axis=0), covariance @ [1.0, -2.0], atol=0.03)


def test_covariances_are_inverse_wishart():
    """One over a diagonal element of the inverse, and a diagonal element, are inverse gamma."""
    n, psi, df = 5000, 1.7, 8.0
    found = draw_covariances(np.full(n, psi), np.full(n, df), 3, np.random.default_rng(2))
    np.testing.assert_allclose(found, found.swapaxes(1, 2), atol=1e-12)
    precision = np.linalg.inv(found)[:, 1, 1] * psi
    assert stats.kstest(precision, stats.chi2(df).cdf).pvalue > 1e-3
    assert stats.kstest(psi / found[:, 0, 0], stats.chi2(df - 2).cdf).pvalue > 1e-3
    assert abs(np.mean(found[:, 0, 1])) < 0.02


def test_mixing_scales_are_inverse_gamma():
    found = np.empty(5000)
    draw_mixing(found, 4.0, np.full(5000, 2.5), 3, np.random.default_rng(1))
    assert stats.kstest(found, stats.invgamma(3.5, scale=3.25).cdf).pvalue > 1e-3

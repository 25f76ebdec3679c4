import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics.scales import draw_mixing, log_t


def test_log_density_is_that_of_a_multivariate_t():
    rng = np.random.default_rng(1)
    w = rng.standard_normal((7, 3))
    square = np.repeat((w**2).sum(axis=1)[None], 2, axis=0)
    found = log_t(square, np.array([1.4, 9.0]), 3)
    direct = [stats.multivariate_t(np.zeros(3), df=df).logpdf(w).sum() for df in (1.4, 9.0)]
    np.testing.assert_allclose(np.diff(found), np.diff(direct))


def test_mixing_scales_are_inverse_gamma():
    nu = np.full(5000, 4.0)
    found = draw_mixing(nu, np.full((5000, 1), 2.5), 3, np.random.default_rng(1))
    assert stats.kstest(found[:, 0], stats.invgamma(3.5, scale=3.25).cdf).pvalue > 1e-3

import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics.scales import draw_mixing


def test_mixing_scales_are_inverse_gamma():
    nu = np.full(5000, 4.0)
    found = draw_mixing(nu, np.full((5000, 1), 2.5), 3, np.random.default_rng(1))
    assert stats.kstest(found[:, 0], stats.invgamma(3.5, scale=3.25).cdf).pvalue > 1e-3

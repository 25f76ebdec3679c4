import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics.scales import slice_step


def test_keeps_densities_of_many_shapes():
    rng = np.random.default_rng(2)
    for density, width in (
        (stats.norm(1, 2), 3.0),
        (stats.gamma(1.3), 0.5),
        (stats.t(3), 20.0),
    ):
        x = density.rvs((50, 60), random_state=rng)
        with np.errstate(divide="ignore"):
            for _ in range(15):
                x = slice_step(x, density.logpdf, width, rng)
        assert stats.kstest(x.ravel(), density.cdf).pvalue > 1e-4


def test_a_start_far_off_moves_in_bounded_steps():
    x = slice_step(np.full(1000, 50.0), lambda v: -(v**2) / 2, 1.0, np.random.default_rng(1))
    assert x.min() >= 42
    assert x.mean() < 49

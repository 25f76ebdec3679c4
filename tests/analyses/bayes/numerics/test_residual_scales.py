"""Getting it right for the residual scales alone, with few and with many numbers."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import ResidualScales, draw_scales

PRIORS = Priors(residual_sd=1.0, residual_spread=0.8)


def prior(rng, chains, m):
    centre = rng.standard_normal(chains)
    spread = 0.8 * np.abs(rng.standard_t(3, chains))
    log = centre[:, None] + spread[:, None] * rng.standard_normal((chains, m))
    return ResidualScales(log, centre, spread)


@pytest.mark.parametrize("n", [[1.0, 2.0, 3.0], [60.0, 80.0, 70.0]])
def test_draws_keep_to_the_prior(n):
    rng, n = np.random.default_rng(4), np.array(n)
    now, expected = prior(rng, 3000, len(n)), prior(rng, 30_000, len(n))
    for _ in range(25):
        square = np.exp(2 * now.log) * rng.chisquare(n, now.log.shape)
        now = draw_scales(now, n, square, PRIORS, rng)
    for name in ("centre", "spread"):
        found = stats.ks_2samp(getattr(now, name), getattr(expected, name))
        assert found.pvalue > 1e-4, name
    assert stats.ks_2samp(now.log[:, 1], expected.log[:, 1]).pvalue > 1e-4

import numpy as np
import pytest
from scipy import integrate, stats

from benchinfer.analyses.bayes.numerics.regret import regrets


def test_expected_regrets_are_integrals_of_normal_differences():
    """E min(max(-d, 0), cap) is the integral of P(-d > x) from 0 to the cap."""
    rng = np.random.default_rng(3)
    mean, sd, cap = np.array([0.3, 0.0]), np.array([0.5, 1.0]), 1.2
    effects = mean + sd * rng.standard_normal((8, 4000, 2))
    found = regrets(effects, cap)
    law = stats.norm(0.3, np.sqrt(1.25))
    first = integrate.quad(lambda x: law.cdf(-x), 0, cap)[0]
    second = integrate.quad(law.sf, 0, cap)[0]
    # Of two algorithms the best alternative is the other one.
    assert (np.abs(found.expected - [first, second]) < 4 * found.error).all()
    sd_of_loss = np.minimum(np.maximum(-(effects[..., 0] - effects[..., 1]), 0), cap).std()
    assert found.error[0] == pytest.approx(sd_of_loss / np.sqrt(32000), rel=0.3)


def test_heavy_tails_do_not_decide():
    effects = np.random.default_rng(1).standard_t(1, (4, 500, 3))
    found = regrets(effects, 2.0)
    assert found.expected.max() < 2
    assert found.error.max() < 0.05

"""Data sets drawn anew, against the moments that the model says."""

import numpy as np
import pytest

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.predictive import Shared, observed, present, replicate
from tests.analyses.bayes.numerics.simulator import design

DRAWS = 40_000


@pytest.mark.parametrize("kind", ["whole", "missing"])
def test_moments(kind):
    data, rng = design(kind, d=3), np.random.default_rng(1)
    sigma, average = np.array([[1.0, 0.6], [0.6, 0.5]]), np.array([1.0, -2.0])
    every = np.ones(DRAWS)
    given = Shared(
        centre=np.tile(average, (DRAWS, 1, 1)),
        covariance=np.tile(sigma, (DRAWS, 1, 1)),
        df=8 * every,
        residual_centre=-0.5 * every,
        residual_spread=1e-9 * every,
    )
    noise = np.exp(2 * (data.log_sd - 0.5))
    for m in range(3):
        found = replicate(data, m, given, rng)
        q = data.design[m] @ helmert(3)
        q[data.rank[m] :] = 0
        cov = data.design[m] @ sigma @ data.design[m].T * 8 / 6 + noise * np.diag(data.variance[m])
        wanted = q.T @ cov @ q
        mean = q.T @ data.design[m] @ average
        sd = np.sqrt(np.maximum(np.diag(wanted), 1e-12))
        np.testing.assert_array_less(
            np.abs(found.effects.mean(axis=0) - mean), 5 * sd / np.sqrt(DRAWS) + 1e-9
        )
        np.testing.assert_allclose(np.cov(found.effects.T), wanted, atol=0.06 * sd.max() ** 2)
        if data.df[m] > 0:
            assert found.variance.mean() == pytest.approx(noise, rel=0.03)
            assert found.variance.var() == pytest.approx(2 * noise**2 / data.df[m], rel=0.1)


def test_what_a_data_set_does_not_compare():
    data = design("missing", d=3)
    absent = ~present(data, 0)
    assert absent.tolist() == [False, True, False]
    assert observed(data, 0).effects[0, 1] == pytest.approx(0, abs=1e-12)

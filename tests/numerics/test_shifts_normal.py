"""The interval of signed normal scores is the set of shifts that their test does not reject."""

import numpy as np
import pytest

from benchinfer.numerics import signs
from benchinfer.numerics.shifts import normal_score_shift
from benchinfer.numerics.signs import signed_normal_scores


def p_value(d, shift):
    return signs.sign_flip(signed_normal_scores((d - shift)[:, None], 0.0)[:, 0]).p_value


@pytest.mark.parametrize("n", [6, 7, 9, 12, 25])
@pytest.mark.parametrize("seed", range(3))
def test_interval_inverts_the_test(n, seed):
    d = np.random.default_rng(seed).normal(0.3, 1, size=n)
    found = normal_score_shift(d, 0.95)
    for outside, inside in (
        (found.low - 1e-7, found.low + 1e-7),
        (found.high + 1e-7, found.high - 1e-7),
    ):
        assert p_value(d, outside) <= 0.05 < p_value(d, inside)
    averages = (d[:, None] + d)[np.triu_indices(n)] / 2
    assert found.low in averages
    assert found.high in averages
    assert found.level >= 0.95
    # At the estimate the scores balance: the two sides' sums change sign there.
    below, above = (
        signed_normal_scores((d - found.estimate + e)[:, None], 0.0).sum() for e in (-1e-7, 1e-7)
    )
    assert below <= 0 <= above


def test_too_few_differences_bound_nothing():
    found = normal_score_shift(np.array([0.1, 0.2, 0.4, 0.3]))
    assert (found.low, found.high, found.level) == (-np.inf, np.inf, 1.0)


def test_many_differences_are_normal():
    d = np.random.default_rng(1).normal(0.3, 1, size=400)
    found = normal_score_shift(d)
    mean, half = d.mean(), 1.96 * d.std(ddof=1) / 20
    assert not found.exact
    np.testing.assert_allclose([found.low, found.high], [mean - half, mean + half], atol=0.02)

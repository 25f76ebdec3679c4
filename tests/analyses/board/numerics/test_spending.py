"""Levels of sequences of tests, beside numbers worked by hand."""

from math import log

import numpy as np
import pytest

from benchinfer.analyses.board.numerics.spending import CONSTANT, next_level, shares

P = (0.001, 0.02, 0.6, 0.0001, 0.03, 0.5, 0.004, 0.0008, 0.2, 0.01)
FALLBACK = (
    *(0.024664, 0.031209, 0.034292, 0.001830, 0.003060),
    *(0.000894, 0.000685, 0.000545, 0.000447, 0.000375),
)
ALPHA = (0.024664, 0.006545, 0.003083, 0.001830, 0.001230)


def run(p_values, rule, horizon=None):
    before = []
    for share, p in zip(shares(len(p_values), horizon), p_values, strict=True):
        alpha = next_level(float(share), 0.05, rule, before)
        before.append((alpha, p <= alpha))
    return before


def rejected(before):
    return [i for i, (_, is_record) in enumerate(before, 1) if is_record]


def test_the_shares_sum_up_to_one():
    """The sum to 10^6 and the integral of the rest, 1 / log x."""
    n = 10**6
    rest = CONSTANT / log(n + 1.5)
    assert shares(n).sum() + rest == pytest.approx(1, abs=1e-8)
    assert shares(5, horizon=4).tolist() == [0.25] * 4 + [0.0]


def test_fallback_by_hand():
    before = run(P, "fallback")
    np.testing.assert_allclose([alpha for alpha, _ in before], FALLBACK, atol=6e-7)
    assert rejected(before) == [1, 2, 4]


def test_alpha_spending_by_hand():
    before = run(P, "alpha")
    np.testing.assert_allclose([alpha for alpha, _ in before[:5]], ALPHA, atol=6e-7)
    assert rejected(before) == [1, 4]


def test_lond_by_hand():
    """Levels are those of alpha spending times the number of rejections before."""
    before = run(P, "lond")
    levels = [0.024664, 0.006545, 0.003083, 0.001830, 2 * 0.001230, 2 * 0.000894]
    levels += [2 * 0.000685, 2 * 0.000545, 3 * 0.000447, 3 * 0.000375]
    np.testing.assert_allclose([alpha for alpha, _ in before], levels, atol=2e-6)
    assert rejected(before) == [1, 4, 8]


def test_a_horizon_by_hand():
    before = run(P, "fallback", horizon=10)
    levels = [0.005, 0.01, 0.005, 0.005, 0.01, 0.005, 0.005, 0.01, 0.015, 0.005]
    assert rejected(before) == [1, 4, 7, 8]
    np.testing.assert_allclose([alpha for alpha, _ in before], levels)

"""Largest differences of means with allowances, against the range and simulation."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.numerics import max_t_exact


@pytest.mark.parametrize("k", [2, 7, 50])
def test_equal_allowances_are_the_range(k):
    w = np.array([0.5, 2.0, 4.0])
    found = max_t_exact.gap_survival(w, np.ones(k), np.full(k, np.sqrt(0.5)))
    expected = stats.studentized_range.sf(np.sqrt(2) * w, k, np.inf)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


def test_two_means_are_a_difference():
    sd, own = np.array([0.3, 2.0]), np.array([0.5, 1.5])
    w = np.array([0.5, 2.0, 5.0])
    z = 2 * w / np.hypot(*sd)
    np.testing.assert_allclose(
        max_t_exact.gap_survival(w, sd, own), 2 * stats.norm.sf(z), rtol=1e-9
    )


def test_unequal_means_agree_with_simulation():
    rng = np.random.default_rng(0)
    sd, own = np.exp(rng.normal(0, 0.5, 6)), np.exp(rng.normal(0, 0.3, 6))
    x = rng.normal(size=(400_000, 6)) * sd
    i, j = np.triu_indices(6, 1)
    largest = (np.abs(x[:, i] - x[:, j]) / (own[i] + own[j])).max(axis=1)
    w = np.array([0.5, 1.0, 2.0])
    share = (largest[:, None] > w).mean(axis=0)
    off = np.abs(max_t_exact.gap_survival(w, sd, own) - share)
    assert (off < 4 * np.sqrt(share * (1 - share) / len(x))).all()

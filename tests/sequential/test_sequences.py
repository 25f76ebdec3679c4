"""Confidence sequences on their way, against the intervals of each time."""

import numpy as np
import pytest

from benchinfer.numerics.confidence_sequence import symmetry_interval
from benchinfer.sequential.sequences import checkpoints, intervals, running


def test_intervals_at_checkpoints_are_those_of_the_differences_so_far():
    d = np.random.default_rng(1).normal(0.3, 1, (2, 150))
    at = np.arange(1, 151)
    last = intervals(d, 0.05)
    found = running(d, 0.05, last, at, 2)
    assert found.shape == (2, 2, 150)
    for c in checkpoints(150, 2)[:-1]:
        for row in range(2):
            expected = symmetry_interval(d[row, :c], 0.025)
            assert found[:, row, c - 1].tolist() == list(expected)
    np.testing.assert_array_equal(found[:, :, -1].T, last)


def test_intervals_hold_until_the_next_checkpoint_and_are_never_too_narrow():
    d = np.random.default_rng(2).normal(0.3, 1, (1, 120))
    at = np.arange(1, 121)
    low, high = running(d, 0.05, intervals(d, 0.05), at, 1)[:, 0]
    checked = set(checkpoints(120, 1).tolist())
    for n in at[1:]:
        if n not in checked:
            assert low[n - 1] == low[n - 2]
        now = symmetry_interval(d[0, :n], 0.05)
        assert low[n - 1] <= now[0] + 1e-3
        assert high[n - 1] >= now[1] - 1e-3


@pytest.mark.parametrize(("n", "series"), [(1, 1), (2, 3), (250, 1), (250, 225), (500_000, 6)])
def test_checkpoints_share_the_work(n, series):
    found = checkpoints(n, series)
    assert found[0] == 1
    assert found[-1] == n
    assert (np.diff(found) > 0).all()
    # What all of them look at beyond the last one is bounded.
    assert series * (found[:-1].sum()) <= max(400_000, 0.2 * series * n) + series * len(found)


def test_the_interval_of_the_specification():
    cents = [2, 1, 3, -1, 2, 4, 0, 3, 1, 2, 2, 3, -2, 1, 5, 2, 1, 3, 2, 0]
    d = np.array([cents]) / 100
    low, high = running(d, 0.05, intervals(d, 0.05), np.array([10, 20]), 1)[:, 0]
    assert (low[1], high[1]) == pytest.approx((0.0041, 0.0290), abs=1e-4)
    assert low[0] < low[1]

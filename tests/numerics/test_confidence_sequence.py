"""Confidence sequences against the e-process that they invert, and their coverage at all times."""

import math

import numpy as np
import pytest

from benchinfer.numerics.betting import SymmetryBet
from benchinfer.numerics.confidence_sequence import symmetry_interval


def peak(differences, centre):
    """Return the largest capital so far of the bet against a centre."""
    return SymmetryBet().after(differences - centre)[1].both.max()


@pytest.mark.parametrize("n", [20, 300, 4000])
def test_the_ends_are_where_the_capital_reaches_its_limit(n):
    d = np.random.default_rng(n).normal(0.2, 1, size=n)
    low, high = symmetry_interval(d, 0.05)
    # The ends are found to a thousandth of a standard error, to the outer side.
    step = 1.5e-3 * d.std() / math.sqrt(n)
    for end, side in ((low, 1), (high, -1)):
        assert peak(d, end + side * step) < math.log(20)
        assert peak(d, end) >= math.log(20)


def test_a_grid_of_centres_finds_the_same_interval():
    d = np.random.default_rng(5).standard_t(3, size=200) + 1
    grid = np.linspace(0, 2, 2001)
    kept = grid[[peak(d, centre) < math.log(20) for centre in grid]]
    low, high = symmetry_interval(d, 0.05)
    assert low == pytest.approx(kept.min(), abs=1.1e-3)
    assert high == pytest.approx(kept.max(), abs=1.1e-3)


def test_it_shrinks_and_moves_with_its_differences():
    d = np.random.default_rng(6).normal(size=500)
    wide, narrow = symmetry_interval(d[:100], 0.05), symmetry_interval(d, 0.05)
    assert wide[0] <= narrow[0] + 1e-3
    assert narrow[1] - 1e-3 <= wide[1]
    moved = symmetry_interval(3 * d + 2, 0.05)
    np.testing.assert_allclose(moved, [3 * end + 2 for end in narrow], atol=1e-3)


@pytest.mark.parametrize("differences", [[], [0.3], [0.1, 0.2, 0.15]])
def test_few_differences_say_nothing(differences):
    assert symmetry_interval(np.array(differences), 0.05) == (-math.inf, math.inf)


def test_identical_differences():
    low, high = symmetry_interval(np.full(50, 0.25), 0.05)
    assert low <= 0.25 <= high
    assert high - low < 1e-6


def test_differences_without_a_centre():
    """Skew differences can rule out every centre; that is said, not hidden."""
    d = np.random.default_rng(7).lognormal(0, 1.5, size=20_000)
    assert all(math.isnan(end) for end in symmetry_interval(d, 0.05))


def test_coverage_at_all_times():
    """The interval at the end of 300 differences holds the truth if those of all times did."""
    rng = np.random.default_rng(8)
    missed = 0
    for _ in range(600):
        low, high = symmetry_interval(rng.normal(size=300), 0.05)
        missed += not low <= 0 <= high
    assert missed / 600 < 0.05

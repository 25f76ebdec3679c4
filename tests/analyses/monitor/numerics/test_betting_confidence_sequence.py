"""Confidence sequences against the e-process that they invert, and their coverage at all times."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from benchinfer.analyses.monitor.numerics.betting import (
    ConfidenceSequence,
    MeanBet,
    SymmetryBet,
)


def peak(differences, centre):
    """Return the largest capital so far of the bet against a centre."""
    return SymmetryBet().after(differences - centre)[1].both.max(initial=0)


def symmetry_interval(differences, alpha):
    """Return the ends of the confidence sequence of a centre by bisection, from a centre inside."""

    def excess(centre):
        return peak(differences, centre) + math.log(alpha)

    if len(differences) == 0:
        return -math.inf, math.inf
    inside = [c for c in (np.mean(differences), np.median(differences)) if excess(c) < 0]
    if not inside:
        return math.nan, math.nan
    unit = max(np.std(differences) / math.sqrt(len(differences)), 1e-9)
    ends = []
    for side in (-unit, unit):
        beyond = [end for k in range(12) if excess(end := inside[0] + side * 2**k) > 0]
        ends.append(
            brentq(excess, inside[0], beyond[0], xtol=1e-5 * unit) if beyond else side * math.inf
        )
    return tuple(ends)


@pytest.mark.slow
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


@pytest.mark.calibration
def test_coverage_at_all_times():
    """The interval at the end of 300 differences holds the truth if those of all times did."""
    rng = np.random.default_rng(8)
    missed = 0
    for _ in range(600):
        low, high = symmetry_interval(rng.normal(size=300), 0.05)
        missed += not low <= 0 <= high
    assert missed / 600 < 0.05


def bounded(n, seed, mean=0.1):
    """Draw differences within [-1, 1]."""
    return 2 * np.random.default_rng(seed).beta(8 * (1 + mean), 8 * (1 - mean), size=n) - 1


def peak_of_mean(differences, centre):
    """Return the largest capital of the bet on a mean, worked out one difference by one."""
    total, spread, up, down, most = 0.0, 0.0, 0.0, 0.0, 0.0
    for i, x in enumerate(differences):
        off = total / (i + 1) - centre
        stake = off / ((0.25 + spread) / (i + 1) + off**2) if i else 0.0
        up += math.log1p(min(max(stake, 0), 0.75 / (1 + centre)) * (x - centre))
        down += math.log1p(-min(max(-stake, 0), 0.75 / (1 - centre)) * (x - centre))
        most = max(most, np.logaddexp(up, down) - math.log(2))
        total += x
        spread += (x - total / (i + 2)) ** 2
    return most


@pytest.mark.parametrize("bound", [None, 1.0])
@pytest.mark.parametrize("n", [7, 100, 1500, 5000])
def test_differences_in_several_goes_give_the_same_interval(bound, n):
    d = bounded(n, n)
    whole = ConfidenceSequence(0.05, bound).after(d)
    parts = ConfidenceSequence(0.05, bound)
    for end in sorted({*np.random.default_rng(1).integers(1, n, size=25).tolist(), n}):
        parts = parts.after(d[:end])
    assert parts.ends == whole.ends
    np.testing.assert_allclose(parts.capital, whole.capital)


@pytest.mark.parametrize("n", [200, 3000])
def test_the_grid_is_close_to_the_ends_and_outside(n):
    d = bounded(n, 3)
    low, high = symmetry_interval(d, 0.05)
    found = ConfidenceSequence(0.05).after(d).ends
    error = d.std() / math.sqrt(n)
    assert low - error / 20 <= found[0] <= low + 2e-3 * error
    assert high - 2e-3 * error <= found[1] <= high + error / 20


def test_what_is_known_is_not_worked_out_again(monkeypatch):
    """An update costs its own differences unless an end moves."""
    d = bounded(4000, 4)
    seen = []
    bet = ConfidenceSequence._bet
    monkeypatch.setattr(
        ConfidenceSequence,
        "_bet",
        lambda self, v, *rest: (seen.append(len(v)), bet(self, v, *rest)),
    )
    known, cheap = ConfidenceSequence(0.05).after(d[:2000]), 0
    for n in range(2010, 4001, 10):
        seen.clear()
        known = known.after(d[:n])
        cheap += seen == [10, 10]
    assert cheap >= 120  # of 200
    assert known.ends == ConfidenceSequence(0.05).after(d).ends


@pytest.mark.parametrize("centre", [0.0, 0.05, -0.6])
def test_capital_of_bets_on_a_mean(centre):
    d = bounded(60, 5)
    mine = ConfidenceSequence(1e-300, 1.0)._against(d, np.ones(len(d)), centre)[1]
    assert mine == pytest.approx(peak_of_mean(d, centre), rel=1e-12)
    if centre == 0:
        assert mine == pytest.approx(max(0.0, MeanBet(1.0).after(d)[1].both.max()), rel=1e-12)


@pytest.mark.slow
def test_intervals_of_means():
    d = bounded(400, 6)
    low, high = ConfidenceSequence(0.05, 1.0).after(d).ends
    grid = np.linspace(-0.3, 0.5, 401)
    kept = grid[[peak_of_mean(d, centre) < math.log(20) for centre in grid]]
    assert (low, high) == pytest.approx((kept.min(), kept.max()), abs=2.1e-3)
    assert ConfidenceSequence(0.05, 1.0).after(d[:1]).ends == (-1.0, 1.0)


def test_intervals_of_means_hold_for_skewed_differences():
    """Those of centres of symmetry do not, which are not means here."""
    rng = np.random.default_rng(9)
    missed = {None: 0, 1.0: 0}
    for _ in range(100):
        d = rng.beta(0.4, 3.6, size=1000) - 0.1
        for bound in missed:
            low, high = ConfidenceSequence(0.05, bound).after(d).ends
            missed[bound] += not low <= 0 <= high
    assert missed[1.0] <= 10
    assert missed[None] > missed[1.0]


@pytest.mark.parametrize("place", [5, 6, 17])
def test_differences_that_are_zero_for_long_have_an_interval(place):
    d = np.zeros(20)
    d[place] = 1.0
    sequence = ConfidenceSequence(0.1)
    for n in range(1, 21):
        sequence = sequence.after(d[:n])
    low, high = sequence.ends
    assert -1 < low <= 0 <= high < 1
    assert symmetry_interval(d, 0.1) == pytest.approx((low, high), abs=1e-2)

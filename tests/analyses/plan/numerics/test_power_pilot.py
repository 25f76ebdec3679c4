"""Bounds from a pilot: exact where they are chi-squared's, and covering where they are not."""

import numpy as np
import pytest
from scipy.stats import chi2

from benchinfer.analyses.plan.numerics.power import (
    Aimed,
    Bound,
    DifferenceSpread,
    Pilot,
    Uncertain,
    power,
)


def test_at_the_pilots_replications_the_bounds_are_chi_squareds():
    spread, pilot = DifferenceSpread(4e-4, 6e-4), Pilot(9.0, 90.0, 10)
    for side, tail in (("low", 0.975), ("high", 0.025)):
        found = Bound(spread, pilot, 0.95, side).variance(20, 10)
        assert found == pytest.approx(spread.variance(20, 10) * 9 / chi2.ppf(tail, 9))
        given = DifferenceSpread(0.0, 6e-4, given=True)
        found = Bound(given, pilot, 0.95, side).variance(5, 3)
        assert found == pytest.approx(given.variance(5, 3) * 90 / chi2.ppf(tail, 90))


@pytest.mark.parametrize("between", [1e-4, 1e-3])
@pytest.mark.parametrize("r", [1, 5, 100])
def test_intervals_hold_the_variance_as_often_as_they_say(between, r):
    """Pilots of 10 data sets, 4 algorithms and 5 replications, by their mean squares."""
    rng, runs, noise, pilot = np.random.default_rng(1), 2000, 1e-3, Pilot(27.0, 120.0, 5)
    squares = (noise + 5 * between) * rng.chisquare(27, runs) / 27
    errors = noise * rng.chisquare(120, runs) / 120
    truth, held = DifferenceSpread(between, noise).variance(1, r), 0
    for square, error in zip(squares, errors, strict=True):
        spread = DifferenceSpread((square - error) / 5, error)
        low = Bound(spread, pilot, 0.95, "low").variance(1, r)
        high = Bound(spread, pilot, 0.95, "high").variance(1, r)
        held += low <= truth <= high
    assert 0.935 < held / runs < 0.985


def test_power_is_the_mean_over_mean_squares_drawn_from_the_pilot():
    """By draws, with replications like the pilot's, more and fewer, and of given data sets."""
    rng, n, pilot = np.random.default_rng(2), 20_000, Pilot(8.0, 40.0, 5)
    residual = 6e-4 * 40 / rng.chisquare(40, n)
    between = np.maximum(((5 * 4e-4 + 6e-4) * 8 / rng.chisquare(8, n) - residual) / 5, 0)
    aimed = Aimed("difference", 0.02, 0.05)
    for d, r, given in ((20, 5, False), (20, 1, False), (12, 50, False), (5, 3, True)):
        spread = DifferenceSpread(0.0 if given else 4e-4, 6e-4, given=given)
        by, df = Uncertain(spread, pilot), spread.df(d, r)
        drawn = 2 * (between * (not given) + residual / r) / d
        assert power(aimed, by.variance(d, r), by.df(d, r)) == pytest.approx(
            power(aimed, drawn, df), abs=0.008
        )
    assert power(aimed, np.array([0.0, 1e9]), 9) == pytest.approx((1 + 0.05) / 2, abs=1e-3)


def test_of_a_large_pilot_power_is_that_at_its_estimates():
    spread, aimed = DifferenceSpread(4e-4, 6e-4), Aimed("equivalence", 0.02, 0.05)
    by = Uncertain(spread, Pilot(1e6, 1e7, 5))
    assert power(aimed, by.variance(20, 3), 19) == pytest.approx(
        power(aimed, spread.variance(20, 3), 19), abs=1e-5
    )


def test_a_residual_that_the_pilot_does_not_tell_is_taken_as_known():
    spread, pilot = DifferenceSpread(4e-4, 6e-4), Pilot(8.0, 0.0, 1)
    drawn = 1e-3 * 8 / chi2.ppf((np.arange(100) + 0.5) / 100, 8)
    found = Uncertain(spread, pilot).variance(10, 3)
    expected = 2 * (np.maximum(drawn - 6e-4, 0) + 2e-4) / 10
    np.testing.assert_allclose(np.sort(found), np.sort(expected))

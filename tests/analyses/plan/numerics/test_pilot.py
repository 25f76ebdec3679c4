"""Bounds from a pilot: exact where they are chi-squared's, and covering where they are not."""

import numpy as np
import pytest
from scipy.stats import chi2

from benchinfer.analyses.plan.numerics.power import Bound, DifferenceSpread, Pilot


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

"""Coverage of differences of mean times up to a limit: `make calibrate`."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import benchinfer as bi

pytestmark = pytest.mark.calibration

TABLES = 20_000
HARD, LEVELS, NOISE = 2.0, np.array([0.0, 0.4]), np.array([0.7, 1.2])


def stopping(share):
    """Return the limit at which this share of the runs of both programs is stopped."""
    grid = np.linspace(-10, 10, 200_001)
    stopped = norm.sf((grid[:, None] - LEVELS) / np.hypot(HARD, NOISE)).mean(axis=1)
    return float(np.exp(grid[np.abs(stopped - share).argmin()]))


def restricted_means(limit):
    """Return E min(T, L) of both programs, whose times are log-normal."""
    spread, end = np.hypot(HARD, NOISE), np.log(limit)
    before = np.exp(LEVELS + spread**2 / 2) * norm.cdf((end - LEVELS - spread**2) / spread)
    return before + limit * norm.sf((end - LEVELS) / spread)


def times(rng, n, size):
    """Return (size, n, 2) times: instances are drawn anew in each table."""
    hard = HARD * rng.normal(size=(size, n, 1))
    return np.exp(hard + LEVELS + NOISE * rng.normal(size=(size, n, 2)))


def interval(value, level=0.95):
    """Return the ends of paired t intervals of (size, n, 2) times."""
    d = value[..., 0] - value[..., 1]
    n = d.shape[1]
    half = t.isf((1 - level) / 2, n - 1) * d.std(axis=1, ddof=1) / np.sqrt(n)
    return d.mean(axis=1) - half, d.mean(axis=1) + half


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
def test_intervals_hold_the_difference_of_restricted_means(n, share, record_property):
    rng, limit = np.random.default_rng([n, int(100 * share)]), stopping(share)
    first, second = restricted_means(limit)
    held = over = 0
    for _ in range(20):
        value = np.minimum(times(rng, n, TABLES // 20), limit)
        low, high = interval(value)
        held += int(((low <= first - second) & (first - second <= high)).sum())
        over += int((value == limit).sum())
    assert over / (2 * n * TABLES) == pytest.approx(share, abs=0.01)
    record_property("coverage", held / TABLES)
    assert 0.93 <= held / TABLES <= 0.97


@pytest.mark.parametrize("n", [40, 300])
def test_intervals_are_those_of_the_mixed_model(n):
    limit = stopping(0.4)
    value = np.minimum(times(np.random.default_rng(n), n, 1), limit)
    at, which = np.indices((n, 2))
    frame = pd.DataFrame(
        {"dataset": at.ravel(), "algorithm": which.ravel(), "seconds": value[0].ravel()}
    ).astype({"dataset": str, "algorithm": str})
    scores = bi.read_scores(frame, measures=f"seconds:lower:0:identity:limit={limit!r}")
    row = bi.compare_mixed(scores).contrasts().iloc[0]
    low, high = interval(value)
    assert [row["conf_low"], row["conf_high"]] == pytest.approx([low[0], high[0]], rel=1e-5)

"""Exact size of the test of two independent rates, by enumeration of all tables.

`make calibrate ARGS="tests/calibration/test_rates.py"`, about forty minutes of one core: all pairs
of numbers of items from 3 to 200. `python tests/calibration/test_rates.py` prints the table of
benchmarks/results/pairs/items.csv.
"""

import sys
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom

from benchinfer.analyses.pair.numerics.independent_rates import unconditional

ITEMS = range(3, 201)
LEVELS = (0.05, 0.01)
SAME = 1 + 1e-9  # ratio of mid-p-values that are the same but for rounding
# Probabilities at a rate and at one minus it are the same.
ANGLES = np.linspace(0, np.pi / 4, 401)


def mid_p_values(n, m):
    """Return (n + 1, m + 1) mid-p-values of Fisher's test that the first rate is larger."""
    x, y = np.ogrid[: n + 1, : m + 1]

    def ways(k, i):
        return gammaln(k + 1) - gammaln(i + 1) - gammaln(k - i + 1)

    alone = np.exp(ways(n, x) + ways(m, y) - ways(n + m, x + y))
    as_far = alone.copy()
    for right in range(n - 1, -1, -1):
        as_far[right, 1:] += as_far[right + 1, :-1]
    return as_far - alone / 2


def rejected(n, m, level):
    """Return the (n + 1,) numbers of tables in which the first rate is said to be larger.

    They are those with the fewest right of the second, by the right ones of the first. P-values
    rise with the order of tables, so that a few of them say where the region ends.
    """
    order = mid_p_values(n, m)
    tables = np.argsort(order, axis=None)
    values = order.flat[tables]
    low, high = -1, len(tables)  # the last that is rejected, the first that is not
    at, last = int(np.searchsorted(values, level / 2)), None
    while high - low > 1:
        at = min(max(at, low + 1), high - 1)
        p = 2 * unconditional(*zip(divmod(int(tables[at]), m + 1), (n, m), strict=True), 1)
        side = 1 if p <= level else -1
        low, high = (at, high) if side > 0 else (low, at)
        # P-values are about in proportion to mid-p-values.
        near = int(np.searchsorted(values, values[at] * level / p)) + side
        at, last = (low + high) // 2 if side == last else near, side
    region = order <= (values[low] * SAME if low >= 0 else -1)
    fewest = region.sum(axis=1)
    assert (region == (np.arange(m + 1) < fewest[:, None])).all()
    return fewest


@cache
def outcomes(n):
    """Return (R, n + 1) probabilities of each number of right ones, and of fewer, by rate."""
    return probabilities(n, np.sin(ANGLES) ** 2)


def probabilities(n, rates):
    alone = binom.pmf(np.arange(n + 1), n, rates[:, None])
    return alone, np.column_stack([np.zeros(len(rates)), alone.cumsum(axis=1)])


def size(n, m, level):
    """Return the largest probability of p <= level over all common rates."""
    # What speaks for the second is what speaks for the first with right and wrong exchanged.
    fewest = rejected(n, m, level)
    most = m + 1 - fewest[::-1]

    def chance(first, second):
        return (first[0] * (second[1][:, fewest] + 1 - second[1][:, most])).sum(axis=1)

    coarse = chance(outcomes(n), outcomes(m))
    top = int(coarse.argmax())
    ends = ANGLES[max(top - 1, 0)], ANGLES[min(top + 1, len(ANGLES) - 1)]
    rates = np.sin(np.linspace(*ends, 41)) ** 2
    return float(chance(probabilities(n, rates), probabilities(m, rates)).max())


@pytest.mark.parametrize(("n", "m"), [(3, 100), (10, 50), (20, 20), (20, 100), (200, 10)])
def test_size_is_exact(n, m):
    """Wald's test has .27 for 20 and 100 items, the score test .073 for 10 and 50."""
    for level in LEVELS:
        assert size(n, m, level) <= level


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(5, 8), (12, 12), (15, 9)])
@pytest.mark.parametrize("level", LEVELS)
def test_region_is_where_p_values_are_at_most_the_level(n, m, level):
    fewest = rejected(n, m, level)
    y = np.arange(m + 1)
    region = (y < fewest[:, None]) | (y >= m + 1 - fewest[::-1, None])
    p = [[unconditional((i, n), (j, m), 0) for j in range(m + 1)] for i in range(n + 1)]
    assert (region == (np.array(p) <= level)).all()


@pytest.mark.calibration
@pytest.mark.parametrize("n", ITEMS)
def test_size_is_exact_for_all_numbers_of_items(n, record_property):
    for level in LEVELS:
        sizes = [size(n, m, level) for m in ITEMS if m >= n]
        record_property(f"{level}", (min(sizes), max(sizes)))
        assert max(sizes) <= level
        if level == LEVELS[0] and n >= 20:
            assert min(sizes) > 0.035


if __name__ == "__main__":
    bands = [range(*ends) for ends in pairwise([3, 5, 10, 20, 50, 100, 201])]
    for smaller in bands:
        spans = {}
        for n in smaller:
            for m in range(n, ITEMS.stop):
                larger = next(band for band in bands if m in band)
                for level in LEVELS:
                    spans.setdefault((larger, level), []).append(size(n, m, level))
        for (larger, level), sizes in spans.items():
            cell = f"{smaller[0]}-{smaller[-1]} and {larger[0]}-{larger[-1]}, {level}"
            sys.stdout.write(f"{cell}: {min(sizes):.5f} to {max(sizes):.5f}\n")

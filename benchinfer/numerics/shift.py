"""By how much two algorithms differ: estimates with the intervals of rank and sign tests.

An interval holds the shifts that the test does not reject at its level. For the signed-rank test
these lie between two order statistics of the Walsh averages ``(d_i + d_j) / 2``, i <= j; their
median is the estimate of Hodges and Lehmann. For the sign test they lie between two order
statistics of the differences. Both are statements about the centre of symmetric differences; where
the differences are skew the signed-rank interval is about another number than mean or median.

References
----------
Hodges, J. L. & Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
Mathematical Statistics 34, 598-611. https://doi.org/10.1214/aoms/1177704172
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtr, ndtri

from benchinfer.numerics import subset_sums

type Array = NDArray[np.float64]
type Integers = NDArray[np.int64]

# Up to so many differences the distribution of the signed-rank sum is computed, not approximated.
_MOST_EXACT = 500
# Candidates left when bisection stops and sorting takes over, per difference.
_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Shift:
    """An estimated shift with its interval.

    Attributes
    ----------
    estimate
        Hodges-Lehmann estimate or median.
    low, high
        Ends of the closed interval; infinite where there are too few differences for the level.
    level
        Confidence of the interval, at least the one asked for (normal approximation: about it).
    exact
        Whether the exact null distribution was used.
    """

    estimate: float
    low: float
    high: float
    level: float
    exact: bool


def hodges_lehmann(differences: Array, level: float = 0.95, *, exact: bool | None = None) -> Shift:
    """Return the median of the Walsh averages with the interval of the signed-rank test.

    Parameters
    ----------
    differences
        (n,) paired differences, n >= 1.
    level
        Confidence of the interval.
    exact
        Whether to use the exact distribution of the signed-rank sum or the normal one with
        continuity correction; by default exact up to 500 differences.

    Returns
    -------
    Shift
        The interval runs from the C-th smallest to the C-th largest Walsh average, where C is the
        largest number with ``P(V <= C - 1) <= (1 - level) / 2``. With ties the closed interval
        still has at least its level.

    Examples
    --------
    >>> found = hodges_lehmann(np.array([0.1, 0.4, -0.2, 0.5, 0.3, 0.7]))
    >>> round(found.estimate, 4), round(found.low, 4), round(found.high, 4), found.level
    (0.3, -0.2, 0.7, 0.96875)
    """
    n = len(differences)
    exact = n <= _MOST_EXACT if exact is None else exact
    count, reached = (_exact_rank if exact else _normal_rank)(n, (1 - level) / 2)
    last = n * (n + 1) // 2
    wanted = [(last - 1) // 2, last // 2]
    if count:
        wanted += [count - 1, last - count]
    middle = walsh_averages(differences, wanted)
    low, high = (middle[2], middle[3]) if count else (-np.inf, np.inf)
    return Shift(float(middle[0] + middle[1]) / 2, float(low), float(high), reached, exact)


def median_shift(differences: Array, level: float = 0.95) -> Shift:
    """Return the median with the interval of the sign test.

    Parameters
    ----------
    differences
        (n,) paired differences, n >= 1.
    level
        Confidence of the interval.

    Returns
    -------
    Shift
        The interval runs from the C-th smallest to the C-th largest difference, where C is the
        largest number with ``P(X <= C - 1) <= (1 - level) / 2`` for the heads X of n fair coins.

    Examples
    --------
    >>> median_shift(np.arange(1.0, 11.0))
    Shift(estimate=5.5, low=2.0, high=9.0, level=0.978515625, exact=True)
    """
    n = len(differences)
    ordered = np.sort(differences)
    # P(X <= c) of n fair coins, for each c.
    heads = np.arange(n // 2)
    below = betainc(n - heads, heads + 1, 0.5).astype(np.float64)
    count, reached = _largest_count(below, (1 - level) / 2)
    low, high = (ordered[count - 1], ordered[n - count]) if count else (-np.inf, np.inf)
    return Shift(float(np.median(ordered)), float(low), float(high), reached, exact=True)


def walsh_averages(differences: Array, positions: Iterable[int]) -> list[float]:
    """Return the Walsh averages at positions of their ascending order, from 0.

    They are found by bisection on counts, with O(n log n) work a step and O(n) memory.
    """
    ordered = np.sort(differences)
    return [_walsh_at(ordered, position) for position in positions]


def _exact_rank(n: int, tail: float) -> tuple[int, float]:
    """Return the order of the Walsh average that ends the interval, 0 if none, and the level."""
    mass = subset_sums.masses(np.arange(1, n + 1), n * (n + 1) // 4)
    return _largest_count(np.cumsum(mass), tail)


def _largest_count(below: Array, tail: float) -> tuple[int, float]:
    # Equal up to rounding counts as equal: 0.95 leaves 0.0250000000000000022 on each side.
    count = int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))
    return count, 1 - 2 * float(below[count - 1]) if count else 1.0


def _normal_rank(n: int, tail: float) -> tuple[int, float]:
    centre, spread = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    count = max(int(np.floor(centre + 0.5 + spread * ndtri(tail))), 0)
    return count, 1 - 2 * float(ndtr((count - 0.5 - centre) / spread)) if count else 1.0


def _walsh_at(ordered: Array, position: int) -> float:
    """Return the Walsh average at a position by bisection, then by sorting what is left."""
    low, high = float(ordered[0]), float(ordered[-1])
    # One unit in the last place below all averages.
    low = np.nextafter(low, -np.inf)
    below, up_to = _ends(ordered, low), _ends(ordered, high)
    while int((up_to - below).sum()) > _CANDIDATES * len(ordered):
        middle = low + (high - low) / 2
        if not low < middle < high:
            # All that is left are equal averages.
            row = int(np.argmax(up_to > below))
            return float(ordered[row] / 2 + ordered[below[row]] / 2)
        ends = _ends(ordered, middle)
        if int((ends - np.arange(len(ordered))).sum()) > position:
            high, up_to = middle, ends
        else:
            low, below = middle, ends
    widths = up_to - below
    rows = np.repeat(np.arange(len(ordered)), widths)
    starts = np.cumsum(widths) - widths
    columns = np.arange(len(rows)) - np.repeat(starts - below, widths)
    left = np.sort(ordered[rows] / 2 + ordered[columns] / 2)
    return float(left[position - int((below - np.arange(len(ordered))).sum())])


def _ends(ordered: Array, value: float) -> Integers:
    """Return, for each difference i, the first j >= i whose average with it is above the value."""
    ends = np.searchsorted(ordered, 2 * value - ordered, side="right")
    return np.maximum(ends, np.arange(len(ordered)))

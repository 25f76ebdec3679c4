"""Two algorithms with scores of their own on each of several data sets: estimates and intervals.

Nothing pairs the scores; the data sets are strata. The shift is that of Hodges and Lehmann for the
rank-sum test within strata: the median of all differences within data sets, and an interval between
two of their order statistics.

References
----------
Hodges, J. L. & Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
Mathematical Statistics 34, 598-611. https://doi.org/10.1214/aoms/1177704172
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchinfer.numerics.shift import Shift

type Array = NDArray[np.float64]
type Strata = list[tuple[Array, Array]]


def mean_contrast(strata: Sequence[Sequence[Array]], weights: Array) -> tuple[float, float, float]:
    """Return the mean over strata of a contrast of means, its standard error and its df.

    Parameters
    ----------
    strata
        For each data set one sample for each of m algorithms, none empty.
    weights
        (m,) of the algorithms.

    Returns
    -------
    tuple
        Estimate, standard error (infinite where a sample of one leaves it unknown), and
        Satterthwaite's degrees of freedom: Welch's test, stratified.

    Examples
    --------
    >>> one, two = np.array([1.0, 2, 3]), np.array([0.0, 4, 5, 7])
    >>> [round(x, 4) for x in mean_contrast([(one, two)], np.array([1.0, -1.0]))]
    [-2.0, 1.5811, 3.8571]
    """
    means = [float(np.dot(weights, [sample.mean() for sample in row])) for row in strata]
    size = np.array([[len(sample) for sample in row] for row in strata], np.float64)
    if size.min() < 2:
        return float(np.mean(means)), np.inf, 1.0
    parts = np.array([[sample.var(ddof=1) for sample in row] for row in strata])
    parts *= weights**2 / size
    total = float(parts.sum())
    df = total**2 / float((parts**2 / (size - 1)).sum()) if total > 0 else float((size - 1).sum())
    return float(np.mean(means)), float(np.sqrt(total)) / len(strata), df


def shift_within(strata: Strata, level: float = 0.95) -> Shift:
    """Return the median of the differences within strata with the interval of the rank-sum test.

    Parameters
    ----------
    strata
        First and second algorithm's scores on each data set.
    level
        Confidence of the interval, by the normal approximation with continuity correction.

    Examples
    --------
    >>> found = shift_within([(np.arange(5.0) + 3, np.arange(5.0)), (np.ones(4) * 5, np.ones(4))])
    >>> found.estimate
    4.0
    """
    sizes = np.array([(len(x), len(y)) for x, y in strata], np.float64)
    products = sizes.prod(axis=1)
    centre = float(products.sum()) / 2
    spread = float(np.sqrt((products * (sizes.sum(axis=1) + 1)).sum() / 12))
    count = max(int(np.floor(centre + 0.5 + spread * ndtri((1 - level) / 2))), 0)
    last = int(products.sum())
    ordered = [(np.sort(x), np.sort(y)) for x, y in strata]
    middle = (_at(ordered, (last - 1) // 2) + _at(ordered, last // 2)) / 2
    if not count:
        return Shift(middle, -np.inf, np.inf, 1.0, exact=False)
    reached = 1 - 2 * float(ndtr((count - 0.5 - centre) / spread))
    low, high = _at(ordered, count - 1), _at(ordered, last - count)
    return Shift(middle, low, high, reached, exact=False)


def _at(ordered: Strata, position: int) -> float:
    """Return the difference at a position of their ascending order, by bisection on counts."""
    low = float(np.nextafter(min(x[0] - y[-1] for x, y in ordered), -np.inf))
    high = max(x[-1] - y[0] for x, y in ordered)
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return _snapped(ordered, float(high))
        # A difference is at most the middle where y is at least x minus it.
        below = sum(
            len(x) * len(y) - int(np.searchsorted(y, x - middle, side="left").sum())
            for x, y in ordered
        )
        low, high = (low, middle) if below > position else (middle, high)


def _snapped(ordered: Strata, value: float) -> float:
    """Return the difference nearest to a value: bisection ends within rounding of one."""
    near = [
        difference
        for x, y in ordered
        for i in (0, 1)
        for difference in (x - y[np.clip(np.searchsorted(y, x - value) - i, 0, len(y) - 1)])
    ]
    return float(min(near, key=lambda difference: abs(difference - value)))

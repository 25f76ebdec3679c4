"""By how much two algorithms differ, by signed normal scores: estimate and interval by inversion.

References
----------
Hodges, J. L. & Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
Mathematical Statistics 34, 598-611. https://doi.org/10.1214/aoms/1177704172
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.numerics import subset_sums
from benchinfer.numerics.shift import Shift
from benchinfer.numerics.signs import signed_normal_scores

type Array = NDArray[np.float64]

# Up to so many differences the distribution of the sum is counted, not approximated.
_MOST_EXACT = 30
_HALVINGS = 200
_ROUNDING = 1e-11


def normal_score_shift(differences: Array, level: float = 0.95) -> Shift:
    """Return the shift that balances the signed normal scores, with the interval of their test.

    Parameters
    ----------
    differences
        (n,) paired differences, n >= 1.
    level
        Confidence of the interval.

    Returns
    -------
    Shift
        The interval holds the shifts after which the sum of the signed normal scores of the
        differences is not beyond its critical value: exact up to 30 differences, else normal.

    Examples
    --------
    >>> found = normal_score_shift(np.array([0.1, 0.4, -0.2, 0.5, 0.3, 0.7]))
    >>> round(found.estimate, 4), round(found.low, 4), round(found.high, 4), found.level
    (0.3, -0.2, 0.7, 0.96875)
    """
    n = len(differences)
    critical, reached = _critical(n, (1 - level) / 2)
    low, high = -np.inf, np.inf
    if np.isfinite(critical):
        low, high = _crossing(differences, critical), -_crossing(-differences, critical)
    middle = (_crossing(differences, 0.0) - _crossing(-differences, 0.0)) / 2
    return Shift(middle, low, high, reached, n <= _MOST_EXACT)


@cache
def _critical(n: int, tail: float) -> tuple[float, float]:
    """Return the smallest sum that is rejected, infinite if none is, and the level reached."""
    weights = signed_normal_scores(np.arange(1.0, n + 1)[:, None], 0.0)[:, 0]
    if n > _MOST_EXACT:
        return -float(ndtri(tail) * np.sqrt((weights**2).sum())), 1 - 2 * tail
    noise = 1e-10 * float(weights[-1])
    total = float(weights.sum())

    def beyond(positive: float) -> float:
        return subset_sums.upper_tail_of_reals(weights, positive, noise)

    if beyond(total) > tail * (1 + 1e-12):
        return np.inf, 1.0
    low, high = total / 2, total
    while high - low > noise / 4:
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) <= tail * (1 + 1e-12) else (middle, high)
    return 2 * high - total, 1 - 2 * beyond(high)


def _crossing(differences: Array, critical: float) -> float:
    """Return the smallest shift after which the sum is below the critical value."""
    low = float(np.nextafter(differences.min(), -np.inf))
    high = float(np.nextafter(differences.max(), np.inf))
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        total = signed_normal_scores((differences - middle)[:, None], 0.0).sum()
        low, high = (middle, high) if total >= critical - _ROUNDING else (low, middle)
    return _nearest_average(differences, high)


def _nearest_average(differences: Array, value: float) -> float:
    """Return the Walsh average nearest to a value: the sum changes at these alone."""
    ordered = np.sort(differences)
    at = np.searchsorted(ordered, 2 * value - ordered)
    near = [(ordered + ordered[np.clip(at - i, 0, len(ordered) - 1)]) / 2 for i in (0, 1)]
    averages = np.concatenate(near)
    return float(averages[np.abs(averages - value).argmin()])

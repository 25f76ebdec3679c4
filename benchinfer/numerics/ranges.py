"""Largest differences of independent normal means with an allowance for each mean.

Two means differ too much if |x_i - x_j| > c_i + c_j: if the intervals x_i +- c_i do not meet.
Intervals on a line all meet each other if and only if one point lies in all of them, and the
probability of that is one integral. With equal variances and allowances this is the range.

References
----------
Hayter, A. J. (1990). A one-sided studentized range test for testing against a simple ordered
alternative. Journal of the American Statistical Association 85, 778-785.
https://doi.org/10.1080/01621459.1990.10474941
"""

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cumulative_simpson
from scipy.special import log_ndtr, ndtr

type Array = NDArray[np.float64]

_BLOCK = 1_000_000


def gap_survival(w: Array, sigma: Array, allowance: Array) -> Array:
    """Return the chance that ``|x_i - x_j| > w (a_i + a_j)`` for some pair of K means.

    With m the largest of the left ends x_i - w a_i, the intervals miss a common point when some
    right end is below m; sums of such probabilities keep their relative accuracy far out.

    Parameters
    ----------
    w
        (n,) thresholds >= 0.
    sigma
        (K,) standard deviations of independent normal means.
    allowance
        (K,) allowances a > 0.

    Returns
    -------
    numpy.ndarray
        (n,).

    Examples
    --------
    Two means: a normal difference.

    >>> chance = gap_survival(np.array([1.96]), np.array([3.0, 4.0]), np.array([2.0, 3.0]))
    >>> float(chance[0].round(4))
    0.05
    """
    kinds, count = np.unique(np.column_stack([sigma, allowance]), axis=0, return_counts=True)
    sd, own = kinds[:, :1], kinds[:, 1:]
    step = (0.11 if len(kinds) == 1 else 0.3) * sd.min()
    middle = np.arange(-9.5 * sd.max(), 9.5 * sd.max() + step, step)
    result = np.empty(len(w))
    block = max(1, _BLOCK // (len(middle) * len(sd)))
    for start in range(0, len(w), block):
        reach = w[start : start + block, None, None] * own
        right = (middle + reach) / sd
        log_below = log_ndtr(right)
        with np.errstate(divide="ignore"):
            meet = np.log1p(-np.minimum(np.exp(log_ndtr((middle - reach) / sd) - log_below), 1.0))
        log_density = -0.5 * right**2 - 0.5 * np.log(2 * np.pi) - np.log(sd)
        weight = count[:, None] * np.exp(
            log_density - log_below + np.einsum("wkm,k->wm", log_below, count)[:, None]
        )
        # Without the mean whose left end is m: it always meets itself.
        finite = np.maximum(meet, -800.0)
        others = np.einsum("wkm,k->wm", finite, count)[:, None] - finite
        result[start : start + block] = step * (weight * -np.expm1(others)).sum(axis=(1, 2))
    return np.minimum(result, 1.0)


def ordered_survival(w: Array, sigma: Array, allowance: Array) -> Array:
    """Return the chance that ``x_i - x_j > w (a_i + a_j)`` for some pair with i before j.

    A recursion over the means for M, the largest left end x_i - w a_i so far: the next mean fails
    when its right end is below M. Chances of the first failure at each mean add up.

    Parameters
    ----------
    w
        (n,) thresholds >= 0.
    sigma
        (K,) standard deviations of independent normal means.
    allowance
        (K,) allowances a > 0.

    Returns
    -------
    numpy.ndarray
        (n,).

    Examples
    --------
    >>> chance = ordered_survival(np.array([1.645]), np.array([3.0, 4.0]), np.array([2.0, 3.0]))
    >>> float(chance[0].round(3))
    0.05
    """
    step = (0.05 if np.ptp(sigma) == 0 else 0.15) * sigma.min()
    result = np.empty(len(w))
    for n, at in enumerate(w):
        reach = at * allowance
        edge = 9.5 * sigma.max() + reach.max()
        m = np.arange(-edge, edge + step, step)
        failed = 0.0
        density = _normal(m + reach[0], sigma[0])
        below = ndtr((m + reach[0]) / sigma[0])
        for sd, c in zip(sigma[1:], reach[1:], strict=True):
            miss = ndtr((m - c) / sd)
            failed += step * float(miss @ density)
            density = density * (ndtr((m + c) / sd) - miss) + below * _normal(m + c, sd)
            below = cumulative_simpson(density, dx=step, initial=0.0)
        result[n] = failed
    return np.minimum(result, 1.0)


def _normal(x: Array, sd: float) -> Array:
    return np.exp(-0.5 * (x / sd) ** 2) / (sd * np.sqrt(2 * np.pi))

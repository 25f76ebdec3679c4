"""Tails of the sum of a random subset: each weight is in or out with probability one half.

That is the null distribution of every statistic that only looks at signs: sums of positive
differences or of their ranks. Only positive numbers are added, so that the relative accuracy of a
tail is that of its number of additions, however small it is (down to the smallest double).
"""

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Integers = NDArray[np.int64]

# More weights than that would need more than 2^22 sums a half.
MOST_REALS = 44
# Weights times their total: about 4 s of additions.
_MOST_STEPS = 20_000_000_000
# Sums grow by 2 each step; doubles hold 2^1023.
_STEPS_PER_SCALE = 512
# A unit smaller than this part of the largest value is taken for chance.
_FINEST_UNIT = 1e-6


def tractable(weights: Integers) -> bool:
    """Return whether `upper_tail_of_integers` takes seconds, not minutes."""
    return len(weights) * int(weights.sum()) <= _MOST_STEPS


def upper_tail_of_integers(weights: Integers, observed: int) -> float:
    """Return the exact ``P(sum >= observed)`` for positive integer weights.

    Examples
    --------
    >>> upper_tail_of_integers(np.arange(1, 9), 35) * 2**8
    2.0
    """
    total = int(weights.sum())
    if observed <= 0:
        return 1.0
    if observed > total:
        return 0.0
    below = total - observed
    if 2 * below <= total:
        return _lower_tail(weights, below)
    return 1.0 - _lower_tail(weights, observed - 1)


def _lower_tail(weights: Integers, limit: int) -> float:
    """Return ``P(sum <= limit)`` from the distributions of the sums of two halves."""
    ordered = np.sort(weights)
    one, two = masses(ordered[::2], limit), np.cumsum(masses(ordered[1::2], limit))
    rest = np.minimum(limit - np.arange(len(one)), len(two) - 1)
    return min(float(one @ two[rest]), 1.0)


def masses(weights: Integers, limit: int) -> Array:
    """Return the probabilities of the sums from 0 to limit, or to the total if that is smaller.

    Ascending weights are the fastest.
    """
    total = int(weights.sum())
    # The distribution is symmetric: the lower half is enough.
    top = min(total // 2, limit)
    mass = np.zeros(top + 1)
    mass[0] = 1.0
    reach = 0
    for first in range(0, len(weights), _STEPS_PER_SCALE):
        part = weights[first : first + _STEPS_PER_SCALE]
        for weight in part.tolist():
            reach = min(reach + weight, top)
            if weight <= top:
                mass[weight : reach + 1] += mass[: reach + 1 - weight]
        mass *= 0.5 ** len(part)
    if limit <= top:
        return mass
    upper = mass[::-1] if total % 2 else mass[-2::-1]
    return np.r_[mass, upper][: limit + 1]


def upper_tail_of_reals(weights: Array, observed: float, tolerance: float) -> float:
    """Return ``P(sum >= observed - tolerance)`` for up to `MOST_REALS` weights.

    The 2^n subsets are counted through the sorted sums of two halves.

    References
    ----------
    Horowitz, E. & Sahni, S. (1974). Computing partitions with applications to the knapsack
    problem. Journal of the ACM 21, 277-292. https://doi.org/10.1145/321812.321823
    """
    one, two = _sums(weights[::2]), _sums(weights[1::2])
    too_small = np.searchsorted(two, (observed - tolerance) - one, side="left")
    return (one.size * two.size - int(too_small.sum())) / (one.size * two.size)


def _sums(weights: Array) -> Array:
    """Return the sorted sums of all subsets."""
    sums = np.zeros(1)
    for weight in weights:
        sums = np.r_[sums, sums + weight]
    return np.sort(sums)


def on_lattice(values: Array, tolerance: float) -> Integers | None:
    """Return the values as multiples of their largest common unit.

    Parameters
    ----------
    values
        (n,) positive.
    tolerance
        How far a value may lie from its multiple.

    Returns
    -------
    numpy.ndarray or None
        (n,) integers without a common divisor, None if there is no such unit.

    Examples
    --------
    >>> on_lattice(np.array([0.3, 0.75, 0.1 + 0.2]), 1e-10).tolist()
    [2, 5, 2]
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    ascending = np.sort(values)
    finest = _FINEST_UNIT * float(ascending[-1])
    unit = float(ascending[0])
    if unit < finest:
        return None
    for value in ascending[1:].tolist():
        unit = _common_unit(value, unit, finest / 10)
        if unit < finest:
            return None
    # The larger the multiples, the better they tell the unit.
    products = squares = 0.0
    for value in ascending.tolist():
        multiple = round(value / unit)
        products, squares = products + value * multiple, squares + multiple**2
        unit = products / squares
    multiples = np.rint(values / unit)
    if np.abs(values - multiples * unit).max() > tolerance:
        return None
    integers = multiples.astype(np.int64)
    return integers // np.gcd.reduce(integers)


def _common_unit(a: float, b: float, noise: float) -> float:
    """Return the greatest common divisor of two floats, up to noise (Euclid)."""
    while b > noise:
        a, b = b, abs(a - round(a / b) * b)
    return a

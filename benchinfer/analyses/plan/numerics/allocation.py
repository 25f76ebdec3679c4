"""Optimal allocation of scores to the levels of nested units."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaincinv

from benchinfer.numerics.types import Array

_TRIED = 10**6  # designs of the inner levels that are compared
LEAST = 10  # outermost units: the error of fewer is hardly known


def error_variance(components: Array, counts: Sequence[float]) -> float:
    """Return the variance of a mean over nested units of one size.

    ``s_1 / C + s_2 / (C n) + s_3 / (C n a)`` with C outermost units, n in each, a in each of these.

    Examples
    --------
    >>> error_variance(np.array([4.0, 6.0, 12.0]), (10, 3, 2))
    0.8
    """
    return float((components / np.cumprod(counts)).sum())


def cheapest(
    components: Array, costs: Sequence[float], wanted: float, fixed: Sequence[int | None]
) -> tuple[int, ...] | None:
    """Return the numbers of units with the smallest cost for a variance, None where there are none.

    Of designs of one cost the one with the fewest inner units. Outermost units that are up for
    choice are at least `LEAST`. The search is exact among designs
    of up to 1,000 units of each of two inner levels (100,000 of one, 100 of three).

    Parameters
    ----------
    components, costs
        (L,) variance of a unit of each level, and its cost.
    wanted
        The variance of the mean that is wanted.
    fixed
        Numbers that are not up for choice, None where they are.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, third edition. Wiley, sections 10.6 and 10.8.

    Examples
    --------
    >>> cheapest(np.array([1.0, 4.0]), (9.0, 1.0), 0.05, (None, None))
    (36, 5)
    """
    free = sum(number is None for number in fixed[1:])
    most = min(round(_TRIED ** (1 / max(free, 1))), 10**5)
    axes = [np.arange(1, most + 1) if n is None else np.array([n]) for n in fixed[1:]]
    each = np.ones([len(axis) for axis in axes])
    variance, price = np.full_like(each, components[0]), np.full_like(each, costs[0])
    for axis, component, cost in zip(np.ix_(*axes), components[1:], costs[1:], strict=True):
        each = each * axis
        variance, price = variance + component / each, price + cost * each
    if fixed[0] is None:
        units = np.maximum(np.ceil(variance / wanted * (1 - 1e-12)), LEAST)
    else:
        enough = variance / fixed[0] <= wanted * (1 + 1e-12)
        units = np.where(enough, float(fixed[0]), np.inf)
    if not np.isfinite(units).any():
        return None
    best = np.unravel_index(np.argmin(units * price), each.shape)
    inner = [int(axis[i]) for axis, i in zip(axes, best, strict=True)]
    return int(units[best]), *inner


def limits(parts: Array, df: Array, level: float) -> tuple[float, float]:
    """Return limits of a sum of multiples of mean squares.

    Those of each mean square are chi-squared; distances from their sum add in squares (MOVER).

    Parameters
    ----------
    parts, df
        (L,) multiples, of either sign, and their degrees of freedom.
    level
        Two-sided confidence level.

    References
    ----------
    Zou, G. Y. & Donner, A. (2008). Construction of confidence limits about effect measures: a
    general approach. Statistics in Medicine 27, 1693-1702. https://doi.org/10.1002/sim.3095
    """
    tails = np.array([[(1 + level) / 2], [(1 - level) / 2]])
    gaps = parts * (df / (2 * gammaincinv(df / 2, tails)) - 1)  # each mean square low, then high
    low, high = np.minimum(gaps[0], gaps[1]), np.maximum(gaps[0], gaps[1])
    total = parts.sum()
    return (
        max(float(total - math.sqrt((low**2).sum())), 0.0),
        float(total + math.sqrt((high**2).sum())),
    )

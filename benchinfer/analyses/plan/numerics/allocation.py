"""Optimal allocation of scores to the levels of nested units."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from benchinfer.numerics.types import Array, Codes

_SAME = 1e-12  # relative, of costs and variances that differ by rounding
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
    choice are at least `LEAST`.

    The first number that is up for choice follows from those of the levels below it, whose cost is
    at least ``(sqrt(V C) + sum sqrt(s_j c_j))^2`` over the variance, with V and C those of the
    levels that are chosen and the sum over the others (Cauchy's inequality): no number is left out
    whose bound is below the best cost so far.

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
    first = list(fixed).index(None)
    above, units, room = [int(n) for n in fixed[:first] if n is not None], 1, wanted
    for n, component in zip(above, components, strict=False):
        units *= n
        room -= float(component) / units
    if components[first:].any() and room <= _SAME * wanted:
        return None
    inner = list(
        zip(components[first + 1 :].tolist(), costs[first + 1 :], fixed[first + 1 :], strict=True)
    )
    room = units * room if components[first:].any() else math.inf
    goal = _Goal(room, LEAST if first == 0 else 1)
    start = float(components[first]), float(costs[first]), 1.0, ()
    best = min(_greedy(inner, start, goal, up=up) for up in (None, False, True))
    best = _searched(inner, start, goal, best) if inner else best
    return *above, *best[1]


type _Inner = Sequence[tuple[float, float, int | None]]  # variance, cost and fixed number of levels
type _Part = tuple[float, float, float, tuple[int, ...]]  # variance, cost, units and numbers so far
type _Design = tuple[float, tuple[int, ...]]  # cost and numbers


class _Goal(NamedTuple):
    """Variance that is wanted, and the least number of the first level."""

    room: float
    least: int

    def first(self, variance: Array | float) -> Array:
        """Return the number of units of the first level that a variance of one needs."""
        return np.maximum(np.ceil(np.asarray(variance) / self.room * (1 - _SAME)), self.least)


def _greedy(inner: _Inner, part: _Part, goal: _Goal, *, up: bool | None) -> _Design:
    """Return a design with the best real numbers of each level, rounded; or with one of each."""
    variance, price, units, counts = part
    for s, c, number in inner:
        n = 1.0
        if up is not None and variance * c > 0:
            n = math.sqrt(s * price / (variance * c)) / units
        elif up is not None and (rest := goal.room * goal.least - variance) > 0:
            n = s / rest / units
        n = number or max(math.ceil(n) if up else math.floor(n), 1)
        units *= n
        variance, price, counts = variance + s / units, price + c * units, (*counts, n)
    first = int(goal.first(variance))
    return first * price, (first, *counts)


def _searched(inner: _Inner, part: _Part, goal: _Goal, best: _Design) -> _Design:
    """Return the cheapest design with the numbers that are chosen, or the best so far."""
    (s, c, number), *rest = inner
    variance, price, units, counts = part
    roots = sum(math.sqrt(one[0] * one[1]) for one in rest)
    dear = sum(one[1] for one in rest)
    n: Codes = np.array([number]) if number else _range(inner, part, goal, best, roots, dear)
    total = (units * n).astype(np.float64)
    v, p = variance + s / total, price + c * total
    if not rest:
        first = goal.first(v)
        for i in np.flatnonzero(first * p <= best[0] * (1 + _SAME)):
            best = _better(best, (float(first[i] * p[i]), (int(first[i]), *counts, int(n[i]))))
        return best
    bound = np.maximum((np.sqrt(v * p) + roots) ** 2 / goal.room, goal.least * (p + total * dear))
    for i in np.argsort(bound, kind="stable"):
        if bound[i] > best[0] * (1 + _SAME):
            break
        chosen = float(v[i]), float(p[i]), float(total[i]), (*counts, int(n[i]))
        best = _searched(rest, chosen, goal, best)
    return best


def _better(one: _Design, other: _Design) -> _Design:
    """Return the cheaper design; of one cost the one with fewer inner units."""
    if abs(one[0] - other[0]) <= _SAME * one[0]:
        return min(one, other, key=lambda design: design[1][1:])
    return min(one, other)


def _range(
    inner: _Inner, part: _Part, goal: _Goal, best: _Design, roots: float, dear: float
) -> Codes:
    """Return the numbers of the next level that may cost no more than the best design so far."""
    s, c, _ = inner[0]
    variance, price, units, _ = part
    most = (best[0] * (1 + _SAME) / goal.least - price) / (c + dear)
    least = 0.0
    if math.isfinite(goal.room):
        square = max(math.sqrt(best[0] * goal.room * (1 + 2 * _SAME)) - roots, 0.0) ** 2
        # (variance + s / x) (price + c x) <= square, for x units in all.
        middle, ends = square - variance * price - s * c, variance * c * s * price
        root = math.sqrt(max(middle**2 - 4 * ends, 0.0))
        if variance * c > 0:
            most = min(most, (middle + root) / (2 * variance * c))
        least = 2 * s * price / (middle + root) if middle + root > 0 else math.inf
    if not least <= most * (1 + _SAME):
        return np.empty(0, np.int64)
    ends = math.ceil(least / units * (1 - 1e-9)), math.floor(most / units * (1 + 1e-9))
    return np.arange(max(ends[0], 1), ends[1] + 1)


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

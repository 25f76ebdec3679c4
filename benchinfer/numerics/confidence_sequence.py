"""Confidence sequences for a centre of symmetry: intervals that hold at all times at once.

The interval after n differences holds the centres m at which the two-sided bet of
`benchinfer.numerics.betting.SymmetryBet` on ``d - m`` has never reached ``1 / alpha``: the running
intersection of the intervals of all times up to n.
"""

import math
from collections.abc import Callable

import numba
import numpy as np
from scipy.optimize import brentq

from benchinfer.numerics.betting import GRID, Array

_STEPS = 40


def symmetry_interval(differences: Array, alpha: float) -> tuple[float, float]:
    """Return the ends of the confidence sequence after all differences.

    Parameters
    ----------
    differences
        (n,) in the order in which they came.
    alpha
        One minus the confidence level.

    Returns
    -------
    tuple of float
        Infinite ends where the differences are too few; NaN where no centre is left, which says
        that the differences are not symmetric about any.
    """
    values = np.ascontiguousarray(differences, dtype=np.float64)
    if len(values) == 0:
        return -math.inf, math.inf

    limit = -math.log(alpha)

    def excess(centre: float) -> float:
        # Roots of log capitals are about linear in the centre.
        return math.sqrt(_peak(values, centre, GRID[0], limit)) - math.sqrt(limit)

    spread = float(np.sqrt(np.mean((values - values.mean()) ** 2)))
    step = max(spread / math.sqrt(len(values)), 1e-12 * float(np.abs(values).max()))
    centre = _inside(values, excess, step)
    if centre is None:
        return math.nan, math.nan
    return _end(excess, centre, -step), _end(excess, centre, step)


def _inside(values: Array, excess: Callable[[float], float], step: float) -> float | None:
    """Return a centre that is kept, if one is found near the mean or the median."""
    for start in (float(values.mean()), float(np.median(values))):
        for shift in (0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0):
            if excess(start + shift * step) < 0:
                return start + shift * step
    return None


def _end(excess: Callable[[float], float], centre: float, step: float) -> float:
    """Return the last kept centre on one side: go out until one is not kept, then solve."""
    inner, outer = centre, centre + 4 * step
    for _ in range(_STEPS):
        if excess(outer) >= 0:
            break
        inner, outer = outer, centre + 2 * (outer - centre)
    else:
        return math.copysign(math.inf, step)
    near = 1e-3 * abs(step)
    return float(brentq(excess, inner, outer, xtol=near)) + math.copysign(near, step)


@numba.njit(cache=True)
def _peak(values: Array, centre: float, smallest: float, limit: float) -> float:  # pragma: no cover
    """Return the largest log capital so far of the two-sided bet on ``values - centre``.

    It ends where the capital is far above the limit. The grid doubles, so that one exponential
    serves all its points. Capitals are scaled so that none is lost to underflow.
    """
    up, down = np.ones(6), np.ones(6)
    squares, scaled, most = 0.0, 0, 12.0
    enough = 12.0 * math.exp(limit + 10.0)
    for i in range(len(values)):
        x = values[i] - centre
        squares += x * x
        if x != 0.0:
            e = math.exp(-2.0 * smallest * abs(x) / math.sqrt(squares / (i + 1)))
            with_, against = (up, down) if x > 0.0 else (down, up)
            for g in range(6):
                larger = 2.0 / (1.0 + e)  # 1 + tanh, and 1 - tanh is e times that
                with_[g] *= larger
                against[g] *= e * larger
                e *= e
        total = up.sum() + down.sum()
        if scaled == 0 and total > most:
            most = total
            if most >= enough:
                break
        if total < 1e-100:
            up *= 1e100
            down *= 1e100
            scaled += 1
        elif scaled > 0 and total > 1e50:
            up *= 1e-100
            down *= 1e-100
            scaled -= 1
    return math.log(most / 12.0)

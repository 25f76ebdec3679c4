"""Capital of two-sided bets against one centre, difference by difference: compiled loops.

A bet is an array of `SIZE` numbers, zeros before the first difference: the number of differences,
the largest log capital so far, and what the bet needs to go on. A loop ends early where the capital
is far above the limit, as that centre will never be kept again.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.betting import GRID, MOST

type Array = NDArray[np.float64]

SIZE = 17
_SMALLEST = float(GRID[0])
_FAR = 10.0


@numba.njit(cache=True)
def symmetry_capital(
    values: Array, centre: float, bet: Array, limit: float
) -> None:  # pragma: no cover
    """Bet on the signs of ``values - centre`` as `benchinfer.numerics.betting.SymmetryBet` does.

    The grid doubles, so that one exponential serves all its points. Capitals are scaled so that
    none is lost to underflow.
    """
    n, squares, scaled, most = int(bet[0]), bet[2], int(bet[3]), bet[4]
    capitals = bet[5:17]  # up, then down
    if n == 0:
        capitals[:] = 1.0
        most = 12.0
    enough = 12.0 * math.exp(limit + _FAR)
    total = capitals.sum()
    for i in range(len(values)):
        x = values[i] - centre
        squares += x * x
        n += 1
        if x != 0.0:
            e = math.exp(-2.0 * _SMALLEST * abs(x) / math.sqrt(squares / n))
            with_ = 0 if x > 0.0 else 6  # up or down: no branch, which signs would make costly
            total = 0.0
            for g in range(6):
                larger = 2.0 / (1.0 + e)  # 1 + tanh, and 1 - tanh is e times that
                capitals[with_ + g] *= larger
                capitals[6 - with_ + g] *= e * larger
                total += capitals[with_ + g] + capitals[6 - with_ + g]
                e *= e
        if scaled == 0 and total > most:
            most = total
            if most >= enough:
                break
        if total < 1e-100:
            capitals *= 1e100
            scaled += 1
        elif scaled > 0 and total > 1e50:
            capitals *= 1e-100
            scaled -= 1
    bet[0], bet[1], bet[2], bet[3], bet[4] = n, math.log(most / 12.0), squares, scaled, most


@numba.njit(cache=True)
def mean_capital(
    values: Array, centre: float, bound: float, bet: Array, limit: float
) -> None:  # pragma: no cover
    """Bet on ``values - centre`` as `benchinfer.numerics.betting.MeanBet` does at the centre 0.

    The stake is of the growth-optimal order, limited so that no value within the bound takes more
    than three quarters of the capital.
    """
    n, peak, total, spread, up, down = int(bet[0]), bet[1], bet[2], bet[3], bet[4], bet[5]
    for i in range(len(values)):
        x = values[i]
        if n > 0:
            off = total / (n + 1) - centre
            stake = off / ((bound * bound / 4.0 + spread) / (n + 1) + off * off)
            if stake > 0.0:
                up += math.log1p(min(stake, MOST / (bound + centre)) * (x - centre))
            elif stake < 0.0:
                down += math.log1p(max(stake, -MOST / (bound - centre)) * (x - centre))
        n += 1
        total += x
        away = x - total / (n + 1)
        spread += away * away
        larger = max(up, down)
        if larger > peak:
            both = larger + math.log1p(math.exp(min(up, down) - larger)) - math.log(2.0)
            peak = max(peak, both)
            if peak >= limit + _FAR:
                break
    bet[0], bet[1], bet[2], bet[3], bet[4], bet[5] = n, peak, total, spread, up, down

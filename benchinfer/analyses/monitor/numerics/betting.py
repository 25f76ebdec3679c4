"""Betting tests and confidence sequences.

Under the null hypothesis the capital E_t is a nonnegative martingale from 1, so it exceeds
``1 / alpha`` at any time with probability at most alpha (Ville 1939): optional stopping is valid.
The interval after n differences holds the centres m at which a two-sided bet on ``d - m`` has never
reached ``1 / alpha``: the running intersection of the intervals of all times up to n. `SymmetryBet`
is for a centre of symmetry, and `MeanBet`, whose capital is hedged (half on either side), for the
mean of differences within known bounds.

A bet is an array of `SIZE` numbers, zeros before the first difference: the number of differences,
the largest log capital so far, and the state of the bet. A loop ends early where the capital is far
above the limit, as that centre will never be kept again.

References
----------
Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
Journal of the Royal Statistical Society B 86, 1-27. https://doi.org/10.1093/jrsssb/qkad009
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numba
import numpy as np
from scipy.optimize import brentq, minimize_scalar

from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array

GRID = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
MOST = 0.75  # of the capital that a bet on a bounded difference may lose


@dataclass(frozen=True, slots=True)
class CapitalPaths:
    """Log capital after each new difference, for three alternatives."""

    # up, down: (n,) against differences that are not larger, or not smaller, than 0
    up: Array
    down: Array
    both: Array  # (n,) the mean of the two capitals


@savable
@dataclass(frozen=True, slots=True)
class SymmetryBet:
    """Bets on the signs of differences, after n of them; the null is symmetry about 0.

    With ``s_i`` the root mean square of the first i differences and ``u_i = d_i / s_i``, the
    capital is the mean over g of ``prod(1 + tanh(g u_i))``: given its size, a difference that is
    normal with mean m has a likelihood ratio of ``1 + tanh(m d / s^2)``.

    Attributes
    ----------
    n
        Number of differences so far.
    squares, signs
        Sums of d^2 and u.
    gains
        (6,) sums of ``log(1 + tanh(g u))`` for g in `GRID`.

    References
    ----------
    Ramdas, A., Ruf, J., Larsson, M. & Koolen, W. (2022). Admissible anytime-valid sequential
    inference must rely on nonnegative martingales. https://doi.org/10.48550/arXiv.2009.03167
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86, 1-27. https://doi.org/10.1093/jrsssb/qkad009
    """

    n: int = 0
    squares: float = 0.0
    signs: float = 0.0
    gains: Array = field(default_factory=lambda: np.zeros(len(GRID)))

    def after(self, differences: Array) -> tuple[SymmetryBet, CapitalPaths]:
        """Return the bet after more differences, and the capital on the way.

        The cost is that of the new differences alone.
        """
        count = self.n + np.arange(1, len(differences) + 1)
        squares = self.squares + np.cumsum(differences**2)
        scale = np.sqrt(squares / count)
        u = np.divide(differences, scale, out=np.zeros_like(scale), where=scale > 0)
        up = self.gains[:, None] + np.cumsum(_steps(u), axis=1)
        signs = self.signs + np.cumsum(u)
        # 1 + tanh(-x) = (1 + tanh x) exp(-2 x)
        down = up - 2 * GRID[:, None] * signs
        paths = _mixed(up, down)
        if not len(differences):
            return self, paths
        last = SymmetryBet(int(count[-1]), float(squares[-1]), float(signs[-1]), up[:, -1].copy())
        return last, paths


def _steps(u: Array) -> Array:
    """Return (6, n) ``log(1 + tanh(g u))``; the grid doubles, so one exponential serves all."""
    logs = -2 * GRID[:, None] * np.maximum(-u, 0)
    power = np.exp(-2 * GRID[0] * np.abs(u))
    for k in range(len(GRID)):
        logs[k] += np.log(2) - np.log1p(power)
        power *= power
    return logs


@savable
@dataclass(frozen=True, slots=True)
class MeanBet:
    """Bets on differences within [-bound, bound]; the null is a mean of 0.

    The capital is ``prod(1 + l_i d_i)``, with l_i from the mean and variance of the differences
    before i, at most ``.75 / bound``. Where differences are far smaller than the bound it grows
    slowly.
    """

    bound: float  # largest size of a difference
    # n, total, spread: number of differences so far, their sum, and the sum of their squared
    # distances to the running mean
    n: int = 0
    total: float = 0.0
    spread: float = 0.0
    # up, down: log capitals
    up: float = 0.0
    down: float = 0.0

    def after(self, differences: Array) -> tuple[MeanBet, CapitalPaths]:
        """Return the bet after more differences, and the capital on the way."""
        count = self.n + np.arange(1, len(differences) + 1)
        totals = self.total + np.cumsum(differences)
        means = totals / (count + 1)
        spreads = self.spread + np.cumsum((differences - means) ** 2)
        # The first stake is that of the differences before.
        n, spread = np.append(self.n, count), np.append(self.spread, spreads)
        mean = np.append(self.total / (self.n + 1), means)
        # Of the growth-optimal order mean / (variance + mean^2).
        variance = (self.bound**2 / 4 + spread) / (n + 1)
        most = MOST / self.bound
        stakes = np.clip(mean / (variance + mean**2), -most, most)
        up, down = (
            start + np.cumsum(np.log1p(np.clip(side * stakes[:-1], 0, None) * side * differences))
            for side, start in ((1, self.up), (-1, self.down))
        )
        paths = CapitalPaths(up, down, np.logaddexp(up, down) - np.log(2))
        if not len(differences):
            return self, paths
        return (
            replace(
                self,
                n=int(count[-1]),
                total=float(totals[-1]),
                spread=float(spreads[-1]),
                up=float(up[-1]),
                down=float(down[-1]),
            ),
            paths,
        )


def _mixed(up: Array, down: Array) -> CapitalPaths:
    """Average the capitals (6, n) of the grid."""
    if not up.shape[1]:
        return CapitalPaths(*(np.zeros(0) for _ in range(3)))
    tops = ((side.max(axis=0), side) for side in (up, down))
    one, other = (top + np.log(np.exp(side - top).mean(axis=0)) for top, side in tops)
    return CapitalPaths(one, other, np.logaddexp(one, other) - np.log(2))


SIZE = 17
_SMALLEST = float(GRID[0])
_FAR = 10.0


@numba.njit(cache=True)
def symmetry_capital(
    values: Array, sizes: Array, centre: float, bet: Array, limit: float
) -> None:  # pragma: no cover
    """Bet on the signs of ``values - centre sizes`` as `SymmetryBet` does.

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
        x = values[i] - centre * sizes[i]
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
    """Bet on ``values - centre`` as `MeanBet` does at the centre 0.

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


_STEPS = 40
_MOVES = 8  # of an end, beyond which it costs less to find it anew
# Steps of the grid in a standard error; those of a short history cost little.
_FINE, _FINER, _SHORT = 64, 1024, 5
_NONE = math.nan
_SIDES = (-1, 1)


@savable
@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """Confidence interval after n differences, and the state to update it.

    Its ends lie on a grid, rounded to the outer side; its points are a 64th of a standard error or
    less apart, and a 1024th up to 1023 differences.
    The capital of the bet against the outermost kept point of either end is at hand: as long as it
    stays below ``1 / alpha`` an end stays where it is, and more differences cost no more than
    themselves. An end that moves goes in point by point, at each of which the bet is worked out
    from the beginning, and the grid is renewed when n passes a power of four. Differences in one go
    or in several give the same interval.
    """

    alpha: float  # one minus the confidence level
    # Largest size of a difference, for its mean; None for its centre of symmetry
    bound: float | None = None
    n: int = 0  # number of differences so far
    step: float = 0.0  # the step of the grid
    # (2,) the outermost kept points, in steps; infinite where the differences are too few, NaN
    # where no centre is left
    outermost: tuple[float, float] = (-math.inf, math.inf)
    capital: Array | None = None  # (2, SIZE) the bets against these

    @property
    def ends(self) -> tuple[float, float]:
        """The interval: infinite where differences are too few, NaN where no centre is left."""
        low, high = (
            outermost if math.isinf(outermost) else (outermost + side) * self.step
            for outermost, side in zip(self.outermost, _SIDES, strict=True)
        )
        if self.bound is None:
            return low, high
        return max(low, -self.bound), min(high, self.bound)

    def after(self, differences: Array, sizes: Array | None = None) -> ConfidenceSequence:
        """Return the interval after more differences.

        `differences` (n,) are all of them, in the order in which they came; those of units are sums
        over `sizes` items, and the interval is of the centre of an item's.
        """
        sizes = np.ones(len(differences)) if sizes is None else sizes
        n = len(differences)
        if n == self.n or math.isnan(self.outermost[0]):
            return replace(self, n=n)
        if self.capital is None or epoch(n) != epoch(self.n):
            return self._solved(differences, sizes)
        capital, outermost = self.capital.copy(), list(self.outermost)
        for end in range(2):
            if math.isinf(outermost[end]):
                return self._solved(differences, sizes)
            new = slice(self.n, None)
            self._bet(differences[new], sizes[new], outermost[end] * self.step, capital[end])
            for _ in range(_MOVES):  # as a rule one is enough
                if capital[end, 1] < self._limit:
                    break
                outermost[end] -= _SIDES[end]
                capital[end] = self._against(differences, sizes, outermost[end] * self.step)
            if capital[end, 1] >= self._limit or outermost[0] > outermost[1]:
                return self._solved(differences, sizes)
        return replace(self, n=n, outermost=(outermost[0], outermost[1]), capital=capital)

    @property
    def _limit(self) -> float:
        return -math.log(self.alpha)

    def _bet(self, values: Array, sizes: Array, centre: float, capital: Array) -> None:
        if self.bound is None:
            symmetry_capital(values, sizes, centre, capital, self._limit)
        elif abs(centre) < self.bound:
            mean_capital(values, centre, self.bound, capital, self._limit)
        else:
            capital[1] = self._limit + 10.0

    def _against(self, values: Array, sizes: Array, centre: float) -> Array:
        """Return the capital of the bet against a centre, from the beginning."""
        capital = np.zeros(SIZE)
        if math.isfinite(centre):
            self._bet(values, sizes, centre, capital)
        return capital

    def _solved(self, values: Array, sizes: Array) -> ConfidenceSequence:
        """Work out the interval from the beginning."""
        n, fewest = len(values), 1.0
        if self.bound is None:  # the fewest differences that can rule out a centre
            fewest = math.log(len(GRID) / self.alpha) / math.log1p(math.tanh(GRID[-1]))
        if n < fewest:
            return replace(self, n=n, capital=np.zeros((2, SIZE)))
        # Of the differences up to the last power of four, so that it stays until the next; or up to
        # the first that differs, as equal ones have no spread.
        fine = _FINER if epoch(n) < _SHORT else _FINE
        first = max(4 ** epoch(n), int((values * sizes[0] != values[0] * sizes).argmax()) + 1)
        step = 2.0 ** math.floor(math.log2(_unit(values[:first], sizes[:first]) / fine))
        capitals: dict[float, Array] = {}

        def against(centre: float) -> Array:
            if centre not in capitals:
                capitals[centre] = self._against(values, sizes, centre)
            return capitals[centre]

        excess = self._excess(against)
        centre, unit = _inside(values, sizes, excess), _unit(values, sizes)
        if centre is None:
            return replace(self, n=n, outermost=(_NONE, _NONE), capital=np.zeros((2, SIZE)))
        outermost: list[float] = []
        # About how many standard errors there are to an end.
        reach = 1.1 * math.sqrt(2 * self._limit + 8)
        for side in _SIDES:
            end = _end(excess, centre, side * unit * reach, step)
            if math.isfinite(end):
                first = side * math.floor(side * end / step)
                near = [first + k * side for k in (1, 0, -1, -2)]
                # The end is found to a step; the outermost kept point of the grid is near it.
                end = next((k for k in near if excess(k * step) < 0), near[-1])
            outermost.append(end)
        capital = np.stack([against(k * step) for k in outermost])
        return replace(
            self, n=n, step=step, outermost=(outermost[0], outermost[1]), capital=capital
        )

    def _excess(self, against: Callable[[float], Array]) -> Callable[[float], float]:
        """Return how far the bet against a centre is over the limit; about linear in the centre."""
        limit = math.sqrt(self._limit)
        return lambda centre: math.sqrt(against(centre)[1]) - limit


def epoch(n: int) -> int:
    """Return the power of four that n has passed."""
    return (n.bit_length() - 1) // 2


def _unit(values: Array, sizes: Array) -> float:
    """Return the standard error of the mean, or what is about nothing where there is no spread."""
    residuals = (values - values.sum() / sizes.sum() * sizes) / sizes.mean()
    spread = float(residuals.std()) / math.sqrt(len(values))
    return max(spread, 1e-12 * float(np.abs(values).max()), 1e-150)


def _inside(values: Array, sizes: Array, excess: Callable[[float], float]) -> float | None:
    """Return a centre that is not rejected, if there is one near the mean or the median."""
    mean, unit = float(values.sum() / sizes.sum()), _unit(values, sizes)
    for start in (mean, float(np.median(values / sizes))):
        if excess(start) < 0:
            return start
    # The excess falls towards the last centres that are left, and rises beyond.
    lowest = minimize_scalar(
        lambda shift: excess(mean + shift * unit),
        bounds=(-8.0, 8.0),
        method="bounded",
        options={"xatol": 1.0 / _FINE},
    )
    return mean + float(lowest.x) * unit if lowest.fun < 0 else None


def _end(excess: Callable[[float], float], centre: float, reach: float, near: float) -> float:
    """Return the end of the interval on one side: step out to a rejected centre, then solve."""
    inner, outer = centre, centre + reach
    for _ in range(_STEPS):
        if excess(outer) >= 0:
            break
        inner, outer = outer, centre + 2 * (outer - centre)
    else:
        return math.copysign(math.inf, reach)
    return float(brentq(excess, inner, outer, xtol=near, maxiter=1000))

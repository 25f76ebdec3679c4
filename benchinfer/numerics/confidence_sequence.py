"""Confidence sequences: intervals that hold at all times at once.

The interval after n differences holds the centres m at which a two-sided bet on ``d - m`` has never
reached ``1 / alpha``: the running intersection of the intervals of all times up to n. The bets of
`benchinfer.numerics.betting` are its `SymmetryBet` for a centre of symmetry, and for the mean of
differences within known bounds its `MeanBet`, whose capital is hedged: half on either side.

References
----------
Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
Journal of the Royal Statistical Society B 86, 1-27. https://doi.org/10.1093/jrsssb/qkad009
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from benchinfer.numerics.betting import GRID, Array
from benchinfer.numerics.capital import SIZE, mean_capital, symmetry_capital

_STEPS = 40
# Steps of the grid in a standard error; those of a short history cost little.
_FINE, _FINER, _SHORT = 64, 1024, 5
_NONE = math.nan
_SIDES = (-1, 1)


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """The interval after n differences, and what it takes to go on without them.

    Its ends lie on a grid, rounded to the outer side; its points are a 64th of a standard error or
    less apart, and a 1024th up to 1023 differences.
    The capital of the bet against the outermost kept point of either end is at hand: as long as it
    stays below ``1 / alpha`` an end stays where it is, and more differences cost no more than
    themselves. Only an end that moves is worked out from the beginning, and the grid is renewed
    when n passes a power of four. Differences in one go or in several give the same interval.

    Attributes
    ----------
    alpha
        One minus the confidence level.
    bound
        Largest size of a difference, for its mean; None for its centre of symmetry.
    n
        Number of differences so far.
    step
        The step of the grid.
    kept
        (2,) the outermost kept points, in steps; infinite where the differences are too few, NaN
        where no centre is left.
    capital
        (2, SIZE) the bets against these.
    """

    alpha: float
    bound: float | None = None
    n: int = 0
    step: float = 0.0
    kept: tuple[float, float] = (-math.inf, math.inf)
    capital: Array | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval: infinite where differences are too few, NaN where no centre is left."""
        low, high = (
            kept if math.isinf(kept) else (kept + side) * self.step
            for kept, side in zip(self.kept, _SIDES, strict=True)
        )
        if self.bound is None:
            return low, high
        return max(low, -self.bound), min(high, self.bound)

    def after(self, differences: Array) -> "ConfidenceSequence":
        """Return the interval after more differences.

        Parameters
        ----------
        differences
            (n,) all of them, in the order in which they came.
        """
        n = len(differences)
        if n == self.n or math.isnan(self.kept[0]):
            return replace(self, n=n)
        if self.capital is None or epoch(n) != epoch(self.n):
            return self._solved(differences)
        capital, kept = self.capital.copy(), list(self.kept)
        for end in range(2):
            if math.isinf(kept[end]):
                return self._solved(differences)
            self._bet(differences[self.n :], kept[end] * self.step, capital[end])
            if capital[end, 1] >= self._limit:  # it moves: by one step, as a rule
                kept[end] -= _SIDES[end]
                capital[end] = self._against(differences, kept[end] * self.step)
            if capital[end, 1] >= self._limit:
                return self._solved(differences)
        return replace(self, n=n, kept=(kept[0], kept[1]), capital=capital)

    @property
    def _limit(self) -> float:
        return -math.log(self.alpha)

    def _bet(self, values: Array, centre: float, capital: Array) -> None:
        if self.bound is None:
            symmetry_capital(values, centre, capital, self._limit)
        elif abs(centre) < self.bound:
            mean_capital(values, centre, self.bound, capital, self._limit)
        else:
            capital[1] = self._limit + 10.0

    def _against(self, values: Array, centre: float) -> Array:
        """Return the capital of the bet against a centre, from the beginning."""
        capital = np.zeros(SIZE)
        if math.isfinite(centre):
            self._bet(values, centre, capital)
        return capital

    def _solved(self, values: Array) -> "ConfidenceSequence":
        """Work out the interval from the beginning."""
        n = len(values)
        if n < self._fewest:
            return replace(self, n=n, capital=np.zeros((2, SIZE)))
        # Of the differences up to the last power of four, so that it stays until the next; or up to
        # the first that differs, as equal ones have no spread.
        fine = _FINER if epoch(n) < _SHORT else _FINE
        first = max(4 ** epoch(n), int((values != values[0]).argmax()) + 1)
        step = 2.0 ** math.floor(math.log2(_unit(values[:first]) / fine))
        capitals: dict[float, Array] = {}

        def against(centre: float) -> Array:
            if centre not in capitals:
                capitals[centre] = self._against(values, centre)
            return capitals[centre]

        excess = self._excess(against)
        centre, unit = _inside(values, excess), _unit(values)
        if centre is None:
            return replace(self, n=n, kept=(_NONE, _NONE), capital=np.zeros((2, SIZE)))
        kept: list[float] = []
        for side in _SIDES:
            end = _end(excess, centre, side * unit * self._reach, step)
            if math.isfinite(end):
                first = side * math.floor(side * end / step)
                near = [first + k * side for k in (1, 0, -1, -2)]
                # The end is found to a step; the outermost kept point of the grid is near it.
                end = next((k for k in near if excess(k * step) < 0), near[-1])
            kept.append(end)
        capital = np.stack([against(k * step) for k in kept])
        return replace(self, n=n, step=step, kept=(kept[0], kept[1]), capital=capital)

    @property
    def _fewest(self) -> float:
        """How many differences it takes for a centre to be ruled out, at least."""
        if self.bound is not None:
            return 1
        return math.log(len(GRID) / self.alpha) / math.log1p(math.tanh(GRID[-1]))

    @property
    def _reach(self) -> float:
        """About how many standard errors there are to an end."""
        return 1.1 * math.sqrt(2 * self._limit + 8)

    def _excess(self, against: Callable[[float], Array]) -> Callable[[float], float]:
        """Return how far the bet against a centre is over the limit; about linear in the centre."""
        limit = math.sqrt(self._limit)
        return lambda centre: math.sqrt(against(centre)[1]) - limit

    def exact(self, values: Array) -> tuple[float, float]:
        """Return the ends after all differences, to a thousandth of a standard error."""
        excess = self._excess(lambda centre: self._against(values, centre))
        centre = _inside(values, excess)
        if centre is None:
            return _NONE, _NONE
        unit = _unit(values)
        reach = unit * self._reach
        low, high = (_end(excess, centre, side * reach, 1e-3 * unit) for side in _SIDES)
        return low - 1e-3 * unit, high + 1e-3 * unit


def epoch(n: int) -> int:
    """Return the power of four that n has passed."""
    return (n.bit_length() - 1) // 2


def symmetry_interval(differences: Array, alpha: float) -> tuple[float, float]:
    """Return the ends of the confidence sequence of a centre of symmetry, after all differences.

    Parameters
    ----------
    differences
        (n,) in the order in which they came.
    alpha
        One minus the confidence level.

    Returns
    -------
    tuple of float
        Found to a thousandth of a standard error, to the outer side. Infinite ends where the
        differences are too few; NaN where no centre is left, which says that the differences are
        not symmetric about any.
    """
    values = np.ascontiguousarray(differences, dtype=np.float64)
    if len(values) == 0:
        return -math.inf, math.inf
    return ConfidenceSequence(alpha).exact(values)


def _unit(values: Array) -> float:
    """Return the standard error of the mean, or what is about nothing where there is no spread."""
    spread = float(values.std()) / math.sqrt(len(values))
    return max(spread, 1e-12 * float(np.abs(values).max()), 1e-150)


def _inside(values: Array, excess: Callable[[float], float]) -> float | None:
    """Return a centre that is kept, if there is one near the mean or the median."""
    mean, unit = float(values.mean()), _unit(values)
    for start in (mean, float(np.median(values))):
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
    """Return the last kept centre on one side: go out until one is not kept, then solve."""
    inner, outer = centre, centre + reach
    for _ in range(_STEPS):
        if excess(outer) >= 0:
            break
        inner, outer = outer, centre + 2 * (outer - centre)
    else:
        return math.copysign(math.inf, reach)
    return float(brentq(excess, inner, outer, xtol=near, maxiter=1000))

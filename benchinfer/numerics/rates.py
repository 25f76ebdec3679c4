"""Confidence intervals of rates.

They are in statsmodels, too (the tests compare them), whose import costs .43 s of CPU; Wilson's
interval takes .2 ms there, here .03. Intervals of paired rates and of several strata are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.numerics.types import Array, Flags

type Rate = Literal["wilson", "clopper-pearson", "agresti-coull", "wald"]
# Numbers of items that count, and of all items: of one sample, or of each stratum.
type Counts = tuple[int | Array, int | Array]
RATES: tuple[Rate, ...] = ("wilson", "clopper-pearson", "agresti-coull", "wald")


def rate_interval(kind: Rate, count: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """Return the interval of a rate.

    Parameters
    ----------
    kind
        ``"wilson"``, ``"clopper-pearson"`` (never covers less than its level), ``"agresti-coull"``
        or ``"wald"`` (bad for few items and rates near 0 or 1).
    count, n
        (m,) number of items that count, and of all items.
    tail
        Probability left out on each side.

    Returns
    -------
    low, high
        (m,) each; those of Agresti and Coull and of Wald are not cut at 0 and 1.

    References
    ----------
    Brown, L. D., Cai, T. T. & DasGupta, A. (2001). Interval estimation for a binomial proportion.
    Statistical Science 16, 101-133. https://doi.org/10.1214/ss/1009213286

    Examples
    --------
    >>> low, high = rate_interval("wilson", np.array([3.0]), np.array([20.0]), 0.025)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0524, 0.3604)
    """
    # Reading a table takes no special functions: they are fetched when an interval is requested.
    from scipy.special import betaincinv, ndtri

    if kind == "clopper-pearson":
        return (
            np.where(count > 0, betaincinv(np.maximum(count, 0.5), n - count + 1, tail), 0.0),
            np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 0.5), 1 - tail), 1.0),
        )
    z = -float(ndtri(tail))
    p = count / n
    if kind == "wald":
        reach = z * np.sqrt(p * (1 - p) / n)
        return p - reach, p + reach
    centre = (count + z**2 / 2) / (n + z**2)
    if kind == "agresti-coull":
        reach = z * np.sqrt(centre * (1 - centre) / (n + z**2))
        return centre - reach, centre + reach
    reach = z / (n + z**2) * np.sqrt(count * (n - count) / n + z**2 / 4)
    # At the border the ends are exactly there; rounding would miss them.
    return np.where(count > 0, centre - reach, 0.0), np.where(count < n, centre + reach, 1.0)


@dataclass(frozen=True, slots=True)
class Fourfold:
    """Counts of items that both, one or none of two algorithms get right.

    Attributes
    ----------
    both, first, second, neither
        Items that both, only the first, only the second, and none of them get right.
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        """Number of items."""
        return self.both + self.first + self.second + self.neither

    @staticmethod
    def of(first: Flags, second: Flags) -> Fourfold:
        """Count (n,) outcomes of both."""
        cells = [first & second, first & ~second, ~first & second, ~first & ~second]
        return Fourfold(*(int(cell.sum()) for cell in cells))


def newcombe(first: Counts, second: Counts, tail: float) -> tuple[float, float]:
    """Return Newcombe's interval of a difference of rates of independent samples.

    Of several strata the interval is of the mean difference, by the sum of the squares of all
    distances to Wilson's limits (Zou & Donner 2008).

    Samples are counts and numbers of items, or (D,) of these in as many strata; `tail` is the
    probability left out on each side.

    References
    ----------
    Zou, G. Y. & Donner, A. (2008). Construction of confidence limits about effect measures: a
    general approach. Statistics in Medicine 27, 1693-1702. https://doi.org/10.1002/sim.3095
    """
    return _squared(first, second, 0.0, tail)


def newcombe_paired(table: Fourfold, tail: float) -> tuple[float, float]:
    """Return Newcombe's interval of a difference of rates on the same items (his method 10).

    References
    ----------
    Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial
    proportions based on paired data. Statistics in Medicine 17, 2635-2650.
    https://doi.org/10.1002/(SICI)1097-0258(19981130)17:22%3C2635::AID-SIM954%3E3.0.CO;2-C

    Examples
    --------
    >>> low, high = newcombe_paired(Fourfold(20, 12, 2, 16), 0.025)
    >>> round(low, 4), round(high, 4)
    (0.0562, 0.3292)
    """
    a, b, c, d = table.both, table.first, table.second, table.neither
    n = table.n
    root = float(np.sqrt(float(a + b) * (c + d) * (a + c) * (b + d)))
    top = a * d - b * c
    if top > 0:
        top = max(top - n / 2, 0.0)
    return _squared((a + b, n), (a + c, n), top / root if root else 0.0, tail)


def tail_beyond(interval: Callable[[float], float], bound: float) -> float:
    """Return the tail probability at which an end of an interval reaches a bound.

    `interval` gives the end by tail probability: a lower end rises with it, an upper one falls. The
    result is a one-sided p-value, by inverting the interval.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    def gap(z: float) -> float:
        return interval(float(ndtr(-z))) - bound

    low, high = -8.0, 8.0
    # Beyond these there is nothing to tell apart.
    if gap(low) * gap(high) > 0:
        return float(ndtr(-high)) if abs(gap(high)) < abs(gap(low)) else float(ndtr(-low))
    return float(ndtr(-brentq(gap, low, high, xtol=1e-12)))


def beyond_margins(
    interval: Callable[[float], tuple[float, float]], margin: float
) -> tuple[float, float]:
    """Return the p-values, by inverting an interval, of differences above -margin, below margin."""
    above = tail_beyond(lambda tail: interval(tail)[0], -margin)
    return above, tail_beyond(lambda tail: interval(tail)[1], margin)


def _squared(first: Counts, second: Counts, correlation: float, tail: float) -> tuple[float, float]:
    """Add the squares of the distances to Wilson's limits."""
    count = np.array([first[0], second[0]], np.float64).reshape(2, -1)
    n = np.array([first[1], second[1]], np.float64).reshape(2, -1)
    rate = count / n
    low, high = rate_interval("wilson", count, n, tail)
    down, up = rate - low, high - rate
    sign = 1.0 if tail <= 0.5 else -1.0
    difference = float((rate[0] - rate[1]).mean())

    def reach(x: Array, y: Array) -> float:
        squares = np.maximum(x**2 - 2 * correlation * x * y + y**2, 0.0)
        return sign * float(np.sqrt(squares.sum())) / len(x)

    return difference - reach(down[0], up[1]), difference + reach(up[0], down[1])

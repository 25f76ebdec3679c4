"""Bootstrap intervals and p-values.

A one-sided p-value of the hypothesis ``value <= x`` is the share of draws at or below x, counted as
``(1 + #) / (N + 1)``; for expanded percentiles its normal quantile is taken as one of t and
narrowed by the variance that draws lack. The bound at level alpha is the draw of rank
``floor((N + 1) alpha)``, with alpha moved in the same way: the p-value is at most alpha exactly
where the bound is above x. No p-value is below the least one that the units drawn from allow
(`UnitBounds`), and no bound is finite at a level below it.

References
----------
Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge
University Press.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from benchinfer.numerics.types import Array, Flags

# Degrees of freedom of the variance of resamples, and the share of the variance that they have.
type Units = tuple[float | Array, float | Array]
# Draws this close, relative to the largest, are equal: sums of the same numbers in another order.
_SAME = 1e-12
# (N + 1) alpha may miss a whole number by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class BootstrapDraws:
    """Bootstrap draws of P values."""

    estimate: Array  # (P,) the values on the sample
    values: Array  # (N, P) draws in increasing order
    unit: float  # size of the numbers the values come from, for rounding
    # Degrees of freedom and share of variance (`UnitBounds`) of expanded percentiles, of all or
    # (P,) each; None without
    units: Units | None = None
    least: float | Array = 0.0  # the smallest one-sided p-value of so many units

    @property
    def n(self) -> int:
        """Number N of draws."""
        return len(self.values)

    @property
    def turned(self) -> BootstrapDraws:
        """The draws of minus the values."""
        return replace(
            self,
            estimate=-self.estimate,
            values=-self.values[::-1],
        )

    @property
    def flat(self) -> Flags:
        """(P,) whether all draws are equal."""
        return np.ptp(self.values, axis=0) <= _SAME * self.unit

    @property
    def sd(self) -> Array:
        """(P,) standard deviation of the draws: the bootstrap standard error."""
        return np.where(self.flat, 0.0, self.values.std(axis=0, ddof=1))


def gather(
    estimate: Array,  # (P,) values on the sample
    values: Array,  # (N, P) draws
    unit: float,  # size of the numbers they come from, for rounding
    units: Units | None = None,  # from `UnitBounds` for expanded percentile intervals
    least: float | Array = 0.0,  # from `UnitBounds`
) -> BootstrapDraws:
    """Return draws in increasing order."""
    return BootstrapDraws(estimate, np.sort(values, axis=0), unit, units, least)


def p_at_most(draws: BootstrapDraws, x: float) -> Array:
    """Return (P,) one-sided p-values of the hypotheses ``value <= x``."""
    share = (1 + (draws.values <= x + _SAME * draws.unit).sum(axis=0)) / (draws.n + 1)
    p = share if draws.units is None else expanded(share, draws.units)
    return np.maximum(p, draws.least)


def expanded(share: Array, units: Units) -> Array:
    """Return the one-sided p-values that shares of draws stand for with so few units.

    References
    ----------
    Hesterberg, T. C. (2015). What teachers should know about the bootstrap: resampling in the
    undergraduate statistics curriculum. The American Statistician 69, 371-386.
    https://doi.org/10.1080/00031305.2015.1089789
    """
    df, variance_share = units
    return stdtr(df, ndtri(share) * np.sqrt(variance_share))


def contracted(p: Array, units: Units) -> Array:
    """Return the shares of draws that one-sided p-values stand for: the inverse of `expanded`."""
    df, variance_share = units
    return ndtr(stdtrit(df, p) / np.sqrt(variance_share))


def p_at_least(draws: BootstrapDraws, x: float) -> Array:
    """Return (P,) one-sided p-values of the hypotheses ``value >= x``."""
    return p_at_most(draws.turned, -x)


def lower(draws: BootstrapDraws, alpha: float | Array) -> Array:
    """Return (P,) lower bounds at level alpha; minus infinity where the draws are too few."""
    rank = np.full(len(draws.estimate), alpha, np.float64)
    if draws.units is not None:
        rank[:] = contracted(rank, draws.units)
    enough = alpha >= (1 - _ROUNDING) * np.maximum(1 / (draws.n + 1), draws.least)
    place = np.floor((draws.n + 1) * rank + _ROUNDING).astype(np.int64)
    bounds = draws.values[np.clip(place, 1, draws.n) - 1, np.arange(len(place))]
    return np.where((place >= 1) & enough, bounds, -np.inf)


def upper(draws: BootstrapDraws, alpha: float | Array) -> Array:
    """Return (P,) upper bounds at level alpha; infinity where the draws are too few."""
    return -lower(draws.turned, alpha)


def monte_carlo_error(p: Array, draws: BootstrapDraws, sides: int) -> Array:
    """Return the Monte Carlo standard error of one- or two-sided p-values; 0 for the least one.

    Parameters
    ----------
    p
        The p-values.
    draws
        What they were taken from. The slope of `expanded` turns the error of a share of draws into
        that of its p-value.
    sides
        1 or 2.
    """
    tail, n = p / sides, draws.n
    varies = tail > draws.least
    if draws.units is None:
        return np.where(varies, sides * np.sqrt(tail * (1 - tail) / n), 0.0)
    share = np.clip(contracted(tail, draws.units), 1 / (n + 1), n / (n + 1))
    near = 1e-4 * np.minimum(share, 1 - share)
    rise = expanded(share + near, draws.units) - expanded(share - near, draws.units)
    error = sides * rise / (2 * near) * np.sqrt(share * (1 - share) / n)
    return np.where(varies, error, 0.0)

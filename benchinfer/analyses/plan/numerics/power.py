"""Power of tests across data sets.

The variance of the difference of two algorithms over D data sets with R replications each is
``2 (v + e / R) / D``, with v the variance of an algorithm's effect between data sets and e the
residual variance. What data sets and replications share cancels.

Of one comparison the power to show a difference is in statsmodels, too (``TTestPower``), whose
import costs .43 s of CPU; equivalence, families and variances that are estimated are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np
from scipy.special import gammaincinv, nctdtr, ndtr

from benchinfer.numerics.max_t import ALONE, Aim, CriticalFamily, critical
from benchinfer.numerics.types import Array

MOST = 10**7  # data sets or replications beyond which no plan is sensible
_RELATIVE = 1e-13  # relative precision of differences found by bisection


class Varies(Protocol):
    """Protocol of a variance of an estimated difference with its degrees of freedom."""

    def variance(self, n_datasets: float, n_replications: float) -> float | Array:
        """Return the variance of the estimated difference, or equally likely values of it."""
        ...

    def df(self, n_datasets: float, n_replications: float) -> float:
        """Return the degrees of freedom of its estimate."""
        ...


@dataclass(frozen=True, slots=True)
class DifferenceSpread:
    """Sources of variation of a difference of two algorithms.

    Attributes
    ----------
    between
        Variance of an algorithm's effect between data sets; 0 for claims about given data sets.
    residual
        Variance of a replication.
    given
        Whether the data sets are given: the degrees of freedom then are those of replications.
    overlap
        ``rho / (1 - rho)`` of overlapping resamples; it does not vanish with replications.
    errors
        How many times the degrees of freedom of one pair's own error the test has: K - 1 where all
        pairs of K algorithms share one error.
    """

    between: float
    residual: float
    given: bool = False
    overlap: float = 0.0
    errors: int = 1

    def variance(self, n_datasets: float, n_replications: float) -> float:
        """Return the variance of the estimated difference."""
        within = self.residual * (1 / n_replications + self.overlap)
        return 2 * (self.between + within) / n_datasets

    def df(self, n_datasets: float, n_replications: float) -> float:
        """Return the degrees of freedom: D - 1, or D (R - 1) of given data sets, times `errors`."""
        single = n_datasets * (n_replications - 1) if self.given else n_datasets - 1
        return self.errors * single


@dataclass(frozen=True, slots=True)
class Aimed:
    """Aim of an experiment."""

    # ``"difference"``: a true difference; ``"equivalence"``: that algorithms without a difference
    # differ by less than it; ``"non-inferiority"``: that the first of two algorithms without a
    # difference is not worse by it
    aim: Aim
    difference: float  # the true difference, or the margin
    alpha: float  # level of the family of comparisons
    family: CriticalFamily = ALONE  # the comparisons made together; one by default

    def critical(self, df: float) -> float:
        """Return the critical value of one comparison of the family."""
        return critical(self.family, self.aim, self.alpha, df)


def power(aimed: Aimed, variance: float | Array, df: float) -> float:
    """Return the probability to show what is aimed at, by t tests; the mean over variances.

    ``difference``: ``P(|T| > t_{1 - alpha / 2})`` with T noncentral at ``difference / sd``.
    ``equivalence``: two one-sided tests at a true difference of 0,
    ``max(0, 2 F(margin / sd - t_{1 - alpha}) - 1)`` averaged over the estimated sd.

    Examples
    --------
    >>> spread = DifferenceSpread(between=4e-4, residual=6e-4)
    >>> aimed = Aimed("difference", 0.01, 0.05)
    >>> round(power(aimed, spread.variance(20, 10), spread.df(20, 10)), 6)
    0.28825
    """
    if df <= 0:
        return 0.0
    # Without variance everything is shown.
    shift = aimed.difference / np.sqrt(np.maximum(np.atleast_1d(variance), 1e-300))
    critical = aimed.critical(df)
    if aimed.aim == "equivalence":
        # Over the estimated sd: P(|Z| < shift - critical s) for s^2 ~ chi2_df / df.
        within = shift[:, None] - critical * _scales(df)
        return float(np.maximum(0.0, 2 * ndtr(within) - 1).mean(axis=1).mean())
    upper = _above(critical, shift, df)
    probability = upper + _above(critical, -shift, df) if aimed.aim == "difference" else upper
    return float(probability.mean())


def least_datasets(aimed: Aimed, spread: Varies, n_replications: float, wanted: float) -> int:
    """Return the smallest number of data sets with the wanted power; `MOST` where none has it.

    Examples
    --------
    >>> spread = DifferenceSpread(between=4e-4, residual=6e-4)
    >>> least_datasets(Aimed("difference", 0.01, 0.05), spread, 10, 0.8)
    75
    """
    return _least(lambda d: _power(aimed, spread, d, n_replications), wanted)


def least_replications(aimed: Aimed, spread: Varies, n_datasets: float, wanted: float) -> int:
    """Return the smallest number of replications with the wanted power; `MOST` where none has it.

    Over a domain there may be none: in the normal limit it takes more than
    ``2 (v + e rho / (1 - rho)) (c + z_{wanted})^2 / difference^2`` data sets.
    """
    return _least(lambda r: _power(aimed, spread, n_datasets, r), wanted)


def detectable(aimed: Aimed, variance: float | Array, df: float, wanted: float) -> float:
    """Return the smallest difference (or margin) that is shown with the wanted power."""
    sd = math.sqrt(np.max(variance))
    if sd == 0:
        return 0.0
    if df <= 0:
        return math.inf
    low, high = 0.0, sd
    while power(replace(aimed, difference=high), variance, df) < wanted:
        high *= 2
    while high - low > _RELATIVE * high:
        middle = (low + high) / 2
        if power(replace(aimed, difference=middle), variance, df) < wanted:
            low = middle
        else:
            high = middle
    return high


def best_replications(
    spread: DifferenceSpread, per_dataset: float, per_replication: float
) -> float:
    """Return the replications per data set that give most for a cost ``D (c_D + R c_R)``.

    ``sqrt(c_D e / (c_R v))``, with the part of the residual that replications cannot reduce in v.
    """
    fixed = spread.between + spread.residual * spread.overlap
    if fixed == 0:
        return math.inf
    return math.sqrt(per_dataset / per_replication * spread.residual / fixed)


def _power(aimed: Aimed, spread: Varies, n_datasets: float, n_replications: float) -> float:
    variance = spread.variance(n_datasets, n_replications)
    return power(aimed, variance, spread.df(n_datasets, n_replications))


def _least(reached: Callable[[int], float], wanted: float) -> int:
    """Double until the power is reached, then halve the gap: power rises with the number."""
    low, high = 1, 2
    while reached(high) < wanted:
        low, high = high, 2 * high
        if high > MOST:
            return MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return high


def _above(critical: float, shift: Array, df: float) -> Array:
    """Return P(T > critical) of a noncentral t, as P(-T < -critical)."""
    near = nctdtr(df, -np.clip(shift, -8, critical + 8), -critical)
    near = np.nan_to_num(near, nan=0.0)  # what it gives up on is below 1e-15
    return np.where(shift > critical + 8, 1.0, np.where(shift < -8, 0.0, near))


@lru_cache(maxsize=64)
def _scales(df: float) -> Array:
    return np.sqrt(_chi2_quantile(_middles(2000), df) / df)


def _chi2_quantile(p: float | Array, df: float) -> Array:
    return np.asarray(2 * gammaincinv(df / 2, p), dtype=np.float64)


def _middles(n: int) -> Array:
    """Return the middles of n equal parts of [0, 1]."""
    return (np.arange(n) + 0.5) / n


@dataclass(frozen=True, slots=True)
class Pilot:
    """The size of a pilot experiment."""

    # Degrees of freedom of the mean square of algorithms on data sets, (D - 1)(K - 1)
    df_between: float
    df_residual: float  # degrees of freedom of the residual; 0 for one score per cell
    n_replications: float  # replications per data set and algorithm


@dataclass(frozen=True, slots=True)
class Bound:
    """A confidence bound of the variance of a difference, for any number of replications.

    With ``M = R v + e`` the mean square of a pilot of R replications, the variance of an
    algorithm's mean on a data set with r replications is ``M / R + e (1 / r - 1 / R)``. The bounds
    of M and e are those of chi-squared; that of the sum adds their distances in squares (MOVER).

    Attributes
    ----------
    spread
        The estimates.
    pilot
        What they rest on.
    level
        Two-sided confidence level.
    side
        Which bound.

    References
    ----------
    Zou, G. Y. & Donner, A. (2008). Construction of confidence limits about effect measures: a
    general approach. Statistics in Medicine 27, 1693-1702. https://doi.org/10.1002/sim.3095
    """

    spread: DifferenceSpread
    pilot: Pilot
    level: float
    side: Literal["low", "high"]

    def variance(self, n_datasets: float, n_replications: float) -> float:
        """Return the bound of the variance of the estimated difference."""
        s, p = self.spread, self.pilot
        if s.given:
            within = self._limit(s.residual, p.df_residual, self.side)
            return 2 * within * (1 / n_replications + s.overlap) / n_datasets
        mean_square = p.n_replications * s.between + s.residual
        weights = (1 / p.n_replications, 1 / n_replications - 1 / p.n_replications)
        known = ((mean_square, p.df_between), (s.residual, p.df_residual))
        total, gap = 0.0, 0.0
        for weight, (value, df) in zip(weights, known, strict=True):
            total += weight * value
            side = self.side if weight > 0 else {"low": "high", "high": "low"}[self.side]
            if weight * value:
                gap += (weight * (self._limit(value, df, side) - value)) ** 2
        sign = 1 if self.side == "high" else -1
        return 2 * max(total + sign * math.sqrt(gap), 0.0) / n_datasets

    def df(self, n_datasets: float, n_replications: float) -> float:
        """Return the degrees of freedom of the planned experiment."""
        return self.spread.df(n_datasets, n_replications)

    def _limit(self, value: float, df: float, side: str) -> float:
        tail = (1 - self.level) / 2
        return value * df / float(_chi2_quantile(tail if side == "high" else 1 - tail, df))


_VALUES = 100  # quantiles that represent the distribution of a variance


@dataclass(frozen=True, slots=True)
class Uncertain:
    """Variance of a difference as a pilot leaves it: its distribution.

    The mean squares ``M = R v + e`` of algorithms on data sets and e of the residual, each with its
    degrees of freedom, have inverse chi-squared distributions about their estimates: the posterior
    of the prior ``1 / (M e)``, with v at least 0. An algorithm's mean on a data set with r
    replications has the variance ``v + e / r``. Power averaged over that is assurance.

    Attributes
    ----------
    spread
        The estimates.
    pilot
        What they rest on.

    References
    ----------
    O'Hagan, A., Stevens, J. W. & Campbell, M. J. (2005). Assurance in clinical trial design.
    Pharmaceutical Statistics 4, 187-201. https://doi.org/10.1002/pst.175
    """

    spread: DifferenceSpread
    pilot: Pilot

    def variance(self, n_datasets: float, n_replications: float) -> Array:
        """Return equally likely variances of the estimated difference."""
        return 2 * _values(self.spread, self.pilot, n_replications) / n_datasets

    def df(self, n_datasets: float, n_replications: float) -> float:
        """Return the degrees of freedom of the planned experiment."""
        return self.spread.df(n_datasets, n_replications)


@lru_cache(maxsize=256)
def _values(spread: DifferenceSpread, pilot: Pilot, n_replications: float) -> Array:
    """Return equally likely variances of an algorithm's mean on a data set."""
    residual = spread.residual * np.ones(1)
    if spread.residual and pilot.df_residual > 0:
        residual = _inverse_chi2(spread.residual, pilot.df_residual)
    within = residual * (1 / n_replications + spread.overlap)
    if spread.given:
        return within
    mean_square = pilot.n_replications * spread.between + spread.residual
    squares = _inverse_chi2(mean_square, pilot.df_between)
    between = np.maximum(squares[:, None] - residual, 0.0) / pilot.n_replications
    return np.quantile(between + within, _middles(_VALUES), method="hazen")


def _inverse_chi2(value: float, df: float) -> Array:
    return value * df / _chi2_quantile(_middles(_VALUES), df)

"""What a pilot experiment leaves uncertain of the variances that a plan rests on."""

import math
from dataclasses import dataclass
from typing import Literal

from scipy.stats import chi2

from benchinfer.numerics.power import Spread


@dataclass(frozen=True, slots=True)
class Pilot:
    """The size of a pilot experiment.

    Attributes
    ----------
    df_between
        Degrees of freedom of the mean square of algorithms on data sets, (D - 1)(K - 1).
    df_residual
        Degrees of freedom of the residual; 0 for one score per cell.
    n_replications
        Replications per data set and algorithm.
    """

    df_between: float
    df_residual: float
    n_replications: float


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

    spread: Spread
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
        return value * df / float(chi2.ppf(tail if side == "high" else 1 - tail, df))

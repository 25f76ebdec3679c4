"""Power of comparisons over data sets: how many data sets and replications a difference needs.

The variance of the difference of two algorithms over D data sets with R replications each is
``2 (v + e / R) / D``, with v the variance of an algorithm's effect between data sets and e the
residual variance. What data sets and replications share cancels.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import nct
from scipy.stats import t as student_t

type Array = NDArray[np.float64]
type Aim = Literal["difference", "equivalence", "non-inferiority"]

MOST = 10**7  # data sets or replications beyond which no plan is sensible


@dataclass(frozen=True, slots=True)
class Spread:
    """What varies in the difference of two algorithms.

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
    """

    between: float
    residual: float
    given: bool = False
    overlap: float = 0.0

    def variance(self, n_datasets: float, n_replications: float) -> float:
        """Return the variance of the estimated difference."""
        within = self.residual * (1 / n_replications + self.overlap)
        return 2 * (self.between + within) / n_datasets

    def df(self, n_datasets: float, n_replications: float) -> float:
        """Return the degrees of freedom: D - 1, or D (R - 1) of given data sets."""
        return n_datasets * (n_replications - 1) if self.given else n_datasets - 1


@dataclass(frozen=True, slots=True)
class Aimed:
    """What an experiment is to show.

    Attributes
    ----------
    aim
        ``"difference"``: a true difference; ``"equivalence"``: that algorithms which are alike
        differ by less than it; ``"non-inferiority"``: that the first of algorithms which are alike
        is not worse by it.
    difference
        The true difference, or the margin.
    alpha
        Level of one comparison.
    """

    aim: Aim
    difference: float
    alpha: float

    @property
    def tail(self) -> float:
        """The level of one side."""
        return self.alpha / 2 if self.aim == "difference" else self.alpha


def power(aimed: Aimed, variance: float, df: float) -> float:
    """Return the probability to show what is aimed at, by t tests.

    ``difference``: ``P(|T| > t_{1 - alpha / 2})`` with T noncentral at ``difference / sd``.
    ``equivalence``: two one-sided tests at a true difference of 0,
    ``max(0, 2 F(margin / sd - t_{1 - alpha}) - 1)`` averaged over the estimated sd.

    Examples
    --------
    >>> spread = Spread(between=4e-4, residual=6e-4)
    >>> aimed = Aimed("difference", 0.01, 0.05)
    >>> round(power(aimed, spread.variance(20, 10), spread.df(20, 10)), 6)
    0.28825
    """
    if df <= 0:
        return 0.0
    if variance <= 0:
        return 1.0
    shift = aimed.difference / math.sqrt(variance)
    critical = float(student_t.isf(aimed.tail, df))
    if aimed.aim == "equivalence":
        return _equivalent(shift, critical, df)
    upper = _above(critical, shift, df)
    return upper + _above(critical, -shift, df) if aimed.aim == "difference" else upper


def _above(critical: float, shift: float, df: float) -> float:
    """Return P(T > critical) of a noncentral t, which scipy does not give far out."""
    if shift > critical + 8:
        return 1.0
    if shift < -8:
        return 0.0
    return float(nct.sf(critical, df, shift))


def _equivalent(shift: float, critical: float, df: float) -> float:
    """Integrate over the estimated sd: P(|Z| < shift - critical s) for s^2 ~ chi2_df / df."""
    from scipy.stats import chi2

    share = (np.arange(2000) + 0.5) / 2000
    scale = np.sqrt(chi2.ppf(share, df) / df)
    return float(np.mean(np.maximum(0.0, 2 * ndtr(shift - critical * scale) - 1)))

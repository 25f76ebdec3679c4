"""Means of algorithms on data sets, and differences of pairs on the data sets that they share.

A pair has the mean of its own differences, one for each data set that holds both, with the error of
the paired t-test. No other algorithm has a part in these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.covariance import AdditiveFit, Estimates, additive_fit
from benchinfer.numerics.rotations import FILLED
from benchinfer.numerics.shifts import column_means
from benchinfer.numerics.types import Array, Codes, Flags

# A standard deviation below this share of the means is the noise of their rounding.
_NOISE = 1e-12
# Differences that say something of a domain of data sets.
FEWEST_SHARED = 3


@savable
@shaped(mean="N K")
@dataclass(frozen=True, slots=True)
class SharedMeans:
    """Means over replications of K algorithms on D data sets, each data set of equal weight.

    Attributes
    ----------
    mean
        (D, K) means on the modelling scale, larger is better; NaN where a cell is empty.
    """

    mean: Array

    @staticmethod
    def of_moments(stats: Statistics) -> SharedMeans:
        """Return the means that moments hold, up to rounding."""
        with np.errstate(invalid="ignore", divide="ignore"):
            centred = np.where(stats.n > 0, stats.total / stats.n, np.nan)
        return SharedMeans((centred + stats.offset + stats.delta[:, None]) * stats.scale)

    @property
    def fit(self) -> AdditiveFit:
        """The additive fit of data sets and algorithms."""
        return additive_fit(self.mean)

    @property
    def levels(self) -> Array:
        """(K,) means over data sets, gaps filled by the additive fit."""
        return self.fit.levels

    @property
    def centred(self) -> Array:
        """(D, K) means less the effects of data sets; NaN where a cell is empty."""
        return self.mean - self.fit.row[:, None]

    @property
    def filled(self) -> Array:
        """(D, K) means less the effects of data sets, gaps filled by the additive fit."""
        fit = self.fit
        return fit.filled - fit.row[:, None]

    @property
    def nearly_complete(self) -> bool:
        """Whether gaps are so few that the additive fit fills them for statements of all pairs."""
        return FILLED * int(np.isnan(self.mean).sum(axis=0).max()) <= len(self.mean)

    def differences(self, contrasts: Array) -> Array:
        """Return (D, J) contrasts of the means; NaN where an algorithm is absent."""
        return _combined(self.mean, contrasts)

    def shared(self, contrasts: Array) -> Codes:
        """Return (J,) numbers of data sets that hold all algorithms of a contrast."""
        return np.isfinite(self.differences(contrasts)).sum(axis=0)

    def silent(self, contrasts: Array) -> Flags:
        """Return which contrasts have too few data sets to be tested."""
        return self.shared(contrasts) < min(FEWEST_SHARED, len(self.mean))

    def deletion(self, contrasts: Array) -> Array:
        """Return (D, J) how contrasts of all data sets differ from those without each of them."""
        differences = self.differences(contrasts)
        tests = column_means(differences)
        away = (differences - tests.estimate) / np.maximum(tests.n - 1, 1)
        return np.where(np.isfinite(differences), away, 0.0)

    def estimates(self, contrasts: Array, *, asymptotic: bool = False) -> Estimates:
        """Estimate (J, K) contrasts, and behind them the levels.

        A contrast is tested by the t-test of its differences on the data sets that hold all its
        algorithms; of too few there is no error, and without any the estimate is that of the
        levels. Errors of levels are from the spread between data sets. Degrees of freedom are
        infinite if `asymptotic`.

        References
        ----------
        Student (1908). The probable error of a mean. Biometrika 6, 1-25.
        https://doi.org/10.1093/biomet/6.1.1
        """
        fit, mean = self.fit, self.mean
        tests = column_means(self.differences(contrasts))
        size = _combined(np.abs(mean), np.abs(contrasts))
        error = np.where(self.silent(contrasts), 0.0, tests.std_error)
        error = _without_noise(error, size, tests.n)
        estimate = np.where(tests.n > 0, tests.estimate, contrasts @ fit.levels)
        n = np.isfinite(mean).sum(axis=0)
        of_levels = _without_noise(np.sqrt(fit.covariance().diagonal()), np.abs(mean), n)
        df = np.maximum(np.r_[tests.n, n] - 1.0, 1.0)
        return Estimates(
            np.r_[estimate, fit.levels],
            np.r_[error, of_levels],
            np.full_like(df, np.inf) if asymptotic else df,
        )


def _combined(values: Array, weights: Array) -> Array:
    """Return (D, J) weighted sums of columns (D, K), NaN where one with a weight is absent."""
    involved, present = (weights != 0).astype(np.float64), np.isfinite(values)
    lacking = present.astype(np.float64) @ involved.T < involved.sum(axis=1)
    return np.where(lacking, np.nan, np.where(present, values, 0.0) @ weights.T)


def _without_noise(error: Array, size: Array, n: Codes) -> Array:
    """Return errors of means of n values, 0 where these vary by the rounding of their size only."""
    largest = np.where(np.isfinite(size), size, 0.0).max(axis=0, initial=0.0)
    return np.where(error * np.sqrt(n) <= _NOISE * largest, 0.0, error)

"""Survival of a largest normal statistic, and what a common unknown variance makes of it.

With N(w) the chance that the largest of n standard normal statistics exceeds w, that of the largest
t statistic is E N(t S), S^2 ~ chi-square(df) / df. N is evaluated at a few points only: the log of
its ratio to Bonferroni's bound is smooth, so that one polynomial serves all thresholds.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr

type Array = NDArray[np.float64]

# Beyond, the ratio to Bonferroni's bound no longer changes: probabilities below 1e-22, or one.
_HIGHEST = 10.0
LOWEST = -8.0
_DEGREE = 384


@dataclass(frozen=True, slots=True)
class NormalTail:
    """N(w), the survival of the largest of n standard normal statistics.

    Attributes
    ----------
    coefficients
        Chebyshev coefficients of the log of N(w) over Bonferroni's bound.
    low
        Left end of their interval.
    count
        The number of tails in the bound: n, or 2n for absolute values.
    """

    coefficients: Array
    low: float
    count: int

    def __call__(self, w: Array) -> Array:
        """Return N(w), elementwise."""
        inside = np.clip(w, self.low, _HIGHEST)
        x = (2 * inside - self.low - _HIGHEST) / (_HIGHEST - self.low)
        ratio = chebyshev.chebval(x, self.coefficients)
        return np.exp(np.minimum(ratio + np.log(self.count) + log_ndtr(-w), 0.0))


def normal_tail(
    survival: Callable[[Array], Array], count: int, low: float, tolerance: float = 1e-11
) -> NormalTail:
    """Fit a survival function of n normal statistics.

    Parameters
    ----------
    survival
        N(w) for a vector w, accurate relative to itself.
    count
        The number of tails: that of statistics, or twice of absolute values.
    low
        The smallest w of interest: 0 for absolute values, `LOWEST` for values.
    tolerance
        The degree doubles until the last coefficients are below it.
    """
    degree = 24
    while True:
        degree *= 2
        x = chebyshev.chebpts1(degree + 1)
        w = low + (x + 1) / 2 * (_HIGHEST - low)
        bound = log_ndtr(-w) + np.log(count)
        log_ratio = np.log(np.clip(survival(w), 1e-300, 1.0)) - bound
        # At these points the polynomials are orthogonal.
        coefficients = 2 / (degree + 1) * chebyshev.chebvander(x, degree).T @ log_ratio
        coefficients[0] /= 2
        if degree >= _DEGREE or np.abs(coefficients[-4:]).max() < tolerance:
            return NormalTail(coefficients, low, count)


def over_chi(normal: Callable[[Array], Array], t: Array, df: float) -> Array:
    """Return E N(t S), S^2 ~ chi-square(df) / df.

    The trapezoidal rule in log S: the integrand is analytic and falls fast on both sides, so that
    the error is that of rounding.

    Parameters
    ----------
    normal
        N(w) for arrays w of any shape.
    t
        (n,) thresholds.
    df
        Degrees of freedom, ``inf`` for a known variance.
    """
    if np.isinf(df):
        return normal(t)
    spread = 1 / np.sqrt(2 * df)
    step = 0.35 * min(spread, 0.35)
    # The chi density falls like e^(df u) to the left of u = log S = 0 and much faster to the
    # right; a large threshold moves the mass of the product to smaller S.
    shift = 0.5 * np.log1p(np.abs(t).max(initial=0) ** 2 / df)
    u = np.arange(-shift - max(37 / df, 9 * spread), 9 * spread + 9 / df, step)
    log_norm = np.log(2.0) + df / 2 * np.log(df / 2) - gammaln(df / 2)
    weight = step * np.exp(df * u - df * np.exp(2 * u) / 2 + log_norm)
    keep = weight > 0
    scale, weight = np.exp(u[keep]), weight[keep]
    return np.minimum(normal(t[:, None] * scale) @ weight, 1.0)

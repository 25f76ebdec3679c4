"""Variances of few scores, shrunk towards each other."""

from dataclasses import dataclass

import numpy as np
from scipy.special import polygamma, psi

from benchinfer.numerics.types import Array

# Variances below this share of the median are taken as so large, as limma does.
_LEAST = 1e-5


@dataclass(frozen=True, slots=True)
class Moderated:
    """Moderated variances."""

    variance: Array  # (D,) variances
    prior: float  # the variance that they are shrunk to
    # How many degrees of freedom it is worth; infinite where the variances differ no more than by
    # chance
    prior_df: float


def moderated(variance: Array, df: Array) -> Moderated:
    """Shrink variances to a common one, as far as they differ by no more than chance.

    True variances are taken as scaled inverse chi-squared about a prior one; both its size and its
    degrees of freedom are estimated from the mean and the variance of the logs.

    Estimates (D,) are positive, from two on; `df` (D,) are their degrees of freedom.

    References
    ----------
    Smyth, G. K. (2004). Linear models and empirical Bayes methods for assessing differential
    expression in microarray experiments. Statistical Applications in Genetics and Molecular Biology
    3(1), 3. https://doi.org/10.2202/1544-6115.1027

    Examples
    --------
    Variances that differ no more than by chance become equal.

    >>> moderated(np.array([1.0, 2.0, 3.0]), np.full(3, 2.0)).variance
    array([2., 2., 2.])
    """
    seen = np.maximum(variance, _LEAST * np.median(variance))
    logs = np.log(seen) - psi(df / 2) + np.log(df / 2)
    excess = float(logs.var(ddof=1) - polygamma(1, df / 2).mean())
    if excess <= 0:
        prior = float(seen.mean())
        return Moderated(np.full_like(seen, prior), prior, np.inf)
    prior_df = 2 * _inverse_trigamma(excess)
    prior = float(np.exp(logs.mean() + psi(prior_df / 2) - np.log(prior_df / 2)))
    return Moderated((prior_df * prior + df * variance) / (prior_df + df), prior, prior_df)


def _inverse_trigamma(y: float) -> float:
    """Return the x > 0 at which the trigamma function is y, by Newton's method for 1 / trigamma."""
    if y < 1e-6:
        return 1 / y
    x = 0.5 + 1 / y
    for _ in range(50):
        value = float(polygamma(1, x))
        step = value * (1 - value / y) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return x

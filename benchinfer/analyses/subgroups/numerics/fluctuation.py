"""Tests of the stability of estimates along a characteristic of the data sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from benchinfer.analyses.subgroups.numerics.suprema import p_largest

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]

# Directions in which the scores vary less than this, relative to the largest, say nothing.
_LEAST = 1e-10


@dataclass(frozen=True, slots=True)
class Fluctuation:
    """One test of stability.

    Attributes
    ----------
    statistic
        Largest score statistic over all places of a break, or the chi-squared statistic of
        categories. NaN where the characteristic cannot be tested.
    p_value
        Not adjusted; NaN where there is no test.
    """

    statistic: float
    p_value: float


UNTESTED = Fluctuation(float("nan"), float("nan"))


def standardised(scores: Array) -> Array:
    """Return the (n, r) scores of a fit, uncorrelated, each column of mean square 1 / n.

    The covariance is the outer product of the scores, so that outcomes of a data set may depend on
    each other. Directions in which nothing varies are left out.

    Parameters
    ----------
    scores
        (n, q) derivatives of the log likelihood of each data set at the estimates; they sum to 0
        where the likelihood has a maximum.
    """
    centred = (scores - scores.mean(axis=0)) / np.sqrt(len(scores))
    value, vector = np.linalg.eigh(centred.T @ centred)
    kept = value > _LEAST * max(float(value.max(initial=0.0)), np.finfo(float).tiny)
    return centred @ (vector[:, kept] / np.sqrt(value[kept]))


def along_numbers(process: Array, values: Array, fewest: int) -> Fluctuation:
    """Test stability along a number: the largest score statistic over all places of a break.

    Parameters
    ----------
    process
        (n, r) from `standardised`.
    values
        (n,) the characteristic. Breaks lie between different values.
    fewest
        Least number of data sets on either side of a break; at least a tenth of them in any case.

    References
    ----------
    Zeileis, A., Hothorn, T. & Hornik, K. (2008). Model-based recursive partitioning. Journal of
    Computational and Graphical Statistics 17, 492-514. https://doi.org/10.1198/106186008X319331
    """
    n, parameters = process.shape
    fewest = max(fewest, -(-n // 10))
    order = np.argsort(values, kind="stable")
    last = np.flatnonzero(np.diff(values[order]) > 0) + 1
    last = last[(last >= fewest) & (last <= n - fewest)]
    if not len(last) or not parameters:
        return UNTESTED
    share = last / n
    walk = np.cumsum(process[order], axis=0)[last - 1]
    statistic = float(((walk**2).sum(axis=1) / (share * (1 - share))).max())
    odds = share / (1 - share)
    ratio = float(odds[-1] / odds[0])
    return Fluctuation(statistic, p_largest(statistic, parameters, ratio, len(last)))


def along_categories(process: Array, codes: Codes) -> Fluctuation:
    """Test stability over categories: the chi-squared statistic of their mean scores.

    Parameters
    ----------
    process
        (n, r) from `standardised`.
    codes
        (n,) category of each data set.
    """
    n, parameters = process.shape
    there, code, size = np.unique(codes, return_inverse=True, return_counts=True)
    if len(there) < 2 or not parameters:
        return UNTESTED
    sums = np.zeros((len(there), parameters))
    np.add.at(sums, code, process)
    statistic = float(((sums**2).sum(axis=1) / (size / n)).sum())
    return Fluctuation(statistic, float(chi2.sf(statistic, parameters * (len(there) - 1))))


def adjusted(p_values: Array) -> Array:
    """Return p-values adjusted for several characteristics by Sidak's method.

    In the limit the statistics are the largest norms of jointly normal vectors, for which Sidak's
    inequality holds however characteristics depend on each other (Royen 2014).

    Parameters
    ----------
    p_values
        (C,), NaN where there is no test.

    References
    ----------
    Royen, T. (2014). A simple proof of the Gaussian correlation conjecture extended to
    multivariate gamma distributions. Far East Journal of Theoretical Statistics 48, 139-145.

    Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal
    distributions. Journal of the American Statistical Association 62, 626-633.
    https://doi.org/10.1080/01621459.1967.10482935

    Examples
    --------
    >>> adjusted(np.array([0.02, np.nan, 0.5])).round(4)
    array([0.0396,    nan, 0.75  ])
    """
    tests = np.count_nonzero(~np.isnan(p_values))
    with np.errstate(divide="ignore"):
        return -np.expm1(tests * np.log1p(-p_values))

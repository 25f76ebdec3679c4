"""Differences of mean ranks: Nemenyi's p-values and critical differences.

With ranks 1 to K within each of n blocks, a difference of two mean ranks has the variance
``K (K + 1) / (6 n)`` when all algorithms are alike: a known number, so the quantiles have infinite
degrees of freedom. The statements hold together only if all algorithms are alike; whether two of
them are told apart depends on the others in the table.

References
----------
Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
Machine Learning Research 7, 1-30.

Benavoli, A., Corani, G. & Mangili, F. (2016). Should we really use post-hoc tests based on
mean-ranks? Journal of Machine Learning Research 17, 1-10.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from benchinfer.numerics.studentized import range_survival

type Array = NDArray[np.float64]


def std_error(k: int, n: int) -> float:
    """Return the standard error of a difference of mean ranks of k algorithms in n blocks."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def pairwise(difference: Array, k: int, n: int) -> Array:
    """Return two-sided normal p-values of differences of mean ranks, one by one."""
    return 2 * ndtr(-np.abs(difference) / std_error(k, n))


def nemenyi(difference: Array, k: int, n: int) -> Array:
    """Return Nemenyi's single-step p-values of differences of mean ranks.

    Parameters
    ----------
    difference
        Differences of two mean ranks, any shape.
    k
        Number of algorithms.
    n
        Number of blocks.

    Returns
    -------
    numpy.ndarray
        ``P(Q > sqrt(2) |difference| / std_error)`` for the range Q of k standard normals. (Some
        programs call Bonferroni's adjustment of `pairwise` Nemenyi's: another number.)

    Examples
    --------
    >>> float(nemenyi(np.array(2.1 - 3.25), 5, 30).round(6))
    0.038958
    """
    return range_survival(np.sqrt(2) * np.abs(difference) / std_error(k, n), k)


def nemenyi_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, for all pairs.

    Examples
    --------
    >>> round(nemenyi_difference(5, 30), 4)
    1.1136
    """

    def excess(width: float) -> float:
        return float(np.log(range_survival(np.array(width), k))) - np.log(alpha)

    # Bonferroni's inequality bounds the quantile of the range.
    high = -np.sqrt(2) * float(ndtri(alpha / (k * (k - 1)))) + 1e-6
    quantile = brentq(excess, 1e-9, high, xtol=1e-13)
    return float(quantile) * std_error(k, n) / 2**0.5


def bonferroni_dunn_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Bonferroni and Dunn's critical difference of mean ranks, all against a control.

    Examples
    --------
    >>> round(bonferroni_dunn_difference(5, 30), 4)
    1.0197
    """
    return -float(ndtri(alpha / (2 * (k - 1)))) * std_error(k, n)

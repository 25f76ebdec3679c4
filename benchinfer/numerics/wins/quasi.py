"""Quasi-variances: one number for each algorithm that gives the errors of all differences.

References
----------
Firth, D. & de Menezes, R. X. (2004). Quasi-variances. Biometrika 91, 65-80.
https://doi.org/10.1093/biomet/91.1.65
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from benchinfer.numerics.tukey import all_pairs
from benchinfer.saving import savable

type Array = NDArray[np.float64]


@savable
@dataclass(frozen=True, slots=True)
class QuasiVariances:
    """Quasi-variances of K estimates.

    Attributes
    ----------
    variance
        (K,) with ``variance[i] + variance[j]`` near the variance of the difference of i and j. One
        may be negative.
    low, high
        Least and largest relative error of the standard errors of the differences that they give.
    """

    variance: Array
    low: float
    high: float


def quasi_variances(cov: Array) -> QuasiVariances:
    """Return quasi-variances: least squares on the logs of the variances of differences.

    Parameters
    ----------
    cov
        (K, K) covariance; only differences matter. Those without a variance are left out.

    Examples
    --------
    Independent estimates have their variances.

    >>> quasi_variances(np.diag([1.0, 2.0, 3.0])).variance.round(6)
    array([1., 2., 3.])
    """
    k = len(cov)
    _, matrix = all_pairs(k)
    wanted = np.einsum("pk,kl,pl->p", matrix, cov, matrix)
    if k == 2:
        # One difference cannot say whose error it is.
        return QuasiVariances(np.full(2, wanted[0] / 2), 0.0, 0.0)
    known = wanted > 1e-12 * wanted.max()
    if not known.any():
        return QuasiVariances(np.zeros(k), 0.0, 0.0)
    both, wanted = np.abs(matrix[known]), wanted[known]
    scale = float(wanted.mean())
    target = np.log(wanted / scale)

    def residual(q: Array) -> Array:
        return np.log(np.maximum(both @ q, 1e-12)) - target

    def slope(q: Array) -> Array:
        return both / np.maximum(both @ q, 1e-12)[:, None]

    start = np.maximum(_start(wanted / scale, both), 0.05)
    found = least_squares(residual, start, jac=slope, xtol=1e-14, ftol=1e-14, gtol=1e-12)
    error = np.exp(residual(found.x) / 2) - 1
    return QuasiVariances(scale * found.x, float(error.min()), float(error.max()))


def _start(wanted: Array, both: Array) -> Array:
    return np.linalg.lstsq(both, wanted, rcond=None)[0]

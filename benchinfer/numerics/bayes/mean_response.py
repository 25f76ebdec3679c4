"""Means of a logistic function of something normal or t: probabilities of a whole population."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaincinv

type Array = NDArray[np.float64]

_STEP, _FURTHEST = 1 / 3, 8.0
_MIXED = 21  # nodes for mixing scales


def mean_response(location: Array, variance: Array) -> Array:
    """Return the mean of ``1 / (1 + exp(-x))`` where x is normal.

    Parameters
    ----------
    location, variance
        Means and variances of x, which broadcast.

    Examples
    --------
    >>> mean_response(np.array([0.0, 1.0]), np.array(4.0)).round(4)
    array([0.5   , 0.6477])
    """
    z = np.arange(-_FURTHEST, _FURTHEST + _STEP / 2, _STEP)
    weights = np.exp(-(z**2) / 2)
    weights /= weights.sum()
    sd = np.sqrt(variance)
    found = np.zeros(np.broadcast_shapes(location.shape, sd.shape))
    for node, weight in zip(z, weights, strict=True):
        found += weight * expit(location + node * sd)
    return found


def population_response(
    location: Array, variance: Array, between: Array, df: Array | None = None
) -> Array:
    """Return the mean of ``1 / (1 + exp(-x))`` over data sets.

    Parameters
    ----------
    location
        (C, T, K) means of x.
    variance
        (C, T, 1) variances of what is normal.
    between
        (C, T, K) squared scales of the interactions.
    df
        (C, T) degrees of freedom of the interactions, None where they are normal.
    """
    if df is None:
        return mean_response(location, variance + between)
    u, weights = np.polynomial.legendre.leggauss(_MIXED)
    found = np.zeros_like(location)
    for node, weight in zip((u + 1) / 2, weights / 2, strict=True):
        # The variance of a t is inverse gamma: its quantiles from those of a gamma.
        inverse = np.maximum(gammaincinv(df / 2, node) / (df / 2), 1e-9)
        found += weight * mean_response(location, variance + between / inverse[:, :, None])
    return found

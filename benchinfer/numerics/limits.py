"""Asymptotic null distributions: chi-squared, normal, and the largest of several normals."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, log_ndtr, ndtr

from benchinfer.errors import FitError
from benchinfer.numerics import permute, tukey
from benchinfer.numerics.nulls import Null, PValues, Question

type Array = NDArray[np.float64]


def asymptotic(question: Question) -> Null:
    """Return p-values of the normal limit: chi-squared, normal, and the largest of normals.

    Closed forms (no error) for all pairs in complete blocks and for equally correlated contrasts,
    such as comparisons with a control; otherwise with the error of `tukey.survival`. One-sided
    families need equal correlations.

    Raises
    ------
    FitError
        One-sided contrasts of unequal correlations: use `resample.monte_carlo`.
    """
    test = permute.quadratic(question.moments)
    z = question.observed
    cov = question.moments.cov
    scaled = permute.scaled(cov, question.contrasts)
    held = np.flatnonzero((scaled != 0).any(axis=1))
    raw = np.ones(len(z))
    raw[held] = chdtrc(1, z[held] ** 2) if question.two_sided else ndtr(-z[held])
    single, error = raw.copy(), np.zeros(len(z))
    if len(held) > 1:
        correlation = scaled[held] @ cov @ scaled[held].T
        off = correlation[np.triu_indices(len(held), 1)]
        if off.min() >= 0 and np.ptp(off) < 1e-9 and off.max() < 1 - 1e-9:
            single[held] = _equicorrelated(
                z[held], len(held), float(off.mean()), two_sided=question.two_sided
            )
        elif question.two_sided:
            family = tukey.max_t(_within_range(question.contrasts[held], cov), cov, np.inf)
            single[held], error[held] = tukey.survival(family, np.abs(z[held]))
        else:
            raise FitError("one-sided contrasts of unequal correlations have no closed form.")
    zero = np.zeros(len(z))
    overall = PValues(np.array(test.p_value), np.array(0.0))
    return Null("asymptotic", np.inf, overall, PValues(raw, zero), PValues(single, error), None)


def _within_range(contrasts: Array, cov: Array) -> Array:
    """Take off what lies in the covariance's null space; the contrasts' statistics stay."""
    half = permute.root(cov)
    projected = contrasts @ np.linalg.pinv(half) @ half
    return np.where(np.abs(projected - contrasts) < 1e-9, contrasts, projected)


def _equicorrelated(z: Array, j: int, rho: float, *, two_sided: bool) -> Array:
    """Return ``P(max > z)`` of j normals of correlation rho: ``sqrt(rho) u + sqrt(1 - rho) e``.

    The chance that none of the e is beyond, given u, is a power; one minus it is formed without
    cancellation, and the trapezoidal rule integrates over u.
    """
    c = np.abs(z) if two_sided else z
    points, back = np.unique(c, return_inverse=True)
    u = np.arange(-40.0, 40.0, 0.04)
    own = np.sqrt(1 - rho)
    beyond = np.exp(log_ndtr((np.sqrt(rho) * u - points[:, None]) / own))
    if two_sided:
        beyond = beyond + np.exp(log_ndtr((-np.sqrt(rho) * u - points[:, None]) / own))
    any_beyond = -np.expm1(j * np.log1p(-np.minimum(beyond, 1 - 1e-16)))
    density = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    return np.minimum((any_beyond @ density) * 0.04, 1.0)[back]

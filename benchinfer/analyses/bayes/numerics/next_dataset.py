"""Outcomes of pairs on a data set not seen."""

import numpy as np
from scipy.special import ndtr, stdtr

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws
from benchinfer.numerics.posterior.outcome_probabilities import (
    ENOUGH,
    Outcomes,
    equal_tailed,
    monte_carlo_error,
    of_signs,
    reaching,
)
from benchinfer.numerics.types import Array


def contrast_scales(draws: GibbsDraws, matrix: Array, step: int = 1) -> Array:
    """Return (C, T / step, P) scales of contrasts of the interactions."""
    if draws.covariance is None:
        return draws.scale[:, ::step, None] * np.sqrt((matrix**2).sum(axis=1))
    rows = matrix @ helmert(matrix.shape[1]).T
    c, _, j, _ = draws.covariance.shape
    covariances = draws.covariance[:, ::step].reshape(-1, j * j)
    # All quadratic forms by one matrix product: thousands of draws of hundreds of pairs.
    products = (rows[:, :, None] * rows[:, None, :]).reshape(-1, j * j)
    variance = covariances @ products.T
    return np.sqrt(np.maximum(variance, 0.0)).reshape(c, -1, len(rows))


def new_domain(draws: GibbsDraws, rng: np.random.Generator) -> Array | None:
    """Draw (C, T, J) contrasts of the effects in a new domain; None without domains."""
    if draws.domain_scale is None:
        return None
    departure = rng.standard_normal(draws.average.shape)
    return draws.average + draws.domain_scale[:, :, None] * departure


def next_outcomes(
    draws: GibbsDraws,
    new: Array,
    matrix: Array,
    margin: float,
    level: float,
    centre: Array | None = None,
) -> Outcomes:
    """Return outcome probabilities of contrasts on the next data set.

    Parameters
    ----------
    draws
        Draws of the model.
    new
        (C, T, K) effects on a next data set, one for each draw, for the interval.
    matrix, margin, level
        As in `average_outcomes`; the margin in units of the draws.
    centre
        (C, T, J) contrasts of the effects in a new domain, if the data set is of one.
    """
    c, t = draws.scale.shape
    step = max(c * t * len(matrix) // ENOUGH, 1)
    about = draws.average if centre is None else centre
    d = (about[:, ::step] @ helmert(matrix.shape[1])) @ matrix.T
    scales = contrast_scales(draws, matrix, step)
    df = None if draws.df is None else draws.df[:, ::step, None]
    first, second = _tail((d - margin) / scales, df), _tail((-d - margin) / scales, df)
    between = np.clip(1 - first - second, 0.0, 1.0) if margin > 0 else np.zeros_like(first)
    three = np.stack([first, between, second])
    means = three.mean(axis=(1, 2))
    errors = np.max([monte_carlo_error(part) for part in three], axis=0)
    most = three.argmax(axis=0) == means.argmax(axis=0)
    signs, error = (
        (means[[0, 2]], errors)
        if margin == 0
        else of_signs(np.stack([_tail(d / scales, df), _tail(-d / scales, df)]))
    )
    low, high = reaching(*equal_tailed(new @ matrix.T, level), signs, error, level)
    return Outcomes(
        estimate=(draws.average @ helmert(matrix.shape[1])).mean(axis=(0, 1)) @ matrix.T,
        low=low,
        high=high,
        first=means[0],
        equivalent=means[1],
        second=means[2],
        error=errors,
        dominant=most.mean(axis=(0, 1)) if centre is None else None,
    )


def _tail(x: Array, df: Array | None) -> Array:
    """Return distribution functions of t, or normal."""
    return ndtr(x) if df is None else stdtr(df, x)


def next_effects(draws: GibbsDraws, rng: np.random.Generator, centre: Array | None = None) -> Array:
    """Draw (C, T, K) effects on a next data set, one for each draw.

    Parameters
    ----------
    draws, rng
        Draws of the model, and random numbers.
    centre
        (C, T, J) contrasts of the effects in a new domain, if the data set is of one.
    """
    c, t, j = draws.average.shape
    normal = rng.standard_normal((c, t, j))
    if draws.covariance is None:
        departure = draws.scale[:, :, None] * normal
    else:
        # Semi-definite by rounding at worst: Cholesky of draws that are products of roots.
        departure = (np.linalg.cholesky(draws.covariance) @ normal[..., None])[..., 0]
    if draws.df is not None:
        mixing = draws.df / 2 / rng.standard_gamma(draws.df / 2)
        departure *= np.sqrt(mixing)[:, :, None]
    return ((draws.average if centre is None else centre) + departure) @ helmert(j + 1)

"""Probabilities of outcomes from draws: of pairs on average and on the next data set, of ranks.

On the next data set the contrast of two algorithms is, given a draw, t (or normal) about their
average difference with the interactions' scale, so that the probability of each outcome is known
and only its mean over draws is left to Monte Carlo (Rao-Blackwell).

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from benchinfer.numerics.bayes.gibbs import Draws
from benchinfer.numerics.bayes.reduction import helmert
from benchinfer.saving import savable

type Array = NDArray[np.float64]

# Probabilities given a draw vary little between draws: of many pairs some draws are enough.
_ENOUGH = 1_000_000
_BATCHES = 20


@savable
@dataclass(frozen=True, slots=True)
class Outcomes:
    """What becomes of P contrasts; (P,) arrays.

    Attributes
    ----------
    estimate, low, high
        Posterior mean, and equal-tailed credible bounds.
    first, equivalent, second
        Probabilities that the first is better by more than the margin, that they differ by at most
        the margin, and that the second is better by more.
    error
        Largest Monte Carlo standard error of the three.
    dominant
        Share of draws in which the outcome that is most probable over all draws is the most
        probable one; None where an outcome is certain given a draw, or given a new domain.
    """

    estimate: Array
    low: Array
    high: Array
    first: Array
    equivalent: Array
    second: Array
    error: Array
    dominant: Array | None


def monte_carlo_error(draws: Array) -> Array:
    """Return standard errors of means over draws, by the means of batches.

    Parameters
    ----------
    draws
        (C, T, ...) draws of C chains.
    """
    c, t = draws.shape[:2]
    size = max(t // _BATCHES, 1)
    n = t // size
    batches = draws[:, : n * size].reshape(c * n, size, *draws.shape[2:]).mean(axis=1)
    return batches.std(axis=0, ddof=1) / np.sqrt(len(batches))


def average_outcomes(effects: Array, matrix: Array, margin: float, level: float) -> Outcomes:
    """Say what becomes of contrasts of average effects.

    Parameters
    ----------
    effects
        (C, T, K) draws.
    matrix
        (P, K) contrasts.
    margin
        Which difference does not matter; with 0 no contrast is equivalent.
    level
        Probability of the interval.
    """
    d = effects @ matrix.T
    first, second = d > margin, d < -margin
    shares = [first.mean(axis=(0, 1)), second.mean(axis=(0, 1))]
    between = np.clip(1 - shares[0] - shares[1], 0.0, 1.0)
    low, high = _interval(d, level)
    errors = [monte_carlo_error(part.astype(np.float64)) for part in (first, second)]
    return Outcomes(
        estimate=d.mean(axis=(0, 1)),
        low=low,
        high=high,
        first=shares[0],
        equivalent=between if margin > 0 else np.zeros_like(between),
        second=shares[1],
        error=np.max(errors, axis=0),
        dominant=None,
    )


def _interval(draws: Array, level: float) -> tuple[Array, Array]:
    """Return equal-tailed bounds of (C, T, P) draws."""
    flat = draws.reshape(-1, draws.shape[2])
    low, high = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def contrast_scales(draws: Draws, matrix: Array, step: int = 1) -> Array:
    """Return (C, T / step, P) scales of contrasts of the interactions."""
    if draws.covariance is None:
        return draws.scale[:, ::step, None] * np.sqrt((matrix**2).sum(axis=1))
    rows = matrix @ helmert(matrix.shape[1]).T
    c, _, j, _ = draws.covariance.shape
    kept = draws.covariance[:, ::step].reshape(-1, j * j)
    # All quadratic forms by one matrix product: thousands of draws of hundreds of pairs.
    products = (rows[:, :, None] * rows[:, None, :]).reshape(-1, j * j)
    variance = kept @ products.T
    return np.sqrt(np.maximum(variance, 0.0)).reshape(c, -1, len(rows))


def new_domain(draws: Draws, rng: np.random.Generator) -> Array | None:
    """Draw (C, T, J) contrasts of the effects in a new domain; None without domains."""
    if draws.domain_scale is None:
        return None
    departure = rng.standard_normal(draws.average.shape)
    return draws.average + draws.domain_scale[:, :, None] * departure


def next_outcomes(
    draws: Draws,
    new: Array,
    matrix: Array,
    margin: float,
    level: float,
    centre: Array | None = None,
) -> Outcomes:
    """Say what becomes of contrasts on the next data set.

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
    step = max(c * t * len(matrix) // _ENOUGH, 1)
    about = draws.average if centre is None else centre
    d = (about[:, ::step] @ helmert(matrix.shape[1])) @ matrix.T
    scales = contrast_scales(draws, matrix, step)
    df = None if draws.df is None else draws.df[:, ::step, None]
    first, second = _tail((d - margin) / scales, df), _tail((-d - margin) / scales, df)
    between = np.clip(1 - first - second, 0.0, 1.0) if margin > 0 else np.zeros_like(first)
    three = np.stack([first, between, second])
    means = three.mean(axis=(1, 2))
    most = three.argmax(axis=0) == means.argmax(axis=0)
    low, high = _interval(new @ matrix.T, level)
    return Outcomes(
        estimate=(draws.average @ helmert(matrix.shape[1])).mean(axis=(0, 1)) @ matrix.T,
        low=low,
        high=high,
        first=means[0],
        equivalent=means[1],
        second=means[2],
        error=np.max([monte_carlo_error(part) for part in three], axis=0),
        dominant=most.mean(axis=(0, 1)) if centre is None else None,
    )


def _tail(x: Array, df: Array | None) -> Array:
    """Return distribution functions of t, or normal."""
    return ndtr(x) if df is None else stdtr(df, x)


def next_effects(draws: Draws, rng: np.random.Generator, centre: Array | None = None) -> Array:
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


@savable
@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of K algorithms by draws of their effects; (K,) arrays.

    Attributes
    ----------
    best
        Probability to be best.
    near
        Probability to be at most the margin worse than the best one.
    error
        Largest Monte Carlo standard error of each algorithm's two.
    distribution
        (K, K) probability of each rank, best first.
    """

    best: Array
    near: Array
    error: Array
    distribution: Array

    @property
    def expected(self) -> Array:
        """Expected rank of each algorithm."""
        return self.distribution @ np.arange(1, len(self.best) + 1)

    def interval(self, level: float) -> tuple[Array, Array]:
        """Return the lowest and highest rank of an interval with at least the level."""
        summed = np.cumsum(self.distribution, axis=1)
        rest = (1 - level) / 2 + 1e-12
        low = (summed > rest).argmax(axis=1) + 1
        high = (summed >= 1 - rest).argmax(axis=1) + 1
        return low.astype(np.float64), high.astype(np.float64)


def ranks(effects: Array, margin: float) -> Ranks:
    """Rank (C, T, K) draws of effects, larger is better; algorithms that tie share the top."""
    top = effects.max(axis=2, keepdims=True)
    best = (effects == top).astype(np.float64)
    best /= best.sum(axis=2, keepdims=True)
    near = (effects >= top - margin).astype(np.float64) if margin > 0 else best
    k = effects.shape[2]
    place = (-effects).argsort(axis=2).argsort(axis=2).reshape(-1, k)
    cells = place + k * np.arange(k)
    counts = np.bincount(cells.ravel(), minlength=k * k).reshape(k, k)
    return Ranks(
        best=best.mean(axis=(0, 1)),
        near=near.mean(axis=(0, 1)),
        error=np.maximum(monte_carlo_error(best), monte_carlo_error(near)),
        distribution=counts / len(place),
    )

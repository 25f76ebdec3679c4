"""Probabilities of the outcomes of pairs and of ranks.

On the next data set the contrast of two algorithms is, given a draw, t (or normal) about their
average difference with the interactions' scale, so that the probability of each outcome is known
and only its mean over draws is left to Monte Carlo (Rao-Blackwell).
"""

from dataclasses import dataclass

import numpy as np

from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array

# Probabilities given a draw vary little between draws: of many pairs some draws are enough.
ENOUGH = 1_000_000
_BATCHES = 20


@savable
@dataclass(frozen=True, slots=True)
class Outcomes:
    """Probabilities of the outcomes of P contrasts; (P,) arrays.

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

    `draws` (C, T, ...) are T of each of C chains.
    """
    c, t = draws.shape[:2]
    size = max(t // _BATCHES, 1)
    n = t // size
    batches = draws[:, : n * size].reshape(c * n, size, *draws.shape[2:]).mean(axis=1)
    return batches.std(axis=0, ddof=1) / np.sqrt(len(batches))


def average_outcomes(effects: Array, matrix: Array, margin: float, level: float) -> Outcomes:
    """Say what becomes of contrasts of average effects.

    `effects` are (C, T, K) draws, `matrix` (P, K) contrasts. Differences up to `margin` do not
    matter (with 0 none is equivalent); `level` is that of the interval.

    References
    ----------
    Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison
    of classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
    https://doi.org/10.1007/s10994-017-5641-9
    """
    d = effects @ matrix.T
    first, second = d > margin, d < -margin
    shares = [first.mean(axis=(0, 1)), second.mean(axis=(0, 1))]
    between = np.clip(1 - shares[0] - shares[1], 0.0, 1.0)
    low, high = equal_tailed(d, level)
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


def equal_tailed(draws: Array, level: float) -> tuple[Array, Array]:
    """Return equal-tailed bounds of (C, T, P) draws."""
    flat = draws.reshape(-1, draws.shape[2])
    low, high = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


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

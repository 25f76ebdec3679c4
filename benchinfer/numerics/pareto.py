"""Pareto fronts, and how often algorithms are on them when data sets are drawn anew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Flags = NDArray[np.bool_]

# Levels that differ by less, relative to the largest, are equal: the noise of means.
_NOISE = 1e-12
# Numbers in one chunk of resamples.
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Dominance:
    """Who dominates whom among K algorithms, and in which share of N resamples.

    Attributes
    ----------
    levels : (K, M)
        Means over data sets, larger is better.
    dominates : (K, K)
        Whether row is at least as good as column on all measures and better on one.
    prob_dominates : (K, K)
    prob_front : (K,)
    """

    levels: Array
    dominates: Flags
    prob_dominates: Array
    prob_front: Array


def dominates(levels: Array) -> Flags:
    """Return whether row dominates column (..., K, K), given levels (..., K, M)."""
    noise = _NOISE * np.abs(levels).max(initial=0.0)
    k, m = levels.shape[-2:]
    shape = (*levels.shape[:-2], k, k)
    never_worse, once_better = np.ones(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for j in range(m):
        more = levels[..., :, None, j] - levels[..., None, :, j]
        never_worse &= more >= -noise
        once_better |= more > noise
    return never_worse & once_better


def resampled_dominance(means: Array, resamples: int, seed: int) -> Dominance:
    """Draw data sets with replacement and see who dominates whom.

    Parameters
    ----------
    means
        (D, K, M) means of each algorithm on each data set, larger is better.
    resamples
        N.
    seed
        Of the draws.
    """
    d, k, m = means.shape
    rng = np.random.default_rng(seed)
    pairs, front = np.zeros((k, k), dtype=np.int64), np.zeros(k, dtype=np.int64)
    step = max(1, _CHUNK // (k * k * m))
    for start in range(0, resamples, step):
        weights = rng.multinomial(d, np.full(d, 1 / d), min(step, resamples - start))
        drawn = weights @ means.reshape(d, -1) / d
        found = dominates(drawn.reshape(-1, k, m))
        pairs += found.sum(axis=0)
        front += (~found.any(axis=1)).sum(axis=0)
    levels = means.mean(axis=0)
    return Dominance(levels, dominates(levels), pairs / resamples, front / resamples)

"""Statistics of all scores of an algorithm taken together, in many resamples."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchinfer.numerics.bootstrap import Plan, Sample, draw
from benchinfer.numerics.shuffle import STEP, mix

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]


class Pool(NamedTuple):
    """All scores of each algorithm in increasing order.

    ``starts`` (K + 1,) is where each algorithm begins in ``block``, ``dataset`` and ``value``.
    """

    starts: Counts
    block: Counts
    dataset: Counts
    value: Array


def pool_of(sample: Sample) -> Pool:
    """Return the scores of each algorithm in increasing order."""
    order = [
        b[np.argsort(sample.values[b, a], kind="stable")]
        for a in range(sample.values.shape[1])
        for b in [np.flatnonzero(sample.present[:, a])]
    ]
    block = np.concatenate(order)
    column = np.repeat(np.arange(len(order)), [len(b) for b in order])
    starts = np.cumsum([0, *map(len, order)])
    return Pool(starts, block, sample.dataset[block], sample.values[block, column])


class Reduction(NamedTuple):
    """What a pool is reduced to: a mean without the tails, or a quantile.

    ``weight`` (D, K) is that of each score in a cell, ``cut`` (K,) the share cut off at each end;
    ``quantile`` is of scores with equal weights, -1 for the mean.
    """

    weight: Array
    cut: Array
    quantile: float


@njit(cache=True, nogil=True)
def _trimmed(pool: Pool, reduction: Reduction, times: Counts, a: int) -> float:
    done, mass, total, cut = 0.0, 0.0, 0.0, reduction.cut[a]
    for i in range(pool.starts[a], pool.starts[a + 1]):
        low = max(done, cut)
        done += times[pool.block[i]] * reduction.weight[pool.dataset[i], a]
        inside = min(done, 1.0 - cut) - low
        if inside > 0.0:
            mass += inside
            total += inside * pool.value[i]
    return total / mass


@njit(cache=True, nogil=True)
def _quantile(pool: Pool, q: float, times: Counts, a: int) -> float:
    n = 0
    for i in range(pool.starts[a], pool.starts[a + 1]):
        n += times[pool.block[i]]
    place = q * (n - 1)
    whole = int(place)
    low, seen = np.nan, 0
    for i in range(pool.starts[a], pool.starts[a + 1]):
        seen += times[pool.block[i]]
        if np.isnan(low) and seen > whole:
            low = pool.value[i]
        if seen > whole + 1 or seen == n:
            return low + (place - whole) * (pool.value[i] - low)
    return low


@njit(cache=True, nogil=True)
def _reduced(pool: Pool, reduction: Reduction, times: Counts, a: int) -> float:
    if reduction.quantile < 0:
        return _trimmed(pool, reduction, times, a)
    return _quantile(pool, reduction.quantile, times, a)


@njit(cache=True, nogil=True)
def pooled(
    plan: Plan, pool: Pool, reduction: Reduction, seed: np.uint64, first: int, last: int
) -> Array:
    """Return (last - first, K) statistics of all scores of each algorithm."""
    n_datasets, k = reduction.weight.shape
    found = np.empty((last - first, k))
    times = np.zeros(plan.strata[-1], np.int64)
    for i in range(last - first):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        times[:] = 0
        for slot in range(n_datasets):
            _, state = draw(plan, slot, state, times)
        for a in range(k):
            found[i, a] = _reduced(pool, reduction, times, a)
    return found


@njit(cache=True, nogil=True)
def pooled_without(pool: Pool, weights: Array, cuts: Array, quantile: float, ends: Counts) -> Array:
    """Return (U, K) statistics of all scores but those of the blocks ends[u, 0] .. ends[u, 1] - 1.

    The (U, D, K) weights and (U, K) cuts are those of the scores that remain.
    """
    n_units, k = cuts.shape
    found = np.empty((n_units, k))
    times = np.ones(pool.block.max() + 1, np.int64)
    for u in range(n_units):
        times[ends[u, 0] : ends[u, 1]] = 0
        for a in range(k):
            found[u, a] = _reduced(pool, Reduction(weights[u], cuts[u], quantile), times, a)
        times[ends[u, 0] : ends[u, 1]] = 1
    return found


def cut(n: Counts) -> Array:
    """Return the share of n scores that is cut off at each end."""
    return (n // 4) / n

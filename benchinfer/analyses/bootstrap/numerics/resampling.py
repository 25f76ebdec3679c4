"""Stratified bootstrap resampling.

The blocks of a data set, a block being a replication shared by algorithms or a single score, are
drawn with replacement among those that hold scores of the same algorithms. So a resample has as
many scores of each algorithm on each data set as the table. A resample depends on the seed and its
own number only: results are the same for any split into chunks.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.shuffle import STEP, mix
from benchinfer.numerics.types import Array, Counts, Flags

type Resample = Literal["replications", "datasets", "both"]
_HALF = np.uint64(32)


class ResamplingPlan(NamedTuple):
    """Sampling scheme of a resample.

    ``strata`` (S + 1,) is the first block of each stratum, ``datasets`` (D + 1,) the first stratum
    of each data set; then whether data sets, and blocks within strata, are drawn.
    """

    strata: Counts
    datasets: Counts
    draws_datasets: bool
    draws_blocks: bool


@dataclass(frozen=True, slots=True)
class ScoreSample:
    """Scores of K algorithms in B blocks of D data sets, larger is better."""

    values: Array  # (B, K) scores, 0 where there is none; sorted by data set, then by stratum
    present: Flags  # (B, K) whether there is a score
    dataset: Counts  # (B,) index of each block's data set
    # (S + 1,) first block of each stratum: the blocks of a data set with the same algorithms
    strata: Counts
    first_stratum: Counts  # (D + 1,) first stratum of each data set
    # (B, K) of units of unequal size their number of items over the mean number in their cell, by
    # which scores count in means; None where all count alike
    size: Array | None = None

    @property
    def n_datasets(self) -> int:
        """Number D of data sets."""
        return len(self.first_stratum) - 1

    @property
    def n(self) -> Counts:
        """(D, K) number of scores."""
        first = self.strata[self.first_stratum[:-1]]
        return np.add.reduceat(self.present.astype(np.int64), first, axis=0)

    @property
    def means(self) -> Array:
        """(D, K) means."""
        first = self.strata[self.first_stratum[:-1]]
        return np.add.reduceat(self.values * self.weight, first, axis=0) / self.n

    @property
    def weight(self) -> Array | float:
        """(B, K) what scores count by in means, 1 on average; or 1 for all."""
        return 1.0 if self.size is None else self.size

    @property
    def shares(self) -> tuple[Array, Array]:
        """(B, K) shares of scores in the means of their data sets, and of their sizes.

        Sizes that are all alike are (0, K).
        """
        n = self.n[self.dataset]
        sizes = np.empty((0, n.shape[1])) if self.size is None else self.size / n
        return self.values * self.weight / n, sizes

    def units(self, resample: Resample) -> tuple[float, float]:
        """Return degrees of freedom, and the share of the variance that resamples have.

        Draws from n units have ``(n - 1) / n`` of the variance that an unbiased estimate has.
        """
        size = np.diff(self.strata) if resample == "replications" else np.array([self.n_datasets])
        size = size[size > 1].astype(np.float64)
        return float((size - 1).sum()), float(((size - 1) / size) @ size / size.sum())

    def least(self, resample: Resample) -> float:
        """Return the smallest one-sided p-value of so many units.

        Of n units without a difference all favour the same side with probability ``2^(1 - n)``.
        Where they do, so do all resamples, however many: their share says nothing below ``2^-n``.
        """
        size = np.diff(self.strata)
        n = int(size[size > 1].sum()) if resample == "replications" else self.n_datasets
        return 0.5**n

    def plan(self, resample: Resample | None) -> ResamplingPlan:
        """Return how resamples are drawn; None draws nothing and returns the sample itself."""
        return ResamplingPlan(
            self.strata,
            self.first_stratum,
            resample in ("datasets", "both"),
            resample in ("replications", "both"),
        )

    def with_values(self, values: Array) -> ScoreSample:
        """Return the same layout with other (B, K) scores."""
        return replace(self, values=np.where(self.present, values, 0.0))


def lay_out(
    values: Array, present: Flags, dataset: Counts, size: Array | None = None
) -> ScoreSample:
    """Sort blocks into strata.

    `values` and `present` (B, K) are scores and whether there is one; each algorithm has one on
    each data set `dataset` (B,), 0 .. D - 1. Scores where none is present become 0. `size` is that
    of `ScoreSample`.
    """
    pattern = np.unique(present, axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort([pattern, dataset])
    dataset, pattern = dataset[order], pattern[order]
    new = (np.diff(dataset, prepend=-1) != 0) | (np.diff(pattern, prepend=-1) != 0)
    strata = np.append(np.flatnonzero(new), len(dataset))
    owner = dataset[strata[:-1]]
    first = np.searchsorted(owner, np.arange(int(dataset.max()) + 2))
    there = present[order]
    size = None if size is None else np.where(there, size[order], 0.0)
    return ScoreSample(np.where(there, values[order], 0.0), there, dataset, strata, first, size)


@part
def draw(
    strata: Counts,
    datasets: Counts,
    draws_datasets: bool,
    draws_blocks: bool,
    slot: int,
    state: np.uint64,
    times: Counts,
) -> tuple[np.int64, np.uint64]:
    """Add to (B,) times how often each block of one drawn data set comes; return which it is."""
    d = np.int64(slot)
    if draws_datasets:
        state += STEP
        d = (np.int64(mix(state) >> _HALF) * (len(datasets) - 1)) >> 32
    for s in range(datasets[d], datasets[d + 1]):
        first = strata[s]
        size = strata[s + 1] - first
        if draws_blocks and size > 1:
            for _ in range(size):
                state += STEP
                # The upper half of a word times the size: from uniform by size / 2^32 at most.
                times[first + ((np.int64(mix(state) >> _HALF) * size) >> 32)] += 1
        else:
            for b in range(first, first + size):
                times[b] += 1
    return d, state


def unit_means(
    plan: ResamplingPlan, shares: Array, sizes: Array, seed: np.uint64, first: int, last: int
) -> Array:
    """Return (last - first, D, K) means on each drawn data set, from `ScoreSample.shares`.

    Of units of unequal size they are ratios of the sums of what is drawn.
    """
    n_blocks, k = shares.shape
    means = np.zeros((last - first, len(plan.datasets) - 1, k))
    _add_shares(*plan, shares, seed, first, np.zeros(n_blocks, np.int64), means)
    if len(sizes):
        totals = np.zeros_like(means)
        _add_shares(*plan, sizes, seed, first, np.zeros(n_blocks, np.int64), totals)
        means /= totals
    return means


@entry
def _add_shares(
    strata: Counts,
    datasets: Counts,
    draws_datasets: bool,
    draws_blocks: bool,
    shares: Array,
    seed: np.uint64,
    first: int,
    times: Counts,
    sums: Array,
) -> None:
    """Add the shares of what is drawn to (n, D, K) sums; (B,) times are 0 before and after."""
    for i in range(len(sums)):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        for slot in range(sums.shape[1]):
            d, state = draw(strata, datasets, draws_datasets, draws_blocks, slot, state, times)
            for b in range(strata[datasets[d]], strata[datasets[d + 1]]):
                for a in range(sums.shape[2]):
                    sums[i, slot, a] += times[b] * shares[b, a]
                times[b] = 0


class Pool(NamedTuple):
    """All scores of each algorithm in increasing order.

    ``starts`` (K + 1,) is where each algorithm begins in ``block``, ``dataset`` and ``value``.
    """

    starts: Counts
    block: Counts
    dataset: Counts
    value: Array


def pool_of(sample: ScoreSample) -> Pool:
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


class PoolReduction(NamedTuple):
    """Statistic of a pool: a trimmed mean or a quantile.

    ``weight`` (D, K) is that of each score in a cell, ``cut`` (K,) the share cut off at each end;
    ``quantile`` is of scores with equal weights, None for the mean.
    """

    weight: Array
    cut: Array
    quantile: float | None


@part
def _trimmed(
    block: Counts,
    dataset: Counts,
    value: Array,
    weight: Array,
    cut: float,
    times: Counts,
    a: int,
    start: int,
    end: int,
) -> float:
    i = start
    done = low = mass = total = 0.0
    while i < end:
        done = low + times[block[i]] * weight[dataset[i], a]
        if done > cut:
            break
        low = done
        i += 1
    if i == end:
        return np.nan  # no weight is left
    low = cut
    while done < 1.0 - cut and i + 1 < end:
        mass += done - low
        total += (done - low) * value[i]
        i += 1
        low = done
        done = low + times[block[i]] * weight[dataset[i], a]
    last = min(done, 1.0 - cut) - low
    mass += last
    total += last * value[i]
    return total / mass


@part
def _quantile(block: Counts, value: Array, q: float, times: Counts, start: int, end: int) -> float:
    n = 0
    for i in range(start, end):
        n += times[block[i]]
    place = q * (n - 1)
    below = np.int64(place)
    low, seen = np.nan, 0
    for i in range(start, end):
        seen += times[block[i]]
        if np.isnan(low) and seen > below:
            low = value[i]
        if seen > below + 1 or seen == n:
            return low + (place - below) * (value[i] - low)
    return low


def pooled(
    plan: ResamplingPlan,
    pool: Pool,
    reduction: PoolReduction,
    seed: np.uint64,
    first: int,
    last: int,
) -> Array:
    """Return (last - first, K) statistics of all scores of each algorithm."""
    reduced = np.empty((last - first, reduction.weight.shape[1]))
    times = np.empty(plan.strata[-1], np.int64)
    _pooled(*plan, *pool, *reduction, seed, first, times, reduced)
    return reduced


@entry
def _pooled(
    strata: Counts,
    datasets: Counts,
    draws_datasets: bool,
    draws_blocks: bool,
    starts: Counts,
    block: Counts,
    dataset: Counts,
    value: Array,
    weight: Array,
    cut: Array,
    quantile: float | None,
    seed: np.uint64,
    first: int,
    times: Counts,
    reduced: Array,
) -> None:
    for i in range(len(reduced)):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        for b in range(len(times)):
            times[b] = 0
        for slot in range(len(datasets) - 1):
            _, state = draw(strata, datasets, draws_datasets, draws_blocks, slot, state, times)
        for a in range(len(cut)):
            start, end = starts[a], starts[a + 1]
            # None is known when code is compiled, which saves to compile what is not called.
            if quantile is None:
                reduced[i, a] = _trimmed(
                    block, dataset, value, weight, cut[a], times, a, start, end
                )
            else:
                reduced[i, a] = _quantile(block, value, quantile, times, start, end)


def cut(n: Counts) -> Array:
    """Return the share of n scores that is cut off at each end."""
    return (n // 4) / n

"""Performance profiles and probability of improvement.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchinfer.analyses.bootstrap.numerics import resampling
from benchinfer.analyses.bootstrap.numerics.intervals import gather, lower, upper
from benchinfer.analyses.bootstrap.numerics.resampling import (
    Resample,
    ScoreSample,
    draw,
    pool_of,
)
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.shuffle import STEP, in_spans, mix
from benchinfer.numerics.types import Array, Counts


class Ordered(NamedTuple):
    """Scores of each cell; cell (d, a) begins at ``starts[d * K + a]``.

    ``rank`` counts the distinct smaller scores of the data set; (D,) ``distinct`` are all of them.
    """

    starts: Counts
    block: Counts
    rank: Counts
    distinct: Counts


def ordered(sample: ScoreSample) -> Ordered:
    """Rank the scores within each data set, cell by cell."""
    k = sample.values.shape[1]
    block, column = np.nonzero(sample.present)
    dataset, value = sample.dataset[block], sample.values[block, column]
    order = np.lexsort([value, dataset])
    of, sorted_values = dataset[order], value[order]
    new = np.ones(len(of), np.bool_)
    new[1:] = (sorted_values[1:] != sorted_values[:-1]) | (of[1:] != of[:-1])
    distinct = np.bincount(of[new], minlength=sample.n_datasets)
    rank = np.empty(len(value), np.int64)
    rank[order] = np.cumsum(new) - 1 - (np.cumsum(distinct) - distinct)[of]
    cell = dataset * k + column
    by_cell = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[by_cell], np.arange(sample.n_datasets * k + 1))
    return Ordered(starts, block[by_cell], rank[by_cell], distinct)


def point(sample: ScoreSample, pairs: Counts) -> Array:
    """Return (P,) probabilities ``P(X > Y) + P(X = Y) / 2``, averaged over data sets.

    X and Y are scores of the first and the second algorithm of a pair, each any of its replications
    on the same data set, whether replications are shared or not.

    `sample` comes from `resampling.lay_out`, and `pairs` (P, 2) are columns.

    Examples
    --------
    >>> values = np.array([[1.0, 1.0], [3.0, 2.0]])
    >>> sample = resampling.lay_out(values, values > 0, np.zeros(2, np.int64))
    >>> point(sample, np.array([[0, 1]])).item()
    0.625
    """
    return draws(sample, pairs, None, 1, 0)[0]


def draws(
    sample: ScoreSample,
    pairs: Counts,
    resample: Resample | None,
    resamples: int,
    seed: int,
    n_jobs: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return (N, P) probabilities in N resamples, the same as those of `aggregates.draws`.

    Arguments are as in `aggregates.draws`; without a `resample` the sample itself is gone through.
    """
    scale = 1 / (sample.n_datasets * sample.n[:, pairs[:, 0]] * sample.n[:, pairs[:, 1]])
    cells, key = ordered(sample), np.uint64(seed)
    plan, k = sample.plan(resample), sample.values.shape[1]
    by_second = np.argsort(pairs[:, 1], kind="stable")

    def of_span(first: int, last: int) -> Array:
        probabilities = np.zeros((last - first, len(pairs)))
        times, passed = np.zeros(len(sample.values), int), np.empty(cells.distinct.max(), int)
        _improvements(
            *plan, *cells, k, pairs, by_second, scale, key, first, times, passed, probabilities
        )
        return probabilities

    return in_spans(
        of_span,
        resamples,
        len(pairs),
        len(pairs) * sample.values.size // k,
        n_jobs=n_jobs,
        progress=progress,
    )


@part
def _pass(
    starts: Counts, block: Counts, rank: Counts, times: Counts, cell: int, passed: Counts
) -> None:
    """Count for each rank twice the drawn scores of a cell below it, and once those at it."""
    for r in range(len(passed)):
        passed[r] = 0
    for i in range(starts[cell], starts[cell + 1]):
        passed[rank[i]] += times[block[i]]
    below = 0
    for r in range(len(passed)):
        equal = passed[r]
        passed[r] = 2 * below + equal
        below += equal


@entry
def _improvements(
    strata: Counts,
    datasets: Counts,
    draws_datasets: bool,
    draws_blocks: bool,
    starts: Counts,
    block: Counts,
    rank: Counts,
    distinct: Counts,
    k: int,
    pairs: Counts,
    by_second: Counts,
    scale: Array,
    seed: np.uint64,
    first: int,
    times: Counts,
    passed: Counts,
    probabilities: Array,
) -> None:
    """Add to (n, P) probabilities; pairs are visited in the order of their second algorithm."""
    for i in range(len(probabilities)):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        for slot in range(len(datasets) - 1):
            d, state = draw(strata, datasets, draws_datasets, draws_blocks, slot, state, times)
            second = -1
            for p in by_second:
                if pairs[p, 1] != second:
                    second = pairs[p, 1]
                    _pass(starts, block, rank, times, d * k + second, passed[: distinct[d]])
                wins, cell = 0, d * k + pairs[p, 0]
                for j in range(starts[cell], starts[cell + 1]):
                    wins += times[block[j]] * passed[rank[j]]
                probabilities[i, p] += 0.5 * wins * scale[d, p]
            for b in range(strata[datasets[d]], strata[datasets[d + 1]]):
                times[b] = 0


_GRID = 101


@savable
@shaped(threshold="G", estimate="K G", low="K G", high="K G", band_low="K G", band_high="K G")
@dataclass(frozen=True, slots=True)
class PerformanceProfiles:
    """A curve of each algorithm over G thresholds."""

    threshold: Array  # (G,) increasing thresholds
    estimate: Array  # (K, G) shares
    # low, high: (K, G) percentile intervals at each threshold
    low: Array
    high: Array
    # band_low, band_high: (K, G) bands that hold an algorithm's whole curve: the estimate plus and
    # minus the quantile of the largest deviation of a bootstrap curve from it
    band_low: Array
    band_high: Array


def grid(sample: ScoreSample) -> Array:
    """Return evenly spaced thresholds from the smallest score to the largest."""
    inside = sample.values[sample.present]
    return np.unique(np.linspace(inside.min(), inside.max(), _GRID))


def scores_above(
    sample: ScoreSample,
    threshold: Array,
    resample: Resample,
    resamples: int,
    seed: int,
    alpha: float,
) -> PerformanceProfiles:
    """Return the share of scores above each threshold, data sets with equal weight.

    `threshold` (G,) increases, on the scale of the scores; `alpha` is one minus the level of
    intervals and bands, and other arguments are as in `aggregates.draws`.

    References
    ----------
    Dolan, E. D. & Moré, J. J. (2002). Benchmarking optimization software with performance profiles.
    Mathematical Programming 91, 201-213. https://doi.org/10.1007/s101070100263

    Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
    reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
    Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
    """
    pool, weight = pool_of(sample), 1 / (sample.n_datasets * sample.n)
    key = np.uint64(seed)

    def curves(kind: Resample | None, first: int, last: int) -> Array:
        shares = np.empty((last - first, weight.shape[1], len(threshold)))
        times = np.empty(len(sample.values), int)
        _above(*sample.plan(kind), *pool, weight, threshold, key, first, times, shares)
        return shares

    return _banded(curves, threshold, (resample, resamples), alpha)


@entry
def _above(
    strata: Counts,
    datasets: Counts,
    draws_datasets: bool,
    draws_blocks: bool,
    starts: Counts,
    block: Counts,
    dataset: Counts,
    value: Array,
    weight: Array,
    threshold: Array,
    seed: np.uint64,
    first: int,
    times: Counts,
    shares: Array,
) -> None:
    """Fill (n, K, G) shares of weight above the thresholds."""
    for i in range(len(shares)):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        for b in range(len(times)):
            times[b] = 0
        for slot in range(len(datasets) - 1):
            _, state = draw(strata, datasets, draws_datasets, draws_blocks, slot, state, times)
        for a in range(shares.shape[1]):
            above, j = 0.0, starts[a + 1] - 1
            for g in range(len(threshold) - 1, -1, -1):
                while j >= starts[a] and value[j] > threshold[g]:
                    above += times[block[j]] * weight[dataset[j], a]
                    j -= 1
                shares[i, a, g] = above


def ratios(levels: Array, *, lower_is_better: bool) -> Array:
    """Return (..., D, K) ratios to the best algorithm on each data set, 1 for the best.

    Levels (..., D, K) are above 0. The ratio is level / best where lower is better, as of times;
    else best / level.

    Examples
    --------
    >>> ratios(np.array([[2.0, 3.0], [4.0, 1.0]]), lower_is_better=True).tolist()
    [[1.0, 1.5], [4.0, 1.0]]
    """
    if lower_is_better:
        return levels / levels.min(axis=-1, keepdims=True)
    return levels.max(axis=-1, keepdims=True) / levels


def ratios_within(
    sample: ScoreSample,
    to_ratios: Callable[[Array], Array],
    resample: Resample,
    resamples: int,
    seed: int,
    alpha: float,
) -> PerformanceProfiles:
    """Return the share of data sets on which each algorithm is within a ratio of the best.

    The profile of Dolan and Moré, of the data sets' means, with a threshold wherever it jumps (at
    most 201 of them).

    `to_ratios` turns (..., D, K) means to ratios; other arguments are as in `scores_above`.
    """
    (shares, sizes), key = sample.shares, np.uint64(seed)
    threshold = np.unique(np.append(to_ratios(sample.means).ravel(), 1.0))
    threshold = threshold[np.unique(np.linspace(0, len(threshold) - 1, 2 * _GRID - 1).astype(int))]
    # A jump must not depend on the last bit of a mean.
    reach = threshold * (1 + 1e-12)

    def curves(kind: Resample | None, first: int, last: int) -> Array:
        means = resampling.unit_means(sample.plan(kind), shares, sizes, key, first, last)
        sorted_ratios = np.sort(to_ratios(means), axis=1)
        counts = np.empty((last - first, sorted_ratios.shape[2], len(threshold)))
        for i in range(last - first):
            for a in range(sorted_ratios.shape[2]):
                counts[i, a] = np.searchsorted(sorted_ratios[i, :, a], reach, side="right")
        return counts / sample.n_datasets

    return _banded(curves, threshold, (resample, resamples), alpha)


def _banded(
    curves: Callable[[Resample | None, int, int], Array],
    threshold: Array,
    drawn: tuple[Resample, int],
    alpha: float,
) -> PerformanceProfiles:
    """Return the profiles of the sample with pointwise intervals and simultaneous bands."""
    resample, n = drawn
    estimate = curves(None, 0, 1)[0]
    every = in_spans(
        lambda first, last: curves(resample, first, last), n, estimate.size, estimate.size
    )
    low, high = np.empty_like(estimate), np.empty_like(estimate)
    reach = np.empty(len(estimate))
    for a in range(len(estimate)):
        curve = gather(estimate[a], every[:, a], 1.0)
        low[a], high[a] = lower(curve, alpha / 2), upper(curve, alpha / 2)
        largest = gather(np.zeros(1), np.abs(every[:, a] - estimate[a]).max(axis=1)[:, None], 1.0)
        reach[a] = upper(largest, alpha)[0]
    return PerformanceProfiles(
        threshold,
        estimate,
        np.clip(low, 0, 1),
        np.clip(high, 0, 1),
        np.clip(estimate - reach[:, None], 0, 1),
        np.clip(estimate + reach[:, None], 0, 1),
    )

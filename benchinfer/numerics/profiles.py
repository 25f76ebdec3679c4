"""Performance profiles: distributions of scores, and of ratios to the best, with bands.

References
----------
Dolan, E. D. & Moré, J. J. (2002). Benchmarking optimization software with performance profiles.
Mathematical Programming 91, 201-213. https://doi.org/10.1007/s101070100263

Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchinfer.numerics import bootstrap
from benchinfer.numerics.bootstrap import Plan, Resample, Sample
from benchinfer.numerics.bootstrap_intervals import gather, lower, upper
from benchinfer.numerics.pools import Pool, pool_of
from benchinfer.numerics.shuffle import STEP, mix
from benchinfer.numerics.spans import in_spans
from benchinfer.saving import savable

type Array = NDArray[np.float64]

_GRID = 101


@savable
@dataclass(frozen=True, slots=True)
class Profile:
    """A curve of each algorithm over G thresholds.

    Attributes
    ----------
    threshold
        (G,) increasing thresholds.
    estimate
        (K, G) shares.
    low, high
        (K, G) percentile intervals at each threshold alone.
    band_low, band_high
        (K, G) bands that hold an algorithm's whole curve: the estimate plus and minus the quantile
        of the largest deviation of a bootstrap curve from it.
    """

    threshold: Array
    estimate: Array
    low: Array
    high: Array
    band_low: Array
    band_high: Array


def grid(sample: Sample) -> Array:
    """Return evenly spaced thresholds from the smallest score to the largest."""
    inside = sample.values[sample.present]
    return np.unique(np.linspace(inside.min(), inside.max(), _GRID))


def scores_above(
    sample: Sample, threshold: Array, resample: Resample, resamples: int, seed: int, alpha: float
) -> Profile:
    """Return the share of scores above each threshold, data sets with equal weight.

    Parameters
    ----------
    sample
        From `bootstrap.lay_out`.
    threshold
        (G,) increasing, on the scale of the scores.
    resample, resamples, seed
        As in `aggregates.draws`.
    alpha
        One minus the level of intervals and bands.
    """
    pool, weight = pool_of(sample), 1 / (sample.n_datasets * sample.n)
    key = np.uint64(seed)

    def curves(kind: Resample | None, first: int, last: int) -> Array:
        return _above(sample.plan(kind), pool, weight, threshold, key, first, last)

    return _banded(curves, threshold, (resample, resamples), alpha)


@njit(cache=True, nogil=True)
def _above(
    plan: Plan, pool: Pool, weight: Array, threshold: Array, seed: np.uint64, first: int, last: int
) -> Array:
    """Return (last - first, K, G) shares of weight above the thresholds."""
    n_datasets, k = weight.shape
    found = np.empty((last - first, k, len(threshold)))
    times = np.zeros(plan.strata[-1], np.int64)
    for i in range(last - first):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        times[:] = 0
        for slot in range(n_datasets):
            _, state = bootstrap.draw(plan, slot, state, times)
        for a in range(k):
            above, j = 0.0, pool.starts[a + 1] - 1
            for g in range(len(threshold) - 1, -1, -1):
                while j >= pool.starts[a] and pool.value[j] > threshold[g]:
                    above += times[pool.block[j]] * weight[pool.dataset[j], a]
                    j -= 1
                found[i, a, g] = above
    return found


def ratios(levels: Array, *, lower_is_better: bool) -> Array:
    """Return (..., D, K) ratios to the best algorithm on each data set, 1 for the best.

    Parameters
    ----------
    levels
        (..., D, K) levels above 0.
    lower_is_better
        Whether the ratio is level / best, as of times; else best / level.

    Examples
    --------
    >>> ratios(np.array([[2.0, 3.0], [4.0, 1.0]]), lower_is_better=True).tolist()
    [[1.0, 1.5], [4.0, 1.0]]
    """
    if lower_is_better:
        return levels / levels.min(axis=-1, keepdims=True)
    return levels.max(axis=-1, keepdims=True) / levels


def ratios_within(
    sample: Sample,
    to_ratios: Callable[[Array], Array],
    resample: Resample,
    resamples: int,
    seed: int,
    alpha: float,
) -> Profile:
    """Return the share of data sets on which each algorithm is within a ratio of the best.

    The profile of Dolan and Moré, of the data sets' means, with a threshold wherever it jumps (at
    most 201 of them).

    Parameters
    ----------
    sample
        From `bootstrap.lay_out`.
    to_ratios
        From (..., D, K) means to ratios.
    resample, resamples, seed, alpha
        As in `scores_above`.
    """
    shares, key = sample.values / sample.n[sample.dataset], np.uint64(seed)
    threshold = np.unique(np.append(to_ratios(sample.means).ravel(), 1.0))
    threshold = threshold[np.unique(np.linspace(0, len(threshold) - 1, 2 * _GRID - 1).astype(int))]
    # A jump must not hang on the last bit of a mean.
    reach = threshold * (1 + 1e-12)

    def curves(kind: Resample | None, first: int, last: int) -> Array:
        means = bootstrap.unit_means(sample.plan(kind), shares, key, first, last)
        found = np.sort(to_ratios(means), axis=1)
        counts = np.empty((last - first, found.shape[2], len(threshold)))
        for i in range(last - first):
            for a in range(found.shape[2]):
                counts[i, a] = np.searchsorted(found[i, :, a], reach, side="right")
        return counts / sample.n_datasets

    return _banded(curves, threshold, (resample, resamples), alpha)


def _banded(
    curves: Callable[[Resample | None, int, int], Array],
    threshold: Array,
    drawn: tuple[Resample, int],
    alpha: float,
) -> Profile:
    """Put intervals and bands round the curve of the sample itself."""
    resample, n = drawn
    estimate = curves(None, 0, 1)[0]
    every = in_spans(
        lambda first, last: curves(resample, first, last), n, estimate.size, estimate.size
    )
    low, high = np.empty_like(estimate), np.empty_like(estimate)
    reach = np.empty(len(estimate))
    for a in range(len(estimate)):
        found = gather(estimate[a], every[:, a], 1.0)
        low[a], high[a] = lower(found, alpha / 2), upper(found, alpha / 2)
        largest = gather(np.zeros(1), np.abs(every[:, a] - estimate[a]).max(axis=1)[:, None], 1.0)
        reach[a] = upper(largest, alpha)[0]
    return Profile(
        threshold,
        estimate,
        np.clip(low, 0, 1),
        np.clip(high, 0, 1),
        np.clip(estimate - reach[:, None], 0, 1),
        np.clip(estimate + reach[:, None], 0, 1),
    )

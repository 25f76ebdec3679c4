"""Probability of improvement: how often a run of one algorithm beats a run of another.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchinfer.numerics import bootstrap
from benchinfer.numerics.bootstrap import Plan, Resample, Sample
from benchinfer.numerics.shuffle import STEP, mix
from benchinfer.numerics.spans import in_spans

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]


class Ordered(NamedTuple):
    """Scores of each cell in increasing order; cell (d, a) begins at ``starts[d * K + a]``."""

    starts: Counts
    block: Counts
    value: Array


def ordered(sample: Sample) -> Ordered:
    """Sort the scores within each data set and algorithm."""
    k = sample.values.shape[1]
    block, column = np.nonzero(sample.present)
    cell, value = sample.dataset[block] * k + column, sample.values[block, column]
    order = np.lexsort([value, cell])
    starts = np.searchsorted(cell[order], np.arange(sample.n_datasets * k + 1))
    return Ordered(starts, block[order], value[order])


def point(sample: Sample, pairs: Counts) -> Array:
    """Return (P,) probabilities ``P(X > Y) + P(X = Y) / 2``, averaged over data sets.

    X and Y are scores of the first and the second algorithm of a pair, each any of its replications
    on the same data set, whether replications are shared or not.

    Parameters
    ----------
    sample
        From `bootstrap.lay_out`.
    pairs
        (P, 2) columns.

    Examples
    --------
    >>> values = np.array([[1.0, 1.0], [3.0, 2.0]])
    >>> sample = bootstrap.lay_out(values, values > 0, np.zeros(2, np.int64))
    >>> point(sample, np.array([[0, 1]])).item()
    0.625
    """
    return _drawn(sample, pairs, None, 1, 0)[0]


def draws(
    sample: Sample,
    pairs: Counts,
    resample: Resample,
    resamples: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return (N, P) probabilities in N resamples, the same as those of `aggregates.draws`.

    Parameters
    ----------
    sample, pairs
        As in `point`.
    resample, resamples, seed
        As in `aggregates.draws`.
    progress
        Called with the number of resamples just done.
    """
    return _drawn(sample, pairs, resample, resamples, seed, progress)


def _drawn(
    sample: Sample,
    pairs: Counts,
    resample: Resample | None,
    resamples: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Array:
    scale = 1 / (sample.n_datasets * sample.n[:, pairs[:, 0]] * sample.n[:, pairs[:, 1]])
    cells, key = ordered(sample), np.uint64(seed)
    plan, k = sample.plan(resample), sample.values.shape[1]
    return in_spans(
        lambda first, last: _improvements(plan, cells, pairs, scale, key, first, last),
        resamples,
        len(pairs),
        len(pairs) * sample.values.size // k,
        progress=progress,
    )


@njit(cache=True, nogil=True)
def _wins(cells: Ordered, times: Counts, one: int, other: int) -> float:
    """Count the pairs of scores in which cell `one` is greater, equal ones half."""
    wins, less, equal = 0.0, 0.0, 0.0
    j, end = cells.starts[other], cells.starts[other + 1]
    for i in range(cells.starts[one], cells.starts[one + 1]):
        x = cells.value[i]
        if i == cells.starts[one] or x != cells.value[i - 1]:
            less += equal
            equal = 0.0
            while j < end and cells.value[j] < x:
                less += float(times[cells.block[j]])
                j += 1
            while j < end and cells.value[j] == x:
                equal += float(times[cells.block[j]])
                j += 1
        wins += float(times[cells.block[i]] * (less + 0.5 * equal))
    return wins


@njit(cache=True, nogil=True)
def _improvements(
    plan: Plan,
    cells: Ordered,
    pairs: Counts,
    scale: Array,
    seed: np.uint64,
    first: int,
    last: int,
) -> Array:
    n_datasets = len(plan.datasets) - 1
    k = (len(cells.starts) - 1) // n_datasets
    found = np.zeros((last - first, len(pairs)))
    times = np.zeros(plan.strata[-1], np.int64)
    for i in range(last - first):
        state = mix(mix(seed) + np.uint64(first + i) * STEP)
        for slot in range(n_datasets):
            d, state = bootstrap.draw(plan, slot, state, times)
            for p in range(len(pairs)):
                one, other = d * k + pairs[p, 0], d * k + pairs[p, 1]
                found[i, p] += _wins(cells, times, one, other) * scale[d, p]
            times[plan.strata[plan.datasets[d]] : plan.strata[plan.datasets[d + 1]]] = 0
    return found

"""Aggregates without each unit in turn, and the acceleration of BCa intervals that they give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import pools
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]

# Numbers that are held at once.
_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Aggregates without each of U units in turn.

    Attributes
    ----------
    values
        (U, K) aggregates.
    group
        (U,) stratum of each unit; units are drawn within strata.
    """

    values: Array
    group: Counts

    def acceleration(self, contrasts: Array) -> Array:
        """Return (P,) accelerations of contrasts (P, K).

        With deviations ``l_i = (n_s - 1) (mean_s - value_i)`` of the n_s units of stratum s::

            a = sum_s sum_i (l_i / n_s)^3 / (6 (sum_s sum_i (l_i / n_s)^2)^(3/2))
        """
        values = self.values @ contrasts.T
        size = np.bincount(self.group)
        total = np.zeros((len(size), values.shape[1]))
        np.add.at(total, self.group, values)
        n = size[self.group][:, None]
        scaled = (total[self.group] / n - values) * (n - 1) / n
        spread = (scaled**2).sum(axis=0)
        safe = np.where(spread > 0, spread, 1.0)
        return np.where(spread > 0, (scaled**3).sum(axis=0) / (6 * safe**1.5), 0.0)


def jackknife(sample: Sample, statistic: Statistic, resample: Resample) -> Jackknife:
    """Leave out each unit that is drawn: blocks, or data sets where these are drawn.

    Parameters
    ----------
    sample, statistic, resample
        As in `draws`.
    """
    ends, group = _units(sample, resample)
    blocks = resample == "replications"
    step = max(1, _CHUNK // (sample.n_datasets * sample.values.shape[1]))
    without = _pooled_without if statistic.pools(sample.n_datasets) else _means_without
    parts = [
        without(sample, statistic, ends[i : i + step], blocks=blocks)
        for i in range(0, len(ends), step)
    ]
    return Jackknife(np.concatenate(parts), group)


def _units(sample: Sample, resample: Resample) -> tuple[Counts, Counts]:
    """Return (U, 2) first and last + 1 block of each unit, and (U,) its stratum."""
    if resample == "replications":
        size = np.diff(sample.strata)
        stratum = np.repeat(np.arange(len(size)), size)
        # A block alone in its stratum is in every resample.
        drawn = np.flatnonzero(size[stratum] > 1)
        group = np.unique(stratum[drawn], return_inverse=True)[1]
        return np.column_stack([drawn, drawn + 1]), group
    first = sample.strata[sample.first_stratum]
    return np.column_stack([first[:-1], first[1:]]), np.zeros(sample.n_datasets, np.int64)


def _left(sample: Sample, ends: Counts, *, blocks: bool) -> Counts:
    """Return (U, D, K) numbers of scores that are left."""
    n, d = sample.n, sample.dataset[ends[:, 0]]
    left = np.repeat(n[None], len(ends), axis=0)
    left[np.arange(len(ends)), d] -= sample.present[ends[:, 0]] if blocks else n[d]
    return left


def _pooled_without(sample: Sample, statistic: Statistic, ends: Counts, *, blocks: bool) -> Array:
    left = _left(sample, ends, blocks=blocks)
    n_datasets = sample.n_datasets if blocks else sample.n_datasets - 1
    weights = np.where(left > 0, 1 / (n_datasets * np.maximum(left, 1)), 0.0)
    q = statistic.q if statistic.kind == "quantile" else -1.0
    return pools.pooled_without(
        pools.pool_of(sample), weights, pools.cut(left.sum(axis=1)), q, ends
    )


def _means_without(sample: Sample, statistic: Statistic, ends: Counts, *, blocks: bool) -> Array:
    means, at = sample.means, np.arange(len(ends))
    d = sample.dataset[ends[:, 0]]
    if not blocks:
        kept = np.array([np.delete(means, i, axis=0) for i in d])
        return statistic.of_means(kept)
    n, gone = sample.n[d], sample.present[ends[:, 0]]
    every = np.repeat(means[None], len(ends), axis=0)
    left = np.maximum(n - gone, 1)
    every[at, d] = (means[d] * n - sample.values[ends[:, 0]]) / left
    return statistic.of_means(every)

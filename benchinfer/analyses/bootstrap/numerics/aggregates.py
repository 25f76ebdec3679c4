"""Aggregates over data sets, with their jackknife.

Data sets have equal weight, whatever their numbers of replications. The interquartile mean is of
all scores, the others are of the data sets' means; with one data set quantiles are of its scores.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bootstrap.numerics import resampling
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.numerics.shuffle import in_spans

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic that aggregates scores.

    Attributes
    ----------
    kind
        ``"iqm"``, ``"mean"`` or ``"quantile"``.
    q
        Of a quantile, 0 (worst) to 1; between order statistics it is interpolated linearly.
    """

    kind: str
    q: float = 0.5

    def pools(self, n_datasets: int) -> bool:
        """Return whether all scores are pooled, instead of the data sets' means."""
        return self.kind == "iqm" or (self.kind == "quantile" and n_datasets == 1)

    def of_means(self, means: Array) -> Array:
        """Reduce (..., D, K) means to (..., K)."""
        if self.kind == "mean":
            return means.mean(axis=-2)
        return np.quantile(means, self.q, axis=-2)


def point(sample: ScoreSample, statistic: Statistic) -> Array:
    """Return the (K,) aggregates of the sample itself.

    The interquartile mean leaves out ``floor(n / 4)`` of the n scores at each end, as
    ``scipy.stats.trim_mean`` does; where data sets have different numbers of replications, scores
    have the weight of their data set and the same share of weight is left out.

    Parameters
    ----------
    sample
        From `bootstrap.lay_out`.
    statistic
        What to aggregate to.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> sample = resampling.lay_out(values, values >= 0, np.zeros(4, np.int64))
    >>> point(sample, Statistic("iqm")).item()
    1.5
    """
    return _drawn(sample, statistic, None, 1, 0)[0]


def draws(
    sample: ScoreSample,
    statistic: Statistic,
    resample: Resample,
    resamples: int,
    seed: int,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return (N, K) aggregates of N resamples.

    Parameters
    ----------
    sample, statistic
        As in `point`.
    resample
        What is drawn with replacement: ``"replications"`` within each data set, ``"datasets"`` with
        all their replications, or ``"both"``.
    resamples
        Their number N.
    seed
        Any 64-bit integer >= 0.
    chunk
        Resamples at a time; by default as memory allows. It does not change the result.
    progress
        Called with the number of resamples just done.
    """
    return _drawn(sample, statistic, resample, resamples, seed, chunk, progress)


def _drawn(
    sample: ScoreSample,
    statistic: Statistic,
    resample: Resample | None,
    resamples: int,
    seed: int,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Array:
    plan, key, k = sample.plan(resample), np.uint64(seed), sample.values.shape[1]
    if statistic.pools(sample.n_datasets):
        pool, reduction = resampling.pool_of(sample), _reduction(sample, statistic)

        def part(first: int, last: int) -> Array:
            return resampling.pooled(plan, pool, reduction, key, first, last)
    else:
        shares = sample.values / sample.n[sample.dataset]

        def part(first: int, last: int) -> Array:
            return statistic.of_means(resampling.unit_means(plan, shares, key, first, last))

    held, visited = sample.n_datasets * k, sample.values.size
    return in_spans(part, resamples, held, visited, span=chunk, progress=progress)


def _reduction(sample: ScoreSample, statistic: Statistic) -> resampling.PoolReduction:
    n = sample.n
    q = statistic.q if statistic.kind == "quantile" else -1.0
    return resampling.PoolReduction(1 / (sample.n_datasets * n), resampling.cut(n.sum(axis=-2)), q)


def clipped(sample: ScoreSample, target: Array) -> ScoreSample:
    """Return the sample of shortfalls ``min(score, target) - target``, whose mean is minus the gap.

    Parameters
    ----------
    sample
        The scores.
    target
        (D,) targets.
    """
    goal = target[sample.dataset][:, None]
    values = np.where(sample.present, np.minimum(sample.values, goal) - goal, 0.0)
    return replace(sample, values=values)


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


def jackknife(sample: ScoreSample, statistic: Statistic, resample: Resample) -> Jackknife:
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


def _units(sample: ScoreSample, resample: Resample) -> tuple[Counts, Counts]:
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


def _left(sample: ScoreSample, ends: Counts, *, blocks: bool) -> Counts:
    """Return (U, D, K) numbers of scores that are left."""
    n, d = sample.n, sample.dataset[ends[:, 0]]
    left = np.repeat(n[None], len(ends), axis=0)
    left[np.arange(len(ends)), d] -= sample.present[ends[:, 0]] if blocks else n[d]
    return left


def _pooled_without(
    sample: ScoreSample, statistic: Statistic, ends: Counts, *, blocks: bool
) -> Array:
    left = _left(sample, ends, blocks=blocks)
    n_datasets = sample.n_datasets if blocks else sample.n_datasets - 1
    weights = np.where(left > 0, 1 / (n_datasets * np.maximum(left, 1)), 0.0)
    q = statistic.q if statistic.kind == "quantile" else -1.0
    return resampling.pooled_without(
        resampling.pool_of(sample), weights, resampling.cut(left.sum(axis=1)), q, ends
    )


def _means_without(
    sample: ScoreSample, statistic: Statistic, ends: Counts, *, blocks: bool
) -> Array:
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

"""Aggregates of each algorithm over data sets and replications, with their bootstrap draws.

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

from benchinfer.numerics import bootstrap, pools
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.numerics.spans import in_spans

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Statistic:
    """What scores are aggregated to.

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
        """Whether all scores are taken together, and not the data sets' means."""
        return self.kind == "iqm" or (self.kind == "quantile" and n_datasets == 1)

    def of_means(self, means: Array) -> Array:
        """Reduce (..., D, K) means to (..., K)."""
        if self.kind == "mean":
            return means.mean(axis=-2)
        return np.quantile(means, self.q, axis=-2)


def point(sample: Sample, statistic: Statistic) -> Array:
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
    >>> sample = bootstrap.lay_out(values, values >= 0, np.zeros(4, np.int64))
    >>> point(sample, Statistic("iqm")).item()
    1.5
    """
    return _drawn(sample, statistic, None, 1, 0)[0]


def draws(
    sample: Sample,
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
    sample: Sample,
    statistic: Statistic,
    resample: Resample | None,
    resamples: int,
    seed: int,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Array:
    plan, key, k = sample.plan(resample), np.uint64(seed), sample.values.shape[1]
    if statistic.pools(sample.n_datasets):
        pool, reduction = pools.pool_of(sample), _reduction(sample, statistic)

        def part(first: int, last: int) -> Array:
            return pools.pooled(plan, pool, reduction, key, first, last)
    else:
        shares = sample.values / sample.n[sample.dataset]

        def part(first: int, last: int) -> Array:
            return statistic.of_means(bootstrap.unit_means(plan, shares, key, first, last))

    held, visited = sample.n_datasets * k, sample.values.size
    return in_spans(part, resamples, held, visited, span=chunk, progress=progress)


def _reduction(sample: Sample, statistic: Statistic) -> pools.Reduction:
    n = sample.n
    q = statistic.q if statistic.kind == "quantile" else -1.0
    return pools.Reduction(1 / (sample.n_datasets * n), pools.cut(n.sum(axis=-2)), q)


def clipped(sample: Sample, target: Array) -> Sample:
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

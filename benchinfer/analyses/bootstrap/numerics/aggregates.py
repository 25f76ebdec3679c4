"""Aggregates over data sets, with the influence of units.

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
from functools import partial

import numpy as np

from benchinfer.analyses.bootstrap.numerics import resampling
from benchinfer.analyses.bootstrap.numerics.intervals import Units
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.numerics.shuffle import in_spans
from benchinfer.numerics.ties import rounding
from benchinfer.numerics.types import Array, Counts


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic that aggregates scores."""

    kind: str  # ``"iqm"``, ``"mean"`` or ``"quantile"``
    # Of a quantile, 0 (worst) to 1; between order statistics it is interpolated linearly
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

    `sample` comes from `resampling.lay_out`.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> sample = resampling.lay_out(values, values >= 0, np.zeros(4, np.int64))
    >>> point(sample, Statistic("iqm")).item()
    1.5
    """
    return draws(sample, statistic, None, 1, 0)[0]


def draws(
    sample: ScoreSample,
    statistic: Statistic,
    resample: Resample | None,
    resamples: int,
    seed: int,
    chunk: int | None = None,
    n_jobs: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return (N, K) aggregates of N resamples.

    Parameters
    ----------
    sample, statistic
        As in `point`.
    resample
        What is drawn with replacement: ``"replications"`` within each data set, ``"datasets"`` with
        all their replications, or ``"both"``; None for the sample itself.
    resamples
        Their number N.
    seed
        Any 64-bit integer >= 0.
    chunk
        Resamples at a time; by default as memory allows. It does not change the result.
    n_jobs
        Threads, as `parallel.workers` has them.
    progress
        Called with the number of resamples just done.
    """
    plan, key, k = sample.plan(resample), np.uint64(seed), sample.values.shape[1]
    if statistic.pools(sample.n_datasets):
        n, q = sample.n, statistic.q if statistic.kind == "quantile" else None
        weights, cuts = 1 / (sample.n_datasets * n), resampling.cut(n.sum(axis=-2))
        pool, reduction = resampling.pool_of(sample), resampling.PoolReduction(weights, cuts, q)
        part = partial(resampling.pooled, plan, pool, reduction, key)
    else:
        shares, sizes = sample.shares

        def part(first: int, last: int) -> Array:
            return statistic.of_means(resampling.unit_means(plan, shares, sizes, key, first, last))

    held, visited = sample.n_datasets * k, sample.values.size
    return in_spans(part, resamples, held, visited, span=chunk, n_jobs=n_jobs, progress=progress)


def clipped(sample: ScoreSample, target: Array) -> ScoreSample:
    """Return the sample of shortfalls ``min(score, target) - target``, whose mean is minus the gap.

    `target` (D,) has one for each data set.
    """
    goal = target[sample.dataset][:, None]
    values = np.where(sample.present, np.minimum(sample.values, goal) - goal, 0.0)
    return replace(sample, values=values)


# Numbers that are held at once.
_CHUNK = 2_000_000
# Draws that place a quantile among the means of data sets.
_PLACED = 200


@dataclass(frozen=True, slots=True)
class UnitBounds:
    """Bounds of P contrasts by the number of units drawn from: (P,) arrays.

    Attributes
    ----------
    df
        Degrees of freedom of the variance that resamples have.
    variance_share
        The share of the variance that they have: draws from n units have ``(n - 1) / n`` of it.
    least
        The smallest one-sided p-value. Of n units without a difference all favour the same side
        with probability ``2^(1 - n)``. Where they do, so do all resamples, however many: their
        share says nothing below ``2^-n``.
    """

    df: Array
    variance_share: Array
    least: Array

    @property
    def units(self) -> Units:
        """Degrees of freedom and share of variance, which percentiles are expanded by."""
        return self.df, self.variance_share


@dataclass(frozen=True, slots=True)
class UnitInfluence:
    """Influence of each of U units on the K aggregates."""

    value: Array  # (U, K) first-order parts; constants within a stratum do not matter
    group: Counts  # (U,) stratum of each unit; units are drawn within strata of two or more
    size: Array | None = None  # (U,) of units of unequal size

    def parts(self, contrasts: Array) -> Array:
        """Return (U, P) squared deviations of the units, within strata, of contrasts (P, K)."""
        value, size = self.value @ contrasts.T, np.bincount(self.group)
        mean, largest = np.zeros((2, len(size), value.shape[1]))
        np.add.at(mean, self.group, value / size[self.group, None])
        np.maximum.at(largest, self.group, np.abs(self.value) @ np.abs(contrasts).T)
        apart = value - mean[self.group]
        return np.where(np.abs(apart) <= rounding(largest)[self.group], 0.0, apart**2)

    def bounds(self, contrasts: Array) -> UnitBounds:
        """Return the bounds of contrasts (P, K) by the number of units.

        Strata with the variances V_s of n_s units each give ``(sum V)^2 / sum(V^2 / (n_s + 1)) -
        2`` degrees of freedom, which is right on average if all V are the same; never fewer than
        the smallest stratum has, or more than all. The number of units is that and ``(sum V)^2 /
        sum(V^2)``. Units of unequal size count as ``(sum m)^2 / sum m^2`` of one size: of
        independent items resamples have ``1 - sum m^2 / (sum m)^2`` of the variance.

        References
        ----------
        Welch, B. L. (1947). The generalization of 'Student's' problem when several different
        population variances are involved. Biometrika 34, 28-35.
        https://doi.org/10.1093/biomet/34.1-2.28
        """
        units = n = np.bincount(self.group).astype(np.float64)[:, None]
        if self.size is not None:
            n = np.bincount(self.group, self.size) ** 2 / np.bincount(self.group, self.size**2)
            n = n[:, None]
        spread = np.zeros((len(n), len(contrasts)))
        np.add.at(spread, self.group, self.parts(contrasts))
        spread *= n / (n - 1)
        # Without any spread all units count alike.
        spread = np.where(spread.sum(axis=0) > 0, spread, n)
        total, squares = spread.sum(axis=0), (spread**2).sum(axis=0)

        def freedom(n: Array) -> Array:
            df = total**2 / (spread**2 / (n + 1)).sum(axis=0) - 2
            return np.clip(df, (n - 1).min(), (n - 1).sum())

        variance_share = (spread * (n - 1) / n).sum(axis=0) / total
        # Signs are those of units, whatever their size.
        return UnitBounds(freedom(n), variance_share, 0.5 ** (freedom(units) + total**2 / squares))


def influence(
    sample: ScoreSample, statistic: Statistic, resample: Resample, seed: int
) -> UnitInfluence:
    """Return the influence of the units that are drawn on the aggregates.

    Data sets that are drawn are one stratum, whose influence does not matter. A quantile moves with
    the data sets that are near it in `seed`'s draws, a trimmed mean with the scores that are not
    trimmed.
    """
    if resample != "replications":
        d, k = sample.means.shape
        return UnitInfluence(np.zeros((d, k)), np.zeros(d, np.int64))
    size = np.diff(sample.strata)
    stratum = np.repeat(np.arange(len(size)), size)
    # A block alone in its stratum is in every resample.
    drawn = np.flatnonzero(size[stratum] > 1)
    group = np.unique(stratum[drawn], return_inverse=True)[1]
    weight, values = 1 / (sample.n * sample.n_datasets), sample.values
    if statistic.kind == "iqm":
        values = _winsorised(sample, weight)
    elif statistic.kind == "quantile" and sample.n_datasets == 1:
        values = (values > point(sample, statistic)).astype(np.float64)
    elif statistic.kind == "quantile":
        weight = _near(sample, statistic, seed) / sample.n
    # Rounding is that of the spread of scores, not of their distance from 0.
    values = values - sample.means[sample.dataset]
    if sample.size is None:
        influences = np.where(sample.present, values * weight[sample.dataset], 0.0)
        return UnitInfluence(influences[drawn], group)
    values = values * sample.size
    influences = np.where(sample.present, values * weight[sample.dataset], 0.0)
    size = sample.size.sum(axis=1) / sample.present.sum(axis=1)
    return UnitInfluence(influences[drawn], group, size[drawn])


def _winsorised(sample: ScoreSample, weight: Array) -> Array:
    """Return (B, K) scores, those that a trimmed mean leaves out at the last that it does not."""
    cuts, values = resampling.cut(sample.n.sum(axis=0)), sample.values.copy()
    for a, share in enumerate(cuts):
        there = np.flatnonzero(sample.present[:, a])
        order = there[np.argsort(values[there, a], kind="stable")]
        mass = weight[sample.dataset[order], a].cumsum()
        first = np.searchsorted(mass, share, side="right")
        last = min(int(np.searchsorted(mass, 1 - share)), len(order) - 1)
        values[:, a] = values[:, a].clip(*values[order[[min(first, last), last]], a])
    return values


def _near(sample: ScoreSample, statistic: Statistic, seed: int) -> Array:
    """Return the (D, K) mean weights of the data sets' means in a quantile, over draws."""
    d, k = sample.means.shape
    n = int(np.clip(_CHUNK // (d * k), 20, _PLACED))
    means = resampling.unit_means(
        sample.plan("replications"), *sample.shares, np.uint64(seed), 0, n
    )
    order = np.argsort(means, axis=1)
    place = statistic.q * (d - 1)
    low, rest = int(place), place - int(place)
    weights = np.zeros((d, k))
    for at, weight in ((low, 1 - rest), (min(low + 1, d - 1), rest)):
        np.add.at(weights, (order[:, at], np.arange(k)), weight / n)
    return weights

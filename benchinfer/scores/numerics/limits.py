"""Statistics of runs with a limit: penalties, running times, virtual best, solved over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Counts, Flags


@savable
@shaped(
    limit="(0,inf)",
    par="[1,inf)",
    n="D K [0,inf)",
    stopped="D K [0,inf)",
    mean="D K",
    crashed="K [0,inf)",
)
@dataclass(frozen=True, slots=True)
class StoppedRuns:
    """Stopped runs of a measure with a limit, in the cells of a table.

    Attributes
    ----------
    limit, par
        Of the measure.
    n, stopped
        (D, K) runs, and those that were stopped or crashed.
    mean
        (D, K) means of the times up to the limit, NaN where there is no run.
    crashed
        (K,) runs that crashed and count as stopped.
    """

    limit: float
    par: float
    n: Counts
    stopped: Counts
    mean: Array
    crashed: Counts

    @property
    def cells(self) -> Array:
        """(D, K) shares of stopped runs, NaN where there is no run."""
        return np.where(self.n > 0, self.stopped / np.maximum(self.n, 1), np.nan)

    @property
    def shares(self) -> Array:
        """(K,) shares of stopped runs, data sets weighted equally."""
        return column_means(self.cells)

    @property
    def shared(self) -> Flags:
        """(D,) whether all algorithms have runs on a data set."""
        return (self.n > 0).all(axis=1)

    @property
    def averaged(self) -> Flags:
        """(D,) whether a mean includes a data set: the shared ones, or all if none is shared."""
        return self.shared if self.shared.any() else np.ones(len(self.n), dtype=np.bool_)

    @property
    def order_range(self) -> tuple[float, float]:
        """Penalty factors of at least 1 around `par` between which the order of the means holds.

        Of the data sets that all algorithms have; NaN where there is none.
        """
        mean, share = self._levels()
        i, j = np.triu_indices(len(mean), 1)
        return self._around(mean[i] - mean[j], share[i] - share[j])

    @property
    def best_range(self) -> tuple[float, float]:
        """Penalty factors around `par` between which the algorithm with the least mean has it."""
        mean, share = self._levels()
        best = int((mean + (self.par - 1) * self.limit * share).argmin())
        return self._around(mean[best] - mean, share[best] - share)

    def _levels(self) -> tuple[Array, Array]:
        """Return (K,) mean scores and stopped shares on the data sets that all algorithms have."""
        return column_means(self.mean[self.shared]), column_means(self.cells[self.shared])

    def _around(self, mean: Array, share: Array) -> tuple[float, float]:
        """Return the turning penalties next to `par` below, at least 1, and above."""
        if np.isnan(mean).any():
            return np.nan, np.nan
        turns = turning_penalty(mean, self.limit * share)
        below, above = turns[turns < self.par], turns[turns > self.par]
        return float(below.max(initial=1.0)), float(above.min(initial=np.inf))

    def differences(self, i: int) -> tuple[Array, Array]:
        """Return (D, K - i - 1) differences from later algorithms, and those of the penalties.

        The difference at the factor k is the first plus k - 1 times the second; NaN where one of
        both has no run.
        """
        share = self.limit * self.cells
        return self.mean[:, [i]] - self.mean[:, i + 1 :], share[:, [i]] - share[:, i + 1 :]


def column_means(cells: Array) -> Array:
    """Return the means of columns over rows that have a number; NaN where none has.

    Examples
    --------
    >>> column_means(np.array([[1.0, np.nan], [2.0, np.nan]]))
    array([1.5, nan])
    """
    n = (~np.isnan(cells)).sum(axis=0)
    return np.where(n > 0, np.nansum(cells, axis=0) / np.maximum(n, 1), np.nan)


def turning_penalty(a: Array, b: Array) -> Array:
    """Return the factor k > 1 at which ``a + (k - 1) b`` changes its sign; NaN if it does not.

    Examples
    --------
    >>> turning_penalty(np.array([-10.0, 10.0]), np.array([5.0, 5.0]))
    array([ 3., nan])
    """
    turns = (a * b < 0) & (b != 0)
    return np.where(turns, 1 - a / np.where(turns, b, 1.0), np.nan)


def turning_verdict(a: Array, b: Array, critical: Array) -> Array:
    """Return the smallest factor k > 1 at which a paired t test changes its verdict, or NaN.

    The squared mean of ``a + (k - 1) b`` over data sets less the square of `critical` standard
    errors is a quadratic polynomial in k - 1: the test decides where it is positive.

    Parameters
    ----------
    a, b
        (D, P) differences on data sets, and their slopes in k; NaN where there is none.
    critical
        (P,) critical values of the t statistics.
    """
    n = (~np.isnan(a)).sum(axis=0)
    mean_a, mean_b = column_means(a), column_means(b)
    from_a, from_b = np.nan_to_num(a - mean_a), np.nan_to_num(b - mean_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        c = critical**2 / (n * (n - 1))
        p = mean_b**2 - c * (from_b**2).sum(axis=0)
        q = 2 * (mean_a * mean_b - c * (from_a * from_b).sum(axis=0))
        r = mean_a**2 - c * (from_a**2).sum(axis=0)
        return 1 + _positive_root(p, q, r)


_TINY = np.finfo(float).tiny


def _positive_root(p: Array, q: Array, r: Array) -> Array:
    """Return the least positive root of ``p x^2 + q x + r`` at which its sign changes, or NaN."""
    # Of squares of large times, products are beyond numbers.
    p, q, r = np.array([p, q, r]) / np.maximum(np.abs([p, q, r]).max(axis=0), _TINY)
    inside = q * q - 4 * p * r
    half = -0.5 * (q + np.copysign(np.sqrt(np.maximum(inside, 0)), q))  # nothing cancels
    roots = np.stack([half / p, r / half])
    roots[~((inside > 0) & np.isfinite(roots) & (roots > 0))] = np.inf
    least = roots.min(axis=0)
    return np.where(np.isfinite(least), least, np.nan)


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Times of runs up to the limit, by problem.

    Attributes
    ----------
    name, unit, limit
        Of the measure.
    algorithms
        The K names.
    dataset
        (R,) data set of each problem.
    time
        (R, K) times up to the limit, means where there are several runs; NaN where there is none.
    n, solved
        (R, K) runs, and those that were solved.
    run_time, run_problem, run_algorithm
        (N,) the runs: time up to the limit, problem and algorithm.
    run_solved
        (N,) whether they were solved.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

    name: str
    unit: str
    limit: float
    algorithms: tuple[str, ...]
    dataset: Codes
    time: Array
    n: Counts
    solved: Counts
    run_time: Array
    run_problem: Codes
    run_algorithm: Codes
    run_solved: Flags

    def penalised(self, par: float) -> Array:
        """(R, K) times with stopped runs at `par` times the limit."""
        stopped = (self.n - self.solved) / np.maximum(self.n, 1)
        return self.time + (par - 1) * self.limit * stopped

    def running_times(self, problem: Codes | None = None) -> tuple[Array, Counts]:
        """Return (P, K) sums of times and numbers of solved runs, by problem or data set.

        The expected running time with restarts is the first divided by the second (Hansen et al.
        2021, https://doi.org/10.1080/10556788.2020.1808977).
        """
        problem = np.arange(len(self.dataset)) if problem is None else problem
        k, size = len(self.algorithms), int(problem.max(initial=-1)) + 1
        cell = problem[self.run_problem] * k + self.run_algorithm
        total = np.bincount(cell, self.run_time, size * k).reshape(-1, k)
        solved = np.bincount(cell, self.run_solved, size * k).astype(np.int64)
        return total, solved.reshape(-1, k)


def run_times(
    measure: tuple[str, str, float],
    algorithms: Sequence[str],
    place: tuple[Codes, Codes, Codes],
    value: Array,
    stopped_score: float,
) -> RunTimes:
    """Arrange runs by problem and algorithm.

    Parameters
    ----------
    measure
        Name, unit and limit.
    algorithms
        The K names.
    place
        (N,) problem, data set and algorithm of each run.
    value
        (N,) scores.
    stopped_score
        Score of stopped runs.
    """
    name, unit, limit = measure
    problem, dataset, algorithm = place
    _, first, problem = np.unique(problem, return_index=True, return_inverse=True)
    k, r = len(algorithms), len(first)
    solved = value < stopped_score
    time = np.minimum(value, limit)
    cell = problem * k + algorithm
    n = np.bincount(cell, minlength=r * k).reshape(r, k)
    total = np.bincount(cell, time, r * k).reshape(r, k)
    return RunTimes(
        name,
        unit,
        limit,
        tuple(algorithms),
        dataset=dataset[first],
        time=np.where(n > 0, total / np.maximum(n, 1), np.nan),
        n=n,
        solved=np.bincount(cell, solved, r * k).astype(np.int64).reshape(r, k),
        run_time=time,
        run_problem=problem,
        run_algorithm=algorithm,
        run_solved=solved,
    )


@dataclass(frozen=True, slots=True)
class VirtualBest:
    """Best algorithm of each problem, as if an oracle chose it.

    Attributes
    ----------
    mean
        Mean penalised time of the best algorithm of each problem.
    single
        Position of the algorithm with the best mean.
    means
        (K,) means.
    best
        (K,) solved problems on which an algorithm is the best one, ties shared equally.
    contribution
        (K,) how much the mean of the virtual best loses without an algorithm.
    """

    mean: float
    single: int
    means: Array
    best: Array
    contribution: Array


def virtual_best(time: Array, worst: float, dataset: Codes) -> VirtualBest:
    """Return the virtual best of penalised times, of problems that all algorithms have.

    Parameters
    ----------
    time
        (R, K) times.
    worst
        Time of problems that were not solved, of which no algorithm is the best one.
    dataset
        (R,) data set of each problem; data sets are weighted equally.

    Examples
    --------
    >>> time = np.array([[1.0, 9.0], [8.0, 2.0], [3.0, 3.0]])
    >>> best = virtual_best(time, 10.0, np.arange(3))
    >>> best.mean, best.single, best.contribution.round(2).tolist()
    (2.0, 0, [2.67, 2.0])
    """
    both = ~np.isnan(time).any(axis=1)
    time, dataset = time[both], dataset[both]
    weight = 1 / np.bincount(dataset)[dataset] if len(dataset) else np.empty(0)
    weight = weight / weight.sum() if len(weight) else weight
    ordered = np.sort(time, axis=1)[:, : 2 if time.shape[1] > 1 else 1]
    best, second = ordered[:, 0], ordered[:, -1]
    is_best = time == best[:, None]
    shares = is_best / is_best.sum(axis=1, keepdims=True) * (best < worst)[:, None]
    means = weight @ time
    return VirtualBest(
        mean=float(weight @ best),
        single=int(means.argmin()),
        means=means,
        best=shares.sum(axis=0),
        # Where two are the best, neither is missed.
        contribution=weight @ (is_best * (second - best)[:, None]),
    )


def restricted(value: Array, old: float | None, limit: float, score: float) -> Array:
    """Return the scores under a limit: runs that take longer get the score of stopped runs.

    Parameters
    ----------
    value
        (N,) scores.
    old
        Score of runs that were stopped at an earlier limit, None if there was none.
    limit, score
        The limit, and the score of runs that are stopped.
    """
    stopped = value > limit if old is None else (value > limit) | (value == old)
    at_limit = np.where(value >= limit, np.nextafter(limit, 0), value)
    return np.where(stopped, score, at_limit)

"""Times until runs of optimisers reach targets, and their expected running times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchinfer.numerics.types import Array, Codes, Counts


@dataclass(frozen=True, slots=True)
class TargetTimes:
    """Times at which runs reached targets; R runs, J targets, D data sets, K algorithms.

    Attributes
    ----------
    cost
        What times are numbers of, such as evaluations.
    measures
        (J,) names of the measures of single targets, empty where runs have means over targets.
    datasets, algorithms
        The names.
    targets
        (D, J) targets of each data set.
    dataset, algorithm
        (R,) codes of each run.
    time
        (R, J) time until a target was reached, infinite where it was not.
    budget
        (R,) how long each run was observed.
    limit
        Up to which times are compared.
    """

    cost: str
    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    targets: Array
    dataset: Codes
    algorithm: Codes
    time: Array
    budget: Array
    limit: float = np.inf

    def up_to(self, limit: float) -> TargetTimes:
        """Return the times as observed up to a limit."""
        time = np.where(self.time <= limit, self.time, np.inf)
        return replace(self, time=time, budget=np.minimum(self.budget, limit), limit=limit)

    @property
    def observed(self) -> tuple[float, float]:
        """The least and the largest time at which a run ended that missed a target.

        Up to the least one every time is known, or known to be longer. Where all targets were
        reached it is the largest time at which any run ended, twice.
        """
        missed = np.isinf(self.time).any(axis=1)
        if not missed.any():
            return float(self.budget.max()), float(self.budget.max())
        return float(self.budget[missed].min()), float(self.budget[missed].max())

    def part(self, datasets: Sequence[str], algorithms: Sequence[str]) -> TargetTimes:
        """Keep some data sets and algorithms, in the order of the table."""
        d = [name for name in self.datasets if name in set(datasets)]
        a = [name for name in self.algorithms if name in set(algorithms)]
        of_dataset = np.array([d.index(n) if n in d else -1 for n in self.datasets])
        of_algorithm = np.array([a.index(n) if n in a else -1 for n in self.algorithms])
        dataset, algorithm = of_dataset[self.dataset], of_algorithm[self.algorithm]
        keep = (dataset >= 0) & (algorithm >= 0)
        return replace(
            self,
            datasets=tuple(d),
            algorithms=tuple(a),
            targets=self.targets[of_dataset >= 0],
            dataset=dataset[keep],
            algorithm=algorithm[keep],
            time=self.time[keep],
            budget=self.budget[keep],
        )

    def renamed(self, names: Mapping[str, str]) -> TargetTimes:
        """Return the times with new names of data sets, algorithms and measures."""
        fields = {
            field: tuple(names.get(name, name) for name in getattr(self, field))
            for field in ("datasets", "algorithms")
        }
        return replace(self, **fields)

    def running_times(self) -> tuple[Array, Counts, Counts]:
        """Sum up the times of all runs, each until it reached the target or ended.

        Returns (D, K, J) sums and numbers of runs that reached the target, and (D, K) numbers of
        runs. The expected running time of restarts is the first divided by the second.

        References
        ----------
        Hansen et al. (2021), https://doi.org/10.1080/10556788.2020.1808977
        """
        shape = (len(self.datasets), len(self.algorithms))
        total, reached = np.zeros((*shape, self.time.shape[1])), np.isfinite(self.time)
        number = np.zeros(total.shape, dtype=np.int64)
        n = np.zeros(shape, dtype=np.int64)
        at = (self.dataset, self.algorithm)
        np.add.at(total, at, np.where(reached, self.time, self.budget[:, None]))
        np.add.at(number, at, reached)
        np.add.at(n, at, 1)
        return total, number, n


def first_hits(cost: Array, value: Array, run: Codes, targets: Array) -> Array:
    """Return (R, J) the least cost at which each run has a value at most a target, or infinity.

    Parameters
    ----------
    cost, value
        (N,) of the rows of traces; smaller values are better.
    run
        (N,) number of the run of each row, in ascending order.
    targets
        (R, J) targets of each run.

    Examples
    --------
    >>> cost, value = np.array([1.0, 5.0, 9.0]), np.array([8.0, 2.0, 3.0])
    >>> first_hits(cost, value, np.zeros(3, dtype=np.int64), np.array([[4.0, 2.0, 1.0]]))
    array([[ 5.,  5., inf]])
    """
    start = np.flatnonzero(np.diff(run, prepend=-1))
    times = np.empty(targets.shape)
    for j in range(targets.shape[1]):
        hit = np.where(value <= targets[run, j], cost, np.inf)
        times[:, j] = np.minimum.reduceat(hit, start)
    return times


def spaced_targets(first: float, last: float, lowest: float, n: int) -> Array:
    """Return n targets from the first to the last, equally spaced in logarithms.

    Where values reach 0, spacing ends at the lowest positive value, and 0 is the last target; where
    they are negative, targets are equally spaced themselves.

    Parameters
    ----------
    first, last
        The worst first and the best last value; the first is the smaller one where larger values
        are better.
    lowest
        The lowest positive value, NaN if there is none.

    Examples
    --------
    >>> spaced_targets(100.0, 1.0, 1.0, 3).tolist(), spaced_targets(100.0, 0.0, 1.0, 4).tolist()
    ([100.0, 10.0, 1.0], [100.0, 10.0, 1.0, 0.0])
    >>> spaced_targets(2.0, -2.0, np.nan, 3).tolist()
    [2.0, 0.0, -2.0]
    """
    if min(first, last) < 0 or first == 0:
        targets = np.linspace(first, last, n)
    elif last > 0:
        targets = np.geomspace(first, last, n)
    else:
        targets = np.append(np.geomspace(first, lowest, n - 1), 0.0)
    targets[0], targets[-1] = first, last  # which rounding may not move past the value itself
    return targets

"""Runs with a limit: stopped runs, the virtual best, expected running times and penalties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core import frames
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure, one_measure
from benchinfer.numerics.types import Array
from benchinfer.scores.numerics.limits import (
    RunTimes,
    StoppedRuns,
    column_means,
    restricted,
    run_times,
    turning_penalty,
    turning_verdict,
    virtual_best,
)
from benchinfer.scores.numerics.targets import TargetTimes
from benchinfer.scores.rows.changes import replaced
from benchinfer.scores.rows.rows import Rows
from benchinfer.scores.rows.summary import ScoreRows, Summary

if TYPE_CHECKING:
    import pandas as pd


@checked
@dataclass(frozen=True, slots=True)
class LimitedRuns:
    """Runs of one measure of a table.

    Made by `ScoreTable.runs`.

    Attributes
    ----------
    measures
        Those of the table.
    name
        That of the runs; None for the only one with a limit.
    of
        Counts and moments of the table.
    rows
        Rows of the table.
    paired
        Whether algorithms share replications.
    failures
        A function that returns the runs without a score, `ScoreTable.failures`.
    targets
        Times at which runs reached targets, None where scores are of no traces.
    """

    measures: Sequence[Measure]
    name: str | None
    of: Summary
    rows: Rows
    paired: bool
    failures: Callable[[], pd.DataFrame]
    targets: TargetTimes | None

    @property
    def measure(self) -> Measure:
        """Measure of the runs.

        Raises
        ------
        DesignError
            It has no limit, or it is not clear which is meant.
        """
        measures = [m for m in self.measures if m.limit is not None]
        if self.name is None and len(measures) == 1:
            return measures[0]
        if (chosen := one_measure(self.measures, self.name)).limit is None:
            raise DesignError(
                f"measure {chosen.name!r} has no limit.",
                hint="declare it: Measure(limit=3600), in the unit of the measure.",
            )
        return chosen

    def stopped(self) -> StoppedRuns | None:
        """Count the stopped runs in the cells; None where the measure has no limit."""
        chosen = one_measure(self.measures, self.name)
        return None if chosen.limit is None else self._stopped(chosen, chosen.limit)

    def _stopped(self, chosen: Measure, limit: float) -> StoppedRuns:
        s = self.of.of(chosen.name)
        stopped = s.at_ends[0, :, :, 1] * (s.ends[0, 1] == chosen.stopped_score)
        share = stopped / np.maximum(s.n[0], 1)
        crashed = np.zeros(len(s.algorithms), np.int64)
        failures = self.failures()
        if "run_state" in failures:
            scored = failures["scored"].astype(bool)
            rows = failures[scored & (failures["measure"] == chosen.name)]
            counts = rows.loc[rows["run_state"] == "crashed", "algorithm"].value_counts()
            crashed = np.array([int(counts.get(name, 0)) for name in s.algorithms])
        mean = s.mean[0] - (chosen.par - 1) * limit * share
        return StoppedRuns(limit, chosen.par, s.n[0], stopped, mean, crashed)

    def times(self) -> RunTimes:
        """Arrange the runs by problem and algorithm.

        A problem is a replication of a data set that algorithms share, else a data set.

        Raises
        ------
        DesignError
            The measure has no limit, or there are statistics only.
        """
        chosen = self.measure
        rows = self.rows.scores(chosen.name, self.of.names)
        problem = rows.dataset
        if self.paired:
            problem = rows.dataset * max(len(rows.labels), 1) + rows.replication
        return run_times(
            (chosen.name, chosen.unit, float(chosen.limit or 0)),
            self.of.algorithms,
            (problem, rows.dataset, rows.algorithm),
            rows.value,
            float(chosen.stopped_score or 0),
        )

    def summary(self, *, par: float = 10) -> pd.DataFrame:
        """Sum up the runs of each algorithm.

        Parameters
        ----------
        par
            Penalty factor of the column ``penalised`` and of the contributions.

        Returns
        -------
        pandas.DataFrame
            One row per algorithm, the one with the least mean time up to the limit first:
            ``algorithm n solved stopped crashed solved_share restricted_mean penalised best_on
            contribution``. ``stopped`` includes ``crashed`` runs that count as stopped. The last
            two are of the virtual best: on how many problems the algorithm is the best one, and how
            much the penalised mean of the virtual best loses without it. Data sets weigh equally.
            Means are over those on which all algorithms have runs; where there is none, over those
            of each algorithm.

        Raises
        ------
        DesignError
            The measure has no limit.

        Examples
        --------
        >>> import benchinfer as bi, pandas as pd
        >>> times = pd.DataFrame({"problem": list("aabbcc"), "solver": ["x", "y"] * 3,
        ...                       "seconds": [3.0, 9.0, 60.0, 20.0, 50.0, 60.0]})
        >>> scores = bi.read_scores(times, measures="seconds:lower:limit=60",
        ...                         columns={"solver": "algorithm"})
        >>> scores.runs().summary()[["algorithm", "solved", "restricted_mean", "contribution"]]
          algorithm  solved  restricted_mean  contribution
        0         y       2        29.666667    193.333333
        1         x       2        37.666667    185.333333
        """
        chosen, times = self.measure, self.times()
        cells = self._stopped(chosen, times.limit)
        worst = par * cells.limit
        best = virtual_best(times.penalised(par), worst, times.dataset)
        means, shares = (column_means(c[cells.averaged]) for c in (cells.mean, cells.cells))
        n, solved = times.n.sum(axis=0), times.solved.sum(axis=0)
        table = frames.frame(
            {
                "algorithm": list(self.of.algorithms),
                "n": n,
                "solved": solved,
                "stopped": n - solved,
                "crashed": cells.crashed,
                "solved_share": solved / np.maximum(n, 1),
                "restricted_mean": means,
                "penalised": means + (par - 1) * cells.limit * shares,
                "best_on": best.best,
                "contribution": best.contribution,
            }
        )
        return table.sort_values(["restricted_mean", "algorithm"], ignore_index=True)

    def virtual_best(self, *, par: float = 10) -> pd.DataFrame:
        """Compare the best algorithm of each problem with the single best algorithm.

        Parameters
        ----------
        par
            As in `summary`.

        Returns
        -------
        pandas.DataFrame
            Two rows, ``choice algorithm penalised solved``: the virtual best, as if an oracle chose
            the algorithm, and the single best by the penalised mean. Of the problems that all
            algorithms have runs on.

        References
        ----------
        Bischl et al. (2016), https://doi.org/10.1016/j.artint.2016.04.003
        """
        times = self.times()
        best = virtual_best(times.penalised(par), par * times.limit, times.dataset)
        both = (times.n > 0).all(axis=1)
        some, single = (times.solved[both] > 0).any(axis=1), times.solved[both][:, best.single] > 0
        return frames.frame(
            {
                "choice": ["virtual best", "single best"],
                "algorithm": ["", times.algorithms[best.single]],
                "penalised": [best.mean, best.means[best.single]],
                "solved": [int(some.sum()), int(single.sum())],
            }
        )

    def running_times(self) -> pd.DataFrame:
        """Estimate the expected running time of restarts until the problem is solved.

        The sum of all times, of stopped runs up to the limit, divided by the number of solved runs
        (ERT); infinite where no run was solved. Of targets it is the sum of the times of all runs,
        each until it reached the target or ended, divided by the number that reached it; of all
        targets where no measure is named.

        Returns
        -------
        pandas.DataFrame
            One row per data set and algorithm, and per target if there are any: ``dataset algorithm
            [target] n solved total_time running_time``, and ``running_time_shown``, which is
            ``"> total"`` where the running time is infinite.

        References
        ----------
        Hansen et al. (2021), https://doi.org/10.1080/10556788.2020.1808977
        """
        targets: dict[str, Array] = {}
        if self.targets is not None:
            held, at = self.targets, np.arange(self.targets.targets.shape[1])
            if self.name is not None and held.measures:
                limit = float(self.measure.limit or 0)  # as it is declared now
                held = held.up_to(limit) if limit < held.limit else held
                at = np.array([held.measures.index(self.name)])
            totals, counts, n = held.running_times()
            d, k = (np.repeat(i, len(at)) for i in np.nonzero(n))
            j = np.tile(at, len(d) // len(at))
            total, solved = totals[d, k, j], counts[d, k, j]
            targets = {"target": held.targets[d, j]}
        else:
            times = self.times()
            sums, counts = times.running_times(times.dataset)
            n = np.zeros_like(counts)
            np.add.at(n, times.dataset, times.n)
            d, k = np.nonzero(n)
            total, solved = sums[d, k], counts[d, k]
        with np.errstate(divide="ignore"):
            expected = total / solved
        return frames.frame(
            {
                "dataset": [self.of.datasets[i] for i in d],
                "algorithm": [self.of.algorithms[i] for i in k],
                **targets,
                "n": n[d, k],
                "solved": solved,
                "total_time": total,
                "running_time": expected,
                "running_time_shown": [
                    f"{e:,.6g}" if s else f"> {t:,.6g}"
                    for e, s, t in zip(expected, solved, total, strict=True)
                ],
            }
        )

    def penalties(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return the penalty factors of stopped runs at which the order of a pair is reversed.

        With stopped runs at k times the limit L the mean difference is a + (k - 1) b: a that of
        times up to the limit, b that of the shares stopped, times L.

        Parameters
        ----------
        level
            Of the paired t test over data sets, not adjusted.

        Returns
        -------
        pandas.DataFrame
            One row per pair: ``first second difference stopped_difference sign_turns
            verdict_turns``, the last two k at which the difference changes its sign, and at which
            the test starts or ceases to decide; NaN where it does not for any k above 1.
        """
        from scipy.special import stdtrit

        chosen = self.measure
        held = self._stopped(chosen, float(chosen.limit or 0))
        i, j = np.triu_indices(len(self.of.algorithms), 1)
        parts: list[Array] = [np.empty((4, 0))]
        for first in range(len(self.of.algorithms) - 1):
            a, b = held.differences(first)
            n = (~np.isnan(a)).sum(axis=0)
            critical = stdtrit(np.maximum(n - 1, 1), (1 + level) / 2)
            mean_a, mean_b = column_means(a), column_means(b)
            verdict = np.where(n > 1, turning_verdict(a, b, critical), np.nan)
            parts.append(
                np.stack([mean_a, mean_b / held.limit, turning_penalty(mean_a, mean_b), verdict])
            )
        difference, stopped, signs, verdicts = np.concatenate(parts, axis=1)
        return frames.frame(
            {
                "first": [self.of.algorithms[n] for n in i],
                "second": [self.of.algorithms[n] for n in j],
                "difference": difference,
                "stopped_difference": stopped,
                "sign_turns": signs,
                "verdict_turns": verdicts,
            }
        )


def solved_rows(
    rows: Rows, measure: Measure, summary: Summary, tolerance: float
) -> tuple[Measure, Rows]:
    """Return the measure of runs solved within the limit, and rows of their scores of 0 and 1."""
    unit = f" {measure.unit}" if measure.unit else ""
    label = f"share solved within {measure.limit:,.6g}{unit}"
    new = Measure("solved", "higher", tolerance, bounds=(0.0, 1.0), label=label)
    stopped = float(measure.stopped_score or 0)

    def change(scores: ScoreRows) -> Array:
        return (scores.value < stopped).astype(np.float64)

    return new, replaced(rows, measure, new, summary.names, change)


def restricted_rows(rows: Rows, old: Measure, new: Measure, of: Summary) -> Rows:
    """Return the rows with stopped runs scored by another limit or penalty."""
    if new.limit is None:
        raise DesignError(
            f"the runs of {old.name!r} were stopped at {old.limit:,.6g}.",
            hint="without the limit they would count as times; read the scores again without.",
        )
    if old.limit is not None and new.limit > old.limit:
        raise DesignError(
            f"the runs of {old.name!r} were stopped at {old.limit:,.6g}, before the new limit"
            f" of {new.limit:,.6g}.",
            hint="the limit may be lowered.",
        )
    limit, score = new.limit, float(new.stopped_score or 0)
    return replaced(
        rows,
        old,
        new,
        of.names,
        lambda scores: restricted(scores.value, old.stopped_score, limit, score),
    )

"""Several measures monitored jointly.

Columns are ordered by measure, then by algorithm; a pair is two columns of one measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.analyses.monitor import comparison
from benchinfer.analyses.monitor.comparison import MonitorComparison, Standing
from benchinfer.analyses.monitor.course import Columns, Course
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.per_dataset import ComparisonGroups
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable
from benchinfer.relations.ensemble import Ensemble
from benchinfer.scores.rows.reductions import Blocks
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.numerics.types import Codes


def refuse_unlike(settings: Sequence[Setting]) -> None:
    """Raise a DesignError where measures differ in their algorithms or data sets."""
    seen = {(s.algorithms, s.coverage.datasets) for s in settings}
    if len(seen) == 1:
        return
    where = [
        (s.measure.name, str(len(s.algorithms)), str(len(s.coverage.datasets))) for s in settings
    ]
    raise DesignError(
        "measures that are watched together need scores of the same algorithms on the same data"
        " sets.",
        where=[("measure", "algorithms", "data sets"), *where],
        hint="keep the algorithms and the data sets that they share.",
        shown=len(where),
    )


def columns(scores: ScoreTable, names: Sequence[str]) -> Blocks:
    """Return scores with a row per data set and replication, a column per measure and algorithm."""
    parts = [scores.blocks(name) for name in names]
    if len(parts) == 1:
        return parts[0]
    labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))
    place = {label: i for i, label in enumerate(labels)}
    keys: list[Codes] = []  # of each row, by data set and replication
    for part in parts:
        label = np.array([place[label] for label in part.labels], dtype=np.int64)
        keys.append(part.dataset * len(place) + label[part.replication])
    rows = np.unique(np.concatenate(keys))
    shape = (len(rows), sum(len(part.algorithms) for part in parts))
    count, mean = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    items = np.ones(shape) if any(part.items is not None for part in parts) else None
    for i, (part, key) in enumerate(zip(parts, keys, strict=True)):
        k = len(part.algorithms)
        at = np.ix_(np.searchsorted(rows, key), np.arange(i * k, (i + 1) * k))
        count[at], mean[at] = part.count, part.scores
        if items is not None and part.items is not None:
            items[at] = part.items
    return replace(
        parts[0],
        algorithms=tuple(
            f"{algorithm} ({name})"
            for part, name in zip(parts, names, strict=True)
            for algorithm in part.algorithms
        ),
        dataset=rows // len(labels),
        replication=rows % len(labels),
        labels=labels,
        count=count,
        mean=mean,
        items=items,
        total=None,
        size=None,
        within=np.hstack([part.within for part in parts]),
    )


def split(course: Course, measures: int) -> list[Course]:
    """Return the course of the pairs of each measure."""
    m = len(course.ends) // measures
    parts: list[Course] = []
    for first in range(0, measures * m, m):
        mine = slice(first, first + m)
        part = Course(
            ends=course.ends[mine],
            used=course.used[mine],
            estimate=course.estimate[mine],
            p_value=course.p_value[mine],
            p_raw=course.p_raw[mine],
            provisional=course.provisional[mine],
            stages=_rows(course.stages, first, first + m),
            path=_rows(course.path, first, first + m),
            low=None if course.low is None else course.low[mine],
            high=None if course.high is None else course.high[mine],
            log_e=None if course.log_e is None else course.log_e[mine],
            path_each=_rows(course.path_each, first, first + m),
        )
        parts.append(part)
    return parts


def _rows(table: Columns, first: int, last: int) -> Columns:
    """Return the rows of pairs from first to before last, numbered anew."""
    if not table:
        return {}
    mine = (table["pair"] >= first) & (table["pair"] < last)
    part = {name: values[mine] for name, values in table.items()}
    return part | {"pair": part["pair"] - first}


@checked
@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MonitoredMeasures(ComparisonGroups[MonitorComparison], Showable):
    """One comparison per measure: a mapping from measure to comparison.

    The error over all measures, pairs and looks together is at most one minus the level.

    Attributes
    ----------
    results
        Name of the measure to comparison.
    """

    _home: ClassVar[str] = "benchinfer.analyses.monitor"
    group: ClassVar[str] = "measure"

    results: Mapping[str, MonitorComparison]

    @property
    def decision(self) -> Standing:
        """Decision to stop; ``"go on"`` as long as a pair of some measure goes on.

        ``"decided"``: every pair has a verdict by every measure. ``"undecidable"``: no pair goes
        on, and some ended without a verdict.
        """
        decisions = {result.decision for result in self.values()}
        if "go on" in decisions:
            return "go on"
        return "undecidable" if "undecidable" in decisions else "decided"

    def next_cells(self) -> pd.DataFrame:
        """Return the cells to run next: ``dataset replication algorithm``, one row per run.

        A run gives the scores of all measures, so a cell that several need is there once.
        """
        table = self._stack({name: result.next_cells() for name, result in self.items()})
        return table.drop(columns="measure").drop_duplicates(ignore_index=True)

    def relations(self, rule: str = "evidence") -> Ensemble:
        """Return the relations of the measures: an ensemble in which each has weight 1."""
        return Ensemble({name: result.relation(rule) for name, result in self.items()})

    def headline(self) -> str:
        """Return the state of the experiment, in one sentence."""
        ends = [end for result in self.values() for end in result.course.ends]
        return comparison.standing(ends, self.decision)

    def __str__(self) -> str:
        """Return one line per measure, and whether to go on."""
        return "\n".join([*map(str, self.values()), f"All measures: {self.headline()}"])

    def description(self) -> str:
        """Return the number of measures and the state."""
        return f"<MonitoredMeasures: {count(len(self), 'measure')}, {self.decision}>"

"""Rows in an engine, or in an Arrow table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, override

import narwhals as nw
import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.scores.columns.engines import Frame, lazy
from benchinfer.scores.columns.roles import SIZE
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    cells_of,
    deviation,
    reduce_unit_blocks,
    require_scale,
    unit_moments,
)
from benchinfer.scores.rows.rows import Names, Rows
from benchinfer.scores.rows.summary import (
    ScoreRows,
    Summary,
    coded,
    collect,
    in_order,
    summary_of_frame,
)

if TYPE_CHECKING:
    from benchinfer.numerics.types import Codes


@dataclass(frozen=True, slots=True)
class EngineRows(Rows):
    """Rows in any engine, or in an Arrow table whose places are not dense.

    Attributes
    ----------
    columns
        Canonical columns. A row of nested units in memory is one of an outermost unit, with the
        number of its items in the column `SIZE`.
    of_units
        Whether they are of nested units.
    by_dataset
        The rows of all data sets, where these are those of one: they are fetched at once.
    dataset
        The data set, in that case.
    """

    columns: Frame
    of_units: bool = False
    by_dataset: SortedRows | None = None
    dataset: str = ""

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        units = self.of_units and domains is not None
        if not units or "domain" in self.columns.collect_schema().names():
            return self.columns
        domain = nw.col("dataset").cast(nw.String).replace_strict(dict(domains or {}))
        return self.columns.with_columns(domain.alias("domain"))

    @property
    @override
    def in_cluster(self) -> bool:
        kind = self.columns.implementation
        return kind.is_dask() or kind.is_pyspark() or kind.is_pyspark_connect()

    @property
    @override
    def unit_size(self) -> float | None:
        if not self.of_units:
            return None
        sizes: Any = self.columns.select(SIZE).unique().collect().to_arrow()
        return float(sizes.column(0)[0].as_py()) if len(sizes) == 1 else float("nan")

    @override
    def summary(self) -> Summary:
        """Reduce to counts and moments; of units, the levels of data sets are means of items."""
        summary = summary_of_frame(self.columns)
        if not self.of_units:
            return summary
        mean, squares = summary.mean.copy(), summary.squares.copy()
        for m, name in enumerate(summary.measures):
            rows = self.scores(name, summary.names, (SIZE,))
            _, mean[m], squares[m] = unit_moments(rows, rows.value, summary.names)
        return replace(summary, mean=mean, squares=squares)

    @override
    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        if self.by_dataset is None:
            return Rows.scores(self, measure, names, covariates)
        return self.by_dataset.rows(measure, self.dataset, names[1])

    @override
    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        labels, content = Rows.content(self, measure, names, covariates)
        if not self.of_units:
            return labels, content
        rows = self.scores(measure, names, (SIZE,))
        size = rows.covariate[np.lexsort((rows.algorithm, rows.replication, rows.dataset)), 0]
        return labels, iter([*content, size.astype("<f8").tobytes()])

    @override
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        if not self.of_units:
            return cells_of(measure, summary, self.frame)
        require_scale(self.columns, measure)
        rows = self.scores(measure.name, summary.names, (SIZE,))
        n, mean, squares = unit_moments(rows, measure.orient(rows.value), summary.names)
        return Cells(measure, *summary.names, n, mean, deviation(n, squares))

    @override
    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        return self.blocks(measure, names, paired=paired)

    @override
    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        if not self.of_units:
            return Rows.blocks(self, measure, names, paired=paired)
        require_scale(self.columns, measure)
        rows = self.scores(measure.name, names, (SIZE,))
        size = rows.covariate[:, 0]
        rows = replace(rows, value=measure.orient(rows.value))
        return reduce_unit_blocks(rows, size, measure, names, paired=paired)


class SortedRows:
    """The rows of a table, sorted by data set, in memory: one sort, not a pass for each data set.

    Parameters
    ----------
    frame
        Canonical columns.
    names
        The D data sets and K algorithms, sorted.
    covariates
        The columns of covariates.

    Attributes
    ----------
    ends
        (D + 1,) where the rows of each data set begin, and where the last end.
    """

    __slots__ = ("_rows", "_table", "covariates", "ends", "names")

    def __init__(self, frame: Frame, names: Names, covariates: Sequence[str]) -> None:
        table: Any = frame.collect().to_arrow()
        codes, _ = coded(table.column("dataset"), names[0])
        self._table = table.take(np.argsort(codes, kind="stable")).unify_dictionaries()
        self.names, self.covariates = names, covariates
        self.ends = np.r_[0, np.cumsum(np.bincount(codes, minlength=len(names[0])))]
        # Per measure, once requested: the rows, and where those of each data set begin.
        self._rows: dict[str, tuple[ScoreRows, Codes]] = {}

    def parts(self) -> dict[str, EngineRows]:
        """Return data set to its rows."""
        ends = zip(self.names[0], self.ends.tolist(), self.ends[1:].tolist(), strict=False)
        parts = {name: lazy(self._table.slice(start, end - start)) for name, start, end in ends}
        if SIZE in self._table.column_names:
            return {name: EngineRows(part, of_units=True) for name, part in parts.items()}
        return {
            name: EngineRows(part, by_dataset=self, dataset=name) for name, part in parts.items()
        }

    def rows(self, measure: str, dataset: str, algorithms: tuple[str, ...]) -> ScoreRows:
        """Return what `collect` gives for one data set and the algorithms that it has."""
        datasets, all_algorithms = self.names
        if measure not in self._rows:
            rows = collect(lazy(self._table), measure, *self.names, self.covariates)
            self._rows[measure] = rows, np.searchsorted(rows.dataset, range(len(datasets) + 1))
        rows, ends = self._rows[measure]
        d = bisect_left(datasets, dataset)
        part = slice(ends[d], ends[d + 1])
        occurring, replication = np.unique(rows.replication[part], return_inverse=True)
        replication, labels = in_order(replication, tuple(rows.labels[i] for i in occurring))
        algorithm = rows.algorithm[part]
        if algorithms != all_algorithms:
            position = {name: i for i, name in enumerate(algorithms)}
            algorithm = np.array([position.get(n, -1) for n in all_algorithms])[algorithm]
        return ScoreRows(
            np.zeros(len(replication), np.int64),
            replication,
            algorithm,
            labels,
            rows.value[part],
            rows.covariate[part],
        )

"""A table split by data set, whose rows are fetched once for all parts."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.scores.rows import Rows, collect, in_order
from benchinfer.scores.summary import coded

type Frame = "nw.LazyFrame[Any]"


@dataclass(frozen=True, slots=True)
class Parts:
    """The rows of a table, sorted by data set, in memory.

    Attributes
    ----------
    datasets, algorithms
        The D and K names, sorted.
    covariates
        The columns of covariates.
    ends
        (D + 1,) where the rows of each data set begin, and where the last end.
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    covariates: Sequence[str]
    ends: NDArray[np.int64]
    _table: Any
    # Per measure, once asked for: the rows, and where those of each data set begin.
    _rows: dict[str, tuple[Rows, NDArray[np.int64]]] = field(
        default_factory=dict[str, tuple[Rows, NDArray[np.int64]]]
    )

    @staticmethod
    def of(
        frame: Frame,
        datasets: tuple[str, ...],
        algorithms: tuple[str, ...],
        covariates: Sequence[str],
    ) -> "Parts":
        """Fetch the table: one sort, rather than one pass over all rows for each data set."""
        table: Any = frame.collect().to_arrow()
        codes, _ = coded(table.column("dataset"), datasets)
        table = table.take(np.argsort(codes, kind="stable")).unify_dictionaries()
        ends = np.r_[0, np.cumsum(np.bincount(codes, minlength=len(datasets)))]
        return Parts(datasets, algorithms, covariates, ends, table)

    def frames(self) -> dict[str, Frame]:
        """Return data set to canonical columns."""
        return {
            name: _lazy(self._table.slice(start, end - start))
            for name, start, end in zip(
                self.datasets, self.ends.tolist(), self.ends[1:].tolist(), strict=False
            )
        }

    def rows(self, measure: str, dataset: str, algorithms: tuple[str, ...]) -> Rows:
        """Return what `collect` gives for one data set and the algorithms that it has."""
        if measure not in self._rows:
            rows = collect(
                _lazy(self._table), measure, self.datasets, self.algorithms, self.covariates
            )
            self._rows[measure] = rows, np.searchsorted(rows.dataset, range(len(self.datasets) + 1))
        rows, ends = self._rows[measure]
        d = bisect_left(self.datasets, dataset)
        part = slice(ends[d], ends[d + 1])
        found, replication = np.unique(rows.replication[part], return_inverse=True)
        replication, labels = in_order(replication, tuple(rows.labels[i] for i in found))
        algorithm = rows.algorithm[part]
        if algorithms != self.algorithms:
            own = {name: i for i, name in enumerate(algorithms)}
            algorithm = np.array([own.get(name, -1) for name in self.algorithms])[algorithm]
        return Rows(
            np.zeros(len(replication), np.int64),
            replication,
            algorithm,
            labels,
            rows.value[part],
            rows.covariate[part],
        )


def _lazy(table: Any) -> Frame:
    return nw.from_native(table, eager_only=True).lazy()

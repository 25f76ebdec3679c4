"""A checked table of scores: selection, coverage, and its two reductions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, NoReturn, override

import narwhals as nw
import numpy as np

from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame as tidy
from benchinfer.measure import Measure
from benchinfer.scores.cells import Blocks, Cells, deviation, reduce_blocks, reduce_cells
from benchinfer.scores.check import check
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows import collect, digest, labels_of, quantiles, whole_replications
from benchinfer.scores.summary import Summary, coded, summarise
from benchinfer.showable import Showable

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


_NOTHING = message("nothing is left of the table.", hint="ask for less.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(Showable):
    """A long table of scores in any engine, with its measures, checked.

    Made by `read_scores`.

    Attributes
    ----------
    measures
        The measures that the table has scores of.
    resampling
        How the replications came about, if declared.
    paired
        Whether algorithms share replications.
    domains
        Data set to domain, or None where the table has no such column.
    source
        Name of the file or kind of frame.
    notes
        What was found on reading; `findings` adds what the table is like now.
    """

    measures: tuple[Measure, ...]
    resampling: Resampling | None
    paired: bool
    domains: Mapping[str, str] | None
    source: str
    notes: tuple[Finding, ...]
    _frame: "nw.LazyFrame[Any]"
    _summary: Summary
    # The digest costs a sort of all rows and is asked for by every result: kept once computed.
    _memo: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, sorted."""
        return self._summary.datasets

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return self._summary.algorithms

    @property
    def n_rows(self) -> int:
        """Number of scores over all measures."""
        return int(self._summary.n.sum())

    def measure(self, name: str | None = None) -> Measure:
        """Give a measure by its name.

        Parameters
        ----------
        name
            May be left out where the table has one measure.

        Raises
        ------
        DesignError
            There is no such measure, or it is not clear which is meant.
        """
        names = [m.name for m in self.measures]
        if name is None:
            if len(names) == 1:
                return self.measures[0]
            raise DesignError(
                message(
                    f"the table has {len(names)} measures.",
                    hint="say which: " + ", ".join(map(repr, names)) + ".",
                )
            )
        if name not in names:
            raise DesignError(unknown("measure", name, names))
        return self.measures[names.index(name)]

    @property
    def finding_records(self) -> tuple[Finding, ...]:
        """What the checks found, over all measures."""
        return self.notes + check(self._summary, paired=self.paired, measures=self.measures)

    def _findings(self, measure: str | None) -> tuple[Finding, ...]:
        if measure is None:
            return self.finding_records
        return self.notes + check(self._of(measure), paired=self.paired, measures=self.measures)

    def _of(self, measure: str | None) -> Summary:
        return self._summary.of(self.measure(measure).name)

    def findings(self, measure: str | None = None) -> "pd.DataFrame":
        """Show what the checks found.

        Parameters
        ----------
        measure
            By default, findings on all measures.

        Returns
        -------
        pandas.DataFrame
            One row per finding: ``rule severity count where hint``. ``where`` says what was found
            and names the first places.
        """
        return listed(self._findings(measure))

    def coverage(self, measure: str | None = None) -> Coverage:
        """Count the scores per cell.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Returns
        -------
        Coverage
            Counts and findings; no scores.
        """
        own = self._of(measure)
        expected = own.expected(paired=self.paired)[0]
        found = self._findings(own.measures[0])
        return Coverage(own.measures[0], own.datasets, own.algorithms, own.n[0], expected, found)

    def describe(self, measure: str | None = None) -> "pd.DataFrame":
        """Summarise the scores per data set and algorithm, in the measure's own unit.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Returns
        -------
        pandas.DataFrame
            One row per cell that has a score: ``dataset algorithm n mean sd median minimum q25 q75
            maximum``; ``sd`` has n - 1 and is NaN for one score.
        """
        own = self._of(measure)
        rows = collect(self._frame, own.measures[0], own.datasets, own.algorithms)
        d, k = np.nonzero(own.n[0])
        n = own.n[0, d, k]
        low, middle, high = quantiles(rows, n, (0.25, 0.5, 0.75))
        return tidy(
            {
                "dataset": [own.datasets[i] for i in d],
                "algorithm": [own.algorithms[i] for i in k],
                "n": n,
                "mean": own.mean[0, d, k],
                "sd": deviation(n, own.squares[0, d, k]),
                "median": middle,
                "minimum": own.minimum[0, d, k],
                "q25": low,
                "q75": high,
                "maximum": own.maximum[0, d, k],
            }
        )

    def cells(self, measure: str | None = None) -> Cells:
        """Reduce to count, mean and standard deviation per data set and algorithm, oriented.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        found = self.measure(measure)
        if found.scale != "identity":
            return reduce_cells(self._frame, found, self.datasets, self.algorithms)
        own = self._of(found.name)
        n, squares = own.n[0], own.squares[0]
        mean = found.sign * own.mean[0]
        return Cells(found, self.datasets, self.algorithms, n, mean, deviation(n, squares))

    def blocks(self, measure: str | None = None) -> Blocks:
        """Reduce to one row per (data set, replication) and one column per algorithm, oriented.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        found = self.measure(measure)
        return reduce_blocks(self._frame, found, self.datasets, self.algorithms, paired=self.paired)

    def to_frame(self, measure: str | None = None) -> "pd.DataFrame":
        """Fetch the scores as a long pandas frame, sorted by their labels.

        Parameters
        ----------
        measure
            By default, all measures.
        """
        rows = self._frame
        if measure is not None:
            rows = rows.filter(nw.col("measure") == self.measure(measure).name)
        table = rows.collect().to_arrow()
        labels = [name for name in table.column_names if name != "value"]
        columns: dict[str, object] = {}
        for name in labels:
            codes, names = coded(table.column(name))
            columns[name] = np.array(names, dtype=object)[codes]
        pandas = tidy({**columns, "value": table.column("value").to_numpy()})
        return pandas.sort_values(labels, ignore_index=True)

    def subset(
        self,
        datasets: str | Sequence[str] | None = None,
        algorithms: str | Sequence[str] | None = None,
        measures: str | Sequence[str] | None = None,
        domains: str | Sequence[str] | None = None,
        replications: str | Sequence[str] | None = None,
    ) -> "ScoreTable":
        """Keep part of the table.

        Parameters
        ----------
        datasets, algorithms, measures, domains, replications
            Names to keep; all of them by default.

        Raises
        ------
        DesignError
            A name is unknown, or nothing would be left.
        """
        asked = {
            "dataset": (datasets, self.datasets),
            "algorithm": (algorithms, self.algorithms),
            "measure": (measures, [m.name for m in self.measures]),
            "domain": (domains, sorted(set((self.domains or {}).values()))),
        }
        if replications is not None:
            there = sorted(labels_of(self._frame, "replication"))
            asked["replication"] = (replications, there)
        kept = [
            nw.col(role).is_in(_names(role, names, there))
            for role, (names, there) in asked.items()
            if names is not None
        ]
        rows = reduce(lambda rows, condition: rows.filter(condition), kept, self._frame)
        return self._with(rows, summarise(rows))

    def by_dataset(self) -> dict[str, "ScoreTable"]:
        """Split the table.

        Returns
        -------
        dict
            Data set to its table, in the order of `datasets`. Each has the algorithms and measures
            that have a score on it.
        """
        table: Any = self._frame.collect().to_arrow()
        codes, _ = coded(table.column("dataset"), self.datasets)
        # One sort and slices of it, rather than one pass over all rows for each data set.
        table = table.take(np.argsort(codes, kind="stable")).unify_dictionaries()
        ends = np.cumsum(np.bincount(codes, minlength=len(self.datasets))).tolist()
        return {
            name: self._with(
                nw.from_native(table.slice(start, end - start), eager_only=True).lazy(),
                self._summary.within(name),
            )
            for name, start, end in zip(self.datasets, [0, *ends], ends, strict=False)
        }

    def complete(
        self, measure: str | None = None, by: Literal["dataset", "replication"] = "dataset"
    ) -> "ScoreTable":
        """Keep what is whole.

        Parameters
        ----------
        measure
            The measure that counts; may be left out where the table has one. Scores of other
            measures are kept along with it.
        by
            ``"dataset"`` keeps the data sets on which each algorithm has every replication;
            ``"replication"`` keeps the replications that each algorithm of the table has.

        Raises
        ------
        DesignError
            Nothing would be left.
        """
        own = self._of(measure)
        if by == "dataset":
            expected = own.expected(paired=self.paired)[0][:, None]
            whole = (own.replications[0] == expected).all(axis=1) & (expected[:, 0] > 0)
            if not whole.any():
                raise DesignError(
                    message(
                        f"no data set is whole for measure {own.measures[0]!r}.",
                        hint='by="replication" keeps complete replications,'
                        " subset(algorithms=...) the algorithms that matter.",
                    )
                )
            return self.subset(datasets=[n for n, w in zip(own.datasets, whole, strict=True) if w])
        if by != "replication":
            raise DesignError(unknown("by", by, ("dataset", "replication")))
        rows = whole_replications(self._frame, own.measures[0], len(self.algorithms))
        return self._with(rows, summarise(rows))

    def _with(self, rows: "nw.LazyFrame[Any]", summary: Summary) -> "ScoreTable":
        if not summary.datasets:
            raise DesignError(_NOTHING)
        domains = self.domains
        if domains is not None:
            domains = {name: domains[name] for name in summary.datasets}
        measures = tuple(m for m in self.measures if m.name in summary.measures)
        return replace(
            self, measures=measures, domains=domains, _frame=rows, _summary=summary, _memo={}
        )

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any score or label.

        SHA-256 over the names and, per measure, the sorted codes and scores: independent of the
        order of rows, of the engine, and of what is declared about the measures.
        """
        if "digest" not in self._memo:
            self._memo["digest"] = digest(
                self._frame, (self._summary.measures, self.datasets, self.algorithms), self.domains
            )
        return self._memo["digest"]

    @override
    def save(self, path: "str | Path") -> NoReturn:
        """Refuse: a table is data, not a result."""
        raise DesignError(
            message(
                f"a score table is not saved as a result (to {str(path)!r}).",
                hint='scores.to_frame().to_csv("scores.csv", index=False) writes the scores.',
            )
        )

    def __repr__(self) -> str:
        s = self._summary
        expected = s.expected(paired=self.paired)
        there = expected[expected > 0]
        low, high = (int(there.min()), int(there.max())) if there.size else (0, 0)
        span = f"{low}" if low == high else f"{low} to {high}"
        missing = int((expected[:, :, None] - s.replications).clip(min=0).sum())
        names = ", ".join(f"{m.name} ({m.better} is better)" for m in self.measures)
        return (
            f"ScoreTable({self.source}: {_many(len(s.datasets), 'data set')} x"
            f" {_many(len(s.algorithms), 'algorithm')}, {span}"
            f" {'paired ' if self.paired else ''}replication{'' if high == 1 else 's'},"
            f" {_many(self.n_rows, 'score')}, {missing or 'none'} missing; {names})"
        )


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _names(role: str, asked: str | Sequence[str], there: Sequence[str]) -> list[str]:
    names = [str(name) for name in ([asked] if isinstance(asked, str | int) else asked)]
    if not names:
        raise DesignError(_NOTHING)
    if strange := set(names).difference(there):
        raise DesignError(unknown(role, min(strange), there[:50]))
    return names

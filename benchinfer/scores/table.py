"""A checked table of scores: selection, coverage, and its reductions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, override

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, unknown
from benchinfer.measure import Measure
from benchinfer.numerics.rates import Rate
from benchinfer.scores.cells import (
    Blocks,
    Cells,
    cells_of,
    reduce_blocks,
    reduce_cells,
    require_scale,
)
from benchinfer.scores.check import check
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.describe import line, spread, statistics
from benchinfer.scores.observations import (
    DatasetCovariates,
    Observations,
    reduce_covariates,
    reduce_observations,
)
from benchinfer.scores.parts import Parts
from benchinfer.scores.rate_intervals import RateInterval
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.roles import slots
from benchinfer.scores.rows import (
    Rows,
    collect,
    digest,
    labels_of,
    long_frame,
    whole_replications,
)
from benchinfer.scores.select import NOTHING, none_whole, not_saved, one_measure, selected
from benchinfer.scores.summary import Summary, summarise
from benchinfer.showable import Showable

if TYPE_CHECKING:
    from pathlib import Path

    import narwhals as nw
    import pandas as pd


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
    covariates
        Names of the columns of numbers that are kept beside the scores.
    """

    measures: tuple[Measure, ...]
    resampling: Resampling | None
    paired: bool
    domains: Mapping[str, str] | None
    source: str
    notes: tuple[Finding, ...]
    covariates: tuple[str, ...]
    _frame: "nw.LazyFrame[Any]"
    _summary: Summary
    # The digest costs a sort of all rows and is asked for by every result: kept once computed.
    _memo: dict[str, str] = field(default_factory=dict[str, str])
    # What this table is one data set of: the rows of all are fetched at once.
    _parts: Parts | None = None

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
        return one_measure(self.measures, name)

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

    def describe(
        self,
        measure: str | None = None,
        *,
        interval: Rate | None = None,
        sides: Literal[1, 2] = 2,
        level: float = 0.95,
    ) -> "pd.DataFrame":
        """Summarise the scores per data set and algorithm, in the measure's own unit.

        Parameters
        ----------
        measure
            May be left out where the table has one.
        interval
            Of a rate, where all scores are 0 or 1 and independent: ``"wilson"``,
            ``"clopper-pearson"``, ``"agresti-coull"`` or ``"wald"``.
        sides
            2, or 1 for the bound on the side that is worse.
        level
            Confidence of each interval alone.

        Returns
        -------
        pandas.DataFrame
            One row per cell that has a score: ``dataset algorithm n mean sd median minimum q25 q75
            maximum [conf_low conf_high]``; ``sd`` has n - 1 and is NaN for one score.
        """
        own = self._of(measure)
        rows = self._rows(own.measures[0])
        asked = None if interval is None else RateInterval(interval, sides, level)
        return statistics(rows, own, self.measure(measure), asked)

    def spread(self, measure: str | None = None) -> NDArray[np.float64]:
        """Return `describe`'s (D, K, 5) minimum, quartiles and maximum, NaN where there is none."""
        own = self._of(measure)
        return spread(self._rows(own.measures[0]), own)

    def cells(self, measure: str | None = None) -> Cells:
        """Reduce to count, mean and standard deviation per data set and algorithm, oriented.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        found = self.measure(measure)
        if found.scale != "identity":
            return reduce_cells(self._frame, found, self.datasets, self.algorithms)
        return cells_of(found, self._of(found.name))

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
        require_scale(self._frame, found)
        rows = self._rows(found.name)
        return reduce_blocks(rows, found, self.datasets, self.algorithms, paired=self.paired)

    def observations(self, measure: str | None = None) -> Observations:
        """Fetch one row per score, oriented, with its covariates.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        names = (self.datasets, self.algorithms)
        found = self.measure(measure)
        return reduce_observations(self._frame, found, names, self._slots, paired=self.paired)

    def dataset_covariates(self, measure: str | None = None) -> DatasetCovariates:
        """Tell the covariates that are constant within each data set from those that vary.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Returns
        -------
        DatasetCovariates
            Numbers in the order of `datasets`.
        """
        name = self.measure(measure).name
        return reduce_covariates(self._frame, name, self.datasets, self._slots)

    @property
    def _slots(self) -> dict[str, str]:
        return dict(zip(self.covariates, slots(self.covariates), strict=True))

    def to_frame(self, measure: str | None = None) -> "pd.DataFrame":
        """Fetch the scores as a long pandas frame, sorted by their labels.

        Parameters
        ----------
        measure
            By default, all measures.

        Returns
        -------
        pandas.DataFrame
            The labels, ``value``, and the covariates under their own names.
        """
        kept = None if measure is None else self.measure(measure).name
        return long_frame(self._frame, self._slots, kept)

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
        rows = selected(self._frame, asked)
        return self._with(rows, summarise(rows))

    def by_dataset(self) -> dict[str, "ScoreTable"]:
        """Split the table: data set to its table, with what has a score on it, in order."""
        names = self.datasets, self.algorithms
        parts = Parts.of(self._frame, *names, slots(self.covariates))
        return {
            name: self._with(rows, self._summary.within(name), parts)
            for name, rows in parts.frames().items()
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
            if not (whole := own.whole(paired=self.paired)):
                raise none_whole(own.measures[0])
            return self.subset(datasets=whole)
        if by != "replication":
            raise DesignError(unknown("by", by, ("dataset", "replication")))
        rows = whole_replications(self._frame, own.measures[0], len(self.algorithms))
        return self._with(rows, summarise(rows))

    def _with(
        self, rows: "nw.LazyFrame[Any]", summary: Summary, parts: Parts | None = None
    ) -> "ScoreTable":
        if not summary.datasets:
            raise DesignError(NOTHING)
        domains = self.domains
        if domains is not None:
            domains = {name: domains[name] for name in summary.datasets}
        measures = tuple(m for m in self.measures if m.name in summary.measures)
        own = replace(self, measures=measures, domains=domains, _frame=rows, _summary=summary)
        return replace(own, _memo={}, _parts=parts)

    def _rows(self, measure: str) -> Rows:
        if self._parts is not None:
            return self._parts.rows(measure, self.datasets[0], self.algorithms)
        names = self.datasets, self.algorithms
        return collect(self._frame, measure, *names, slots(self.covariates))

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any score, label or covariate.

        SHA-256 over the names and, per measure, the sorted codes, scores and covariates:
        independent of the order of rows and of covariates, of the engine, and of what is declared
        about the measures.
        """
        if "digest" not in self._memo:
            names = (self._summary.measures, self.datasets, self.algorithms)
            self._memo["digest"] = digest(self._rows, names, self.domains, self.covariates)
        return self._memo["digest"]

    @override
    def save(self, path: "str | Path") -> NoReturn:
        """Refuse: a table is data, not a result."""
        raise not_saved(path)

    def __repr__(self) -> str:
        held = line(self._summary, self.measures, self.covariates, paired=self.paired)
        return f"ScoreTable({self.source}: {held})"

"""Score tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, override

import numpy as np

from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Measure, one_measure
from benchinfer.core.result import Showable
from benchinfer.numerics.rates import Rate
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.checks.failures import failures_frame, gaps_of, with_worst, within
from benchinfer.scores.checks.findings import check
from benchinfer.scores.columns.engines import Frame, lazy
from benchinfer.scores.columns.roles import slots
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.declaration import Failed
from benchinfer.scores.normalisation import Normalise, Scheme, normalised
from benchinfer.scores.numerics.targets import TargetTimes
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.changes import (
    NOTHING,
    complete_replications,
    labels_to_keep,
    renamed,
    rows_of,
    selected,
    subset,
)
from benchinfer.scores.rows.description import described, rate_intervals, size_text
from benchinfer.scores.rows.engine import SortedRows
from benchinfer.scores.rows.factors import levels_of
from benchinfer.scores.rows.features import Feature, characteristics
from benchinfer.scores.rows.moments import reduce_statistics
from benchinfer.scores.rows.nesting import NestedUnits
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    DatasetCovariates,
    Observations,
    reduce_covariates,
    reduce_observations,
    rows_of_domains,
)
from benchinfer.scores.rows.rows import Rows, fingerprint
from benchinfer.scores.rows.statistics import StatisticsRows
from benchinfer.scores.rows.sufficient import SufficientStatistics
from benchinfer.scores.rows.summary import Summary, long_frame
from benchinfer.scores.runs import LimitedRuns, restricted_rows, solved_rows

if TYPE_CHECKING:
    import pandas as pd


def _slots_of(covariates: Sequence[str]) -> dict[str, str]:
    """Return covariate to its column in canonical rows."""
    return dict(zip(covariates, slots(covariates), strict=True))


@checked
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(Showable):
    """A long table of scores in any engine, with its measures, checked.

    Made by `read_scores`. The name of a measure may be left out where the table has one. Methods
    that reduce scores raise a DesignError where one has no finite place on its measure's scale.

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
    features
        Name to `Feature` of the data sets, in their order.
    rows
        In their places, in an engine, or the statistics in place of them.
    summary
        Counts, moments and extremes of its cells.
    failed
        What rows without a score count as: a word, a score, or the algorithm whose scores they get.
    units
        Levels of nested units and their sums of squares, None where replications are not nested;
        else those of the outermost level are the replications.
    targets
        Times at which runs reached targets, None where scores are of no traces.
    members
        Coverage of the data sets of which domains are the means; None where data sets are not
        domains (`domain_means`).
    factors
        Factor to its levels in their order, where algorithms are the cells of factors; else empty.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

    measures: tuple[Measure, ...]
    resampling: Resampling | None
    paired: bool
    domains: Mapping[str, str] | None
    source: str
    notes: tuple[Finding, ...]
    covariates: tuple[str, ...]
    rows: Rows
    summary: Summary
    # Rows without a score, as an Arrow table.
    _failures: Any = None
    failed: Failed = "missing"
    features: Mapping[str, Feature] = field(default_factory=dict[str, Feature])
    units: NestedUnits | None = None
    targets: TargetTimes | None = None
    members: Coverage | None = None
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    # Digest and findings are requested by every result: kept once computed.
    _memo: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, sorted."""
        return self.summary.datasets

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return self.summary.algorithms

    @property
    def n_rows(self) -> int:
        """Number of scores over all measures."""
        return int(self.summary.n.sum())

    def measure(self, name: str | None = None) -> Measure:
        """Return a measure by its name.

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
        """Findings of the checks, over all measures."""
        return self._findings(None)

    def facts(self, measure: str | None = None) -> Facts:
        """Return the facts from which findings are made.

        Parameters
        ----------
        measure
            By default, of all measures.
        """
        name = f"facts of {None if self.summary.measures == (measure,) else measure}"
        if name not in self._memo:
            self._memo[name] = Facts(
                self.summary if measure is None else self.summary.of(self.measure(measure).name),
                self.paired,
                self.measures,
                self.resampling,
                uneven=self.rows.has_unequal_units,
                moments=self.rows.in_cluster or self.rows.reduced,
                domains=self.domains,
            )
        return self._memo[name]

    def _findings(self, measure: str | None) -> tuple[Finding, ...]:
        name = f"findings of {None if self.summary.measures == (measure,) else measure}"
        if name not in self._memo:
            self._memo[name] = self.notes + check(self.facts(measure))
        return self._memo[name]

    def findings(self, measure: str | None = None) -> pd.DataFrame:
        """Return a table of the findings of the checks.

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

    def failures(self) -> pd.DataFrame:
        """Return a table of the rows without a score.

        Returns
        -------
        pandas.DataFrame
            One row per failure: ``dataset replication algorithm measure reason``; ``reason`` is
            empty where the table gives none. Where a measure has a limit, runs by algorithm and
            kind, with ``run_state`` as the second column: ``stopped``, ``crashed`` or ``missing``;
            ``scored`` says whether they have the score of a stopped run.
        """
        return failures_frame(self._failures)

    def runs(self, measure: str | None = None) -> LimitedRuns:
        """Return the runs of a measure with a limit.

        Parameters
        ----------
        measure
            May be left out where one measure has a limit.

        Returns
        -------
        LimitedRuns
            Its `summary`, `virtual_best`, `running_times` and `penalties` are tables. That the
            measure has no limit is an error where the limit is needed.
        """
        return LimitedRuns(
            self.measures,
            measure,
            self.summary,
            self.rows,
            paired=self.paired,
            failures=self.failures,
            targets=self.targets,
        )

    def coverage(self, measure: str | None = None) -> Coverage:
        """Count the scores per cell.

        Returns
        -------
        Coverage
            Counts and findings; no scores.
        """
        summary = self.summary.of(self.measure(measure).name)
        expected = summary.expected(paired=self.paired)[0]
        findings = self._findings(summary.measures[0])
        name, n = summary.measures[0], summary.n[0]
        gaps = gaps_of(self._failures, summary, expected, self.failed, paired=self.paired)
        return Coverage(name, summary.datasets, summary.algorithms, n, expected, findings, gaps)

    def at_worst(self, measure: str | None = None) -> ScoreTable:
        """Return the table with the worst score for what is missing, as ``failed="worst"`` has it.

        Of a cell without scores each replication that the data set has, and of other cells the
        runs that failed.

        Returns
        -------
        ScoreTable
            Of this measure alone.

        Raises
        ------
        DesignError
            There are statistics only, or rows on other machines.

        Examples
        --------
        >>> import benchinfer as bi, pandas as pd
        >>> runs = pd.DataFrame({"dataset": list("aaabb"), "algorithm": list("xyzxz"),
        ...                      "acc": [0.9, 0.8, 0.7, 0.6, 0.5]})
        >>> bi.read_scores(runs, measures="acc:higher").at_worst().to_frame()["value"].tolist()
        [0.9, 0.8, 0.7, 0.6, 0.5, 0.5]
        """
        declared = self.measure(measure)
        if self.rows.reduced or self.rows.in_cluster:
            raise DesignError("there are statistics only, and no rows to add missing scores to.")
        if len(self.measures) > 1:
            return self.subset(measures=declared.name).at_worst()
        failures = self._failures if self.failed == "missing" else None
        frame = with_worst(self._frame, failures, self.summary, declared, paired=self.paired)
        rows = rows_of(frame)
        return replace(self._with(rows, rows.summary()), failed="worst")

    def describe(
        self,
        measure: str | None = None,
        *,
        interval: Rate | None = None,
        sides: Literal[1, 2] = 2,
        level: float = 0.95,
    ) -> pd.DataFrame:
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
        declared = self.measure(measure)
        summary = self.summary.of(declared.name)
        cells = described(self.rows, summary)
        if interval is None:
            return cells
        values = self.rows.scores(declared.name, summary.names).value
        return cells.assign(**rate_intervals(values, summary, declared, interval, sides, level))

    def cells(self, measure: str | None = None) -> Cells:
        """Reduce to count, mean and standard deviation per data set and algorithm, oriented.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        declared = self.measure(measure)
        return self.rows.cells(declared, self.summary.of(declared.name))

    def blocks(self, measure: str | None = None) -> Blocks:
        """Reduce to one row per (data set, replication) and one column per algorithm, oriented."""
        return self.rows.blocks(self.measure(measure), self.summary.names, paired=self.paired)

    def weighted_blocks(self, measure: str | None = None) -> Blocks:
        """Reduce to `blocks`, or to weighted ones with the same first two moments."""
        declared = self.measure(measure)
        return self.rows.weighted_blocks(declared, self.summary.names, paired=self.paired)

    def statistics(self) -> SufficientStatistics:
        """Reduce to all that normal models need of the scores.

        Returns
        -------
        SufficientStatistics
            Counts, means and sums of squares of the cells and, where algorithms share replications,
            moments of the blocks. It takes the place of the table in `compare_mixed`,
            `compare_points` by means, `compare_bayes`, and whatever else needs no rows; it is
            saved, and added to those of other parts.

        Raises
        ------
        DesignError
            A score has no finite place on its measure's scale.

        Examples
        --------
        >>> import benchinfer as bi
        >>> scores = bi.load_example("simulated/balanced")
        >>> first = scores.subset(datasets=scores.datasets[:5]).statistics()
        >>> rest = scores.subset(datasets=scores.datasets[5:])
        >>> whole = first + rest
        >>> a, b = bi.compare_mixed(whole), bi.compare_mixed(scores)
        >>> bool(abs(a.contrasts()["p_value"] - b.contrasts()["p_value"]).max() < 1e-9)
        True
        """
        if "statistics" not in self._memo:
            self._memo["statistics"] = reduce_statistics(self, self.rows)
        return self._memo["statistics"]

    @staticmethod
    def of_statistics(held: SufficientStatistics) -> ScoreTable:
        """Return the table that statistics are of, without rows."""
        return ScoreTable(
            measures=held.measures,
            resampling=held.resampling,
            paired=held.paired,
            domains=held.domains,
            source=held.source,
            notes=held.notes,
            covariates=(),
            rows=StatisticsRows(held),
            summary=held.summary,
            features=held.features,
        )

    def observations(self, measure: str | None = None) -> Observations:
        """Fetch one row per score, oriented, with its covariates."""
        of, names, columns = self.measure(measure), self.summary.names, _slots_of(self.covariates)
        return reduce_observations(self._frame, of, names, columns, paired=self.paired)

    def dataset_covariates(self, measure: str | None = None) -> DatasetCovariates:
        """Return the covariates, by whether they are constant within each data set.

        Returns
        -------
        DatasetCovariates
            Numbers in the order of `datasets`.
        """
        name = self.measure(measure).name
        return reduce_covariates(self._frame, name, self.datasets, _slots_of(self.covariates))

    def characteristics(self, measure: str | None = None) -> dict[str, Feature]:
        """Return the characteristics of the data sets: features, constant covariates and domain.

        Returns
        -------
        dict
            Name to feature, in the order of `datasets`.
        """
        constant = self.dataset_covariates(measure).constant if self.covariates else {}
        domains = [self.domains[name] for name in self.datasets] if self.domains else None
        return characteristics(self.features, constant, domains)

    def to_frame(self, measure: str | None = None) -> pd.DataFrame:
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
        name = None if measure is None else self.measure(measure).name
        return long_frame(self._frame, _slots_of(self.covariates), name)

    def to_every_eval_ever(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write the scores in the schema of Every Eval Ever, which `read_scores` reads.

        Each algorithm has a record with the mean on each data set, its standard deviation and the
        number of replications. Where replications are items of one measure that are right or wrong,
        each is a line of a second file. Failures, runs stopped at a limit and cells without scores
        are counted in the details of the records, of which the schema has no scores. All files are
        written, or none; domains and covariates are not.

        Parameters
        ----------
        folder
            Where ``NAME/ALGORITHM/UUID.json`` are written. Each name is one component of the path:
            signs such as ``/`` are quoted as in addresses, and long names end with a digest.
        name
            Name of the benchmark, by default that of the table's file.

        Returns
        -------
        list of Path
            The files.

        Examples
        --------
        >>> import pandas as pd
        >>> from tempfile import TemporaryDirectory
        >>> from benchinfer import read_scores
        >>> frame = pd.DataFrame({"task": "code", "model": ["org/a", "org/b"], "acc": [0.5, 0.75]})
        >>> scores = read_scores(frame, measures={"acc": "higher"})
        >>> with TemporaryDirectory() as folder:
        ...     files = scores.to_every_eval_ever(folder, "live")
        ...     again = read_scores(f"{folder}/live")
        >>> again.algorithms, again.to_frame()["value"].tolist()
        (('org/a', 'org/b'), [0.5, 0.75])
        """
        from benchinfer.scores.formats.evaluations.every_eval_ever import write

        stem = self.source.partition(".")[0] or "scores"
        return write(self, Path(folder), name or stem)

    def subset(
        self,
        datasets: str | Sequence[str] | None = None,
        algorithms: str | Sequence[str] | None = None,
        measures: str | Sequence[str] | None = None,
        domains: str | Sequence[str] | None = None,
        replications: str | Sequence[str | int] | None = None,
    ) -> ScoreTable:
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
        if measures:
            names = [measures] if isinstance(measures, str) else measures
            measures = [self.measure(name).name for name in names]
        labels = {
            "dataset": labels_to_keep("dataset", datasets, self.datasets),
            "algorithm": labels_to_keep("algorithm", algorithms, self.algorithms),
            "measure": labels_to_keep("measure", measures, [m.name for m in self.measures]),
            "domain": labels_to_keep("domain", domains, sorted(set((self.domains or {}).values()))),
        }
        if replications is not None:
            known = self.rows.replications()
            labels["replication"] = labels_to_keep("replication", replications, known)
        rows = subset(self.rows, labels, self.domains)
        part = self._with(rows, rows.summary())
        if self._failures is None:
            return part
        failures = selected(lazy(self._failures), labels).collect().to_arrow()
        return replace(part, _failures=failures)

    def declare(self, measure: Measure) -> ScoreTable:
        """Return the table with another tolerance, scale or direction of a measure.

        Parameters
        ----------
        measure
            With the name of one that the table has.

        Raises
        ------
        DesignError
            There is no measure of that name.
        """
        names = [m.name for m in self.measures]
        if measure.name not in names:
            raise ArgumentError(unknown("measure", measure.name, names))
        old = self.measures[names.index(measure.name)]
        new = replace(measure, normalised=old.normalised)
        measures = tuple(new if m is old else m for m in self.measures)
        if (old.limit, old.par) == (new.limit, new.par):
            return replace(self, measures=measures, _memo={})
        rows = restricted_rows(self.rows, old, new, self.summary)
        return replace(self, measures=measures, rows=rows, summary=rows.summary(), _memo={})

    def penalise(self, par: float, measure: str | None = None) -> ScoreTable:
        """Count stopped runs `par` times the limit: PAR2 with 2, PAR10 with 10.

        Parameters
        ----------
        par
            Penalty factor; 1 for times up to the limit.
        measure
            May be left out where one measure has a limit.

        Raises
        ------
        DesignError
            The measure has no limit.

        Examples
        --------
        >>> import benchinfer as bi, pandas as pd
        >>> times = pd.DataFrame({"problem": ["a", "a", "b", "b"], "solver": ["x", "y"] * 2,
        ...                       "seconds": [3.0, 60.0, 20.0, 10.0]})
        >>> scores = bi.read_scores(times, measures="seconds:lower:limit=60",
        ...                         columns={"solver": "algorithm"})
        >>> scores.penalise(2).describe()["mean"].tolist()
        [3.0, 120.0, 20.0, 10.0]
        """
        return self.declare(replace(self.runs(measure).measure, par=par))

    def solved(self, measure: str | None = None, *, tolerance: float = 0.0) -> ScoreTable:
        """Turn times into whether the run was solved within the limit: scores of 0 and 1.

        Parameters
        ----------
        measure
            May be left out where one measure has a limit.
        tolerance
            Difference of shares that does not matter.

        Returns
        -------
        ScoreTable
            With one measure, ``"solved"``, of which higher is better; means are shares solved.

        Raises
        ------
        DesignError
            The measure has no limit.
        """
        old = self.runs(measure).measure
        new, rows = solved_rows(self.rows, old, self.summary, tolerance)
        measures = tuple(new if m is old else m for m in self.measures)
        table = replace(
            self, measures=measures, rows=rows, summary=rows.summary(), _failures=None, _memo={}
        )
        return table.subset(measures=["solved"])

    def normalise(self, by: Normalise, measures: str | Sequence[str] | None = None) -> ScoreTable:
        """Return the table with scores on a scale of each data set, on which these can be averaged.

        Of references 0 and 1 become those two; of ``"min-max"`` the worst and the best score on
        the data set; ``"z"`` are standard deviations from the mean of its scores. Higher is then
        better, of errors and times as well. ``"ranks"`` are those of the scores within each
        replication that algorithms share, else within the data set: 1 is best, ties have the mean
        of their ranks, and those of n scores are multiplied by (K + 1) / (n + 1), so that blocks
        that lack some of the K algorithms count alike. A measure on the log or logit scale is
        normalised there.

        The measure has another name, ``"normalised score"`` or ``"rank of score"``, and answers to
        its own as well. Its tolerance, bounds and unit are those of other numbers and are gone.

        Parameters
        ----------
        by
            ``"min-max"``, ``"z"``, ``"ranks"``, or two references, of 0 and of 1:
            ``("random", "human")``, or ``{"random": ..., "human": ...}`` with a number, the name of
            an algorithm, for its mean on the data set, or of a numeric feature, or a number for
            each data set. As one text: ``"random,human"``, ``"low=0.1,high=human"``, or the path of
            a TOML file with tables of numbers.

            A tolerance may follow, in the unit of the normalised scores: ``"min-max:0.05"``; it is
            the key ``tolerance`` of a mapping or a file. Algorithms of references are left out.
        measures
            By default, all measures.

        Raises
        ------
        DesignError
            The references for 1 are not better than those for 0, or the scores of a data set are
            all the same; scores are normalised already; ranks need scores, and there are
            statistics only.

        Examples
        --------
        >>> import benchinfer as bi
        >>> scores = bi.load_example("simulated/balanced").normalise("min-max")
        >>> scores.measure("score").unit
        '0 = worst, 1 = best score of each data set'
        """
        scheme = Scheme.of(by)
        if self.rows.in_cluster:
            return ScoreTable.of_statistics(self.statistics()).normalise(by, measures)
        names = [measures] if isinstance(measures, str) else measures
        old = self.measures if names is None else [self.measure(name) for name in names]
        table, failures = self, self._failures
        for measure in old:
            new, rows, note = normalised(table, table.rows, scheme, measure)
            if failures is not None:
                failures = renamed(failures, measure.name, new.name)
            table = replace(
                table,
                measures=tuple(new if one is measure else one for one in table.measures),
                notes=(*table.notes, note),
                rows=rows,
                summary=rows.summary(),
                _failures=failures,
                units=table.units and table.units.normalised(measure.name, new.name),
                _memo={},
            )
        return table.subset(algorithms=scheme.compared(self)) if scheme.algorithms(self) else table

    def domain_means(self, measure: str | None = None) -> ScoreTable:
        """Return the table whose data sets are the domains, with one score for each algorithm.

        That is the mean over the data sets of the domain, each with the same weight, of the mean of
        the replications on the scale of the measure. A comparison then takes domains as a sample of
        domains, however many data sets each holds, and copies of data sets count once.

        Raises
        ------
        DesignError
            The table names no domains, or a score has no finite place on the measure's scale.

        Examples
        --------
        >>> import benchinfer as bi, pandas as pd
        >>> runs = pd.DataFrame({"domain": ["text", "text", "image"] * 2,
        ...                      "dataset": list("abc") * 2, "algorithm": list("xxxyyy"),
        ...                      "acc": [0.9, 0.7, 0.6, 0.8, 0.5, 0.6]})
        >>> scores = bi.read_scores(runs, measures="acc:higher")
        >>> scores.domain_means().describe()["mean"].round(2).tolist()
        [0.6, 0.6, 0.8, 0.65]
        """
        declared = self.measure(measure)
        held = self.summary.datasets_of(declared.name)
        table = self if len(held) == len(self.datasets) else self.subset(datasets=held)
        rows = rows_of(rows_of_domains(table.cells(declared.name), table.domains))
        return ScoreTable(
            measures=(declared,),
            resampling=None,
            paired=False,
            domains=None,
            source=self.source,
            notes=self.notes,
            covariates=(),
            rows=rows,
            summary=rows.summary(),
            failed=self.failed,
            members=table.coverage(declared.name),
            factors=self.factors,
        )

    def by_dataset(self) -> dict[str, ScoreTable]:
        """Split the table by data set; each part has the algorithms with a score there."""
        parts = SortedRows(self._frame, self.summary.names, slots(self.covariates)).parts()
        return {
            name: replace(
                self._with(rows, self.summary.within(name)),
                _failures=within(self._failures, name),
            )
            for name, rows in parts.items()
        }

    def complete(
        self, measure: str | None = None, by: Literal["dataset", "replication"] = "dataset"
    ) -> ScoreTable:
        """Keep the data sets, or replications, without missing scores.

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
        summary = self.summary.of(self.measure(measure).name)
        if by == "dataset":
            if not (datasets := summary.complete_datasets(paired=self.paired)):
                raise DesignError(
                    f"no data set is whole for measure {summary.measures[0]!r}.",
                    hint='by="replication" keeps complete replications;'
                    " scores.subset(algorithms=[...]) keeps the algorithms that matter.",
                )
            return self.subset(datasets=datasets)
        if by != "replication":
            raise DesignError(unknown("by", by, ("dataset", "replication")))
        rows = complete_replications(self.rows, self.domains, summary)
        return self._with(rows, rows.summary())

    def _with(self, rows: Rows, summary: Summary) -> ScoreTable:
        if not summary.datasets:
            raise DesignError(NOTHING)
        positions = np.flatnonzero(np.isin(self.datasets, summary.datasets)).tolist()
        return replace(
            self,
            measures=tuple(m for m in self.measures if m.name in summary.measures),
            domains=self.domains and {name: self.domains[name] for name in summary.datasets},
            factors=levels_of(summary.algorithms, tuple(self.factors)),
            rows=rows,
            summary=summary,
            units=self.units and self.units.part(*summary.labels),
            targets=self.targets and self.targets.part(summary.datasets, summary.algorithms),
            features={name: feature.at(positions) for name, feature in self.features.items()},
            _memo={},
        )

    @property
    def _frame(self) -> Frame:
        return self.rows.frame(self.domains)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any score, label, covariate or feature.

        SHA-256 over the names and, per measure, the sorted codes, scores and covariates, and over
        the features of data sets: independent of the order of rows, of covariates and of features,
        of the engine, and of what is declared about the measures.
        """
        if self.rows.reduced or self.rows.in_cluster:
            return self.statistics().digest
        if "digest" not in self._memo:
            parts = self.rows, self.summary, self.domains, self.covariates, self.features
            self._memo["digest"] = fingerprint(*parts)
        return self._memo["digest"]

    @override
    def save(self, path: str | Path) -> NoReturn:
        """Raise a DesignError: a table is data, not a result to be saved."""
        raise DesignError(
            f"a score table is not saved as a result (to {str(path)!r}).",
            hint='scores.to_frame().to_csv("scores.csv", index=False) writes the scores.',
        )

    def description(self) -> str:
        """Return the size of the table, its number of missing scores and its measures as text."""
        names = ", ".join(f"{m.name} ({m.better} is better)" for m in self.measures)
        columns = f"; covariates: {', '.join(self.covariates)}" if self.covariates else ""
        size = size_text(self.summary, self.units, paired=self.paired)
        return f"ScoreTable({self.source}: {size}; {names}{columns})"

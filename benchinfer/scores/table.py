"""Score tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, override

import narwhals as nw
import numpy as np

from benchinfer.core import frames
from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.measure import Measure, one_measure
from benchinfer.core.numbers import count
from benchinfer.core.result import Showable
from benchinfer.numerics.rates import RATES, Rate, rate_interval
from benchinfer.numerics.types import Array
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.checks.failures import failures_frame, gaps_of, with_worst, within
from benchinfer.scores.checks.findings import check
from benchinfer.scores.columns import Frame, lazy, slots
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.declaration import Failed
from benchinfer.scores.features import Feature, of_categories
from benchinfer.scores.normalisation import (
    Normalise,
    Scheme,
    normalised_measure,
    normalised_note,
    normalised_rows,
)
from benchinfer.scores.numerics.targets import TargetTimes
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.changes import renamed, replaced, rows_of, selected, subset
from benchinfer.scores.rows.engine import SortedRows
from benchinfer.scores.rows.factors import levels_of
from benchinfer.scores.rows.moments import reduce_statistics
from benchinfer.scores.rows.nesting import NestedUnits, noun, plural
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    DatasetCovariates,
    Observations,
    deviation,
    reduce_covariates,
    reduce_observations,
    rows_of_domains,
)
from benchinfer.scores.rows.rows import Rows, fingerprint
from benchinfer.scores.rows.statistics import StatisticsRows
from benchinfer.scores.rows.sufficient import SufficientStatistics
from benchinfer.scores.rows.summary import Summary, distinct, long_frame
from benchinfer.scores.runs import LimitedRuns, restricted_rows

if TYPE_CHECKING:
    import pandas as pd


def rate_intervals(
    values: Array, summary: Summary, measure: Measure, kind: Rate, sides: int, level: float
) -> dict[str, Array]:
    """Return the ends of the interval of the rate of each cell; see `ScoreTable.describe`.

    A bound leaves the better side open up to 0 or 1. `values` are the scores.

    Raises
    ------
    DesignError
        A part is not known, or a score is neither 0 nor 1.
    """
    if kind not in RATES:
        raise DesignError(unknown("interval", kind, RATES))
    if sides not in (1, 2):
        raise DesignError(unknown("sides", sides, (1, 2)))
    if not 0 < level < 1:
        raise DesignError(f"level is {level!r}.", hint="between 0 and 1, as in 0.95.")
    other = values[~np.isin(values, (0, 1))]
    if len(other):
        raise DesignError(
            f"{len(other):,} of {len(values):,} scores of measure {measure.name!r} are neither 0"
            f" nor 1, such as {other[0]:g}.",
            hint="intervals of rates are for items that are right or wrong; compare_pair and"
            " compare_mixed have intervals of differences of other scores.",
        )
    there = summary.n[0] > 0
    n, mean = summary.n[0, there], summary.mean[0, there]
    low, high = rate_interval(kind, np.round(n * mean), n.astype(np.float64), (1 - level) / sides)
    if sides == 1 and measure.better == "lower":
        low = np.zeros_like(low)
    elif sides == 1:
        high = np.ones_like(high)
    return {"conf_low": low, "conf_high": high}


NOTHING = message("nothing is left of the table.", hint="ask for less.")


def _names(
    role: str, labels: str | Sequence[str | int] | None, there: Sequence[str]
) -> list[str] | None:
    """Return the labels to keep as a list, None for all."""
    if labels is None:
        return None
    names = [str(name) for name in ([labels] if isinstance(labels, str | int) else labels)]
    if not names:
        raise DesignError(NOTHING)
    if strange := set(names).difference(there):
        raise DesignError(unknown(role, min(strange), there[:50]))
    return names


def _slots_of(covariates: Sequence[str]) -> dict[str, str]:
    """Return covariate to its column in canonical rows."""
    return dict(zip(covariates, slots(covariates), strict=True))


@checked
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
        name = "facts" if measure is None else f"facts of {measure}"
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
        name = f"findings of {measure}" if measure is not None else "findings"
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

        Parameters
        ----------
        measure
            May be left out where the table has one.

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

        Parameters
        ----------
        measure
            May be left out where the table has one.

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
        summary = self.summary.of(self.measure(measure).name)
        d, k = np.nonzero(summary.n[0])
        n, (low, middle, high) = summary.n[0, d, k], self.rows.quartiles(summary)[d, k].T
        columns = {
            "dataset": [summary.datasets[i] for i in d],
            "algorithm": [summary.algorithms[i] for i in k],
            "n": n,
            "mean": summary.mean[0, d, k],
            "sd": deviation(n, summary.squares[0, d, k]),
            "median": middle,
            "minimum": summary.minimum[0, d, k],
            "q25": low,
            "q75": high,
            "maximum": summary.maximum[0, d, k],
        }
        lacking = ("q25", "median", "q75") if self.rows.reduced else ()
        cells = frames.frame({c: v for c, v in columns.items() if c not in lacking})
        if interval is None:
            return cells
        values = self.rows.scores(summary.measures[0], summary.names).value
        declared = self.measure(measure)
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
        return self.rows.blocks(self.measure(measure), self.summary.names, paired=self.paired)

    def weighted_blocks(self, measure: str | None = None) -> Blocks:
        """Reduce to `blocks`, or to weighted ones with the same first two moments.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
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
        return reduce_observations(
            self._frame,
            self.measure(measure),
            self.summary.names,
            _slots_of(self.covariates),
            paired=self.paired,
        )

    def dataset_covariates(self, measure: str | None = None) -> DatasetCovariates:
        """Return the covariates, by whether they are constant within each data set.

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
        return reduce_covariates(self._frame, name, self.datasets, _slots_of(self.covariates))

    def characteristics(self, measure: str | None = None) -> dict[str, Feature]:
        """Return the characteristics of the data sets: features, constant covariates and domain.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Returns
        -------
        dict
            Name to feature, in the order of `datasets`.
        """
        features = dict(self.features)
        if self.covariates:
            constant = self.dataset_covariates(measure).constant
            features = {name: Feature(values) for name, values in constant.items()} | features
        if self.domains is not None:
            features.setdefault("domain", of_categories([self.domains[d] for d in self.datasets]))
        return features

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
            "dataset": _names("dataset", datasets, self.datasets),
            "algorithm": _names("algorithm", algorithms, self.algorithms),
            "measure": _names("measure", measures, [m.name for m in self.measures]),
            "domain": _names("domain", domains, sorted(set((self.domains or {}).values()))),
        }
        if replications is not None:
            there = self.rows.replications()
            labels["replication"] = _names("replication", replications, there)
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
        label = f"share solved within {old.limit:,.6g}{f' {old.unit}' if old.unit else ''}"
        new = Measure("solved", "higher", tolerance, bounds=(0.0, 1.0), label=label)
        score = float(old.stopped_score or 0)
        rows = replaced(
            self.rows,
            old,
            new,
            self.summary.names,
            lambda rows: (rows.value < score).astype(np.float64),
        )
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
            the key ``tolerance`` of a mapping or a file. Algorithms that are references are not
            compared: they are left out.
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
            new = normalised_measure(table, scheme, measure)
            rows = normalised_rows(table, table.rows, scheme, measure, new)
            if failures is not None:
                failures = renamed(failures, measure.name, new.name)
            table = replace(
                table,
                measures=tuple(new if one is measure else one for one in table.measures),
                notes=(*table.notes, normalised_note(table, scheme, measure, new)),
                rows=rows,
                summary=rows.summary(),
                _failures=failures,
                units=table.units and table.units.normalised(measure.name, new.name),
                _memo={},
            )
        if not (references := scheme.algorithms(self)):
            return table
        if not (rest := [name for name in self.algorithms if name not in references]):
            raise DesignError(
                "the table has no algorithms besides the references.",
                hint="the references are the scale, and are not compared.",
            )
        return table.subset(algorithms=rest)

    def domain_means(self, measure: str | None = None) -> ScoreTable:
        """Return the table whose data sets are the domains, with one score for each algorithm.

        That is the mean over the data sets of the domain, each with the same weight, of the mean of
        the replications on the scale of the measure. A comparison then takes domains as a sample of
        domains, however many data sets each holds, and copies of data sets count once.

        Parameters
        ----------
        measure
            May be left out where the table has one.

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
        keys = ["dataset", "replication"]
        counts = distinct(
            self._frame.filter(nw.col("measure") == summary.measures[0]), "algorithm", keys
        )
        complete = counts.filter(nw.col("n") == len(self.algorithms)).select(*keys)
        rows = rows_of(self._frame.join(complete, on=keys, how="semi"))
        return self._with(rows, rows.summary())

    def _with(self, rows: Rows, summary: Summary) -> ScoreTable:
        if not summary.datasets:
            raise DesignError(NOTHING)
        domains = self.domains
        if domains is not None:
            domains = {name: domains[name] for name in summary.datasets}
        measures = tuple(m for m in self.measures if m.name in summary.measures)
        factors = levels_of(summary.algorithms, tuple(self.factors)) if self.factors else {}
        positions = np.flatnonzero(np.isin(self.datasets, summary.datasets)).tolist()
        return replace(
            self,
            measures=measures,
            domains=domains,
            factors=factors,
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
            self._memo["digest"] = fingerprint(
                self.rows, self.summary, self.domains, self.covariates, self.features
            )
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
        summary = self.summary
        level = self.units.levels[0] if self.units else "replication"
        expected = summary.expected(paired=self.paired)
        there = expected[expected > 0]
        low, high = (int(there.min()), int(there.max())) if there.size else (0, 0)
        span = f"{low}" if low == high else f"{low} to {high}"
        missing = int((expected[:, :, None] - summary.replications).clip(min=0).sum())
        names = ", ".join(f"{m.name} ({m.better} is better)" for m in self.measures)
        columns = f"; covariates: {', '.join(self.covariates)}" if self.covariates else ""
        scores = count(self.n_rows, "mean" if self.units else "score")
        scores += f" of {plural(level)}" if self.units else ""
        return (
            f"ScoreTable({self.source}: {count(len(self.datasets), 'data set')} x"
            f" {count(len(self.algorithms), 'algorithm')}, {span}"
            f" {'paired ' if self.paired else ''}{noun(level) if high == 1 else plural(level)},"
            f" {scores}, {missing or 'none'} missing; {names}{columns})"
        )

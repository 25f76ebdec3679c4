"""Score tables."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, override

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.frames import frame as tidy
from benchinfer.core.hints import Call, Either, Option
from benchinfer.core.measure import Measure
from benchinfer.core.result import Showable
from benchinfer.numerics.rates import RATES, Rate, rate_interval
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.checks.findings import check
from benchinfer.scores.columns import slots
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.failures import failures_frame, within
from benchinfer.scores.features import Feature, of_categories
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.reductions import (
    Blocks,
    Cells,
    DatasetCovariates,
    Observations,
    blocks_in_parts,
    blocks_of,
    cells_of,
    deviation,
    reduce_blocks,
    reduce_cells,
    reduce_covariates,
    reduce_observations,
    require_scale,
)
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.sources.batches import frame_of, held
from benchinfer.scores.sources.clusters import cluster_statistics, of_cluster
from benchinfer.scores.statistics import SufficientStatistics, reduce_statistics, rows_needed
from benchinfer.scores.summary import (
    ScoreRows,
    Summary,
    coded,
    collect,
    digest,
    in_order,
    labels_of,
    long_frame,
    quartiles,
    scores_of,
    summarise,
    whole_replications,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


type Frame = "nw.LazyFrame[Any]"
type _Held = Places | Frame | SufficientStatistics

_PART = 1 << 18  # scores of which block moments are found at a time


@dataclass(frozen=True, slots=True)
class RateInterval:
    """Kind of interval of a rate; see `ScoreTable.describe`.

    Raises
    ------
    DesignError
        A part is not known.
    """

    kind: Rate
    sides: int
    level: float

    def __post_init__(self) -> None:
        if self.kind not in RATES:
            raise DesignError(unknown("interval", self.kind, RATES))
        if self.sides not in (1, 2):
            raise DesignError(unknown("sides", self.sides, (1, 2)))
        if not 0 < self.level < 1:
            raise DesignError(f"level is {self.level!r}.", hint="between 0 and 1, as in 0.95.")

    def columns(
        self, rows: ScoreRows, own: Summary, measure: Measure
    ) -> dict[str, NDArray[np.float64]]:
        """Return the ends of each cell; a bound leaves the better side open up to 0 or 1."""
        other = rows.value[~np.isin(rows.value, (0, 1))]
        if len(other):
            raise DesignError(
                f"{len(other):,} of {len(rows.value):,} scores of measure {measure.name!r} are"
                f" neither 0 nor 1, such as {other[0]:g}.",
                hint="intervals of rates are for items that are right or wrong;"
                f" {Call('compare_pair')} and {Call('compare_mixed')} have intervals of"
                " differences of other scores.",
            )
        there = own.n[0] > 0
        n, mean = own.n[0, there], own.mean[0, there]
        tail = (1 - self.level) / self.sides
        low, high = rate_interval(self.kind, np.round(n * mean), n.astype(np.float64), tail)
        if self.sides == 1 and measure.better == "lower":
            low = np.zeros_like(low)
        elif self.sides == 1:
            high = np.ones_like(high)
        return {"conf_low": low, "conf_high": high}


def statistics(own: Summary, quartiles: NDArray[np.float64]) -> "pd.DataFrame":
    """Summarise the scores of one measure per data set and algorithm."""
    d, k = np.nonzero(own.n[0])
    n = own.n[0, d, k]
    low, middle, high = quartiles[d, k].T
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


def line(
    summary: Summary, measures: Sequence[Measure], covariates: Sequence[str], *, paired: bool
) -> str:
    """Say how much a table holds, of which measures, and what is missing."""
    expected = summary.expected(paired=paired)
    there = expected[expected > 0]
    low, high = (int(there.min()), int(there.max())) if there.size else (0, 0)
    span = f"{low}" if low == high else f"{low} to {high}"
    missing = int((expected[:, :, None] - summary.replications).clip(min=0).sum())
    names = ", ".join(f"{m.name} ({m.better} is better)" for m in measures)
    kept = f"; covariates: {', '.join(covariates)}" if covariates else ""
    return (
        f"{_many(len(summary.datasets), 'data set')} x"
        f" {_many(len(summary.algorithms), 'algorithm')}, {span}"
        f" {'paired ' if paired else ''}replication{'' if high == 1 else 's'},"
        f" {_many(int(summary.n.sum()), 'score')}, {missing or 'none'} missing; {names}{kept}"
    )


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class DatasetParts:
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
    # Per measure, once requested: the rows, and where those of each data set begin.
    _rows: dict[str, tuple[ScoreRows, NDArray[np.int64]]] = field(
        default_factory=dict[str, tuple[ScoreRows, NDArray[np.int64]]]
    )

    @staticmethod
    def of(
        frame: Frame,
        datasets: tuple[str, ...],
        algorithms: tuple[str, ...],
        covariates: Sequence[str],
    ) -> "DatasetParts":
        """Fetch the table: one sort, rather than one pass over all rows for each data set."""
        table: Any = frame.collect().to_arrow()
        codes, _ = coded(table.column("dataset"), datasets)
        table = table.take(np.argsort(codes, kind="stable")).unify_dictionaries()
        ends = np.r_[0, np.cumsum(np.bincount(codes, minlength=len(datasets)))]
        return DatasetParts(datasets, algorithms, covariates, ends, table)

    def frames(self) -> dict[str, Frame]:
        """Return data set to canonical columns."""
        return {
            name: _lazy(self._table.slice(start, end - start))
            for name, start, end in zip(
                self.datasets, self.ends.tolist(), self.ends[1:].tolist(), strict=False
            )
        }

    def rows(self, measure: str, dataset: str, algorithms: tuple[str, ...]) -> ScoreRows:
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
        return ScoreRows(
            np.zeros(len(replication), np.int64),
            replication,
            algorithm,
            labels,
            rows.value[part],
            rows.covariate[part],
        )


def _lazy(table: Any) -> Frame:
    return nw.from_native(table, eager_only=True).lazy()


NOTHING = message("nothing is left of the table.", hint="ask for less.")


def selected(
    frame: Frame, asked: Mapping[str, tuple[str | Sequence[str] | None, Sequence[str]]]
) -> Frame:
    """Keep the rows that are requested."""
    for role, (names, there) in asked.items():
        if names is not None:
            frame = frame.filter(nw.col(role).is_in(_names(role, names, there)))
    return frame


def _names(role: str, asked: str | Sequence[str], there: Sequence[str]) -> list[str]:
    names = [str(name) for name in ([asked] if isinstance(asked, str | int) else asked)]
    if not names:
        raise DesignError(NOTHING)
    if strange := set(names).difference(there):
        raise DesignError(unknown(role, min(strange), there[:50]))
    return names


def one_measure(measures: Sequence[Measure], name: str | None) -> Measure:
    """Give a measure by its name, or the only one."""
    names = [m.name for m in measures]
    if name is None:
        if len(names) == 1:
            return measures[0]
        raise DesignError(
            f"the table has {len(names)} measures.",
            hint="say which: " + ", ".join(map(repr, names)) + ".",
        )
    if name not in names:
        raise DesignError(unknown("measure", name, names))
    return measures[names.index(name)]


def not_saved(path: object) -> DesignError:
    """Say that a table is data, not a result."""
    return DesignError(
        f"a score table is not saved as a result (to {str(path)!r}).",
        hint='scores.to_frame().to_csv("scores.csv", index=False) writes the scores.',
    )


def none_whole(measure: str) -> DesignError:
    """Say that no data set is whole."""
    return DesignError(
        f"no data set is whole for measure {measure!r}.",
        hint=f"{Option('by', 'replication')} keeps complete replications,"
        f" {Either('subset(algorithms=...)', 'a table of some algorithms')} the"
        " algorithms that matter.",
    )


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
    summary
        Counts, moments and extremes of its cells.
    """

    home: ClassVar[str] = "benchinfer.comparison"

    measures: tuple[Measure, ...]
    resampling: Resampling | None
    paired: bool
    domains: Mapping[str, str] | None
    source: str
    notes: tuple[Finding, ...]
    covariates: tuple[str, ...]
    _held: _Held
    summary: Summary
    # Rows without a score, as an Arrow table.
    _failures: Any = None
    features: Mapping[str, Feature] = field(default_factory=dict[str, Feature])
    # Digest and findings are requested by every result: kept once computed.
    _memo: dict[str, Any] = field(default_factory=dict[str, Any])
    # What this table is one data set of: the rows of all are fetched at once.
    _parts: DatasetParts | None = None

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
        """Findings of the checks, over all measures."""
        return self._findings(None)

    def facts(self, measure: str | None = None) -> Facts:
        """Return what findings rest on.

        Parameters
        ----------
        measure
            By default, of all measures.
        """
        own = self.summary if measure is None else self._of(measure)
        return Facts(own, self.paired, self.measures, self.resampling)

    def _findings(self, measure: str | None) -> tuple[Finding, ...]:
        name = f"findings of {measure}" if measure is not None else "findings"
        if name not in self._memo:
            self._memo[name] = self.notes + check(self.facts(measure))
        return self._memo[name]

    def _of(self, measure: str | None) -> Summary:
        return self.summary.of(self.measure(measure).name)

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

    def failures(self) -> "pd.DataFrame":
        """List the rows without a score, as they were read.

        Returns
        -------
        pandas.DataFrame
            One row per failure: ``dataset replication algorithm measure reason``; ``reason`` is
            empty where the table gives none.
        """
        return failures_frame(self._failures)

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
        asked = None if interval is None else RateInterval(interval, sides, level)
        found = statistics(own, self._quartiles(own))
        if isinstance(self._held, SufficientStatistics):
            found = found.drop(columns=["q25", "median", "q75"])
        if asked is None:
            return found
        return found.assign(
            **asked.columns(self.score_rows(own.measures[0]), own, self.measure(measure))
        )

    def spread(self, measure: str | None = None) -> NDArray[np.float64]:
        """Return `describe`'s (D, K, 5) minimum, quartiles and maximum, NaN where there is none."""
        own = self._of(measure)
        ends = own.minimum[0, :, :, None], own.maximum[0, :, :, None]
        return np.concatenate([ends[0], self._quartiles(own), ends[1]], axis=2)

    def _quartiles(self, own: Summary) -> NDArray[np.float64]:
        if isinstance(self._held, SufficientStatistics):
            return np.full((*own.n.shape[1:], 3), np.nan)
        return quartiles(self._scores(own.measures[0]), own.measures[0], own.n[0])

    def cells(self, measure: str | None = None) -> Cells:
        """Reduce to count, mean and standard deviation per data set and algorithm, oriented.

        Raises
        ------
        DesignError
            A score has no finite place on the measure's scale.
        """
        found = self.measure(measure)
        if isinstance(self._held, SufficientStatistics):
            return self._held.cells(found)
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
        if found.scale != "identity":
            require_scale(self._frame, found)
        if self.paired and isinstance(self._held, Places):
            return blocks_of(self._held, found)
        rows = self.score_rows(found.name)
        return reduce_blocks(rows, found, self.datasets, self.algorithms, paired=self.paired)

    def block_parts(self, measure: str) -> Iterator[Blocks]:
        """Give the `blocks` of shared replications in parts that take little memory."""
        found = self.measure(measure)
        if found.scale == "identity" and isinstance(self._held, Places):
            yield from blocks_in_parts(self._held, found, _PART)
        else:
            yield self.blocks(measure)

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
        if isinstance(self._held, SufficientStatistics):
            return self._held.weighted_blocks(self.measure(measure))
        return self.blocks(measure)

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
        if isinstance(self._held, SufficientStatistics):
            return self._held
        if "statistics" not in self._memo:
            self._memo["statistics"] = (
                cluster_statistics(self, self._frame)
                if self.in_cluster
                else reduce_statistics(self)
            )
        return self._memo["statistics"]

    @property
    def in_cluster(self) -> bool:
        """Whether rows are, or may be, on other machines."""
        return not isinstance(self._held, Places | SufficientStatistics) and of_cluster(self._held)

    @staticmethod
    def of_statistics(held: SufficientStatistics) -> "ScoreTable":
        """Return the table that statistics are of, without rows."""
        return ScoreTable(
            measures=held.measures,
            resampling=held.resampling,
            paired=held.paired,
            domains=held.domains,
            source=held.source,
            notes=held.notes,
            covariates=(),
            _held=held,
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

    def characteristics(self, measure: str | None = None) -> dict[str, Feature]:
        """Return what is known of the data sets: features, constant covariates, and the domain.

        Parameters
        ----------
        measure
            May be left out where the table has one.

        Returns
        -------
        dict
            Name to feature, in the order of `datasets`.
        """
        found = dict(self.features)
        if self.covariates:
            constant = self.dataset_covariates(measure).constant
            found = {name: Feature(values) for name, values in constant.items()} | found
        if self.domains is not None:
            found.setdefault("domain", of_categories([self.domains[d] for d in self.datasets]))
        return found

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
        if isinstance(self._held, SufficientStatistics) and replications is None:
            return self._without_rows(self._held, asked)
        rows = held(selected(self._frame, asked))
        part = self._with(rows, summarise(rows))
        if self._failures is None:
            return part
        lost = selected(_lazy(self._failures), asked).collect().to_arrow()
        return replace(part, _failures=lost)

    def _without_rows(
        self,
        statistics: SufficientStatistics,
        asked: Mapping[str, tuple[str | Sequence[str] | None, Sequence[str]]],
    ) -> "ScoreTable":
        kept = {
            role: there if names is None else _names(role, names, there)
            for role, (names, there) in asked.items()
        }
        datasets = kept["dataset"]
        if self.domains:
            datasets = [name for name in datasets if self.domains[name] in kept["domain"]]
        part = statistics.subset(kept["measure"], datasets, kept["algorithm"])
        return self._with(part, part.summary)

    def declare(self, measure: Measure) -> "ScoreTable":
        """Declare a measure of the table anew: another tolerance, scale or direction.

        Parameters
        ----------
        measure
            With the name of one that the table has.

        Raises
        ------
        DesignError
            There is no measure of that name.
        """
        old = self.measure(measure.name)
        measures = tuple(measure if m is old else m for m in self.measures)
        return replace(self, measures=measures, _memo={})

    def by_dataset(self) -> dict[str, "ScoreTable"]:
        """Split the table: data set to its table, with what has a score on it, in order."""
        names = self.datasets, self.algorithms
        parts = DatasetParts.of(self._frame, *names, slots(self.covariates))
        return {
            name: replace(
                self._with(rows, self.summary.within(name), parts),
                _failures=within(self._failures, name),
            )
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
        rows = held(whole_replications(self._frame, own.measures[0], len(self.algorithms)))
        return self._with(rows, summarise(rows))

    def _with(
        self, rows: _Held, summary: Summary, parts: DatasetParts | None = None
    ) -> "ScoreTable":
        if not summary.datasets:
            raise DesignError(NOTHING)
        domains = self.domains
        if domains is not None:
            domains = {name: domains[name] for name in summary.datasets}
        measures = tuple(m for m in self.measures if m.name in summary.measures)
        kept = np.flatnonzero(np.isin(self.datasets, summary.datasets)).tolist()
        features = {name: feature.at(kept) for name, feature in self.features.items()}
        own = replace(self, measures=measures, domains=domains, _held=rows, summary=summary)
        own = replace(own, features=features)
        return replace(own, _memo={}, _parts=parts)

    @property
    def _frame(self) -> Frame:
        if isinstance(self._held, SufficientStatistics):
            raise rows_needed()
        return frame_of(self._held, self.domains)

    def _scores(self, measure: str) -> Places | ScoreRows:
        return self._held if isinstance(self._held, Places) else self.score_rows(measure)

    def score_rows(self, measure: str) -> ScoreRows:
        """Fetch the scores of one measure as codes and values, in the user's unit."""
        if self._parts is not None:
            return self._parts.rows(measure, self.datasets[0], self.algorithms)
        if isinstance(self._held, Places):
            return scores_of(self._held, measure)
        names = self.datasets, self.algorithms
        return collect(self._frame, measure, *names, slots(self.covariates))

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any score, label, covariate or feature.

        SHA-256 over the names and, per measure, the sorted codes, scores and covariates, and over
        the features of data sets: independent of the order of rows, of covariates and of features,
        of the engine, and of what is declared about the measures.
        """
        if isinstance(self._held, SufficientStatistics) or self.in_cluster:
            return self.statistics().digest
        if "digest" not in self._memo:
            names = (self.summary.measures, self.datasets, self.algorithms)
            self._memo["digest"] = digest(
                self._scores, names, self.domains, self.covariates, self.features
            )
        return self._memo["digest"]

    @override
    def save(self, path: "str | Path") -> NoReturn:
        """Refuse: a table is data, not a result."""
        raise not_saved(path)

    def __repr__(self) -> str:
        held = line(self.summary, self.measures, self.covariates, paired=self.paired)
        return f"ScoreTable({self.source}: {held})"

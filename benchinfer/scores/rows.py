"""Rows of a table: in an engine, in their places, of one data set, of units, or statistics."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, override

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.columns import (
    INNER,
    JOINT,
    LABELS,
    SIZE,
    Frame,
    holds_text,
    in_memory,
    lazy,
    slots,
)
from benchinfer.scores.numerics.places import (
    BATCH,
    NotDenseError,
    Places,
    Positions,
    Scatter,
    cell_quantiles,
    number,
)
from benchinfer.scores.reductions import (
    Blocks,
    Cells,
    blocks_in_parts,
    deviation,
    reduce_blocks,
    reduce_cells,
    reduce_unit_blocks,
    require_scale,
    unit_moments,
)
from benchinfer.scores.statistics import SufficientStatistics, reduce_statistics, rows_needed
from benchinfer.scores.summary import (
    ScoreRows,
    Summary,
    coded,
    collect,
    dictionary,
    in_order,
    labels_of,
    summary_of_frame,
    summary_of_places,
)

if TYPE_CHECKING:
    from benchinfer.numerics.types import Codes
    from benchinfer.scores.features import Feature
    from benchinfer.scores.table import ScoreTable

type Names = tuple[tuple[str, ...], tuple[str, ...]]  # data sets and algorithms
type Selection = Mapping[str, Sequence[str] | None]  # role to the labels to keep, None for all

_PART = 1 << 18  # scores of which block moments are found at a time
_MOST_COUNTS = 1 << 24  # beyond, whole numbers are identifiers
_QUARTILES = (0.25, 0.5, 0.75)
_ROLES = ("measure", "dataset", "replication", "algorithm")


class Rows(ABC):
    """Rows of a table, with their canonical columns and reductions.

    Measures are given by name; summaries are of one measure.
    """

    __slots__ = ()
    reduced: ClassVar[bool] = False

    @abstractmethod
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        """Return canonical columns; `domains`, by data set, are added to rows that lack them."""

    @property
    def in_cluster(self) -> bool:
        """Whether rows are, or may be, on other machines."""
        return False

    @property
    def unit_size(self) -> float | None:
        """Number of items in each nested unit, NaN where it differs, None where none are nested."""
        return None

    @property
    def has_unequal_units(self) -> bool:
        """Whether the outermost units hold different numbers of items."""
        return self.unit_size is not None and math.isnan(self.unit_size)

    def summary(self) -> Summary:
        """Reduce to counts and moments."""
        return summary_of_frame(self.frame())

    def replications(self) -> Sequence[str]:
        """Return the labels of replications, sorted."""
        return sorted(labels_of(self.frame(), "replication"))

    def distinct(self, measure: str) -> int:
        """Count the different scores of a measure."""
        rows = self.frame().filter(nw.col("measure").cast(nw.String) == measure)
        table: Any = rows.select(nw.col("value").n_unique().alias("n")).collect().to_arrow()
        return int(table.column("n")[0].as_py())

    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        """Return the scores of a measure as codes and values, in the user's unit."""
        return collect(self.frame(), measure, *names, covariates)

    def quartiles(self, summary: Summary) -> Array:
        """Return (D, K, 3) quartiles, interpolated linearly; NaN where there is no score."""
        n = summary.n[0]
        rows = self.scores(summary.measures[0], (summary.datasets, summary.algorithms))
        ordered = rows.value[np.lexsort((rows.value, rows.algorithm, rows.dataset))]
        counts = n[n > 0]
        start = np.cumsum(counts) - counts
        quartiles = np.full((*n.shape, 3), np.nan)
        for p, probability in enumerate(_QUARTILES):
            position = (counts - 1) * probability
            below = np.floor(position).astype(np.int64)
            low, high = ordered[start + below], ordered[start + np.minimum(below + 1, counts - 1)]
            quartiles[n > 0, p] = low + (high - low) * (position - below)
        return quartiles

    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        """Return replications, and places, scores and covariates in the order of places."""
        rows = self.scores(measure, names, slots(covariates))
        place = (rows.dataset * len(rows.labels) + rows.replication) * len(names[1])
        place += rows.algorithm
        by_name = sorted(range(len(covariates)), key=lambda i: covariates[i])
        # -0.0 has other bytes than 0.0
        numbers = [c + 0.0 for c in (rows.value, *rows.covariate.T[by_name])]
        order = np.lexsort((*reversed(numbers), place))
        parts = [place[order].astype("<i8"), *(x[order].astype("<f8") for x in numbers)]
        return rows.labels, (part.tobytes() for part in parts)

    def cells(self, measure: Measure, summary: Summary) -> Cells:
        """Reduce to moments of cells, oriented, on the measure's scale."""
        if measure.scale == "identity":
            n, mean = summary.n[0], measure.sign * summary.mean[0]
            return Cells(
                measure,
                summary.datasets,
                summary.algorithms,
                n,
                mean,
                deviation(n, summary.squares[0]),
            )
        return reduce_cells(self.frame(), measure, summary.datasets, summary.algorithms)

    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        """Reduce to blocks, oriented, on the measure's scale."""
        if measure.scale != "identity":
            require_scale(self.frame(), measure)
        rows = self.scores(measure.name, names)
        rows = replace(rows, value=measure.orient(rows.value))
        return reduce_blocks(rows, measure, *names, paired=paired)

    def block_parts(self, measure: Measure, names: Names) -> Iterator[Blocks]:
        """Yield blocks of shared replications, in parts where this saves memory."""
        yield self.blocks(measure, names, paired=True)

    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        """Reduce to blocks, or to weighted ones with the same first two moments."""
        return self.blocks(measure, names, paired=paired)

    def statistics(self, table: ScoreTable) -> SufficientStatistics:
        """Reduce the table of these rows to sufficient statistics."""
        return reduce_statistics(table)

    def subset(self, labels: Selection, domains: Mapping[str, str] | None) -> Rows:
        """Keep the rows of some labels."""
        return rows_of(selected(self.frame(domains), labels))

    def replaced(
        self, measure: Measure, new: Measure, names: Names, change: Callable[[ScoreRows], Array]
    ) -> Rows:
        """Return the rows with one measure and its scores replaced by another."""
        table: Any = self.frame().collect().to_arrow()
        codes, measures = coded(table.column("measure"))
        value = table.column("value").to_numpy().copy()
        at = np.flatnonzero(codes == measures.index(measure.name))
        value[at] = change(collect(lazy(table), measure.name, *names))
        place = table.column_names.index("value")
        table = renamed(table, measure.name, new.name).set_column(place, "value", [value])
        return rows_of(lazy(table))

    def rescaled(
        self, measure: Measure, new: Measure, names: Names, low: Array, width: Array
    ) -> Rows:
        """Turn oriented scores into ``(score - low) / width`` of (D,) data sets, a new measure."""
        return self.replaced(
            measure,
            new,
            names,
            lambda rows: (measure.orient(rows.value) - low[rows.dataset]) / width[rows.dataset],
        )


@dataclass(frozen=True, slots=True)
class EngineRows(Rows):
    """Rows in any engine, or in an Arrow table whose places are not dense."""

    columns: Frame

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        return self.columns

    @property
    @override
    def in_cluster(self) -> bool:
        kind = self.columns.implementation
        return kind.is_dask() or kind.is_pyspark() or kind.is_pyspark_connect()

    @override
    def statistics(self, table: ScoreTable) -> SufficientStatistics:
        if not self.in_cluster:
            return reduce_statistics(table)
        from benchinfer.scores.sources.clusters import cluster_statistics

        return cluster_statistics(table, self.columns)


@dataclass(frozen=True, slots=True)
class UnitRows(EngineRows):
    """Rows of outermost units in memory, with the number of items of each in a column `SIZE`."""

    @property
    @override
    def unit_size(self) -> float | None:
        sizes: Any = self.columns.select(SIZE).unique().collect().to_arrow()
        return float(sizes.column(0)[0].as_py()) if len(sizes) == 1 else float("nan")

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        if domains is None or "domain" in self.columns.collect_schema().names():
            return self.columns
        domain = nw.col("dataset").cast(nw.String).replace_strict(dict(domains))
        return self.columns.with_columns(domain.alias("domain"))

    @override
    def summary(self) -> Summary:
        """Reduce to counts of units and their range, with the levels of data sets as means."""
        summary = summary_of_frame(self.columns)
        mean, squares = summary.mean.copy(), summary.squares.copy()
        names = summary.datasets, summary.algorithms
        for m, name in enumerate(summary.measures):
            rows = self.scores(name, names, (SIZE,))
            _, mean[m], squares[m] = unit_moments(rows, rows.value, names)
        return replace(summary, mean=mean, squares=squares)

    @override
    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        labels, content = EngineRows.content(self, measure, names, covariates)
        rows = self.scores(measure, names, (SIZE,))
        size = rows.covariate[np.lexsort((rows.algorithm, rows.replication, rows.dataset)), 0]
        return labels, iter([*content, size.astype("<f8").tobytes()])

    @override
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        require_scale(self.columns, measure)
        names = summary.datasets, summary.algorithms
        rows = self.scores(measure.name, names, (SIZE,))
        n, mean, squares = unit_moments(rows, measure.orient(rows.value), names)
        return Cells(measure, *names, n, mean, deviation(n, squares))

    @override
    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        require_scale(self.columns, measure)
        rows = self.scores(measure.name, names, (SIZE,))
        size = rows.covariate[:, 0]
        rows = replace(rows, value=measure.orient(rows.value))
        return reduce_unit_blocks(rows, size, measure, names, paired=paired)


@dataclass(frozen=True, slots=True)
class PlacedRows(Rows):
    """Rows in their places: one score in each, without covariates."""

    places: Places

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        import pyarrow as pa

        places, tables = self.places, list[Any]()
        for m in range(len(places.measures)):
            dataset, replication, algorithm, value = places.scores(m)
            columns = {
                "dataset": dictionary(dataset, places.datasets),
                "replication": dictionary(places.labels(m)[replication], places.replications),
                "algorithm": dictionary(algorithm, places.algorithms),
                "measure": dictionary(np.full(len(value), m), places.measures),
            }
            if domains is not None:
                columns["domain"] = dictionary(dataset, (domains[name] for name in places.datasets))
            ordered = {name: columns[name] for name in LABELS if name in columns}
            tables.append(pa.table({**ordered, "value": value}))
        return lazy(pa.concat_tables(tables))

    @override
    def summary(self) -> Summary:
        return summary_of_places(self.places)

    @override
    def replications(self) -> Sequence[str]:
        return self.places.replications

    @override
    def distinct(self, measure: str) -> int:
        return len(np.unique(self.places.scores(self.places.measures.index(measure))[3]))

    @override
    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        m = self.places.measures.index(measure)
        dataset, replication, algorithm, value = self.places.scores(m)
        no_covariates = np.empty((len(value), 0))
        labels = self.places.replications_of(m)
        return ScoreRows(dataset, replication, algorithm, labels, value, no_covariates)

    @override
    def quartiles(self, summary: Summary) -> Array:
        m = self.places.measures.index(summary.measures[0])
        return cell_quantiles(self.places, m, summary.n[0], _QUARTILES)

    @override
    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        m = self.places.measures.index(measure)
        return self.places.replications_of(m), self._content(m)

    def _content(self, m: int) -> Iterator[bytes]:
        """Yield places and scores without sorting: places are in order, and have one score each."""
        dataset, replication, rows = self.places.blocks(m)
        k = np.arange(len(self.places.algorithms))
        first = (dataset * len(self.places.labels(m)) + replication) * len(k)
        for part, value in self.places.parts(rows):
            yield _present(first[part, None] + k, value).astype("<i8", copy=False).tobytes()
        for _, value in self.places.parts(rows):
            yield (_present(value, value) + 0.0).astype("<f8", copy=False).tobytes()

    @override
    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        if not paired:
            return Rows.blocks(self, measure, names, paired=False)
        if measure.scale != "identity":
            end = 1.0 if measure.scale == "logit" else np.inf
            _, _, rows = self.places.blocks(self.places.measures.index(measure.name))
            # PyArrow loads pandas to make a frame, which only what is refused needs.
            if not all(np.nanmin(v) > 0 and np.nanmax(v) < end for _, v in self.places.parts(rows)):
                require_scale(self.frame(), measure)
        (blocks,) = blocks_in_parts(self.places, measure, self.places.value.size)
        return blocks

    @override
    def block_parts(self, measure: Measure, names: Names) -> Iterator[Blocks]:
        if measure.scale == "identity":
            yield from blocks_in_parts(self.places, measure, _PART)
        else:
            yield self.blocks(measure, names, paired=True)

    @override
    def rescaled(
        self, measure: Measure, new: Measure, names: Names, low: Array, width: Array
    ) -> Rows:
        m = self.places.measures.index(measure.name)
        dataset, _, rows = self.places.blocks(m)
        value = self.places.value.copy()
        for part, scores in self.places.parts(rows):
            d = dataset[part, None]
            value[rows[part]] = (measure.orient(scores) - low[d]) / width[d]
        return PlacedRows(self.places.replaced(m, new.name, value))


@dataclass(frozen=True, slots=True)
class NestedRows(PlacedRows):
    """Rows of nested units in their places, by labels that are joined over the levels."""

    levels: int

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        table: Any = PlacedRows.frame(self, domains).collect().to_arrow()
        joined, names = coded(table.column("replication"))
        parts = [name.split(JOINT) for name in names]
        at = table.column_names.index("replication")
        for i, role in enumerate(("replication", *INNER)[: self.levels]):
            column = dictionary(joined, (part[i] for part in parts))
            table = (
                table.set_column(at, role, column)
                if not i
                else table.add_column(at + i, role, column)
            )
        return lazy(table.unify_dictionaries())


@dataclass(frozen=True, slots=True)
class ReducedRows(Rows):
    """Statistics in place of rows."""

    reduced: ClassVar[bool] = True
    held: SufficientStatistics

    @property
    @override
    def unit_size(self) -> float | None:
        return self.held.unit_size

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        raise rows_needed()

    @override
    def summary(self) -> Summary:
        return self.held.summary

    @override
    def quartiles(self, summary: Summary) -> Array:
        return np.full((*summary.n.shape[1:], 3), np.nan)

    @override
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        return self.held.cells(measure)

    @override
    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        return self.held.weighted_blocks(measure)

    @override
    def statistics(self, table: ScoreTable) -> SufficientStatistics:
        return self.held

    @override
    def rescaled(
        self, measure: Measure, new: Measure, names: Names, low: Array, width: Array
    ) -> Rows:
        return ReducedRows(self.held.rescaled(measure, new, low, width))

    @override
    def subset(self, labels: Selection, domains: Mapping[str, str] | None) -> Rows:
        summary = self.held.summary
        datasets, domain = labels["dataset"], labels["domain"]
        datasets = summary.datasets if datasets is None else datasets
        if domains and domain is not None:
            datasets = [name for name in datasets if domains[name] in domain]
        return ReducedRows(
            self.held.subset(
                labels["measure"] or summary.measures,
                datasets,
                labels["algorithm"] or summary.algorithms,
            )
        )


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

    def parts(self) -> dict[str, Rows]:
        """Return data set to its rows."""
        ends = zip(self.names[0], self.ends.tolist(), self.ends[1:].tolist(), strict=False)
        parts = {name: lazy(self._table.slice(start, end - start)) for name, start, end in ends}
        if SIZE in self._table.column_names:
            return {name: UnitRows(part) for name, part in parts.items()}
        return {name: DatasetRows(part, self, name) for name, part in parts.items()}

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


@dataclass(frozen=True, slots=True)
class DatasetRows(EngineRows):
    """Rows of one data set; the rows of all data sets are fetched at once."""

    all_rows: SortedRows
    dataset: str

    @override
    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        return self.all_rows.rows(measure, self.dataset, names[1])


def _present[Kind: np.generic](numbers: NDArray[Kind], value: Array) -> NDArray[Kind]:
    """Return the numbers in places that have a score."""
    return numbers[~np.isnan(value)] if np.isnan(value.sum()) else numbers


def fingerprint(
    rows: Rows,
    summary: Summary,
    domains: Mapping[str, str] | None,
    covariates: Sequence[str],
    features: Mapping[str, Feature],
) -> str:
    """Return the fingerprint of a table.

    SHA-256 over the names and, per measure, the sorted codes, scores and covariates, and over the
    features: independent of the order of rows, of covariates and features, and of the engine.
    """
    names = summary.datasets, summary.algorithms
    domain_of = sorted((domains or {}).items())
    sha = hashlib.sha256(repr(((summary.measures, *names), domain_of)).encode())
    if covariates:
        sha.update(repr(sorted(covariates)).encode())
    for name, feature in sorted(features.items()):
        sha.update(repr((name, *feature.content)).encode())
    for measure in summary.measures:
        labels, content = rows.content(measure, names, covariates)
        sha.update(repr(labels).encode())
        for part in content:
            sha.update(part)
    return sha.hexdigest()[:16]


def selected(frame: Frame, labels: Selection) -> Frame:
    """Keep the rows of some labels."""
    for role, names in labels.items():
        if names is not None:
            frame = frame.filter(nw.col(role).is_in(list(names)))
    return frame


def renamed(table: Any, measure: str, name: str) -> Any:
    """Return an Arrow table with one measure renamed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column("measure").cast(pa.string())
    place = table.column_names.index("measure")
    new = pc.if_else(pc.equal(column, measure), name, column)  # pyright: ignore[reportAttributeAccessIssue]
    return table.set_column(place, "measure", new)


def rows_of(frame: Frame) -> Rows:
    """Return the rows of canonical columns, in their places where these are dense."""
    if SIZE in frame.collect_schema().names():
        return UnitRows(frame)
    return placed_frame(frame) or EngineRows(frame)


def placed_frame(frame: Frame) -> PlacedRows | None:
    """Return the places of canonical columns in memory, None where they are not dense."""
    if not in_memory(frame):
        return None
    table: Any = nw.to_native(frame)
    inner = [name for name in INNER if name in table.column_names]
    roles = {name: name for name in (*_ROLES, *inner, "value")}
    if not set(table.column_names) <= {*roles, "domain"}:
        return None
    if "domain" in table.column_names and table.column("domain").null_count:
        return None
    return placed(len(table), table.to_batches(max_chunksize=BATCH), roles, {})


class _Labels:
    """Labels of one role, numbered in order of first occurrence.

    Attributes
    ----------
    code
        Label to number.
    """

    __slots__ = ("_before", "_codes", "_same", "code")

    def __init__(self) -> None:
        self.code: dict[str, int] = {}
        self._before: Any = None
        self._codes = np.empty(0, np.int32)
        self._same = True  # each label has its position in a dictionary, or its count, as code

    def coded(self, column: Any) -> Positions:
        """Return the code of each row's label, or (1,) the code of all rows."""
        import pyarrow as pa

        if column.null_count:
            raise NotDenseError
        if pa.types.is_integer(column.type):
            return self._counted(_array(column))
        if not pa.types.is_dictionary(column.type):
            if not holds_text(column.type):
                raise NotDenseError
            column = (column[:1] if _constant(column) else column).dictionary_encode()
        labels = column.dictionary
        # The batches of a file often share a dictionary.
        if self._before is None or not labels.equals(self._before):
            if labels.null_count or not (
                holds_text(labels.type) or pa.types.is_integer(labels.type)
            ):
                raise NotDenseError
            self._codes = self._number(labels.cast(pa.string()).to_pylist())
            self._same = bool((self._codes == np.arange(len(self._codes))).all())
            self._before = labels
        return self._codes if len(labels) == 1 else self._at(_array(column.indices))

    def _counted(self, column: NDArray[Any]) -> Positions:
        """Return the codes of whole numbers; raise a NotDenseError on negative or large ones."""
        if not len(column):
            return np.zeros(1, np.int32)
        if column.min() < 0 or (last := int(column.max())) >= _MOST_COUNTS:
            raise NotDenseError
        if self._same and last < len(self.code):  # all counts up to the last have come
            return self._at(column)
        if last >= len(self._codes):
            room = np.full(max(last + 1, 2 * len(self._codes)), -1, np.int32)
            room[: len(self._codes)] = self._codes
            self._codes = room
        codes = self._codes.take(column)
        if codes.min() < 0:
            new = np.unique(column[codes < 0])
            self._codes[new] = self._number(map(str, new.tolist()))
            self._same = self._same and bool((self._codes[new] == new).all())
            codes = self._codes.take(column)
        return codes

    def _at(self, positions: NDArray[Any]) -> Positions:
        same = self._same
        return positions.astype(np.int32, copy=False) if same else self._codes.take(positions)

    def _number(self, names: Iterable[str]) -> Positions:
        if "" in (names := list(names)):
            raise NotDenseError
        numbers = list(map(self.code.get, names))
        if None in numbers:
            numbers = [self.code.setdefault(name, len(self.code)) for name in names]
        return np.array(numbers, np.int32)


class _Joint:
    """Labels of replications, joined over nested levels and numbered by first occurrence."""

    __slots__ = ("_levels", "_numbers", "_roles", "size")

    def __init__(self, roles: Sequence[str]) -> None:
        self._roles = roles
        self._levels = [_Labels() for _ in roles]
        # Number of each combination of labels, 0 where it has not come.
        self._numbers = np.zeros((1,) * len(roles), np.int32)
        self.size = 0

    def coded(self, columns: Mapping[str, Any], rows: int) -> Positions:
        """Return the code of each row's labels, of all rows so far."""
        codes = [
            labels.coded(columns[role])
            for labels, role in zip(self._levels, self._roles, strict=True)
        ]
        if len(codes) == 1:
            self.size = len(self._levels[0].code)
            return codes[0]
        need, shape = [len(labels.code) for labels in self._levels], self._numbers.shape
        if any(size > there for size, there in zip(need, shape, strict=True)):
            grown = [
                there if size <= there else max(size, there * 3 // 2)
                for size, there in zip(need, shape, strict=True)
            ]
            if np.prod(grown, dtype=float) > 8 * rows + (1 << 22):
                raise NotDenseError
            numbers = np.zeros(grown, np.int32)
            numbers[tuple(map(slice, shape))] = self._numbers
            self._numbers = numbers
        place = codes[0].astype(np.intp)
        for code, size in zip(codes[1:], self._numbers.shape[1:], strict=True):
            place = place * size + code
        known = self._numbers.ravel()
        joint = known.take(place)
        if not joint.min():
            self.size = number(known, place[joint == 0], 1 + self.size) - 1
            joint = known.take(place)
        return joint - 1

    def names(self) -> list[str]:
        """Return the joined labels, by code."""
        labels = [list(each.code) for each in self._levels]
        if len(labels) == 1:
            return labels[0]
        if any(JOINT in label for names in labels for label in names):
            raise NotDenseError
        places = np.nonzero(self._numbers)
        order = np.argsort(self._numbers[places])
        parts = [
            map(names.__getitem__, place[order].tolist())
            for names, place in zip(labels, places, strict=True)
        ]
        return list(map(JOINT.join, zip(*parts, strict=True)))


def _array(column: Any) -> NDArray[Any]:
    """Return the memory of a column of numbers without gaps; Arrow's own way loads pandas."""
    numbers = np.frombuffer(column.buffers()[1], column.type.to_pandas_dtype())
    return numbers[column.offset : column.offset + len(column)]


def _constant(column: Any) -> bool:
    """Return whether all labels are the same."""
    import pyarrow.compute as pc

    if not len(column) or column[0] != column[-1]:
        return False
    return pc.all(pc.equal(column, column[0])).as_py()  # pyright: ignore[reportAttributeAccessIssue]


def placed(
    rows: int, batches: Iterable[Any], columns: Mapping[str, str], absent: Mapping[str, str]
) -> PlacedRows | None:
    """Return the places of rows, None where they are not one finite number each in a dense table.

    Parameters
    ----------
    rows
        How many there will be, as far as that is known.
    batches
        Arrow batches of labels, as text, whole numbers or codes of them, and numbers.
    columns
        Role to column.
    absent
        Role to the label of all rows, where no column has it.
    """
    levels = ["replication", *(role for role in INNER if role in columns)]
    if len(levels) > 1 and "replication" in absent:
        return None
    labels = {role: _Labels() for role in _ROLES}
    joint = _Joint(levels)
    scatter = Scatter(rows)
    alone: Positions = np.zeros(1, np.int32)
    coming = 0
    try:
        for batch in batches:
            coming += len(batch)
            m, d, k = (
                labels[role].coded(batch.column(columns[role])) if role in columns else alone
                for role in ("measure", "dataset", "algorithm")
            )
            r = alone
            if "replication" in columns:
                r = joint.coded({role: batch.column(columns[role]) for role in levels}, coming)
            m_, d_, k_ = (
                max(len(labels[role].code), 1) for role in ("measure", "dataset", "algorithm")
            )
            sizes = [m_, d_, max(joint.size, 1), k_]
            scatter.add((m, d, r, k), sizes, _numbers(batch, columns["value"]))
        names = {
            role: [absent[role]] if role in absent else list(labels[role].code) for role in _ROLES
        }
        if "replication" in columns:
            names["replication"] = joint.names()
    except (NotDenseError, UnicodeDecodeError):
        return None
    if not scatter.rows:
        return None
    measures, datasets, replications, algorithms = (names[role] for role in _ROLES)
    places = scatter.places((measures, datasets, replications, algorithms))
    if places is None:
        return None
    return PlacedRows(places) if len(levels) == 1 else NestedRows(places, len(levels))


def _numbers(batch: Any, name: str) -> Array:
    import pyarrow as pa

    column = batch.column(name)
    kind = column.type
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise NotDenseError
    return _array(column).astype(np.float64, copy=False)

"""Counts and moments of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from benchinfer.core import frames
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Counts, Flags
from benchinfer.scores.columns.engines import Frame, lazy
from benchinfer.scores.columns.roles import JOINT, LABELS
from benchinfer.scores.numerics.places import Places, cell_moments, count_equal

if TYPE_CHECKING:
    import pandas as pd


type _Places = Sequence[int] | Codes


_KEYS = ("measure", "dataset", "algorithm")
_SHOWN = 5  # rows of a finding


@savable
@shaped(
    measures="M",
    datasets="D",
    algorithms="K",
    n="M D K",
    replications="M D K",
    mean="M D K",
    squares="M D K",
    minimum="M D K",
    maximum="M D K",
    shared="M D",
    ends="M 2",
    at_ends="M D K 2",
)
@dataclass(frozen=True, slots=True)
class Summary:
    """Counts and moments of a table, in the user's units.

    Attributes
    ----------
    measures, datasets, algorithms
        The M, D and K names, sorted.
    n
        (M, D, K) number of scores.
    replications
        (M, D, K) number of distinct replications.
    shared
        (M, D) number of distinct replications over all algorithms.
    mean, minimum, maximum
        (M, D, K), NaN where there is no score.
    squares
        (M, D, K) sums of squared deviations from the mean, 0 where there is no score.
    ends
        (M, 2) smallest and largest score of each measure in the table that was summarised.
    at_ends
        (M, D, K, 2) number of scores that equal them.
    """

    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    n: Counts
    replications: Counts
    shared: Counts
    mean: Array
    squares: Array
    minimum: Array
    maximum: Array
    ends: Array
    at_ends: Counts

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Measures, data sets and algorithms."""
        return self.measures, self.datasets, self.algorithms

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Data sets and algorithms."""
        return self.datasets, self.algorithms

    def datasets_of(self, measure: str) -> list[str]:
        """Return the names of the data sets that have scores of a measure."""
        held = self.of(measure).n[0].any(axis=1)
        return [name for name, some in zip(self.datasets, held, strict=True) if some]

    def expected(self, *, paired: bool) -> Counts:
        """(M, D) how many replications a complete cell has."""
        return self.shared if paired else self.replications.max(axis=2, initial=0)

    def complete_datasets(self, *, paired: bool) -> list[str]:
        """Return the data sets where each algorithm has all replications of the first measure."""
        expected = self.expected(paired=paired)[0][:, None]
        complete = (self.replications[0] == expected).all(axis=1) & (expected[:, 0] > 0)
        return [name for name, full in zip(self.datasets, complete, strict=True) if full]

    def of(self, measure: str) -> Summary:
        """Keep one measure, with all data sets and algorithms of the table."""
        m = [self.measures.index(measure)]
        if len(self.measures) == 1:
            return self
        return self.part(m, range(len(self.datasets)), range(len(self.algorithms)))

    def within(self, dataset: str) -> Summary:
        """Keep one data set, with the measures and algorithms that have a score on it."""
        d = self.datasets.index(dataset)
        m = np.flatnonzero(self.n[:, d].sum(axis=1)).tolist()
        return self.part(m, [d], np.flatnonzero(self.n[:, d].sum(axis=0)).tolist())

    def part(self, m: _Places, d: _Places, k: _Places) -> Summary:
        """Keep some places, with the extremes of the whole table."""
        cells = np.ix_(m, d, k)
        return Summary(
            tuple(self.measures[i] for i in m),
            tuple(self.datasets[i] for i in d),
            tuple(self.algorithms[i] for i in k),
            self.n[cells],
            self.replications[cells],
            self.shared[np.ix_(m, d)],
            self.mean[cells],
            self.squares[cells],
            self.minimum[cells],
            self.maximum[cells],
            self.ends[m],
            self.at_ends[cells],
        )


def moments(frame: Frame, value: nw.Expr, keys: Sequence[str] = _KEYS) -> Frame:
    """Return count, mean, sum of squared deviations and range per group.

    Two passes: values are centred by their group's mean before they are squared, so that nothing
    cancels where scores are large and close to each other.
    """
    x, deviation = nw.col("x"), nw.col("deviation")
    frame = frame.select(*keys, value.alias("x"))
    if frame.implementation.is_pyarrow():
        return _arrow_moments(frame.collect().to_arrow(), keys)
    return (
        with_centre(frame, keys)
        .with_columns((x - nw.col("centre")).alias("deviation"))
        .with_columns((deviation * deviation).alias("square"))
        .group_by(*keys)
        .agg(
            nw.len().alias("n"),
            nw.col("centre").max(),
            deviation.mean().alias("shift"),
            nw.col("square").sum().alias("squares"),
            x.min().alias("minimum"),
            x.max().alias("maximum"),
        )
    )


def with_centre(frame: Frame, keys: Sequence[str]) -> Frame:
    """Add the mean of ``x`` in each group as ``centre``."""
    mean = nw.col("x").mean()
    if frame.implementation.is_dask():
        # Its windows align rows by their index, which partitions may repeat, and groups by more
        # than three columns cannot be joined (dask 2026.8).
        text = [nw.col(key).cast(nw.String) for key in keys]
        frame = frame.with_columns(nw.concat_str(text, separator=JOINT).alias("group"))
        means = frame.group_by("group").agg(mean.alias("centre"))
        return frame.join(means, on="group").drop("group")
    return frame.with_columns(mean.over(*keys).alias("centre"))


def _arrow_moments(table: Any, keys: Sequence[str]) -> Frame:
    """Return `moments` of a table in memory, by integer codes.

    Arrow has no window functions: narwhals 2.28 joins group means back, and Arrow's join, which
    works on several threads, may return rows in another order than it was given.
    """
    import pyarrow as pa

    columns = [coded(table.column(key)) for key in keys]
    shape = tuple(len(names) for _, names in columns)
    group = np.ravel_multi_index([codes for codes, _ in columns], shape)
    x = table.column("x").to_numpy()
    size = int(np.prod(shape))
    n = np.bincount(group, minlength=size)
    held = np.flatnonzero(n)
    n = n[held]
    centre = np.zeros(size)
    centre[held] = np.bincount(group, x, size)[held] / n
    deviation = x - centre[group]
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, group, x)
    np.maximum.at(high, group, x)
    labels = {
        key: np.array(names, dtype=object)[codes]
        for key, (_, names), codes in zip(keys, columns, np.unravel_index(held, shape), strict=True)
    }
    result = pa.table(
        {
            **{key: pa.array(values, pa.string()) for key, values in labels.items()},
            "n": n,
            "centre": centre[held],
            "shift": np.bincount(group, deviation, size)[held] / n,
            "squares": np.bincount(group, deviation**2, size)[held],
            "minimum": low[held],
            "maximum": high[held],
        }
    )
    return lazy(result)


def distinct(frame: Frame, column: str, keys: Sequence[str]) -> Frame:
    """Count the distinct labels of a column per group, as ``n``.

    Grouped twice, not ``n_unique``: an engine with partitions may count a label once in each (as
    narwhals 2.28 on dask).
    """
    each = frame.group_by(*keys, column).agg(nw.len().alias("rows"))
    return each.group_by(*keys).agg(nw.len().alias("n"))


def summary_of_places(places: Places) -> Summary:
    """Reduce scores by place to counts and moments."""
    measures = range(len(places.measures))
    parts = [cell_moments(places, m) for m in measures]
    n, mean, squares, minimum, maximum = (
        np.stack([getattr(part, name) for part in parts])
        for name in ("n", "mean", "squares", "minimum", "maximum")
    )

    def count(unclear: Flags, ends: Array) -> Counts:
        counts = np.zeros((*n.shape, 2), np.int64)
        for m in np.flatnonzero(unclear.any(axis=1)).tolist():
            counts[m] = count_equal(places, m, ends[m])
        return counts

    ends, at_ends = _ends(n, minimum, maximum, count)
    return Summary(
        places.measures,
        places.datasets,
        places.algorithms,
        n=n,
        replications=n,
        shared=np.stack([part.blocks for part in parts]),
        mean=mean,
        squares=squares,
        minimum=minimum,
        maximum=maximum,
        ends=ends,
        at_ends=at_ends,
    )


def summary_of_frame(frame: Frame) -> Summary:
    """Reduce canonical columns to counts and moments."""
    table = moments(frame, nw.col("value")).collect().to_arrow()
    columns = [coded(table.column(key)) for key in _KEYS]
    codes, names = [column[0] for column in columns], [column[1] for column in columns]
    shape = tuple(len(labels) for labels in names)
    n, centre, shift, squares, minimum, maximum = (
        _filled(shape, codes, table.column(name))
        for name in ("n", "centre", "shift", "squares", "minimum", "maximum")
    )
    there = n > 0
    n = np.where(there, n, 0).astype(np.int64)

    ends, at_ends = _ends(n, minimum, maximum, partial(_count_equal, frame, names))
    return Summary(
        *names,
        n=n,
        replications=_distinct(frame, "replication", _KEYS, names),
        shared=_distinct(frame, "replication", _KEYS[:2], names),
        mean=centre + shift,
        squares=np.where(there, squares - n * shift**2, 0.0).clip(min=0.0),
        minimum=minimum,
        maximum=maximum,
        ends=ends,
        at_ends=at_ends,
    )


def extremes(minimum: Array, maximum: Array) -> Array:
    """Return (M, 2) extremes of each measure."""
    pairs = [[np.nanmin(x), np.nanmax(y)] for x, y in zip(minimum, maximum, strict=True)]
    return np.array(pairs).reshape(-1, 2)


def _ends(
    n: Counts,
    minimum: Array,
    maximum: Array,
    count: Callable[[Flags, Array], Codes],
) -> tuple[Array, Counts]:
    """Return the extremes of each measure, and how many scores of each cell equal them.

    Scores are counted only where several cells share an extreme: those that vary freely do not.
    """
    ends = extremes(minimum, maximum)
    low, high = ends[:, None, None, 0], ends[:, None, None, 1]
    held = np.stack([minimum == low, maximum == high], axis=-1)
    constant = held & (minimum == maximum)[..., None]
    counts = np.where(constant, n[..., None], held.astype(np.int64))
    unclear = (held & ~constant & (n > 1)[..., None]).sum(axis=(1, 2)) > 0
    unclear &= held.sum(axis=(1, 2)) > 1
    if unclear.any():
        counts = np.where(unclear[:, None, None], count(unclear, ends), counts)
    return ends, counts


def _count_equal(
    frame: Frame,
    names: Sequence[tuple[str, ...]],
    unclear: Flags,
    ends: Array,
) -> Counts:
    """Count the scores of each cell that equal an extreme of their measure."""
    at_an_end = [
        (nw.col("measure") == names[0][m]) & (nw.col("value") == float(ends[m, i]))
        for m, i in np.argwhere(unclear)
    ]
    rows = frame.filter(nw.any_horizontal(*at_an_end, ignore_nulls=True))
    table = rows.group_by(*_KEYS, "value").agg(nw.len().alias("n")).collect().to_arrow()
    codes = [coded(table.column(key), labels)[0] for key, labels in zip(_KEYS, names, strict=True)]
    value = table.column("value").to_numpy()
    side = (value == ends[codes[0], 1]).astype(np.int64)
    counts = np.zeros((*map(len, names), 2), np.int64)
    np.add.at(counts, (*codes, side), table.column("n").to_numpy())
    return counts


def _distinct(
    frame: Frame, column: str, keys: Sequence[str], names: Sequence[tuple[str, ...]]
) -> Counts:
    """Arrange the counts of distinct labels by group."""
    table = distinct(frame, column, keys).collect().to_arrow()
    pairs = list(zip(keys, names, strict=False))
    codes = [coded(table.column(key), labels)[0] for key, labels in pairs]
    full = _filled(tuple(len(labels) for _, labels in pairs), codes, table.column("n"))
    return np.nan_to_num(full).astype(np.int64)


def _filled(shape: tuple[int, ...], codes: Sequence[Codes], column: Any) -> Array:
    """Return an array of one number per group, NaN where there is no group."""
    full = np.full(shape, np.nan)
    full[tuple(codes)] = column.to_numpy()
    return full


def coded(column: Any, names: tuple[str, ...] | None = None) -> tuple[Codes, tuple[str, ...]]:
    """Turn a column of labels into integers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> coded(pa.chunked_array([["b", "a", "b"]]))
    (array([1, 0, 1]), ('a', 'b'))
    """
    import pyarrow as pa

    column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.array([], pa.string())  # a table without rows has no chunk to combine
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    # The dictionary may hold labels of rows that are gone.
    there = np.flatnonzero(np.bincount(indices))
    labels: list[str] = column.dictionary.take(pa.array(there)).to_pylist()
    if names is None:
        names = tuple(sorted(labels))
    position = {label: i for i, label in enumerate(names)}
    order = np.full(int(indices.max(initial=-1)) + 1, -1, dtype=np.int64)
    order[there] = [position[label] for label in labels]
    return order[indices], names


def dictionary(codes: Codes, names: Iterable[str]) -> Any:
    """Return labels as an Arrow dictionary."""
    import pyarrow as pa

    indices = pa.array(codes.astype(np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(names), pa.string()))


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """The scores of one measure as codes and values, in the user's unit, in no set order.

    Attributes
    ----------
    dataset, replication, algorithm
        (N,) positions.
    labels
        The replications in order.
    value
        (N,) scores.
    covariate
        (N, q) covariates, as far as they were requested.
    """

    dataset: Codes
    replication: Codes
    algorithm: Codes
    labels: tuple[str, ...]
    value: Array
    covariate: Array


def collect(
    frame: Frame,
    measure: str,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    covariates: Sequence[str] = (),
) -> ScoreRows:
    """Fetch the scores of one measure from the engine."""
    table = (
        frame.filter(nw.col("measure") == measure)
        .select("dataset", "replication", "algorithm", "value", *covariates)
        .collect()
        .to_arrow()
    )
    replication, labels = in_order(*coded(table.column("replication")))
    return ScoreRows(
        coded(table.column("dataset"), datasets)[0],
        replication,
        coded(table.column("algorithm"), algorithms)[0],
        labels,
        table.column("value").to_numpy(),
        matrix(table, covariates),
    )


def in_order(codes: Codes, labels: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    """Order labels as numbers where all are, and the codes with them."""
    if not labels or not all(label.isdecimal() and len(label) < 19 for label in labels):
        return codes, labels
    order = sorted(range(len(labels)), key=lambda i: (int(labels[i]), labels[i]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], tuple(labels[i] for i in order)


def matrix(table: Any, columns: Sequence[str]) -> Array:
    """Return Arrow columns of numbers as an (N, q) array."""
    arrays = [table.column(name).to_numpy() for name in columns]
    return np.column_stack(arrays) if arrays else np.empty((table.num_rows, 0))


def long_frame(
    frame: Frame, covariates: Mapping[str, str], measure: str | None = None
) -> pd.DataFrame:
    """Fetch a table as a long pandas frame, sorted by its labels."""
    if measure is not None:
        frame = frame.filter(nw.col("measure") == measure)
    table = frame.collect().to_arrow()
    labels = [name for name in LABELS if name in table.column_names]
    columns: dict[str, object] = {}
    for name in labels:
        codes, names = coded(table.column(name))
        columns[name] = np.array(names, dtype=object)[codes]
    pandas = frames.frame({**columns, "value": table.column("value").to_numpy()})
    for name, column in covariates.items():
        pandas[name] = table.column(column).to_numpy()
    return pandas.sort_values(labels, ignore_index=True)


def n_rows(frame: Frame) -> int:
    """Count the rows of a frame."""
    return int(frame.select(nw.len().alias("n")).collect().to_arrow().column("n")[0].as_py())


def labels_of(frame: Frame, column: str) -> set[str]:
    """List the labels that occur in a column."""
    labels = frame.select(column).unique().collect().to_arrow().column(0)
    return {str(label) for label in labels.to_pylist()}


def first_rows(
    frame: Frame, columns: Sequence[str], last: str | None = None
) -> tuple[tuple[str, ...], ...]:
    """Fetch the first rows by their labels, whatever the order of the table, under a header.

    The last column may have another name there.
    """
    keys = [name for name in columns if name != "value"]
    text = frame.select(
        *(nw.col(k).cast(nw.String) for k in keys), *(["value"] if "value" in columns else [])
    )
    first = text.sort(*columns, nulls_last=True).head(_SHOWN).select(*columns).collect()
    rows = nw.maybe_reset_index(first).to_arrow()  # an index would become a column

    def as_text(value: object) -> str:
        if value is None:
            return "(none)"
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    texts = ([as_text(value) for value in column.to_pylist()] for column in rows.columns)
    header = (*columns[:-1], last or columns[-1])
    return (header, *zip(*texts, strict=True))

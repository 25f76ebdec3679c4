"""What the engine is asked for: counts and centred moments per measure, data set and algorithm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

type Frame = "nw.LazyFrame[Any]"

_KEYS = ("measure", "dataset", "algorithm")


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
    """

    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    n: NDArray[np.int64]
    replications: NDArray[np.int64]
    shared: NDArray[np.int64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]

    def expected(self, *, paired: bool) -> NDArray[np.int64]:
        """(M, D) how many replications a complete cell has."""
        return self.shared if paired else self.replications.max(axis=2, initial=0)

    def whole(self, *, paired: bool) -> list[str]:
        """Name the data sets on which each algorithm has every replication of the first measure."""
        expected = self.expected(paired=paired)[0][:, None]
        whole = (self.replications[0] == expected).all(axis=1) & (expected[:, 0] > 0)
        return [name for name, is_whole in zip(self.datasets, whole, strict=True) if is_whole]

    def of(self, measure: str) -> "Summary":
        """Keep one measure, with all data sets and algorithms of the table."""
        m = [self.measures.index(measure)]
        return self._take(m, range(len(self.datasets)), range(len(self.algorithms)))

    def within(self, dataset: str) -> "Summary":
        """Keep one data set, and what has a score on it."""
        d = self.datasets.index(dataset)
        m = np.flatnonzero(self.n[:, d].sum(axis=1)).tolist()
        return self._take(m, [d], np.flatnonzero(self.n[:, d].sum(axis=0)).tolist())

    def _take(self, m: Sequence[int], d: Sequence[int], k: Sequence[int]) -> "Summary":
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
        )


def moments(frame: Frame, value: nw.Expr, keys: Sequence[str] = _KEYS) -> Frame:
    """Ask for count, mean, sum of squared deviations and range per group.

    Two passes: values are centred by their group's mean before they are squared, so that nothing
    cancels where scores are large and close to each other.

    Parameters
    ----------
    frame
        Canonical columns.
    value
        The score, on the scale wanted.
    keys
        The columns that make a group.

    Returns
    -------
    LazyFrame
        The keys and ``n``, ``centre``, ``shift``, ``squares``, ``minimum``, ``maximum``. The mean
        is ``centre + shift``: the first pass rounds it, the second says by how much.
    """
    x, deviation = nw.col("x"), nw.col("deviation")
    frame = frame.select(*keys, value.alias("x"))
    if frame.implementation.is_pyarrow():
        return _arrow_moments(frame.collect().to_arrow(), keys)
    return (
        frame.with_columns(x.mean().over(*keys).alias("centre"))
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
    return nw.from_native(result, eager_only=True).lazy()


def distinct(frame: Frame, column: str, keys: Sequence[str]) -> Frame:
    """Count the distinct labels of a column per group, as ``n``.

    Grouped twice, not ``n_unique``: an engine with partitions may count a label once in each (as
    narwhals 2.28 on dask).
    """
    each = frame.group_by(*keys, column).agg(nw.len().alias("rows"))
    return each.group_by(*keys).agg(nw.len().alias("n"))


def summarise(frame: Frame) -> Summary:
    """Reduce a table to its counts and moments.

    Parameters
    ----------
    frame
        Canonical columns, all scores finite, no label missing.

    Returns
    -------
    Summary
        The same for every engine, up to rounding in the last digits.
    """
    table = moments(frame, nw.col("value")).collect().to_arrow()
    columns = [coded(table.column(key)) for key in _KEYS]
    codes, names = [column[0] for column in columns], [column[1] for column in columns]
    shape = tuple(len(found) for found in names)
    n, centre, shift, squares, minimum, maximum = (
        _filled(shape, codes, table.column(name))
        for name in ("n", "centre", "shift", "squares", "minimum", "maximum")
    )
    there = n > 0
    return Summary(
        *names,
        n=np.where(there, n, 0).astype(np.int64),
        replications=_distinct(frame, "replication", _KEYS, names),
        shared=_distinct(frame, "replication", _KEYS[:2], names),
        mean=centre + shift,
        squares=np.where(there, squares - n * shift**2, 0.0).clip(min=0.0),
        minimum=minimum,
        maximum=maximum,
    )


def _distinct(
    frame: Frame, column: str, keys: Sequence[str], names: Sequence[tuple[str, ...]]
) -> NDArray[np.int64]:
    """Arrange the counts of distinct labels by group."""
    table = distinct(frame, column, keys).collect().to_arrow()
    pairs = list(zip(keys, names, strict=False))
    codes = [coded(table.column(key), own)[0] for key, own in pairs]
    full = _filled(tuple(len(own) for _, own in pairs), codes, table.column("n"))
    return np.nan_to_num(full).astype(np.int64)


def _filled(
    shape: tuple[int, ...], codes: Sequence[NDArray[np.int64]], column: Any
) -> NDArray[np.float64]:
    """Put one number per group in its place, NaN where there is no group."""
    full = np.full(shape, np.nan)
    full[tuple(codes)] = column.to_numpy()
    return full


def coded(
    column: Any, names: tuple[str, ...] | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Turn a column of labels into integers.

    Parameters
    ----------
    column
        (R,) Arrow text, plain or dictionary-encoded.
    names
        The labels in order; by default those in the column, sorted.

    Returns
    -------
    codes, names
        (R,) position of each label, and the labels.

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

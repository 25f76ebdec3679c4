"""Scores by place: a row per block of one measure, a column per algorithm."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes

type Rows = NDArray[np.int32]

_DIGITS = 18  # of numbers that fit into 64 bits
_CHUNK = 1 << 16  # scores that are looked at together: they fit into a processor's cache
_COLUMNS = 1 << 20  # scores from which algorithms of large data sets are looked at in turn
_RUN = 256  # blocks in a row from which it pays to look at them where they are


@dataclass(frozen=True)
class Places:
    """The scores of a table that has at most one in each place.

    Attributes
    ----------
    measures, datasets, algorithms, replications
        The M, D, K and L names that occur, sorted.
    row
        (M, D, L) row of each block in `value`, -1 where there is none.
    value
        (B, K) scores in the user's unit, blocks in no set order, NaN where there is none.
    """

    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    replications: tuple[str, ...]
    row: Rows
    value: Array

    def labels(self, m: int) -> Codes:
        """Return the replications of a measure, in the order of numbers where all are."""
        there = np.flatnonzero((self.row[m] >= 0).any(axis=0))
        numbers = self._numbers[there]
        # Sorted as text already: 01 comes before 1.
        return there if (numbers < 0).any() else there[np.argsort(numbers, kind="stable")]

    @cached_property
    def _numbers(self) -> Codes:
        """(L,) replications as numbers, -1 where the name is none."""
        names = self.replications
        if "".join(names).isdecimal() and max(map(len, names)) <= _DIGITS:
            return np.array(names, np.int64)
        whole = (int(x) if x.isdecimal() and len(x) <= _DIGITS else -1 for x in names)
        return np.array(list(whole), np.int64)

    def blocks(self, m: int) -> tuple[Codes, Codes, Rows]:
        """Return (R,) data set, replication and row of each block of a measure, in order.

        Replications are positions in `labels`.
        """
        row = self.row[m].take(self.labels(m), axis=1)
        there = row >= 0
        if there.all():
            d, r = row.shape
            return np.repeat(np.arange(d), r), np.tile(np.arange(r), d), row.ravel()
        dataset = np.repeat(np.arange(len(row)), np.count_nonzero(there, axis=1))
        return dataset, np.flatnonzero(there) - dataset * row.shape[1], row[there]

    def of_measures(self, names: Sequence[str]) -> "Places":
        """Keep some measures, and the labels that occur with them."""
        row = self.row[[self.measures.index(name) for name in names]]
        there = row >= 0
        d = np.flatnonzero(there.any(axis=(0, 2)))
        r = np.flatnonzero(there.any(axis=(0, 1)))
        value = self.value[row[there]]
        k = np.flatnonzero(~np.isnan(value).all(axis=0))
        row[there] = np.arange(len(value))
        return Places(
            tuple(names),
            tuple(self.datasets[i] for i in d),
            tuple(self.algorithms[i] for i in k),
            tuple(self.replications[i] for i in r),
            row[:, d[:, None], r],
            value[:, k],
        )

    def parts(self, rows: Rows) -> Iterator[tuple[slice, Array]]:
        """Return the scores of the blocks in rows, some blocks at a time, in their order."""
        size = max(_CHUNK // max(len(self.algorithms), 1), 1)
        breaks = np.flatnonzero(np.diff(rows) != 1) + 1
        runs = len(breaks) * _RUN < len(rows)  # that need not be copied
        start = 0
        for end in [*(breaks.tolist() if runs else ()), len(rows)]:
            for i in range(start, end, size):
                part = slice(i, min(i + size, end))
                own = rows[part]
                yield part, self.value[own[0] : own[-1] + 1] if runs else self.value.take(own, 0)
            start = end

    def scores(self, m: int) -> tuple[Codes, Codes, Codes, Array]:
        """Return (N,) data set, replication, algorithm and value of each score, in order."""
        dataset, replication, rows = self.blocks(m)
        value = self.value[rows]
        block, algorithm = np.nonzero(~np.isnan(value))
        return dataset[block], replication[block], algorithm, value[block, algorithm]


@dataclass(frozen=True, slots=True)
class CellMoments:
    """Moments of the cells of one measure.

    Attributes
    ----------
    n
        (D, K) number of scores.
    mean, minimum, maximum
        (D, K), NaN where there is none.
    squares
        (D, K) sums of squared deviations from the mean.
    blocks
        (D,) number of blocks.
    """

    n: NDArray[np.int64]
    mean: Array
    squares: Array
    minimum: Array
    maximum: Array
    blocks: NDArray[np.int64]


def cell_moments(places: Places, m: int) -> CellMoments:
    """Return the moments of one measure.

    Two passes: scores are centred by the mean of their cell before they are squared, so that
    nothing cancels where they are large and close to each other.
    """
    dataset, _, rows = places.blocks(m)
    shape = len(places.datasets), len(places.algorithms)
    n = np.zeros(shape, np.int64)
    mean, squares, low, high = (np.full(shape, np.nan) for _ in range(4))
    for cells, first, size, value in _columns(places, dataset, rows):
        low[cells] = np.fmin.reduceat(value, first, axis=1).T
        high[cells] = np.fmax.reduceat(value, first, axis=1).T
        count = np.broadcast_to(size, (len(value), len(size)))
        sums = np.add.reduceat(value, first, axis=1)
        if gaps := bool(np.isnan(sums).any()):
            count = np.add.reduceat(~np.isnan(value), first, axis=1, dtype=np.int64)
            sums = np.add.reduceat(np.nan_to_num(value, nan=0.0), first, axis=1)
        held = np.maximum(count, 1)
        centre = sums / held
        deviation = value - (centre if len(size) == 1 else np.repeat(centre, size, axis=1))
        if gaps:
            np.nan_to_num(deviation, copy=False, nan=0.0)
        shift = np.add.reduceat(deviation, first, axis=1) / held
        deviation *= deviation
        n[cells] = count.T
        mean[cells] = np.where(count > 0, centre + shift, np.nan).T
        squares[cells] = (np.add.reduceat(deviation, first, axis=1) - count * shift**2).T
    blocks = np.bincount(dataset, minlength=shape[0])
    return CellMoments(n, mean, np.where(n > 0, squares, 0.0).clip(min=0.0), low, high, blocks)


def count_equal(places: Places, m: int, ends: Array) -> NDArray[np.int64]:
    """Return (D, K, E) how many scores of each cell equal each of E numbers."""
    dataset, _, rows = places.blocks(m)
    found = np.zeros((len(places.datasets), len(places.algorithms), len(ends)), np.int64)
    for cells, first, _, value in _columns(places, dataset, rows):
        for e, end in enumerate(ends):
            found[*cells, e] = np.add.reduceat(value == end, first, axis=1, dtype=np.int64).T
    return found


def _columns(
    places: Places, dataset: Codes, rows: Rows
) -> Iterator[tuple[tuple[Codes, slice], Codes, Codes, Array]]:
    """Return the scores of some data sets and k algorithms, (k, n), with their place among cells.

    Also where each data set begins and how many blocks it has. The scores of an algorithm are
    contiguous, which makes sums fast, and no cell is divided, which makes them simple.
    """
    begin = np.flatnonzero(np.r_[True, dataset[1:] != dataset[:-1]][: len(dataset)])
    size = np.diff(np.r_[begin, len(dataset)])
    algorithms = len(places.algorithms)
    together = begin * algorithms // _CHUNK
    for d in np.split(np.arange(len(begin)), np.flatnonzero(np.diff(together)) + 1):
        start, n = begin[d[0]], size[d].sum()
        step = min(max(_COLUMNS // n, 1), algorithms)
        for k in range(0, algorithms, step):
            cells = slice(k, min(k + step, algorithms))
            value = np.empty((cells.stop - k, n))
            for part, scores in places.parts(rows[start : start + n]):
                value[:, part] = scores[:, cells].T
            yield (dataset[begin[d]], cells), begin[d] - start, size[d], value


def cell_quantiles(
    places: Places, m: int, n: NDArray[np.int64], probabilities: tuple[float, ...]
) -> Array:
    """Return (D, K, P) quantiles, interpolated linearly between order statistics.

    Data sets with as many blocks are sorted together; a cell's empty places, NaN, sort last.
    """
    dataset, _, rows = places.blocks(m)
    blocks = np.bincount(dataset, minlength=len(places.datasets))
    start = np.cumsum(blocks) - blocks
    found = np.full((*n.shape, len(probabilities)), np.nan)
    for count in np.unique(blocks[blocks > 0]):
        alike = np.flatnonzero(blocks == count)
        step = max(_CHUNK // int(count * n.shape[1]), 1)
        for i in range(0, len(alike), step):
            d = alike[i : i + step]
            value = places.value[rows[start[d][:, None] + np.arange(count)]]
            ordered = np.sort(np.ascontiguousarray(value.transpose(0, 2, 1)), axis=2)
            last = np.maximum(n[d] - 1, 0)
            for p, probability in enumerate(probabilities):
                position = last * probability
                below = np.floor(position).astype(np.int64)
                above = np.minimum(below + 1, last)
                low, high = (
                    np.take_along_axis(ordered, at[:, :, None], axis=2)[:, :, 0]
                    for at in (below, above)
                )
                found[d, :, p] = low + (high - low) * (position - below)
    return found

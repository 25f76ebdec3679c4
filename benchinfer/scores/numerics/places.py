"""Scores by place: a row per block of one measure, a column per algorithm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes, Counts

type Positions = NDArray[np.int32]

BATCH = 1 << 16  # rows that are placed together: their columns fit into a processor's cache
_DIGITS = 18  # of numbers that fit into 64 bits
_CHUNK = 1 << 16  # scores that are looked at together: they fit into a processor's cache
_COLUMNS = 1 << 20  # scores from which algorithms of large data sets are looked at in turn
_RUN = 256  # blocks in a row from which it pays to look at them where they are
_MOST_ROOM = 1 << 27  # scores for which there is room at once: a damaged file expects any number
_MOST_REPEATS = 1 << 20  # rows more than places, from which the rest of the rows is not placed
MOST = 1e150  # the sum of ten million squares of this is still finite


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
    row: Positions
    value: Array

    def labels(self, m: int) -> Codes:
        """Return the replications of a measure, in the order of numbers where all are."""
        there = np.flatnonzero((self.row[m] >= 0).any(axis=0))
        numbers = self._numbers[there]
        # Sorted as text already: 01 comes before 1.
        return there if (numbers < 0).any() else there[np.argsort(numbers, kind="stable")]

    def replications_of(self, m: int) -> tuple[str, ...]:
        """Return the names of the replications of a measure, in order."""
        return tuple(self.replications[i] for i in self.labels(m))

    @cached_property
    def _numbers(self) -> Codes:
        """(L,) replications as numbers, -1 where the name is none."""
        names = self.replications
        if "".join(names).isdecimal() and max(map(len, names)) <= _DIGITS:
            return np.array(names, np.int64)
        numbers = (int(x) if x.isdecimal() and len(x) <= _DIGITS else -1 for x in names)
        return np.array(list(numbers), np.int64)

    def blocks(self, m: int) -> tuple[Codes, Codes, Positions]:
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

    def of_measures(self, names: Sequence[str]) -> Places:
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

    def parts(self, rows: Positions) -> Iterator[tuple[slice, Array]]:
        """Return the scores of the blocks in rows, some blocks at a time, in their order."""
        size = max(_CHUNK // max(len(self.algorithms), 1), 1)
        breaks = np.flatnonzero(np.diff(rows) != 1) + 1
        runs = len(breaks) * _RUN < len(rows)  # that need not be copied
        start = 0
        for end in [*(breaks.tolist() if runs else ()), len(rows)]:
            for i in range(start, end, size):
                part = slice(i, min(i + size, end))
                at = rows[part]
                yield part, self.value[at[0] : at[-1] + 1] if runs else self.value.take(at, 0)
            start = end

    def replaced(self, m: int, name: str, value: Array) -> Places:
        """Return the places with one measure renamed and with other scores."""
        names = [name if i == m else old for i, old in enumerate(self.measures)]
        order = sorted(range(len(names)), key=names.__getitem__)
        measures = tuple(names[i] for i in order)
        return replace(self, measures=measures, row=self.row[order], value=value)

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

    n: Counts
    mean: Array
    squares: Array
    minimum: Array
    maximum: Array
    blocks: Codes


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


def count_equal(places: Places, m: int, ends: Array) -> Counts:
    """Return (D, K, E) how many scores of each cell equal each of E numbers."""
    dataset, _, rows = places.blocks(m)
    counts = np.zeros((len(places.datasets), len(places.algorithms), len(ends)), np.int64)
    for cells, first, _, value in _columns(places, dataset, rows):
        for e, end in enumerate(ends):
            counts[*cells, e] = np.add.reduceat(value == end, first, axis=1, dtype=np.int64).T
    return counts


def _columns(
    places: Places, dataset: Codes, rows: Positions
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


def cell_quantiles(places: Places, m: int, n: Counts, probabilities: tuple[float, ...]) -> Array:
    """Return (D, K, P) quantiles, interpolated linearly between order statistics.

    Data sets with as many blocks are sorted together; a cell's empty places, NaN, sort last.
    """
    dataset, _, rows = places.blocks(m)
    blocks = np.bincount(dataset, minlength=len(places.datasets))
    start = np.cumsum(blocks) - blocks
    quantiles = np.full((*n.shape, len(probabilities)), np.nan)
    for count in np.unique(blocks[blocks > 0]):
        same_size = np.flatnonzero(blocks == count)
        step = max(_CHUNK // int(count * n.shape[1]), 1)
        for i in range(0, len(same_size), step):
            d = same_size[i : i + step]
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
                quantiles[d, :, p] = low + (high - low) * (position - below)
    return quantiles


class NotDenseError(Exception):
    """The rows are not one number each in a table that is mostly full."""


def number(known: NDArray[np.int32], new: NDArray[np.integer], first: int) -> int:
    """Assign the new positions numbers from `first` on, in order; return the next number."""
    low, high = int(new.min()), int(new.max())
    if high - low > 16 * len(new):
        new = np.unique(new)
    else:
        known[new] = -1
        new = low + np.flatnonzero(known[low : high + 1] < 0)
    known[new] = np.arange(first, first + len(new), dtype=np.int32)
    return first + len(new)


class Scatter:
    """Places of rows, assigned in the order in which rows are added.

    Parameters
    ----------
    expected
        How many rows will come, as far as that is known.

    Attributes
    ----------
    rows
        How many rows were added.
    blocks
        How many blocks there are.
    row
        (D, M, L) row of each block, from 1, with room for labels to come; 0 where there is none,
        so that memory for the room is taken when it is written to.
    value
        ((1 + B) K,) scores, with room for blocks to come; row 0 is not used.
    width
        K, with room for algorithms to come.
    """

    __slots__ = ("blocks", "expected", "row", "rows", "value", "width")

    def __init__(self, expected: int = 0) -> None:
        self.expected, self.rows, self.blocks, self.width = expected, 0, 0, 1
        self.row = np.zeros((1, 1, 1), np.int32)
        self.value = np.empty(1)

    def add(
        self,
        codes: tuple[Positions, Positions, Positions, Positions],
        sizes: list[int],
        value: Array,
    ) -> None:
        """Add rows.

        Parameters
        ----------
        codes
            (N,) measure, data set, replication and algorithm, or (1,) where all rows have the same.
        sizes
            How many there are of each.
        value
            (N,) scores.

        Raises
        ------
        NotDenseError
            A score is missing or beyond `MOST`, most places are empty, or many have several scores.
        """
        if not len(value):
            return
        if not max(value.max(), -value.min()) <= MOST:  # NaN, too
            raise NotDenseError
        self.rows += len(value)
        self._make_room(sizes, len(value))
        _, measures, replications = self.row.shape
        measure, dataset, replication, algorithm = (code.astype(np.intp) for code in codes)
        block = (dataset * measures + measure) * replications + replication
        block = np.broadcast_to(block, len(value))
        known = self.row.ravel()
        row = known.take(block)
        if not row.min():
            end = number(known, block[row == 0], 1 + self.blocks)
            self.value[(1 + self.blocks) * self.width : end * self.width] = np.nan
            self.blocks = end - 1
            row = known.take(block)
        if self.rows - self.blocks * self.width > _MOST_REPEATS:
            raise NotDenseError
        place = row.astype(np.intp)  # which NumPy would make of any other kind
        place *= self.width
        place += algorithm
        self.value[place] = value

    def _make_room(self, sizes: list[int], rows: int) -> None:
        """Make room for labels, and for as many blocks as there are rows."""
        shape, need = self.row.shape, (sizes[1], sizes[0], sizes[2])
        if any(size > there for size, there in zip(need, shape, strict=True)):
            grown = tuple(
                there if size <= there else max(size, there * 3 // 2)
                for size, there in zip(need, shape, strict=True)
            )
            if np.prod(grown, dtype=float) > 8 * self.rows + (1 << 22):
                grown = need
            if np.prod(grown, dtype=float) > 8 * self.rows + (1 << 22):
                raise NotDenseError
            row = np.zeros(grown, np.int32)
            row[: shape[0], : shape[1], : shape[2]] = self.row
            self.row = row
        if sizes[3] > self.width:
            width = max(sizes[3], self.width * 3 // 2)
            wider = np.full((1 + self.blocks) * width, np.nan)
            old = self.value[: (1 + self.blocks) * self.width].reshape(-1, self.width)
            wider.reshape(-1, width)[:, : self.width] = old
            self.value, self.width = wider, width
        last = (1 + self.blocks + rows) * self.width
        if last > len(self.value):
            if self.blocks * self.width > 4 * self.rows + (1 << 20):
                raise NotDenseError
            # What is not written takes no memory: room for all rows need not be copied later.
            room = np.empty(max(4 * last, last + min(self.expected * 9 // 8, _MOST_ROOM)))
            used = (1 + self.blocks) * self.width
            room[:used] = self.value[:used]
            self.value = room

    def places(self, names: tuple[list[str], list[str], list[str], list[str]]) -> Places | None:
        """Return the places in the order of labels, None where a place has several scores.

        `names` are measures, data sets, replications and algorithms, by code.
        """
        value = self.value[self.width : (1 + self.blocks) * self.width].reshape(-1, self.width)
        step = 1 << 14
        chunks = [value[i : i + step] for i in range(0, len(value), step)]
        held = np.sum([_held(chunk) for chunk in chunks], axis=0)
        if held.sum() < self.rows:
            return None
        there = self.row > 0
        keep = [np.flatnonzero(there.any(axis=axes)) for axes in ((0, 2), (1, 2), (0, 1))]
        keep.append(np.flatnonzero(held))
        # Many pairs to sort would have Python look through all objects for garbage.
        ordered = [
            sorted(codes.tolist(), key=labels.__getitem__)
            for labels, codes in zip(names, keep, strict=True)
        ]
        m, d, r, columns = (np.array(codes, np.int64) for codes in ordered)
        row = self.row[d[:, None], m[:, None, None], r]
        row -= 1
        if len(columns) < self.width:
            value = value[:, columns]
        elif (columns != np.arange(self.width)).any():
            for chunk in chunks:
                chunk[:] = chunk[:, columns]
        measures, datasets, replications, algorithms = (
            tuple(labels[code] for code in codes)
            for labels, codes in zip(names, ordered, strict=True)
        )
        return Places(measures, datasets, algorithms, replications, row, value)


def _held(value: Array) -> Codes:
    """Return (K,) how many scores each column has."""
    if np.isnan(value.sum()):
        return np.count_nonzero(~np.isnan(value), axis=0)
    return np.full(value.shape[1], len(value))

"""Rows put into their places, some at a time."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.numerics.places import Places

type Coded = NDArray[np.int32]

MOST = 1e150  # the sum of ten million squares of this is still finite


class NotDenseError(Exception):
    """The rows are not one number each in a table that is mostly full."""


class Scatter:
    """The places that rows take as they come.

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

    def add(self, codes: tuple[Coded, Coded, Coded, Coded], sizes: list[int], value: Array) -> None:
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
            A score is missing or beyond `MOST`, or most places are empty.
        """
        if not len(value):
            return
        if not max(value.max(), -value.min()) <= MOST:  # NaN, too
            raise NotDenseError
        self.rows += len(value)
        self._make_room(sizes, len(value))
        _, measures, replications = self.row.shape
        measure, dataset, replication, algorithm = (own.astype(np.intp) for own in codes)
        block = (dataset * measures + measure) * replications + replication
        block = np.broadcast_to(block, len(value))
        known = self.row.ravel()
        row = known.take(block)
        if not row.min():
            self._number(known, block[row == 0])
            row = known.take(block)
        place = row.astype(np.intp)  # which NumPy would make of any other kind
        place *= self.width
        place += algorithm
        self.value[place] = value

    def _number(self, known: NDArray[np.int32], new: NDArray[np.integer]) -> None:
        """Give the next rows, in order, to blocks that have none."""
        low, high = int(new.min()), int(new.max())
        if high - low > 16 * len(new):
            new = np.unique(new)
        else:
            known[new] = -1
            new = low + np.flatnonzero(known[low : high + 1] < 0)
        first, end = 1 + self.blocks, 1 + self.blocks + len(new)
        known[new] = np.arange(first, end, dtype=np.int32)
        self.value[first * self.width : end * self.width] = np.nan
        self.blocks += len(new)

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
            room = np.empty(max(4 * last, last + self.expected * 9 // 8))
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
        ordered = [_in_order(own, codes) for own, codes in zip(names, keep, strict=True)]
        m, d, r, columns = (codes for _, codes in ordered)
        row = self.row[d[:, None], m[:, None, None], r]
        row -= 1
        if len(columns) < self.width:
            value = value[:, columns]
        elif (columns != np.arange(self.width)).any():
            for chunk in chunks:
                chunk[:] = chunk[:, columns]
        measures, datasets, replications, algorithms = (own for own, _ in ordered)
        return Places(measures, datasets, algorithms, replications, row, value)


def _held(value: Array) -> Codes:
    """Return (K,) how many scores each column has."""
    if np.isnan(value.sum()):
        return np.count_nonzero(~np.isnan(value), axis=0)
    return np.full(value.shape[1], len(value))


def _in_order(names: list[str], codes: Codes) -> tuple[tuple[str, ...], Codes]:
    """Return labels in order, with their codes."""
    # Many pairs to sort would have Python look through all objects for garbage.
    found = sorted(codes.tolist(), key=names.__getitem__)
    return tuple(names[code] for code in found), np.array(found, np.int64)

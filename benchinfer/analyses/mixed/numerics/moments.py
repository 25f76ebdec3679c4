"""Sufficient statistics of scores.

The covariance of a data set's scores depends on a block (data set, replication) only through how
many scores the block has, so blocks of a data set with equal counts form a *class* whose moments
are all that the likelihood needs: exact for any pattern of missing scores.

Where each algorithm has a variance of its own, the covariance of a block (data set, replication)
depends on which algorithms it holds, and how often. Blocks of a data set that agree in this form a
*class*; its number of blocks and the first two moments of their values are all that the likelihood
needs. A data set has at most ``min(B, 2^K)`` classes unless scores are repeated within blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes

_MANY = 64  # rows in a range, about, from which on a product pays


@savable
@shaped(
    n="N K [0,inf)",
    total="N K (-inf,inf)",
    square="N [0,inf)",
    size="M [0,inf)",
    rows="M [0,inf)",
    class_n="M K [0,inf)",
    class_total="M K (-inf,inf)",
    cross="M K K (-inf,inf)",
    moment="M K (-inf,inf)",
    block_square="M [0,inf)",
    start="N? <M",
    offset="K (-inf,inf)",
    delta="N (-inf,inf)",
    scale="(0,inf)",
)
@dataclass(frozen=True, slots=True)
class Statistics:
    """Moments of centred, scaled scores; D data sets, K algorithms, M classes."""

    n: Array  # (D, K) number of scores
    total: Array  # (D, K) sums of the centred scores
    square: Array  # (D,) sums of squares of the centred scores
    # (D,) index of each data set's first class; empty when no replications are modelled
    start: Codes
    # size, rows: (M,) scores per block of the class, and number of its blocks
    size: Array
    rows: Array
    # class_n, class_total: (M, K) number of scores and sums of the centred scores
    class_n: Array
    class_total: Array
    cross: Array  # (M, K, K) sums of outer products of the blocks' counts
    moment: Array  # (M, K) sums of the blocks' counts times the blocks' sums
    block_square: Array  # (M,) sums of squares of the blocks' sums
    # offset, delta: (K,) and (D,) the constants that were taken off, on the scale of the centred
    # scores
    offset: Array
    delta: Array
    scale: float  # what centred scores were divided by

    @property
    def n_scores(self) -> int:
        """Number of scores."""
        return int(self.n.sum())

    def without(self, m: int) -> Statistics:
        """Return the statistics of the table without data set m; centres and scale stay.

        Data sets are independent given the variances, so that nothing is read again.

        Examples
        --------
        >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
        >>> stats = from_cells(np.ones((4, 2), int), y, np.zeros_like(y))
        >>> stats.without(2).n.shape
        (3, 2)
        """
        rest = np.arange(len(self.n)) != m
        smaller = replace(
            self,
            n=self.n[rest],
            total=self.total[rest],
            square=self.square[rest],
            delta=self.delta[rest],
        )
        if not len(self.start):
            return smaller
        first = self.start[m]
        stop = self.start[m + 1] if m + 1 < len(self.start) else len(self.size)
        held = np.r_[0:first, stop : len(self.size)]
        return replace(
            smaller,
            start=np.r_[self.start[:m], self.start[m + 1 :] - (stop - first)],
            size=self.size[held],
            rows=self.rows[held],
            class_n=self.class_n[held],
            class_total=self.class_total[held],
            cross=self.cross[held],
            moment=self.moment[held],
            block_square=self.block_square[held],
        )


def sums(values: Array, first: Codes) -> Array:
    """Return (M, K) sums of the rows of (R, K) values from each of (M,) `first` to the next.

    Examples
    --------
    >>> sums(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 2])).tolist()
    [[4.0, 6.0], [5.0, 6.0]]
    """
    if len(values) < _MANY * len(first):
        return np.add.reduceat(values, first, axis=0)
    ones = np.ones(len(values))  # a product with them sums many rows four times as fast
    stop = np.append(first[1:], len(values))
    return np.stack([ones[a:b] @ values[a:b] for a, b in zip(first, stop, strict=True)])


def _centres(n: Array, mean: Array) -> tuple[Array, Array]:
    """Return algorithm means (of cell means) and the data sets' mean distance to them."""
    held = n > 0
    algorithm = np.where(held, mean, 0).sum(axis=0) / np.maximum(held.sum(axis=0), 1)
    # A second sweep makes the centres nearly orthogonal when cells are missing.
    distance = np.where(held, mean - algorithm, 0)
    delta = (n * distance).sum(axis=1) / n.sum(axis=1)
    return algorithm, delta


def from_cells(n: Codes, mean: Array, square_within: Array) -> Statistics:
    """Return the statistics of a model without a replication term.

    `n` and `mean` (D, K) are counts and means (NaN where n is 0), `square_within` (D, K) sums of
    squares about the cell means. There are no classes.
    """
    count = n.astype(np.float64)
    algorithm, delta = _centres(count, mean)
    residual = np.where(n > 0, mean - algorithm - delta[:, None], 0.0)
    square = (count * residual**2 + np.where(n > 0, square_within, 0.0)).sum(axis=1)
    scale = float(np.sqrt(square.sum() / count.sum())) or 1.0
    k = n.shape[1]
    return Statistics(
        n=count,
        total=count * residual / scale,
        square=square / scale**2,
        start=np.empty(0, dtype=np.int64),
        size=np.empty(0),
        rows=np.empty(0),
        class_n=np.empty((0, k)),
        class_total=np.empty((0, k)),
        cross=np.empty((0, k, k)),
        moment=np.empty((0, k)),
        block_square=np.empty(0),
        offset=algorithm / scale,
        delta=delta / scale,
        scale=scale,
    )


def from_blocks(
    dataset: Codes,
    count: Codes,
    mean: Array,
    within: Array,
    rows: Array | None = None,
) -> Statistics:
    """Return the statistics of a model with a replication term.

    `dataset` (R,) is non-decreasing, and every data set has a block; `count` and `mean` (R, K) are
    the number of scores of the block and their mean (any finite number where there is none);
    `within` (D,) is the sum of squares of repeated scores about their mean; each row stands for
    `rows` (R,) blocks, by default one. There is one class per (data set, number of scores in the
    block).
    """
    first = np.flatnonzero(np.r_[True, dataset[1:] != dataset[:-1]])
    weight = count.astype(np.float64)
    scores = _times(rows, weight)
    n = sums(scores, first)
    cell = sums(scores * mean, first) / np.maximum(n, 1)
    algorithm, delta = _centres(n, cell)
    centred = mean - algorithm
    centred -= delta[dataset][:, None]
    value = weight * centred
    square = np.add.reduceat(_times(rows, np.einsum("rk,rk->r", value, centred)), first) + within
    scale = float(np.sqrt(square.sum() / n.sum())) or 1.0
    value /= scale
    ones = np.ones(value.shape[1])
    block_sum, size = value @ ones, weight @ ones
    total = sums(_times(rows, value), first)
    order = slice(None)
    if not (np.diff(size)[dataset[1:] == dataset[:-1]] >= 0).all():
        order = np.lexsort((size, dataset))
    weight, block_sum, size, home = weight[order], block_sum[order], size[order], dataset[order]
    value, rows = value[order], None if rows is None else rows[order]
    scores, times = _times(rows, weight), _times(rows, np.ones(len(home)))
    begin = np.flatnonzero(np.r_[True, (np.diff(home) != 0) | (np.diff(size) != 0)])
    return Statistics(
        n=n,
        total=total,
        square=square / scale**2,
        start=np.flatnonzero(np.r_[True, np.diff(home[begin]) != 0]),
        size=size[begin],
        rows=np.add.reduceat(times, begin),
        class_n=sums(scores, begin),
        class_total=sums(_times(rows, value), begin),
        cross=_cross_products(weight, times, begin),
        moment=sums(scores * block_sum[:, None], begin),
        block_square=np.add.reduceat(times * block_sum**2, begin),
        offset=algorithm / scale,
        delta=delta / scale,
        scale=scale,
    )


def _times(rows: Array | None, values: Array) -> Array:
    """Multiply values by the number of blocks that each represents."""
    if rows is None:
        return values
    return (rows if values.ndim == 1 else rows[:, None]) * values


def _cross_products(weight: Array, rows: Array, begin: Codes) -> Array:
    """Return the (M, K, K) sums over the blocks of each class of outer products of counts."""
    k = weight.shape[1]
    stop = np.r_[begin[1:], len(weight)]
    cross = np.empty((len(begin), k, k))
    for i, (a, b) in enumerate(zip(begin, stop, strict=True)):
        counts, times = weight[a:b], rows[a:b]
        cross[i] = times.sum() if counts.min() == counts.max() == 1 else (counts.T * times) @ counts
    return cross


@savable
@shaped(
    dataset="M <N",
    counts="M K [0,inf)",
    rows="M [0,inf)",
    mean="M K",
    cross="M K K (-inf,inf)",
    free="N K [0,inf)",
    square="N K [0,inf)",
    offset="K (-inf,inf)",
    delta="N (-inf,inf)",
    scale="(0,inf)",
)
@dataclass(frozen=True, slots=True)
class Patterns:
    """Moments of centred, scaled scores; D data sets, K algorithms, M classes.

    Repeats within a (block, algorithm) are split into their mean, which enters the class, and the
    squares about it, which are independent of everything else.
    """

    dataset: Codes  # (M,) data set of each class, non-decreasing; every data set has a class
    counts: Array  # (M, K) how many scores each block of the class has of the algorithm
    rows: Array  # (M,) number of blocks
    mean: Array  # (M, K) means over the blocks of their means, 0 where an algorithm is absent
    # (M, K, K) sums over the blocks of outer products of their deviations from these means
    cross: Array
    # free, square: (D, K) degrees of freedom and sum of squares of repeats about their means
    free: Array
    square: Array
    paired: bool  # whether blocks are replications, as a replication term needs
    # offset, delta: (K,) and (D,) the constants that were taken off, on the scale of the centred
    # scores
    offset: Array
    delta: Array
    scale: float  # what centred scores were divided by

    @property
    def start(self) -> Codes:
        """(D,) index of each data set's first class."""
        return np.flatnonzero(np.r_[True, np.diff(self.dataset) != 0])

    @property
    def parts(self) -> list[slice]:
        """The D ranges of the data sets' classes."""
        start = self.start.tolist()
        return [slice(a, b) for a, b in zip(start, [*start[1:], len(self.rows)], strict=True)]

    def by_dataset(self, values: Array) -> Array:
        """Sum class values (M, ...) within data sets to (D, ...)."""
        return np.add.reduceat(values, self.start, axis=0)

    @property
    def n(self) -> Array:
        """(D, K) number of scores."""
        return self.by_dataset(self.rows[:, None] * self.counts)

    @property
    def n_scores(self) -> int:
        """Number of scores."""
        return round(float((self.rows[:, None] * self.counts).sum()))


def structured_from_cells(n: Codes, mean: Array, square_within: Array) -> Patterns:
    """Return the statistics of a model without a replication term.

    Arguments are as in `from_cells`, but means may be any number where n is 0. There is one class
    per data set, whose one block holds all its scores.
    """
    return structured_from_blocks(np.arange(len(n)), n, mean, square_within, paired=False)


def structured_from_blocks(
    dataset: Codes,
    count: Codes,
    mean: Array,
    within: Array,
    rows: Array | None = None,
    *,
    paired: bool = True,
) -> Patterns:
    """Return the statistics of a model that may have a replication term.

    Arguments are as in `from_blocks`, but `within` is (D, K); `paired` says whether blocks are
    replications. There is one class per data set and row of counts.
    """
    rows = np.ones(len(count)) if rows is None else rows
    held = count > 0
    nonempty = held.any(axis=1)
    dataset, count, held, rows = dataset[nonempty], count[nonempty], held[nonempty], rows[nonempty]
    if len(np.unique(dataset)) != len(within):
        raise FitError("a data set has no scores.")
    value = np.where(held, mean[nonempty], 0.0)
    first = np.flatnonzero(np.r_[True, np.diff(dataset) != 0])
    scores = rows[:, None] * count
    n = np.add.reduceat(scores, first, axis=0)
    cell = np.add.reduceat(scores * value, first, axis=0) / np.maximum(n, 1)
    algorithm = cell.sum(axis=0) / np.maximum((n > 0).sum(axis=0), 1)
    delta = (n * (cell - algorithm)).sum(axis=1) / n.sum(axis=1)
    value = np.where(held, value - algorithm - delta[dataset][:, None], 0.0)
    within = np.where(n > 0, within, 0.0)
    scale = float(np.sqrt(((scores * value**2).sum() + within.sum()) / n.sum())) or 1.0
    value /= scale
    order = np.lexsort((*count.T, dataset))
    key, value, times = np.column_stack([dataset, count])[order], value[order], rows[order]
    begin = np.flatnonzero(np.r_[True, (np.diff(key, axis=0) != 0).any(axis=1)])
    total = np.add.reduceat(times, begin)
    middle = np.add.reduceat(times[:, None] * value, begin, axis=0) / total[:, None]
    value -= np.repeat(middle, np.diff(np.r_[begin, len(key)]), axis=0)
    value *= np.sqrt(times)[:, None]
    return Patterns(
        dataset=key[begin, 0],
        counts=key[begin, 1:].astype(np.float64),
        rows=total,
        mean=middle,
        cross=np.array([part.T @ part for part in np.split(value, begin[1:])]),
        free=np.add.reduceat(rows[:, None] * np.maximum(count - 1, 0), first, axis=0),
        square=within / scale**2,
        paired=paired,
        offset=algorithm / scale,
        delta=delta / scale,
        scale=scale,
    )

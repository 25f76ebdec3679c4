"""Moments of blocks: their number, means and a root of their cross products.

The likelihood of normal models depends on the blocks of a data set that hold the same algorithms, a
*class*, through these alone. A root R of the centred cross products C = R'R is kept instead of C:
it is found without squaring (a triangle of a QR decomposition), never takes more room than the
blocks themselves, and classes are merged by stacking their roots and means.

References
----------
Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance:
analysis and recommendations. The American Statistician 37, 242-247.
https://doi.org/10.1080/00031305.1983.10483115
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array, Codes


@savable
@dataclass(frozen=True, slots=True)
class BlockMoments:
    """Moments of the blocks of one measure; D data sets, K algorithms, M classes.

    Attributes
    ----------
    dataset
        (M,) data set of each class, non-decreasing.
    count
        (M, K) how many scores each block of the class has of the algorithm.
    rows
        (M,) number of blocks.
    mean
        (M, K) means over the blocks, 0 where an algorithm is absent.
    home, root
        (F,) class, non-decreasing, and (F, K) roots of the sums of outer products of the blocks'
        deviations from these means.
    within
        (D, K) sums of squares of repeats about their (block, algorithm) mean.
    """

    dataset: Codes
    count: Codes
    rows: Codes
    mean: Array
    home: Codes
    root: Array
    within: Array

    def representatives(self) -> tuple[Codes, Codes, Array, Array]:
        """Return (R,) data sets, (R, K) counts and means, and (R,) weights of blocks.

        Weighted, they have the moments of all blocks: two for each row r of a root, ``mean +- c r``
        (sigma points).
        """
        roots = np.bincount(self.home, minlength=len(self.rows))
        alone = np.flatnonzero(roots == 0)
        length = np.sqrt(roots / self.rows)[self.home, None] * self.root
        at = np.concatenate([alone, self.home, self.home])
        nothing = np.zeros((len(alone), self.mean.shape[1]))
        mean = self.mean[at] + np.concatenate([nothing, length, -length])
        order = np.argsort(at, kind="stable")
        at = at[order]
        weight = self.rows / np.maximum(2 * roots, 1)
        return self.dataset[at], self.count[at], mean[order], weight[at]

    def subset(self, datasets: Codes, algorithms: Codes) -> "BlockMoments":
        """Keep some data sets and algorithms, both in increasing order."""
        position = np.full(len(self.within), -1)
        position[datasets] = np.arange(len(datasets))
        kept = (position[self.dataset] >= 0) & self.count[:, algorithms].any(axis=1)
        home = np.cumsum(kept) - 1
        roots = kept[self.home]
        return condensed(
            position[self.dataset[kept]],
            self.count[kept][:, algorithms],
            self.rows[kept],
            self.mean[kept][:, algorithms],
            (home[self.home[roots]], self.root[roots][:, algorithms]),
            self.within[np.ix_(datasets, algorithms)],
        )

    def placed(self, dataset: Codes, algorithms: Codes, k: int) -> "BlockMoments":
        """Give the classes other data sets, and columns the places of some among K algorithms."""

        def columns(value: NDArray[Any]) -> NDArray[Any]:
            found = np.zeros((len(value), k), value.dtype)
            found[:, algorithms] = value
            return found

        mean, root = columns(self.mean), columns(self.root)
        return replace(self, dataset=dataset, count=columns(self.count), mean=mean, root=root)

    def blocks(self) -> Codes:
        """Return (D,) number of blocks of each data set."""
        found = np.zeros(len(self.within), np.int64)
        np.add.at(found, self.dataset, self.rows)
        return found


def condensed(
    dataset: Codes,
    count: Codes,
    rows: Codes,
    mean: Array,
    roots: tuple[Codes, Array],
    within: Array,
) -> BlockMoments:
    """Merge blocks or classes that hold the same algorithms of a data set.

    Arguments are as in `BlockMoments`, in any order; a class may come in several parts, and single
    blocks are classes of one row. `roots` are home and root.
    """
    home, root = roots
    order, new = _sorted(dataset, count)
    begin, group = np.flatnonzero(new), np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    size = np.diff(np.r_[begin, len(order)])
    total = _sums(rows[order], begin)
    middle, deviation = _centred(np.where(count > 0, mean, 0.0)[order], rows[order], begin, size)
    several = np.repeat(size > 1, size)
    at = np.concatenate([group[home], group[order[several]]])
    stack = np.concatenate([root, deviation[several]])
    return BlockMoments(
        dataset[order[begin]],
        count[order[begin]],
        total,
        middle,
        *_triangles(at, stack, size > 1),
        within,
    )


def _sorted(dataset: Codes, count: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Return an order by data set and counts, and where in it another class begins."""
    flags = count if count.max(initial=0) > 1 else np.packbits(count.astype(bool), axis=1)
    order = np.lexsort((*flags.T[::-1], dataset))
    key = np.column_stack([dataset, flags])[order]
    return order, np.r_[True, (np.diff(key, axis=0) != 0).any(axis=1)][: len(key)]


def _centred(value: Array, rows: Codes, begin: Codes, size: Codes) -> tuple[Array, Array]:
    """Return (M, K) weighted means of sorted classes, and (R, K) roots of weights by deviations.

    Two passes: the second corrects rounding of the first.
    """
    weight = rows[:, None].astype(np.float64)
    total = _sums(weight, begin)
    middle, deviation = np.zeros((len(begin), value.shape[1])), value
    for _ in range(2):
        shift = _sums(weight * deviation, begin) / total
        middle += shift
        deviation = deviation - np.repeat(shift, size, axis=0)
    return middle, np.sqrt(weight) * deviation


def _sums[Kind: np.generic](value: NDArray[Kind], begin: Codes) -> NDArray[Kind]:
    """Return sums of runs of rows, none where there are none."""
    return np.add.reduceat(value, begin, axis=0) if len(begin) else value[:0]


def _triangles(home: Codes, stack: Array, changed: NDArray[np.bool_]) -> tuple[Codes, Array]:
    """Replace the rows of each class that changed by a triangle with the same cross products."""
    order = np.argsort(home, kind="stable")
    home, stack = home[order], stack[order]
    begin = np.flatnonzero(np.r_[True, np.diff(home) != 0][: len(home)])
    stop = np.r_[begin[1:], len(home)][: len(begin)]
    found: list[Array] = []
    for a, b in zip(begin.tolist(), stop.tolist(), strict=True):
        part = stack[a:b]
        if changed[home[a]]:
            part = np.linalg.qr(part, mode="r")
            part = part[part.any(axis=1)]
        found.append(part)
    sizes = np.array([len(part) for part in found], np.int64)
    nothing = np.zeros((0, stack.shape[1]))
    return np.repeat(home[begin], sizes), np.concatenate([nothing, *found])


def merged(parts: Iterable[BlockMoments], within: Array) -> BlockMoments:
    """Pool moments whose labels have the same places, and whose blocks are not the same."""
    parts = list(parts)
    starts = np.cumsum([0, *(len(part.rows) for part in parts)])
    return condensed(
        np.concatenate([part.dataset for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.mean for part in parts]),
        (
            np.concatenate([s + part.home for s, part in zip(starts, parts, strict=False)]),
            np.concatenate([part.root for part in parts]),
        ),
        within,
    )

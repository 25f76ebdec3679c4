"""Blocks and labels: which rows are exchangeable, and what is permuted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which rows form a block and which label each row bears.

    Attributes
    ----------
    rows
        (n,) rows of the input that take part, block by block.
    starts
        (B + 1,) where each block begins in `rows`.
    labels
        (n,) label of each row, 0..K-1.
    n_labels
        K.
    dropped
        Number of blocks left out because they hold one label only.
    """

    rows: Codes
    starts: Codes
    labels: Codes
    n_labels: int
    dropped: int

    @property
    def sizes(self) -> Codes:
        """(B,) rows in each block."""
        return np.diff(self.starts)

    @property
    def blocks(self) -> Codes:
        """(n,) block of each row."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)

    @property
    def complete(self) -> bool:
        """Whether every block holds every label once."""
        k = self.n_labels
        if not (self.sizes == k).all():
            return False
        return bool((np.sort(self.labels.reshape(-1, k), axis=1) == np.arange(k)).all())


def lay_out(blocks: Codes, labels: Codes, n_labels: int) -> Layout:
    """Sort rows by block; blocks with fewer than two labels say nothing and are left out.

    Parameters
    ----------
    blocks
        (n,) block codes, in any order.
    labels
        (n,) label codes, 0..K-1. A label may occur several times in a block.
    n_labels
        K.

    Returns
    -------
    Layout
        The rows that take part.

    Examples
    --------
    >>> layout = lay_out(np.array([1, 0, 1, 0, 2]), np.array([0, 1, 1, 0, 0]), 2)
    >>> layout.rows.tolist(), layout.labels.tolist(), layout.complete, layout.dropped
    ([3, 1, 0, 2], [0, 1, 0, 1], True, 1)
    """
    order = np.lexsort((labels, blocks))
    _, first, size = np.unique(blocks[order], return_index=True, return_counts=True)
    sorted_labels = labels[order]
    varied = sorted_labels[first] != sorted_labels[first + size - 1]
    rows = order[np.repeat(varied, size)]
    starts = np.concatenate([[0], np.cumsum(size[varied])])
    return Layout(rows, starts.astype(np.int64), labels[rows], n_labels, int((~varied).sum()))


def block_means(values: Array, layout: Layout) -> Array:
    """Return (B,) the mean of each block."""
    if len(layout.starts) == 1:
        return np.zeros(0)
    return np.add.reduceat(values, layout.starts[:-1]) / layout.sizes


def center(scores: Array, layout: Layout) -> Array:
    """Return (n,) the scores without their block's mean; exactly zero where a block is constant."""
    constant = np.ones(len(layout.sizes), np.bool_)
    if len(scores):
        begin = layout.starts[:-1]
        constant = np.maximum.reduceat(scores, begin) == np.minimum.reduceat(scores, begin)
    shifted = scores - np.repeat(block_means(scores, layout), layout.sizes)
    return np.where(np.repeat(constant, layout.sizes), 0.0, shifted)

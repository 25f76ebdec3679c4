"""Alignment and ranks within blocks.

A test within blocks permutes labels and sums scores per label. The scores may be any function of
the values that does not look at the labels, and each choice is a test of its own. Alignment
(taking off the block's mean or median) matters only together with ranks over all blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import ndtri

from benchinfer.numerics import ties
from benchinfer.numerics.covariance import additive_fit
from benchinfer.numerics.ties import Scores, midranks
from benchinfer.numerics.types import Array, Codes, Flags

type Kind = Literal["values", "ranks", "aligned-ranks", "normal-scores", "dispersion"]


@dataclass(frozen=True)
class BlockLayout:
    """Block and label of each row."""

    rows: Codes  # (n,) rows of the input that take part, block by block
    starts: Codes  # (B + 1,) where each block begins in `rows`
    labels: Codes  # (n,) label of each row, 0..K-1
    n_labels: int  # K
    dropped: int  # number of blocks left out because they hold one label only

    @cached_property
    def sizes(self) -> Codes:
        """(B,) rows in each block."""
        return np.diff(self.starts)

    @cached_property
    def blocks(self) -> Codes:
        """(n,) block of each row."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)

    @cached_property
    def complete(self) -> bool:
        """True if every block holds every label once."""
        k = self.n_labels
        if not (self.sizes == k).all():
            return False
        return bool((np.sort(self.labels.reshape(-1, k), axis=1) == np.arange(k)).all())


def lay_out(blocks: Codes, labels: Codes, n_labels: int) -> BlockLayout:
    """Sort rows by block, leaving out blocks with fewer than two labels.

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
    return BlockLayout(rows, starts.astype(np.int64), labels[rows], n_labels, int((~varied).sum()))


def block_means(values: Array, layout: BlockLayout) -> Array:
    """Return (B,) the mean of each block."""
    if len(layout.starts) == 1:
        return np.zeros(0)
    return np.add.reduceat(values, layout.starts[:-1]) / layout.sizes


def center(scores: Array, layout: BlockLayout) -> Array:
    """Return (n,) the scores without their block's mean; exactly zero where a block is constant."""
    constant = np.ones(len(layout.sizes), np.bool_)
    if len(scores):
        begin = layout.starts[:-1]
        constant = np.maximum.reduceat(scores, begin) == np.minimum.reduceat(scores, begin)
    shifted = scores - np.repeat(block_means(scores, layout), layout.sizes)
    return np.where(np.repeat(constant, layout.sizes), 0.0, shifted)


def _medians(values: Array, group: Codes) -> Array:
    """Return (n,) the median of each row's group."""
    order = np.lexsort((values, group))
    _, first, back, size = np.unique(
        group[order], return_index=True, return_inverse=True, return_counts=True
    )
    v = values[order]
    middle = (v[first + (size - 1) // 2] + v[first + size // 2]) / 2
    result = np.empty(len(values))
    result[order] = middle[back]
    return result


def aligned(
    values: Array, layout: BlockLayout, center: Literal["mean", "median"] = "mean"
) -> Array:
    """Return (n,) the values without the mean or median of their block.

    References
    ----------
    Hodges, J. L. & Lehmann, E. L. (1962). Rank methods for combination of independent experiments
    in analysis of variance. Annals of Mathematical Statistics 33, 482-497.
    https://doi.org/10.1214/aoms/1177704575

    Quade, D. (1979). Using weighted rankings in the analysis of complete blocks with additive block
    effects. Journal of the American Statistical Association 74, 680-683.
    https://doi.org/10.1080/01621459.1979.10481670
    """
    if center == "mean":
        return values - np.repeat(block_means(values, layout), layout.sizes)
    return values - _medians(values, layout.blocks)


def score(
    values: Array,
    layout: BlockLayout,
    on: Kind,
    *,
    rounding: Array | None = None,
    center: Literal["mean", "median"] = "mean",
    stratum: Codes | None = None,
) -> Scores:
    """Return the scores that a test within blocks sums up.

    Parameters
    ----------
    values
        (n,) values in the order of the layout.
    layout
        From `lay_out`.
    on
        ``"values"``; ``"ranks"`` within blocks (Friedman);
        ``"aligned-ranks"``, ranks of the aligned values over all rows (Hodges & Lehmann);
        ``"normal-scores"``, ``ndtri(rank / (n + 1))`` of the aligned ranks; ``"dispersion"``, the
        distance from the median of the stratum.
    rounding
        (n,) differences from the values that count as none, by default `ties.rounding`.
    center
        What alignment takes off.
    stratum
        (n,) rows with a common median, for dispersion; None takes all rows as one. A block of two
        rows is its own stratum in vain: both rows are equally far from its median. A difference in
        location shows up as dispersion, too.

    Returns
    -------
    Scores
        (n,) scores and the number of tied rows.
    """
    if on == "values":
        return Scores(values, 0)
    within = ties.rounding(values) if rounding is None else rounding
    if on == "ranks":
        return midranks(values, within, layout.blocks)
    if on == "dispersion":
        group = np.zeros(len(values), np.int64) if stratum is None else stratum
        return Scores(np.abs(values - _medians(values, group)), 0)
    ranked = midranks(aligned(values, layout, center), _largest(within, layout))
    if on == "aligned-ranks":
        return ranked
    return Scores(ndtri(ranked.values / (len(values) + 1)), ranked.tied)


def _largest(values: Array, layout: BlockLayout) -> Array:
    """Return (n,) the largest value of each row's block."""
    if not len(values):
        return values
    return np.repeat(np.maximum.reduceat(values, layout.starts[:-1]), layout.sizes)


def quade_scores(values: Array, ranks: Array, layout: BlockLayout) -> Array:
    """Return within-block ranks, centred and weighted by the rank of the block's range.

    Parameters
    ----------
    values, ranks
        (n,) values and their ranks within blocks, in the order of the layout.
    layout
        From `lay_out`.

    Returns
    -------
    ndarray
        (n,) scores.
    """
    low = np.minimum.reduceat(values, layout.starts[:-1])
    width = np.maximum.reduceat(values, layout.starts[:-1]) - low
    within = ties.rounding(np.maximum.reduceat(np.abs(values), layout.starts[:-1]))
    weight = midranks(width, within).values
    middle = (layout.sizes + 1) / 2
    return np.repeat(weight, layout.sizes) * (ranks - np.repeat(middle, layout.sizes))


def additive_levels(values: Array, held: Flags) -> Array:
    """Return levels of algorithms that are not all in the same blocks.

    The least squares fit of one effect for each block and one for each algorithm fills the gaps,
    so that an algorithm of easy blocks has no advantage. Algorithms that no chain of blocks
    connects are fitted apart, each group over its own blocks.

    Parameters
    ----------
    values, held
        (B, K) scores, and where there are any; 0 elsewhere.

    Returns
    -------
    ndarray
        (K,) means over the blocks; of complete blocks plain ones.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [5.0, 6.0], [9.0, 0.0]])
    >>> additive_levels(values, values > 0)
    array([5., 6.])
    """
    return additive_fit(np.where(held, values, np.nan)).levels

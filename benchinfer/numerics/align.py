"""Scores for tests within blocks: values, ranks, aligned values, aligned ranks, normal scores.

A test within blocks permutes labels and sums scores per label. The scores may be any function of
the values that does not look at the labels, and each choice is a test of its own. Alignment
(taking off the block's own mean or median) matters only together with ranks over all blocks.

References
----------
Hodges, J. L. & Lehmann, E. L. (1962). Rank methods for combination of independent experiments in
analysis of variance. Annals of Mathematical Statistics 33, 482-497.
https://doi.org/10.1214/aoms/1177704575

Quade, D. (1979). Using weighted rankings in the analysis of complete blocks with additive block
effects. Journal of the American Statistical Association 74, 680-683.
https://doi.org/10.1080/01621459.1979.10481670
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.numerics import ties
from benchinfer.numerics.layout import Layout, block_means

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]
type Kind = Literal["values", "aligned", "ranks", "aligned-ranks", "normal-scores", "dispersion"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of the rows of a layout.

    Attributes
    ----------
    values
        (n,) scores.
    tied
        How many rows share their rank with another row (0 where nothing is ranked).
    """

    values: Array
    tied: int


def midranks(values: Array, within: float, group: Codes | None = None) -> Scores:
    """Rank within groups; ties get the mean of their ranks.

    Parameters
    ----------
    values
        (n,) what is ranked.
    within
        Neighbours that differ by at most this are ties.
    group
        (n,) groups to rank within; None ranks all together.

    Returns
    -------
    Scores
        Ranks from 1, and how many rows are tied.

    Examples
    --------
    >>> midranks(np.array([0.3, 0.1 + 0.2, 0.5]), 1e-10)
    Scores(values=array([1.5, 1.5, 3. ]), tied=2)
    """
    n = len(values)
    group = np.zeros(n, np.int64) if group is None else group
    order, first = ties.chains(values, within, group)
    count = np.diff(np.append(first, n))
    begin = np.searchsorted(group[order], group[order])
    ranks = np.empty(n)
    ranks[order] = np.repeat(first + (count + 1) / 2, count) - begin
    return Scores(ranks, int(count[count > 1].sum()))


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


def aligned(values: Array, layout: Layout, center: Literal["mean", "median"] = "mean") -> Array:
    """Return (n,) the values without the mean or median of their block."""
    if center == "mean":
        return values - np.repeat(block_means(values, layout), layout.sizes)
    return values - _medians(values, layout.blocks)


def score(
    values: Array,
    layout: Layout,
    on: Kind,
    *,
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
        ``"values"``; ``"aligned"``, the same test; ``"ranks"`` within blocks (Friedman);
        ``"aligned-ranks"``, ranks of the aligned values over all rows (Hodges & Lehmann);
        ``"normal-scores"``, ``ndtri(rank / (n + 1))`` of the aligned ranks; ``"dispersion"``, the
        distance from the median of the stratum.
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
    if on == "ranks":
        return midranks(values, ties.resolution(values), layout.blocks)
    if on == "dispersion":
        group = np.zeros(len(values), np.int64) if stratum is None else stratum
        return Scores(np.abs(values - _medians(values, group)), 0)
    shifted = aligned(values, layout, center)
    if on == "aligned":
        return Scores(shifted, 0)
    ranked = midranks(shifted, ties.resolution(values))
    if on == "aligned-ranks":
        return ranked
    return Scores(ndtri(ranked.values / (len(values) + 1)), ranked.tied)


def quade_scores(values: Array, layout: Layout) -> Scores:
    """Return within-block ranks, centred and weighted by the rank of the block's range.

    Parameters
    ----------
    values
        (n,) values in the order of the layout.
    layout
        From `lay_out`.

    Returns
    -------
    Scores
        (n,) scores; tied rows are those tied within a block.
    """
    ranks = score(values, layout, "ranks")
    low = np.minimum.reduceat(values, layout.starts[:-1])
    width = np.maximum.reduceat(values, layout.starts[:-1]) - low
    weight = midranks(width, ties.resolution(values)).values
    middle = (layout.sizes + 1) / 2
    return Scores(
        np.repeat(weight, layout.sizes) * (ranks.values - np.repeat(middle, layout.sizes)),
        ranks.tied,
    )

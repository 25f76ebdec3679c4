"""Null distribution of Page's statistic of an order.

References
----------
Page, E. B. (1963). Ordered hypotheses for multiple treatments: a significance test for linear
ranks. Journal of the American Statistical Association 58, 216-230.
https://doi.org/10.1080/01621459.1963.10500843
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.permutation.numerics import arrangements
from benchinfer.analyses.permutation.numerics.blocks import BlockLayout, center
from benchinfer.analyses.permutation.numerics.nulls import PermutationMoments, PermutationProblem
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes

# Rows of a block whose subsets are gone through, and values of the sum over blocks: 0.5 s.
_ROWS, _VALUES = 12, 30_000


@savable
@shaped(labels="n [0,inf)", ranks="n")
@dataclass(frozen=True, slots=True)
class RankedBlocks:
    """Blocks of the same labels and the same ties, whose ranks are exchangeable."""

    labels: Codes  # (n,) label of each row, in ascending order
    ranks: Array  # (n,) mid-ranks, in ascending order: which label has which is not held
    times: int  # number of such blocks


def ranked_blocks(ranks: Array, layout: BlockLayout) -> tuple[RankedBlocks, ...]:
    """Count the blocks that have the same null distribution.

    Parameters
    ----------
    ranks
        (n,) mid-ranks within blocks, in the order of the layout.
    layout
        B blocks, K labels.
    """
    ends = layout.starts[1:-1]
    kinds: dict[bytes, tuple[Codes, Array, int]] = {}
    for rows, labels in zip(np.split(ranks, ends), np.split(layout.labels, ends), strict=True):
        ordered, named = np.sort(rows), np.sort(labels)
        key = ordered.tobytes() + named.tobytes()
        kinds[key] = (named, ordered, kinds[key][2] + 1 if key in kinds else 1)
    return tuple(RankedBlocks(*kind) for kind in kinds.values())


def exact(kinds: Sequence[RankedBlocks], places: Array, total: Array) -> float | None:
    """Return the chance that Page's statistic is as large as observed or larger.

    All arrangements of the ranks within blocks are equally likely. The distribution of one block
    goes through the subsets of its rows, that of several blocks is their convolution.

    Parameters
    ----------
    kinds
        The blocks.
    places
        (K,) whole numbers that grow with the rank that the order predicts.
    total
        (K,) observed sums of ranks.

    Returns
    -------
    float or None
        The p-value; None where a block has more than 12 rows or the sum has too many values.

    Examples
    --------
    >>> block = RankedBlocks(np.arange(3), np.array([1.0, 2.0, 3.0]), 2)
    >>> round(exact([block], np.arange(3.0), np.array([2.0, 4.0, 6.0])), 6)  # 1 of 36
    0.027778
    """
    # Sums of whole numbers, in halves of a rank.
    steps = [(np.rint(2 * kind.ranks), places[kind.labels]) for kind in kinds]
    if max(len(kind.ranks) for kind in kinds) > _ROWS:
        return None
    lowest = [float(np.sort(place)[::-1] @ ranks) for ranks, place in steps]
    highest = [float(np.sort(place) @ ranks) for ranks, place in steps]
    times = np.array([kind.times for kind in kinds])
    if times @ (np.array(highest) - lowest) > _VALUES:
        return None
    chances = np.ones(1)
    for (ranks, place), low, count in zip(steps, lowest, times.tolist(), strict=True):
        chances = np.convolve(chances, _of_sum(_of_block(ranks, place)[int(low) :], count))
    first = round(float(2 * places @ total - times @ lowest))
    return min(float(chances[first:].sum()), 1.0)


def _of_block(ranks: Array, places: Array) -> Array:
    """Return the chance of each value of ``sum_i ranks_i places_(pi i)``, from 0 to the largest.

    Ranks and places (n,) are whole numbers >= 0, ranks ascending.
    """
    n, length = len(ranks), int(ranks @ np.sort(places)) + 1
    chances = {0: np.eye(1, length)[0]}
    for row, rank in enumerate(ranks):
        after: dict[int, Array] = {}
        for used, before in chances.items():
            for i in range(n):
                if used >> i & 1:
                    continue
                step = int(rank * places[i])
                reached = after.setdefault(used | 1 << i, np.zeros(length))
                reached[step:] += before[: length - step] / (n - row)
        chances = after
    return chances[(1 << n) - 1]


def _of_sum(chances: Array, times: int) -> Array:
    """Return the distribution of the sum of so many independent values of one distribution."""
    result = np.ones(1)
    while times:
        if times & 1:
            result = np.convolve(result, chances)
        times >>= 1
        if times:
            chances = np.convolve(chances, chances)
    return result


def monte_carlo(
    kinds: Sequence[RankedBlocks],
    places: Array,
    moments: PermutationMoments,
    resamples: int,
    seed: int,
) -> tuple[float, float]:
    """Return the p-value of Page's statistic from random arrangements, and its standard error."""
    ranks = np.concatenate([np.tile(kind.ranks, kind.times) for kind in kinds])
    labels = np.concatenate([np.tile(kind.labels, kind.times) for kind in kinds])
    sizes = np.concatenate([np.full(kind.times, len(kind.ranks)) for kind in kinds])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    layout = BlockLayout(np.arange(len(ranks)), starts, labels, len(places), 0)
    question = PermutationProblem(
        center(ranks, layout), layout, moments, places[None, :], two_sided=False
    )
    null = arrangements.monte_carlo(question, resamples, seed)
    return float(null.single_step.value[0]), float(null.single_step.error[0])

"""Differences of rates, where all scores are 0 or 1.

Of such scores the differences of a pair are -1, 0 or 1: their median and their Hodges-Lehmann shift
are 0 however much the rates differ, and shifted by a tolerance they speak of the median, too.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.pairs import Alone, part
from benchinfer.numerics import rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.analyses.permutation.blocks import Exchangeable
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.comparison.evidence import Array


def of_rates(
    own: Alone, data: "Exchangeable", matrix: "Array", asked: "PermutationProcedure"
) -> Alone:
    """Give pairs the difference of their rates, Newcombe's interval, and its test of equivalence.

    Tests of no difference stay as they are. Averages of algorithms keep their mean difference.
    """
    tail = (1 - asked.alone(len(matrix))) / 2
    estimate, low, high = own.estimate.copy(), own.low.copy(), own.high.copy()
    equivalence, noninferiority = own.equivalence.copy(), own.noninferiority.copy()
    for i in np.flatnonzero((matrix != 0).sum(axis=1) == 2):
        estimate[i], interval = _difference(data, matrix[i])
        low[i], high[i] = interval(tail)
        if asked.margin > 0:
            above, below = rates.beyond_margins(interval, asked.margin)
            equivalence[i] = max(above, below)
            noninferiority[i] = above if asked.side >= 0 else below
    return replace(
        own,
        estimate=estimate,
        low=low if asked.side >= 0 else np.full_like(low, -np.inf),
        high=high if asked.side <= 0 else np.full_like(high, np.inf),
        equivalence=equivalence,
        noninferiority=noninferiority,
    )


def _difference(
    data: "Exchangeable", row: "Array"
) -> "tuple[float, Callable[[float], tuple[float, float]]]":
    """Return the difference of the rates of a pair, and its interval by tail probability."""
    own = part(data, row)
    right = own.values == data.values.max()
    if not data.repeated:
        order = np.lexsort((own.label, own.block))
        first, second = right[order].reshape(-1, 2).T
        table = rates.Fourfold.of(first, second)
        return (table.first - table.second) / table.n, partial(rates.newcombe_paired, table)
    at = np.unique(own.block, return_inverse=True)[1] * 2 + own.label
    size = int(at.max()) + 1
    n = np.bincount(at, minlength=size).reshape(-1, 2).T.astype(np.float64)
    count = np.bincount(at, right, size).reshape(-1, 2).T
    found = float((count[0] / n[0] - count[1] / n[1]).mean())
    return found, partial(rates.newcombe, (count[0], n[0]), (count[1], n[1]))

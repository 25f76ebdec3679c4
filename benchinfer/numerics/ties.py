"""Ties of scores and levels.

Within a row (a data set, a replication) the scores are sorted; neighbours that differ by at most
1e-10 of the range of all scores are tied, and so are the scores that a chain of such neighbours
connects. The unit and the zero of the measure do not matter, and ties are transitive, so that wins
and ranks agree.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes

SHARE = 1e-10
# Means of equal scores may differ in the last digits, which are large where scores lie far from 0.
_DIGITS = 8 * np.finfo(float).eps
# What is computed from many scores loses more of them.
_LEVEL_DIGITS = 1e-12


def resolution(values: Array) -> float:
    """Return the largest difference that counts as none.

    Of `values`, NaN stands where there is none.

    Examples
    --------
    >>> resolution(np.array([0.25, np.nan, 0.75]))
    5e-11
    """
    there = values[np.isfinite(values)]
    if not len(there):
        return 0.0
    return float(max(SHARE * (there.max() - there.min()), _DIGITS * np.abs(there).max()))


def chains(
    values: Array, within: float | Array, group: Codes | None = None
) -> tuple[NDArray[np.intp], Codes]:
    """Return the order of values by group and size, and the starts of chains of ties in it.

    `values` (n,) have ties where neighbours of one `group` (n,), by default all, differ by at most
    `within`, one number or (n,). The result is the order, and the places in it at which chains of
    ties begin.
    """
    order = np.argsort(values)
    border = np.zeros(max(len(values) - 1, 0), dtype=np.bool_)
    if group is not None:
        # One whole number each, which is sorted faster than two keys.
        order = order[np.argsort(group[order] * len(order) + np.arange(len(order)))]
        border = np.diff(group[order]) != 0
    apart = np.diff(values[order]) > np.broadcast_to(within, values.shape)[order][1:]
    return order, np.flatnonzero(np.append(True, border | apart)[: len(order)])


def joined(values: Array, within: float | Array, group: Codes) -> Array:
    """Return (n,) values with each chain of ties set to its smallest value.

    Examples
    --------
    >>> joined(np.array([0.3, 0.1 + 0.2, 0.5, 0.3]), 1e-10, np.array([0, 0, 0, 1])).tolist()
    [0.3, 0.3, 0.5, 0.3]
    """
    order, first = chains(values, within, group)
    result = np.empty_like(values)
    result[order] = np.repeat(values[order][first], np.diff(np.append(first, len(values))))
    return result


def joined_rows(table: Array) -> Array:
    """Return a (B, K) table with ties within rows set equal; NaN where there is no score."""
    row, column = np.nonzero(np.isfinite(table))
    result = table.copy()
    result[row, column] = joined(table[row, column], resolution(table), row)
    return result


def joined_levels(levels: Array) -> Array:
    """Return (K,) levels with those that differ by rounding only set to the smallest of them.

    Another processor, or another order of the rows, gives levels with other last digits: ranks,
    orders and who is best rest on these. NaN and infinity stay.

    Examples
    --------
    >>> first, second, third = joined_levels(np.array([0.3, 0.1 + 0.2, 0.5]))
    >>> bool(first == second), float(third)
    (True, 0.5)
    """
    there = np.isfinite(levels)
    some, result = levels[there], levels.copy()
    within = max(resolution(some), _LEVEL_DIGITS * np.abs(some).max(initial=0.0))
    result[there] = joined(some, within, np.zeros(len(some), np.int64))
    return result


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

    `within` is the largest difference of neighbours that are ties; without `group` (n,) all are
    ranked together. The result has ranks from 1, and how many rows are tied.

    Examples
    --------
    >>> midranks(np.array([0.3, 0.1 + 0.2, 0.5]), 1e-10)
    Scores(values=array([1.5, 1.5, 3. ]), tied=2)
    """
    n = len(values)
    order, first = chains(values, within, group)
    count = np.diff(np.append(first, n))
    begin: int | Codes = 0
    if group is not None:
        places = np.arange(n)
        new = np.append(True, np.diff(group[order]) != 0)[:n]
        begin = np.maximum.accumulate(np.where(new, places, 0))
    ranks = np.empty(n)
    ranks[order] = np.repeat(first + (count + 1) / 2, count) - begin
    return Scores(ranks, int(count[count > 1].sum()))


def ranked_rows(table: Array) -> Array:
    """Return the ranks within the rows of a (B, K) table without gaps, the smallest 1.

    Examples
    --------
    >>> ranked_rows(np.array([[0.3, 0.1 + 0.2, 0.5], [2.0, 1.0, 3.0]])).tolist()
    [[1.5, 1.5, 3.0], [2.0, 1.0, 3.0]]
    """
    row = np.repeat(np.arange(len(table)), table.shape[1])
    return midranks(table.ravel(), resolution(table), row).values.reshape(table.shape)

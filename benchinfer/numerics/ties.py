"""Ties of scores and levels.

Scores of a row (a data set, a replication) are tied where they agree to twelve digits: where their
difference is at most 1e-12 of the larger one, or of the scores that it was computed from. Scores
that a chain of such neighbours connects are tied, too: ties are transitive, so that wins and ranks
agree. What other rows hold does not matter, nor does the unit of the measure; its zero does as far
as it takes digits away.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes, Flags

DIGITS = 1e-12


def rounding(sizes: Array) -> Array:
    """Return the differences that count as none, of values or of what they are computed from.

    Examples
    --------
    >>> rounding(np.array([0.25, -1e6]))
    array([2.5e-13, 1.0e-06])
    """
    return DIGITS * np.abs(sizes)


def differences(first: Array, second: Array) -> Array:
    """Return first minus second, exactly 0 where they are tied.

    Examples
    --------
    >>> differences(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.0])).tolist()
    [0.0, 1.0]
    """
    d = first - second
    return np.where(np.abs(d) <= rounding(np.maximum(np.abs(first), np.abs(second))), 0.0, d)


def chains(
    values: Array, within: Array | float, group: Codes | None = None
) -> tuple[NDArray[np.intp], Codes]:
    """Return the order of values by group and size, and the starts of chains of ties in it.

    `values` (n,) have ties where neighbours of one `group` (n,), by default all, differ by at most
    the larger of what is `within` (n,) rounding of the two. NaN is last, and ties with nothing. The
    result is the order, and the places in it at which chains of ties begin.
    """
    order, border = _ordered(values, group)
    return order, _first(values, within, order, border)


def _ordered(values: Array, group: Codes | None) -> tuple[NDArray[np.intp], Flags]:
    """Return the order by group and size, and (n - 1,) where groups change in it."""
    n = len(values)
    if group is None or not n:
        return np.argsort(values), np.zeros(max(n - 1, 0), dtype=np.bool_)
    border = np.diff(group) != 0
    size = int(np.argmax(border)) + 1 if border.any() else n
    if n % size == 0 and np.array_equal(np.flatnonzero(border), np.arange(size, n, size) - 1):
        return _ordered_rows(values.reshape(-1, size))
    order = np.argsort(values)
    # One whole number each, which is sorted faster than two keys.
    order = order[np.argsort(group[order] * n + np.arange(n))]
    return order, np.diff(group[order]) != 0


def _ordered_rows(table: Array) -> tuple[NDArray[np.intp], Flags]:
    """Return the same of a table whose rows are the groups: sorted far faster."""
    n, size = table.size, table.shape[1]
    border = np.zeros(max(n - 1, 0), dtype=np.bool_)
    if not size:
        return np.zeros(0, np.intp), border
    border[size - 1 :: size] = True
    return (np.argsort(table, axis=1) + np.arange(0, n, size)[:, None]).ravel(), border


def _first(
    values: Array, within: Array | float, order: NDArray[np.intp], border: Flags
) -> NDArray[np.intp]:
    """Return the places in an order at which chains of ties begin."""
    ordered, n = values[order], len(order)
    # Equal values first: whichever of these is next to another one does not matter then.
    runs = np.flatnonzero(np.append(True, border | (ordered[1:] != ordered[:-1]))[:n])
    with np.errstate(invalid="ignore"):  # of infinities
        gap = np.diff(ordered[runs])
    if isinstance(within, np.ndarray) and n:
        reach = np.maximum.reduceat(within[order], runs)
        near = gap <= np.maximum(reach[1:], reach[:-1])
    else:
        near = gap <= within
    apart = border[runs[1:] - 1] | ~near | (gap == np.inf)
    return runs[np.append(True, apart)[: len(runs)]]


def joined(values: Array, within: Array, group: Codes) -> Array:
    """Return (n,) the values, those of a chain of ties all as the smallest of it.

    Examples
    --------
    >>> scores = np.array([0.3, 0.1 + 0.2, 0.5, 0.3])
    >>> joined(scores, rounding(scores), np.array([0, 0, 0, 1])).tolist()
    [0.3, 0.3, 0.5, 0.3]
    """
    return _joined(values, *chains(values, within, group))


def _joined(values: Array, order: NDArray[np.intp], first: Codes) -> Array:
    result = np.empty_like(values)
    result[order] = np.repeat(values[order][first], np.diff(np.append(first, len(values))))
    return result


def joined_rows(table: Array, within: Array | None = None) -> Array:
    """Return a (B, K) table with ties within rows made equal; NaN where there is no score.

    What is `within` (B, K) rounding is by default that of the scores.
    """
    within = rounding(table) if within is None else within
    order, border = _ordered_rows(table)
    first = _first(table.ravel(), within.ravel(), order, border)
    return _joined(table.ravel(), order, first).reshape(table.shape)


def joined_levels(levels: Array) -> Array:
    """Return (K,) levels with those that differ by rounding only set to the smallest of them.

    Another processor, or another order of the rows, gives levels with other last digits: ranks,
    orders and who is best rest on these. Levels below their median size are rounded as that is. NaN
    and infinity stay.

    Examples
    --------
    >>> first, second, third = joined_levels(np.array([0.3, 0.1 + 0.2, 0.5]))
    >>> bool(first == second), float(third)
    (True, 0.5)
    """
    finite = np.isfinite(levels)
    some, result = levels[finite], levels.copy()
    if len(some):
        within = rounding(np.maximum(np.abs(some), np.median(np.abs(some))))
        result[finite] = joined(some, within, np.zeros(len(some), np.int64))
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


def midranks(values: Array, within: Array | float, group: Codes | None = None) -> Scores:
    """Rank within groups; ties get the mean of their ranks.

    `within` (n,) is the rounding of each value; without `group` (n,) all are ranked together. The
    result has ranks from 1, and how many rows are tied.

    Examples
    --------
    >>> scores = np.array([0.3, 0.1 + 0.2, 0.5])
    >>> midranks(scores, rounding(scores))
    Scores(values=array([1.5, 1.5, 3. ]), tied=2)
    """
    order, border = _ordered(values, group)
    return _ranked(order, border, _first(values, within, order, border))


def _ranked(order: NDArray[np.intp], border: Flags, first: Codes) -> Scores:
    """Return the ranks of an order whose groups and chains of ties begin at some places."""
    n = len(order)
    count = np.diff(np.append(first, n))
    middle = first + (count + 1) / 2
    if border.any():
        begin = np.append(0, np.flatnonzero(border) + 1)
        middle -= begin[np.searchsorted(begin, first, side="right") - 1]
    ranks = np.empty(n)
    ranks[order] = np.repeat(middle, count)
    return Scores(ranks, int(count[count > 1].sum()))


def ranked_rows(table: Array, within: Array | float | None = None) -> Array:
    """Return the ranks within the rows of a (B, K) table, the smallest 1; NaN where there is none.

    What is `within` rounding, (B, K) or one number, is by default that of the scores.

    Examples
    --------
    >>> ranked_rows(np.array([[0.3, 0.1 + 0.2, 0.5], [2.0, 1.0, np.nan]])).tolist()
    [[1.5, 1.5, 3.0], [2.0, 1.0, nan]]
    """
    within = rounding(table) if within is None else within
    within = within.ravel() if isinstance(within, np.ndarray) else within
    order, border = _ordered_rows(table)
    ranks = _ranked(order, border, _first(table.ravel(), within, order, border)).values
    return np.where(np.isnan(table), np.nan, ranks.reshape(table.shape))

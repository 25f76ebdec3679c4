"""Cheapest linear orders by dynamic programming over all sets of objects.

``best[S]`` is the least cost of an order of the objects in S alone, so that
``best[S] = min over i in S of best[S - i] + sum over j in S - i of cost(j above i)``. Orders that
begin with S cost ``best[S] + cross[S] + best[not S]``: one table serves both directions [1]_.

References
----------
.. [1] Held, M. and Karp, R. M. (1962). A dynamic programming approach to sequencing problems.
   Journal of the Society for Industrial and Applied Mathematics 10, 196-210.
   doi:10.1137/0110015
"""

from functools import cache, reduce

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.paths import Paths

type Above = NDArray[np.int64 | np.float64]
type Tables = NDArray[np.int64 | np.float64]
type Masks = NDArray[np.int64]

MOST = 20
# Up to this size all sets are done at once.
_WHOLE = 12


def subset_sums(values: Above) -> Tables:
    """Return for each set of bits the sum of its values (2**n,), along the first axis."""
    sums = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def best_costs(above: Above) -> Tables:
    """Return the least cost of an order of each set (2**n,), given ``above[i, j]`` (n, n)."""
    n = len(above)
    if n > _WHOLE:
        return _best_in_halves(above)
    best = np.zeros(1 << n, dtype=above.dtype)
    sums = subset_sums(above)
    for masks, before, items in _steps(n):
        best[masks] = (best[before] + sums[before, items]).min(axis=1)
    return best


@cache
def _steps(n: int) -> list[tuple[Masks, Masks, Masks]]:
    """Return for each size the sets, and (sets, size): the sets without, and each member."""
    found: list[tuple[Masks, Masks, Masks]] = []
    masks = np.arange(1 << n)
    bits = 1 << np.arange(n)
    size = np.bitwise_count(masks)
    for k in range(1, n + 1):
        layer = masks[size == k]
        items = np.nonzero(layer[:, None] & bits)[1].reshape(-1, k)
        found.append((layer, layer[:, None] ^ bits[items], items))
    return found


def _best_in_halves(above: Above) -> Tables:
    """Do the same in blocks: rows for the sets of the last objects, columns for the first.

    Whole rows follow from rows, so that little needs to be gathered from a large table.
    """
    n, low = len(above), len(above) // 2
    # What the sets of either half cost above each object of either half.
    first, last = subset_sums(above[:low]), subset_sums(above[low:])
    best = np.zeros((1 << (n - low), 1 << low), dtype=above.dtype)
    _along(best, np.array([0]), first, last)
    for rows, before, items in _steps(n - low):
        options = (
            best[b] + (last[b, low + i][:, None] + first.T[low + i])
            for b, i in zip(before.T, items.T, strict=True)
        )
        best[rows] = reduce(np.minimum, options)
        _along(best, rows, first, last)
    return best.ravel()


def _along(best: Tables, rows: Masks, first: Tables, last: Tables) -> None:
    """Let orders of rows end with one of the first objects too, where that is cheaper."""
    block = best[rows]
    empty = rows[0] == 0
    for masks, before, items in _steps(best.shape[1].bit_length() - 1):
        options = (
            block[:, b] + (first[b, i] + last[rows][:, i])
            for b, i in zip(before.T, items.T, strict=True)
        )
        cheapest_so = reduce(np.minimum, options)
        block[:, masks] = cheapest_so if empty else np.minimum(block[:, masks], cheapest_so)
    best[rows] = block


def cross_costs(above: Above) -> Tables:
    """Return for each set what it costs to stand above all others (2**n,)."""
    cross = np.zeros(1, dtype=above.dtype)
    for b, gain in enumerate(above.sum(axis=1)):
        between = subset_sums(above[b, :b] + above[:b, b])  # pyright: ignore[reportArgumentType]
        cross = np.concatenate([cross, cross + gain - between])
    return cross


def cheapest(above: Above, slack: float) -> tuple[float, Paths]:
    """Return the least cost and all orders that have it.

    Parameters
    ----------
    above
        (n, n): the cost of i above j.
    slack
        How much dearer an order may be to count as cheapest.
    """
    n = len(above)
    best = best_costs(above)
    through = best + cross_costs(above) + best[::-1]
    optimum = best[-1]
    good = through <= optimum + slack
    layers: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]] = []
    sets = np.zeros(1, dtype=np.int64)
    bits = np.int64(1) << np.arange(n)
    for _ in range(n):
        source, item = np.nonzero((sets[:, None] & bits) == 0)
        to = sets[source] | bits[item]
        step = good[to]
        source, item, to = source[step], item[step], to[step]
        members = (sets[:, None] & bits != 0).astype(above.dtype)
        added = (members @ above)[source, item]
        tight = best[sets[source]] + added <= best[to] + slack
        source, item, to = source[tight], item[tight], to[tight]
        sets, target = np.unique(to, return_inverse=True)
        layers.append((source, target, item))
    return optimum.item(), Paths(n, tuple(layers))


def regrets(above: Above) -> Tables:
    """Return what the cheapest order with i above j costs beyond the cheapest (n, n).

    Orders in which i follows the set S have i above j for every j that is not in S.
    """
    n = len(above)
    best = best_costs(above)
    rest = cross_costs(above) + best[::-1]
    found = np.zeros((n, n), dtype=above.dtype)
    for i in range(n):
        added = subset_sums(np.delete(above[:, i], i))
        cost = _without(best, i) + added + _without(rest, i, of=1) - best[-1]  # pyright: ignore[reportArgumentType]
        for j in range(n):
            if j != i:
                found[i, j] = _without(cost, j - (j > i)).min()
    return found


def _without(table: Tables, i: int, of: int = 0) -> Tables:
    """Return the entries of sets without i, or with it where `of` is 1."""
    return table.reshape(-1, 2, 1 << i)[:, of].ravel()

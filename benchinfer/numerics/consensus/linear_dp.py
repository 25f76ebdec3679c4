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

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.paths import Paths

type Above = NDArray[np.int64] | NDArray[np.float64]
type Tables = NDArray[np.int64] | NDArray[np.float64]
type Masks = NDArray[np.int32]

MOST = 20
# Up to this size it is worth keeping the index tables.
_KEPT = 14


def subset_sums(values: Above) -> Tables:
    """Return for each set of bits the sum of its values (2**n,), along the first axis."""
    sums = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def _layer(n: int, k: int) -> Masks:
    """Return the sets of k of n objects."""
    return _by_size(n)[k]


@lru_cache(maxsize=4)
def _by_size(n: int) -> list[Masks]:
    masks = np.arange(1 << n, dtype=np.int32)
    size = np.bitwise_count(masks)
    order = np.argsort(size, kind="stable").astype(np.int32)
    return np.split(order, np.cumsum(np.bincount(size, minlength=n + 1))[:-1])


def best_costs(above: Above) -> Tables:
    """Return the least cost of an order of each set (2**n,), given ``above[i, j]`` (n, n)."""
    n = len(above)
    best = np.zeros(1 << n, dtype=above.dtype)
    if n > _KEPT:
        return _best_in_halves(above, best)
    sums = subset_sums(above)
    for masks, before, items in _steps(n):
        best[masks] = (best[before] + sums[before, items]).min(axis=1)
    return best


@lru_cache(maxsize=_KEPT + 1)
def _steps(n: int) -> list[tuple[Masks, Masks, Masks]]:
    """Return for each size the sets, and (sets, size): the sets without, and each member."""
    found: list[tuple[Masks, Masks, Masks]] = []
    bits = np.int32(1) << np.arange(n, dtype=np.int32)
    for k in range(1, n + 1):
        masks = _layer(n, k)
        items = np.nonzero(masks[:, None] & bits)[1].reshape(-1, k).astype(np.int32)
        found.append((masks, masks[:, None] ^ bits[items], items))
    return found


def _best_in_halves(above: Above, best: Tables) -> Tables:
    """Do the same without tables of the size of all sets times all objects."""
    n, half = len(above), len(above) // 2
    low, high = subset_sums(above[:half]).T.copy(), subset_sums(above[half:]).T.copy()
    worst = np.iinfo(np.int64).max if above.dtype.kind == "i" else np.inf
    for k in range(1, n + 1):
        masks = _layer(n, k)
        found = np.full(len(masks), worst, dtype=above.dtype)
        for i in range(n):
            at = np.flatnonzero(masks >> i & 1)
            before = masks[at] ^ np.int32(1 << i)
            cost = best[before]
            cost += low[i][before & ((1 << half) - 1)]
            cost += high[i][before >> half]
            found[at] = np.minimum(found[at], cost)
        best[masks] = found
    return best


def cross_costs(above: Above) -> Tables:
    """Return for each set what it costs to stand above all others (2**n,)."""
    cross = np.zeros(1, dtype=above.dtype)
    for b, gain in enumerate(above.sum(axis=1)):
        between = subset_sums((above[b, :b] + above[:b, b]))
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
    # Exact for whole numbers; the bound on a path's excess is carried for others.
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
    """Return what the cheapest order with i above j costs beyond the cheapest (n, n)."""
    n = len(above)
    best = best_costs(above)
    whole = best + cross_costs(above) + best[::-1]
    found = np.zeros((n, n), dtype=above.dtype)
    masks = np.arange(1 << n)
    sums_of = [subset_sums(column) for column in above.T]
    for i in range(n):
        without = masks[(masks >> i & 1) == 0]
        # Orders that begin with a set, then i: what follows is the best order of the rest.
        after = without | (1 << i)
        cost = best[without] + sums_of[i][without] - best[after] + whole[after] - best[-1]
        for j in range(n):
            if j != i:
                found[i, j] = cost[(without >> j & 1) == 0].min()
    return found

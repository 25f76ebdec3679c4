"""Cheapest linear orders of many objects, as paths through the few sets that they can begin with.

What it costs beyond a bound to put i above j adds up along an order. Only sets that are reached
within the gap between bound and optimum can begin a cheapest order; where most pairs are forced
they are few, whatever the number of objects.
"""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.paths import Indices, Paths, distinct, trimmed

type Array = NDArray[np.float64]


def cheapest_within(
    above: Array, reduced: Array, gap: float, slack: float, most: int
) -> tuple[float, Paths] | None:
    """Return the least cost and all orders that have it, or None where there are too many sets.

    Parameters
    ----------
    above
        (n, n): the cost of i above j.
    reduced
        (n, n): what i above j costs beyond a bound on all orders.
    gap
        How far an order may be above the bound; a cheapest one must not be farther.
    slack
        How much dearer an order may be to count as cheapest.
    most
        How many sets a layer may have.
    """
    n = len(above)
    members = np.zeros((1, n), dtype=np.bool_)
    cost, excess = np.zeros(1, dtype=above.dtype), np.zeros(1)
    layers: list[tuple[Indices, Indices, Indices, NDArray[np.bool_]]] = []
    for _ in range(n):
        beyond = excess[:, None] + (~members) @ reduced.T
        source, item = np.nonzero(~members & (beyond <= gap))
        if not len(source) or len(source) > most:
            return None
        reached = members[source]
        reached[np.arange(len(item)), item] = True
        first, target = distinct(reached)
        new = cost[source] + (members.astype(above.dtype) @ above)[source, item]
        size = len(first)
        least, nearest = _least(target, new, size), _least(target, beyond[source, item], size)
        layers.append((source, target, item, new <= least[target] + slack))
        members, cost, excess = reached[first], least, nearest
    return cost[0].item(), trimmed(n, layers)


def _least(group: Indices, values: Array, size: int) -> Array:
    """Return the least value of each group."""
    order = np.lexsort((values, group))
    return values[order[np.searchsorted(group[order], np.arange(size))]]

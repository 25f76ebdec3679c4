"""Orders whose places differ least from the ranks in each relation (Cook and Seiford) [1]_.

References
----------
.. [1] Cook, W. D. and Seiford, L. M. (1978). Priority ranking and consensus formation. Management
   Science 24, 1721-1732. doi:10.1287/mnsc.24.16.1721
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from benchinfer.numerics.consensus.paths import Indices, Paths, distinct, trimmed

type Array = NDArray[np.float64]


def twice_ranks(verdicts: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return twice the generalised ranks (B, n): n + 1, more for each better, less for each worse.

    Ranks of a ranking with ties are its mean ranks.
    """
    better, worse = (verdicts == 4).sum(axis=2), (verdicts == 3).sum(axis=2)
    return verdicts.shape[1] + 1 + better - worse


def place_costs(twice: NDArray[np.int64], weights: Array | NDArray[np.int64]) -> Array:
    """Return twice the cost (n, n) of object i at place k."""
    places = 2 * np.arange(1, twice.shape[1] + 1)
    return np.tensordot(weights, np.abs(twice[:, :, None] - places), axes=1)


def cheapest(costs: Array, slack: float, most: int) -> tuple[float, Paths | None, Indices]:
    """Return the least cost of an order, all orders that have it, and one of them.

    Parameters
    ----------
    costs
        (n, n): the cost of object i at place k.
    slack
        How much dearer a place may be to count as cheapest.
    most
        How many sets of objects to look at for one place; beyond, None stands for all orders.
    """
    rows, places = linear_sum_assignment(costs)
    tight = costs - costs[rows, places][:, None]
    # Prices of places, so that no object gains by another: shortest paths along exchanges.
    price = np.zeros(len(costs), dtype=costs.dtype)
    for _ in range(len(costs)):
        price = np.minimum(price, (tight + price[places][:, None]).min(axis=0))
    free = tight + price[places][:, None] - price <= slack
    order = np.argsort(places)
    return costs[rows, places].sum().item(), _placings(free, most), order


def _placings(free: NDArray[np.bool_], most: int) -> Paths | None:
    """Return all orders in which every object stands at a place that is free for it."""
    n = len(free)
    members = np.zeros((1, n), dtype=np.bool_)
    layers: list[tuple[Indices, Indices, Indices, NDArray[np.bool_]]] = []
    for k in range(n):
        source, item = np.nonzero(~members & free[:, k])
        if len(source) > most:
            return None
        reached = members[source]
        reached[np.arange(len(item)), item] = True
        first, target = distinct(reached)
        layers.append((source, target, item, np.ones(len(item), dtype=np.bool_)))
        members = reached[first]
    return trimmed(n, layers)

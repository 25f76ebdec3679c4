"""Consensus by points: Borda, Copeland, assignment.

References
----------
.. [1] Cook, W. D. and Seiford, L. M. (1978). Priority ranking and consensus formation. Management
   Science 24, 1721-1732. doi:10.1287/mnsc.24.16.1721
"""

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.relations.consensus.numerics.costs import Costs, Indices
from benchinfer.relations.consensus.numerics.dynamic import OrderGraph, extended, trimmed
from benchinfer.relations.consensus.numerics.solve import classes


def place_costs(twice: Codes, weights: Array | Codes) -> Array:
    """Return twice the cost (n, n) of object i at place k, given twice the ranks (B, n)."""
    places = 2 * np.arange(1, twice.shape[1] + 1)
    return np.tensordot(weights, np.abs(twice[:, :, None] - places), axes=1)


def cheapest(costs: Array, slack: float, most: int) -> tuple[float, OrderGraph | None, Indices]:
    """Return the least cost of an order, all orders that have it, and one of them.

    `costs` (n, n) are those of object i at place k, and a place dearer by at most `slack` counts as
    cheapest. Where a place needs more than `most` sets of objects, None stands for all orders.
    """
    from scipy.optimize import linear_sum_assignment

    rows, places = linear_sum_assignment(costs)
    tight = costs - costs[rows, places][:, None]
    # Prices of places, so that no object gains by another: shortest paths along exchanges.
    price = np.zeros(len(costs), dtype=costs.dtype)
    for _ in range(len(costs)):
        price = np.minimum(price, (tight + price[places][:, None]).min(axis=0))
    free = tight + price[places][:, None] - price <= slack
    order = np.argsort(places)
    return costs[rows, places].sum().item(), _placings(free, most), order


def _placings(free: Flags, most: int) -> OrderGraph | None:
    """Return all orders in which every object is at a place that is free for it."""
    n = len(free)
    members = np.zeros((1, n), dtype=np.bool_)
    layers: list[tuple[Indices, Indices, Indices, Flags]] = []
    for k in range(n):
        source, item = np.nonzero(~members & free[:, k])
        if len(source) > most:
            return None
        members, target = extended(members, source, item)
        layers.append((source, target, item, np.ones(len(item), dtype=np.bool_)))
    return trimmed(n, layers)


_EQUIVALENT, _FIRST, _SECOND = 2, 3, 4


def borda(votes: Costs) -> Array:
    """Return (n,): the weight of pairs in which an object is at least as good as the other."""
    return (votes[_FIRST] + votes[_EQUIVALENT]).sum(axis=1).astype(np.float64)


def copeland(votes: Costs) -> Array:
    """Return (n,): the weight of pairs in which it is better less that in which it is worse."""
    return (votes[_FIRST] - votes[_SECOND]).sum(axis=1).astype(np.float64)


def per_pair(scores: Array, votes: Costs) -> Array:
    """Return scores as means per compared pair, 0 where an object was compared with none."""
    compared = votes[1:].sum(axis=(0, 2))
    return np.divide(scores, compared, out=np.zeros_like(scores), where=compared > 0)


def majority(votes: Costs, verdict: int = _FIRST) -> Flags:
    """Return (n, n): more than half of the weight that compared the pair gives it the verdict."""
    return 2 * votes[verdict] > votes[1:].sum(axis=0)


def condorcet(votes: Costs) -> Codes:
    """Return the class (n,) of each object by majorities, 0 is the Smith set [1]_.

    References
    ----------
    .. [1] Smith, J. H. (1973). Aggregation of preferences with variable electorate. Econometrica
       41, 1027-1041. doi:10.2307/1914033
    """
    return classes(majority(votes))

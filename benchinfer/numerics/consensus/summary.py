"""Averages over all cheapest linear orders, fast enough for every resample of a bootstrap."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import FIRST, Costs
from benchinfer.numerics.consensus.families import FAMILIES
from benchinfer.numerics.consensus.solve import solve

type Array = NDArray[np.float64]

# How many orders stand for all where those cannot be counted.
_LISTED = 100


def linear_summary(costs: Costs, deadline: float = float("inf")) -> tuple[float, int, Array, Array]:
    """Return what the cheapest linear orders have in common.

    Each of them counts the same, so that no tie is broken by chance.

    Parameters
    ----------
    costs
        (4, n, n): see `cost_tensor`.
    deadline
        When to stop, as a reading of ``time.monotonic``.

    Returns
    -------
    cost : float
    count : int
        How many cheapest orders there are.
    position : (n, n)
        The share of them in which object i stands at place k.
    above : (n, n)
        The share in which object i stands above object j.

    Notes
    -----
    Where the orders are too many for their sets to be held, the averages are over some of them, and
    `count` is how many were met.
    """
    found = solve(costs, FAMILIES["linear"], limit=1, deadline=deadline)
    if found.shares is None:
        found = solve(costs, FAMILIES["linear"], limit=_LISTED, deadline=deadline)
        states = np.array(found.states)
        rank = (states == 1).sum(axis=2)
        places = np.arange(states.shape[1])
        position = (rank[:, :, None] == places).mean(axis=0)
        return found.cost, found.count, position, (states == FIRST).mean(axis=0)
    return found.cost, found.count, *found.shares

"""What the cheapest relations have in common, fast enough for every resample of a bootstrap."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, Costs
from benchinfer.numerics.consensus.families import Family
from benchinfer.numerics.consensus.solve import solve

type Array = NDArray[np.float64]

# How many relations are averaged over where they have to be listed.
_LISTED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Averages over all cheapest relations, each counting the same: no tie is broken by chance.

    Attributes
    ----------
    cost : float
    count : int
        How many there are.
    whole : bool
        Whether they are proved to be cheapest and the averages are over all of them.
    position : (n, n)
        The share of them in which k objects are strictly above object i.
    above, tied : (n, n)
        The share in which object i is strictly above object j, and in which both are equivalent.
    states : (n, n) or None
        The relation itself where it is the only one.
    """

    cost: float
    count: int
    whole: bool
    position: Array
    above: Array
    tied: Array
    states: NDArray[np.int8] | None


def summarise(costs: Costs, family: Family, deadline: float = float("inf")) -> Summary:
    """Return what the cheapest relations of a family have in common.

    Parameters
    ----------
    costs
        (4, n, n): see `cost_tensor`.
    family
        The relations among which to choose.
    deadline
        When to stop, as a reading of ``time.monotonic``.

    Notes
    -----
    Linear orders are averaged over by their sets. Where these are too many to be held, and in other
    families, relations are listed, and of very many the averages are over the first of them.
    """
    linear = family.name == "linear"
    found = solve(costs, family, limit=1 if linear else _LISTED, deadline=deadline)
    if linear and found.shares is None:
        found = solve(costs, family, limit=_LISTED, deadline=deadline)
    counted = found.exact and found.optimal
    only = found.states[0] if counted and found.count == 1 else None
    if found.shares is not None:
        position, above = found.shares
        tied = np.zeros(above.shape)
        return Summary(found.cost, found.count, counted, position, above, tied, only)
    states = np.array(found.states)
    rank = (states == SECOND).sum(axis=2)
    return Summary(
        cost=found.cost,
        count=found.count,
        whole=counted and len(states) == found.count,
        position=(rank[:, :, None] == np.arange(states.shape[1])).mean(axis=0),
        above=(states == FIRST).mean(axis=0),
        tied=(states == EQUIVALENT).mean(axis=0),
        states=only,
    )

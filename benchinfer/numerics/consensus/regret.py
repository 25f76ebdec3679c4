"""What it costs to have one object above another in a linear order."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus import linear_dp
from benchinfer.numerics.consensus.costs import FIRST, SECOND, Costs, tolerance
from benchinfer.numerics.consensus.decompose import decompose
from benchinfer.numerics.consensus.families import FAMILIES
from benchinfer.numerics.consensus.program import LARGEST, lagrangian, relax
from benchinfer.numerics.consensus.violated import Rows

type Array = NDArray[np.float64]

# Up to so many objects the tables of all sets are cheap.
_TABLED = 20


def linear_regrets(
    costs: Costs, cost: float, deadline: float = float("inf")
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the regret of each ordered pair.

    Parameters
    ----------
    costs
        (4, n, n): see `cost_tensor`.
    cost
        The cost of a cheapest linear order.
    deadline
        When to stop sharpening bounds, as a reading of ``time.monotonic``.

    Returns
    -------
    regret : (n, n)
        The cost of the cheapest order with object i above object j, less `cost`: 0 both ways where
        the cheapest orders leave the pair open.
    exact : (n, n)
        Whether it is that, or a number that it is not below.
    """
    n, above = costs.shape[1], costs[FIRST]
    if n <= _TABLED:
        return linear_dp.regrets(above).astype(np.float64), np.ones((n, n), dtype=np.bool_)
    parts, _ = decompose(costs, FAMILIES["linear"], tolerance(costs))
    # To turn a pair of different parts costs at least its own difference; by how much a bound on
    # all orders is too low is taken from what states cost beyond it.
    found = np.maximum(costs[FIRST] - costs[SECOND], 0).astype(np.float64)
    exact = np.eye(n, dtype=np.bool_)
    between = np.ones((n, n), dtype=np.bool_)
    gap, rough = cost, np.zeros((n, n), dtype=np.bool_)
    for part in parts:
        rows, inner = part[:, None], costs[:, part[:, None], part]
        between[rows, part] = False
        if len(part) <= _TABLED:
            exact[rows, part] = True
            found[rows, part] = linear_dp.regrets(inner[FIRST])
            gap -= linear_dp.best_costs(inner[FIRST])[-1].item()
        else:
            bound, reduced = _bound(inner, deadline)
            found[rows, part], rough[rows, part] = reduced[FIRST], True
            gap -= bound
    gap -= float(np.triu(np.where(between, costs[[FIRST, SECOND]].min(axis=0), 0)).sum())
    return np.where(rough, np.maximum(found - max(gap, 0.0), 0.0), found), exact


def _bound(costs: Costs, deadline: float) -> tuple[float, Array]:
    """Return what no linear order undercuts, and what states cost beyond it."""
    linear = FAMILIES["linear"]
    if costs.shape[1] > LARGEST:
        return lagrangian(costs, linear, Rows.none(), np.zeros(0))
    relaxed = relax(costs, linear, deadline)
    return relaxed.bound, relaxed.reduced

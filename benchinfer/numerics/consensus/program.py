"""Linear programs with transitivity added where it is violated, and their Lagrangian bounds [1]_.

Variables x[i, j] say whether there is an arc i -> j. Any multipliers of the transitivity rows give
a bound that can be computed without the solver, so that what the solver rounds does no harm.

References
----------
.. [1] Grötschel, M., Jünger, M. and Reinelt, G. (1984). A cutting plane algorithm for the linear
   ordering problem. Operations Research 32, 1195-1220. doi:10.1287/opre.32.6.1195
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack

from benchinfer.numerics.consensus.costs import (
    EQUIVALENT,
    FIRST,
    SECOND,
    Costs,
    cheapest_states,
    total,
)
from benchinfer.numerics.consensus.families import MIRROR, ONLY, Family
from benchinfer.numerics.consensus.layout import Layout, lay_out
from benchinfer.numerics.consensus.search import Problem
from benchinfer.numerics.consensus.violated import Rows, violated

type Array = NDArray[np.float64]

# Larger parts get no program: it would not fit into memory.
LARGEST = 200
_WHOLE = 1e-6
# Below one by more than the solver may err.
_ANY = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """What a relaxation says.

    Attributes
    ----------
    bound : float
        No relation of the family costs less.
    reduced : (4, n, n)
        What each state of each pair costs beyond the bound.
    states : (n, n) or None
        A cheapest relation, where the relaxation found one.
    arcs : (n, n)
        The fractional arcs.
    rows : Rows
        The transitivity rows in use.
    prices : (R,)
        Their prices.
    """

    bound: float
    reduced: Array
    states: NDArray[np.int8] | None
    arcs: Array
    rows: Rows
    prices: Array


def lagrangian(costs: Costs, family: Family, rows: Rows, prices: Array) -> tuple[float, Array]:
    """Return the bound that prices (R,) of rows give, and the reduced costs (4, n, n)."""
    n = costs.shape[1]
    extra = np.zeros((n, n))
    for sign, row, i, j in rows.terms():
        np.add.at(extra, (i, j), sign * prices[row])
    modified = np.full((4, n, n), np.inf)
    for s in family.states:
        modified[s] = costs[s]
    modified[FIRST] += extra
    modified[SECOND] += extra.T
    if not family.strict:
        modified[EQUIVALENT] += extra + extra.T
    least = modified.min(axis=0)
    upper = np.triu_indices(n, 1)
    bound = float(least[upper].sum() - prices.sum())
    reduced = modified - least
    reduced[:, np.arange(n), np.arange(n)] = 0.0
    return bound, reduced


def relax(costs: Costs, family: Family, deadline: float) -> Relaxed:
    """Solve the linear relaxation, adding violated rows until there is none or time is up."""
    layout, rows, prices = lay_out(costs, family), Rows.none(), np.zeros(0)
    arcs = layout.whole(cheapest_states(costs, family.states))
    whole = True
    while len(new := violated(arcs, family, _most(len(arcs)))):
        if time.monotonic() >= deadline:
            break
        rows = rows.plus(new)
        solved = _linear(layout, rows, deadline)
        if solved is None:
            break
        values, prices = solved
        arcs = layout.arcs(values)
        whole = bool(np.abs(values - np.round(values)).max(initial=0.0) < _WHOLE)
    prices = np.concatenate([prices, np.zeros(len(rows) - len(prices))])
    bound, reduced = lagrangian(costs, family, rows, prices)
    states = layout.states(arcs) if whole and not len(new) else None
    return Relaxed(bound, reduced, states, arcs, rows, prices)


def _most(n: int) -> int:
    """Return how many rows to add at a time for n objects."""
    return max(200, 2 * n * (n - 1))


def _linear(layout: Layout, rows: Rows, deadline: float) -> tuple[Array, Array] | None:
    """Return the solution and the prices of the transitivity rows."""
    matrix, right = layout.system(rows)
    done = linprog(  # pyright: ignore[reportCallIssue] (sparse is fine)
        layout.objective,
        A_ub=matrix,  # pyright: ignore[reportArgumentType] (sparse is fine)
        b_ub=right,
        bounds=(0, 1),
        method="highs-ds",
        options={"time_limit": _left(deadline)},
    )
    if done.status != 0:
        return None
    prices = np.maximum(-done.ineqlin.marginals[: len(rows)], 0.0)
    return done.x, prices


def _left(deadline: float) -> float:
    return min(max(deadline - time.monotonic(), 0.01), 1e6)


def branch(
    problem: Problem, domains: NDArray[np.uint8], deadline: float
) -> tuple[float, NDArray[np.int8] | None]:
    """Solve in whole numbers; return a bound, and a cheapest relation if time allowed.

    Parameters
    ----------
    problem
        With the rows to begin with.
    domains
        (n, n): bit masks of the states that a pair may take.
    deadline
        When to stop.
    """
    family, rows = problem.family, problem.rows
    layout = lay_out(problem.costs, family)
    low, high = layout.limits(domains)
    bound = problem.bound
    while (left := _left(deadline)) > 0.01:
        matrix, right = layout.system(rows)
        done = milp(
            layout.objective,
            integrality=np.ones(len(layout.objective), dtype=np.int64),
            bounds=Bounds(low, high),
            constraints=LinearConstraint(matrix, ub=right),
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        if done.mip_dual_bound is not None and np.isfinite(done.mip_dual_bound):
            bound = max(bound, float(done.mip_dual_bound) + layout.constant)
        if done.x is None or done.status != 0:
            break
        arcs = layout.arcs(np.round(done.x))
        new = violated(arcs, family, _most(len(arcs)))
        if not len(new):
            return bound, layout.states(arcs)
        rows = rows.plus(new)
    return bound, None


def probe(
    problem: Problem, states: NDArray[np.int8], domains: NDArray[np.uint8], deadline: float
) -> NDArray[np.uint8]:
    """Return the domains less the states that no relation as cheap as this one can have.

    Among the solutions of the relaxation that cost no more, the largest total of states not yet
    met is sought until it is below one: then no relation has any of them.
    """
    layout, rows = lay_out(problem.costs, problem.family), problem.rows
    most = total(problem.costs, states) - layout.constant + problem.slack
    limits = layout.limits(domains)
    code = np.arange(4)[:, None, None]
    allowed = np.triu((domains >> code) & 1 > 0, 1) & (ONLY[domains] < 0)
    met = states == code
    while (unseen := allowed & ~met).any() and time.monotonic() < deadline:
        wanted = lay_out(-unseen.astype(np.float64), problem.family)
        while True:
            values = _on_face(layout, wanted.objective, rows, most, limits, deadline)
            if values is None:
                return domains
            new = violated(layout.arcs(values), problem.family, _most(len(domains)))
            if not len(new):
                break
            rows = rows.plus(new)
        if -(wanted.objective @ values + wanted.constant) < _ANY:
            gone = (unseen * (1 << code)).sum(axis=0).astype(np.uint8)
            kept = domains & ~gone
            return np.where(np.triu(kept, 1) > 0, kept, 0) | MIRROR[np.triu(kept, 1)].T
        met |= layout.shares(values) > _WHOLE
    return domains


def _on_face(
    layout: Layout,
    objective: Array,
    rows: Rows,
    most: float,
    limits: tuple[Array, Array],
    deadline: float,
) -> Array | None:
    """Minimise an objective over solutions whose own cost is bounded."""
    matrix, right = layout.system(rows)
    done = linprog(  # pyright: ignore[reportCallIssue] (sparse is fine)
        objective,
        A_ub=vstack(  # pyright: ignore[reportArgumentType]
            [matrix, csr_array(layout.objective[None, :])], format="csr"
        ),
        b_ub=np.append(right, most),
        bounds=np.column_stack(limits),  # pyright: ignore[reportArgumentType]
        method="highs-ds",
        options={"time_limit": _left(deadline)},
    )
    return done.x if done.status == 0 else None

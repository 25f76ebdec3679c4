"""Integer program of a consensus.

Variables x[i, j] say whether there is an arc i -> j. Any multipliers of the transitivity rows give
a bound that can be computed without the solver, so that what the solver rounds does no harm.

References
----------
.. [1] Grötschel, M., Jünger, M. and Reinelt, G. (1984). A cutting plane algorithm for the linear
   ordering problem. Operations Research 32, 1195-1220. doi:10.1287/opre.32.6.1195
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from benchinfer.numerics.types import Array
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FIRST,
    MIRROR,
    ONLY,
    SECOND,
    UNDECIDED,
    Costs,
    RelationFamily,
    arcs,
    cheapest_states,
    total,
)
from benchinfer.relations.consensus.numerics.effort import Effort
from benchinfer.relations.consensus.numerics.search import ConsensusProblem, TriangleRows, violated

type Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ProgramLayout:
    """Variables of a program: an arc is ``offset + sign * variable``.

    Attributes
    ----------
    family : Family
    column, sign, offset : (n, n)
    objective : (V,)
    constant : float
        The cost where all variables are 0.
    pair_rows, pair_right : (Q, V), (Q,)
        Rows within pairs, ``pair_rows @ v <= pair_right``.
    """

    family: RelationFamily
    column: Indices
    sign: Array
    offset: Array
    objective: Array
    constant: float
    pair_rows: csr_array
    pair_right: Array

    def arcs(self, values: Array) -> Array:
        """Return the arcs (n, n); of each object to itself where arcs mean "as good as"."""
        found = self.offset + self.sign * values[self.column]
        np.fill_diagonal(found, 0.0 if self.family.strict else 1.0)
        return found

    def whole(self, states: NDArray[np.int8]) -> Array:
        """Return the arcs (n, n) of a relation of states."""
        there = arcs(states, self.family).astype(np.float64)
        np.fill_diagonal(there, 0.0 if self.family.strict else 1.0)
        return there

    def states(self, arcs: Array) -> NDArray[np.int8]:
        """Return the states (n, n) of whole arcs."""
        there = arcs > 0.5
        both = UNDECIDED if self.family.strict else EQUIVALENT
        neither = EQUIVALENT if self.family.strict else UNDECIDED
        found = np.where(there, np.where(there.T, both, FIRST), np.where(there.T, SECOND, neither))
        np.fill_diagonal(found, -1)
        return found.astype(np.int8)

    def shares(self, values: Array) -> Array:
        """Return how much of each state (4, n, n) each pair i < j has."""
        n = len(self.column)
        i, j = np.triu_indices(n, 1)
        x, y = (
            self.offset[p, q] + self.sign[p, q] * values[self.column[p, q]]
            for p, q in ((i, j), (j, i))
        )
        found = np.zeros((4, n, n))
        if self.family.name == "equivalence":
            found[EQUIVALENT, i, j], found[UNDECIDED, i, j] = x, 1 - x
        elif self.family.name == "preorder":
            both = values[2 * len(i) :]
            shares = (x - both, y - both, both, 1 - x - y + both)
            found[:, i, j] = shares
        elif self.family.name == "weak":
            found[:3, i, j] = (1 - y, 1 - x, x + y - 1)
        else:
            neither = EQUIVALENT if self.family.strict else UNDECIDED
            found[FIRST, i, j], found[SECOND, i, j], found[neither, i, j] = x, y, 1 - x - y
        return found

    def system(self, rows: TriangleRows) -> tuple[csr_array, Array]:
        """Return matrix and right-hand side: transitivity rows first, then those within pairs."""
        n = len(rows)
        at, column, value, right = [], [], [], np.ones(n)
        for sign, row, i, j in rows.terms():
            at.append(row)
            column.append(self.column[i, j])
            value.append(sign * self.sign[i, j])
            right[row] -= sign * self.offset[i, j]
        place = (np.concatenate(at), np.concatenate(column))
        shape = (n, len(self.objective))
        matrix = csr_array((np.concatenate(value), place), shape=shape)
        if self.pair_rows.shape[0]:
            matrix = vstack([matrix, self.pair_rows], format="csr")
        return matrix, np.concatenate([right, self.pair_right])

    def limits(self, domains: NDArray[np.uint8]) -> tuple[Array, Array]:
        """Return bounds (V,) of the variables where pairs may take these states only."""
        both = 0 if self.family.strict else 1 << EQUIVALENT
        with_arc = (1 << FIRST) | both
        i, j = np.nonzero((self.sign > 0) & ~np.eye(len(domains), dtype=np.bool_))
        low, high = np.zeros(len(self.objective)), np.ones(len(self.objective))
        low[self.column[i, j]] = (domains[i, j] & ~np.uint8(with_arc)) == 0
        high[self.column[i, j]] = (domains[i, j] & with_arc) > 0
        return low, high


def lay_out(costs: Costs, family: RelationFamily) -> ProgramLayout:
    """Choose the variables: one per pair where one says all, else one per direction."""
    n = costs.shape[1]
    i, j = np.triu_indices(n, 1)
    pair, m = np.arange(len(i)), len(i)
    first, second, equal, apart = (costs[s][i, j].astype(np.float64) for s in range(4))
    column = np.zeros((n, n), dtype=np.intp)
    sign, offset = np.ones((n, n)), np.zeros((n, n))
    column[i, j] = column[j, i] = pair
    none = csr_array((0, m)), np.zeros(0)
    if family.states == (FIRST, SECOND):
        sign[j, i], offset[j, i] = -1.0, 1.0
        return ProgramLayout(family, column, sign, offset, first - second, second.sum(), *none)
    if family.states == (EQUIVALENT, UNDECIDED):
        return ProgramLayout(family, column, sign, offset, equal - apart, apart.sum(), *none)
    column[j, i] = pair + m
    if family.name == "weak":
        base = first + second - equal
        rows = csr_array((-np.ones(2 * m), (np.tile(pair, 2), np.arange(2 * m))))
        right = -np.ones(m)
    else:
        base = equal if family.strict else apart
        rows = csr_array((np.ones(2 * m), (np.tile(pair, 2), np.arange(2 * m))))
        right = np.ones(m)
    objective = np.concatenate([first - base, second - base])
    if family.name == "preorder":
        objective = np.concatenate([objective, equal + apart - first - second])
        rows, right = _both(m)
    return ProgramLayout(family, column, sign, offset, objective, base.sum(), rows, right)


def _both(m: int) -> tuple[csr_array, Array]:
    """Return rows by which the last m variables are the products of the first two m."""
    pair = np.arange(m)
    at = np.concatenate([np.tile(pair, 3), np.tile(pair + m, 2), np.tile(pair + 2 * m, 2)])
    columns = [pair, pair + m, pair + 2 * m, pair + 2 * m, pair, pair + 2 * m, pair + m]
    signs = np.repeat([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0], m)
    rows = csr_array((signs, (at, np.concatenate(columns))), shape=(3 * m, 3 * m))
    return rows, np.concatenate([np.ones(m), np.zeros(2 * m)])


# Larger parts get no program: it would not fit into memory.
LARGEST = 200
_WHOLE = 1e-6
# Below one by more than the solver may err.
_ANY = 0.999
# Operations on a linear program for each entry of its matrix, before the first pivot.
_ENTRY = 100


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """Solution of a relaxation.

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
    rows: TriangleRows
    prices: Array


def lagrangian(
    costs: Costs, family: RelationFamily, rows: TriangleRows, prices: Array
) -> tuple[float, Array]:
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


def relax(costs: Costs, family: RelationFamily, effort: Effort) -> Relaxed:
    """Solve the linear relaxation, adding violated rows until there is none or effort is over."""
    layout, rows, prices = lay_out(costs, family), TriangleRows.none(), np.zeros(0)
    arcs = layout.whole(cheapest_states(costs, family.states))
    whole, n = True, len(arcs)
    while len(new := violated(arcs, family, _most(n))) and not effort.over:
        rows = rows.plus(new)
        effort.spend(n**3)
        matrix, right = layout.system(rows)
        solved = _minimum(layout.objective, matrix, right, (0, 1), effort)
        if solved is None:
            break
        values, marginals = solved
        prices = np.maximum(-marginals[: len(rows)], 0.0)
        arcs = layout.arcs(values)
        whole = bool(np.abs(values - np.round(values)).max(initial=0.0) < _WHOLE)
    prices = np.concatenate([prices, np.zeros(len(rows) - len(prices))])
    bound, reduced = lagrangian(costs, family, rows, prices)
    states = layout.states(arcs) if whole and not len(new) else None
    return Relaxed(bound, reduced, states, arcs, rows, prices)


def _most(n: int) -> int:
    """Return how many rows to add at a time for n objects."""
    return max(200, 2 * n * (n - 1))


def _minimum(
    objective: Array,
    matrix: csr_array,
    right: Array,
    limits: tuple[float, float] | Array,
    effort: Effort,
) -> tuple[Array, Array] | None:
    """Return the solution of a linear program and the marginals of its rows, or None."""
    from scipy.optimize import linprog

    size = sum(matrix.shape)
    done = linprog(  # pyright: ignore[reportCallIssue] (sparse is fine)
        objective,
        A_ub=matrix,  # pyright: ignore[reportArgumentType] (sparse is fine)
        b_ub=right,
        bounds=limits,  # pyright: ignore[reportArgumentType]
        method="highs-ds",
        options={  # pyright: ignore[reportArgumentType] (None is no limit)
            "maxiter": effort.times(size),
            "time_limit": effort.seconds,
        },
    )
    solution = (done.x, done.ineqlin.marginals) if done.status == 0 else None
    # Rows that get their price by a pivot each take next to no time.
    easy = 0 if solution is None else np.count_nonzero(solution[1])
    effort.spend(max(done.nit - easy, 0) * size + _ENTRY * matrix.nnz)
    return solution


def branch(
    problem: ConsensusProblem, domains: NDArray[np.uint8], effort: Effort
) -> tuple[float, NDArray[np.int8] | None]:
    """Solve in whole numbers; return a bound, and a cheapest relation if effort allowed.

    `problem` has the rows to begin with, `domains` (n, n) are bit masks of the states that a pair
    may take.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    family, rows = problem.family, problem.rows
    layout = lay_out(problem.costs, family)
    low, high = layout.limits(domains)
    bound = problem.bound
    while not effort.over:
        matrix, right = layout.system(rows)
        node = _of_node(sum(matrix.shape), problem)
        nodes = effort.times(node)
        if nodes == 0:
            break
        done = milp(
            layout.objective,
            integrality=np.ones(len(layout.objective), dtype=np.int64),
            bounds=Bounds(low, high),
            constraints=LinearConstraint(matrix, ub=right),
            options={  # pyright: ignore[reportArgumentType] (None is no limit)
                "time_limit": effort.seconds,
                "node_limit": nodes,
                "mip_rel_gap": 0.0,
            },
        )
        effort.spend(node * max(done.mip_node_count or 0, 1))
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


def _of_node(size: int, problem: ConsensusProblem) -> float:
    """Return the operations of a node of a program in whole numbers with so many rows and columns.

    Measured: nothing stops the solver within a node, nor says how long it took. Relaxations of
    linear orders are tight; others take the longer the more of their rows have a price.
    """
    if problem.family.name == "linear":
        return 2.0 * size**2
    priced = max(np.count_nonzero(problem.prices), 1)
    return float(min(40.0 * size**2, max(4e4 * priced**3 / size, size)))


def probe(
    problem: ConsensusProblem, states: NDArray[np.int8], domains: NDArray[np.uint8], effort: Effort
) -> NDArray[np.uint8]:
    """Return the domains less the states that no relation as cheap as this one can have.

    Among the solutions of the relaxation that cost no more, the largest total of states not yet
    met is sought until it is below one: then no relation has any of them.
    """
    layout, rows = lay_out(problem.costs, problem.family), problem.rows
    most = total(problem.costs, states) - layout.constant + problem.slack
    limits = np.column_stack(layout.limits(domains))
    code = np.arange(4)[:, None, None]
    allowed = np.triu((domains >> code) & 1 > 0, 1) & (ONLY[domains] < 0)
    met = states == code
    while (unseen := allowed & ~met).any() and not effort.over:
        wanted = lay_out(-unseen.astype(np.float64), problem.family)
        while True:
            matrix, right = layout.system(rows)
            solved = _minimum(
                wanted.objective,
                vstack([matrix, csr_array(layout.objective[None, :])], format="csr"),
                np.append(right, most),
                limits,
                effort,
            )
            if solved is None:
                return domains
            values, _ = solved
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

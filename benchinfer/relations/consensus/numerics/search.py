"""Branch and bound for consensus relations.

Variables x[i, j] of a program say whether there is an arc i -> j. Any multipliers of the
transitivity rows give a bound that can be computed without the solver, so that what the solver
rounds does no harm [1]_.

In the search for all optima each pair has a domain, the set of states that it may still take. A
composition table of the family carries what is decided to other pairs (path consistency); what the
remaining states cost beyond the bound cuts the search.

References
----------
.. [1] Grötschel, M., Jünger, M. and Reinelt, G. (1984). A cutting plane algorithm for the linear
   ordering problem. Operations Research 32, 1195-1220. doi:10.1287/opre.32.6.1195
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from benchinfer.numerics.types import Array, Flags, States
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FIRST,
    MIRROR,
    ONLY,
    SECOND,
    UNDECIDED,
    Costs,
    Domains,
    Effort,
    Indices,
    RelationFamily,
    Solution,
    arcs,
    cheapest_states,
    composition,
    forced_by_four,
    tolerance,
    total,
)

_SIGNS = (1.0, 1.0, -1.0, -1.0)
_TOLERANCE = 1e-6
_WHOLE = 1e-6
# Operations on a linear program for each entry of its matrix, before the first pivot.
_ENTRY = 100
# Operations of a node of the search, at least and for each pair.
_NODE, _PAIR = 40_000, 60
# Rows ``x[p] + x[q] - x[r] - x[s] <= 1``, where each of p .. s is a pair of objects: (R, 4, 2). A
# term that is absent is -1.
_NO_ROWS = np.zeros((0, 4, 2), dtype=np.intp)


def _terms(rows: Indices) -> Iterator[tuple[float, Indices, Indices, Indices]]:
    """Yield sign, rows and both objects of each of the four terms, less those that are 0.

    No object has a strict arc to itself.
    """
    for sign, pair in zip(_SIGNS, np.moveaxis(rows, 1, 0), strict=True):
        at = np.flatnonzero(pair[:, 0] != pair[:, 1])
        yield sign, at, pair[at, 0], pair[at, 1]


def violated(arcs: Array, family: RelationFamily) -> Indices:
    """Return the rows that arcs (n, n) violate, the worst first, up to a useful number."""
    n = len(arcs)
    if family.strict:
        parts = [_ferrers(arcs), *([_semi(arcs)] if family.semi else [])]
        excess, pairs = (np.concatenate(part) for part in zip(*parts, strict=True))
    else:
        excess, pairs = _transitive(arcs, family)
    return pairs[np.argsort(-np.round(excess, 9), kind="stable")[: max(200, 2 * n * (n - 1))]]


def _transitive(arcs: Array, family: RelationFamily) -> tuple[Array, Indices]:
    """Return x[i, j] + x[j, k] - x[i, k] <= 1, each row once."""
    excess = arcs[:, :, None] + arcs - arcs[:, None, :] - 1.0
    i, j, k = np.nonzero(excess > _TOLERANCE)
    once = np.ones(len(i), dtype=np.bool_)
    if EQUIVALENT not in family.states:
        # Where x[j, i] = 1 - x[i, j] a row is that of a cycle, the same from each of its objects.
        once = (i < j) & (i < k) if len(family.states) == 2 else once
    elif FIRST not in family.states:
        once = i < k
    i, j, k = i[once], j[once], k[once]
    absent = np.full(len(i), -1)
    pairs = [(i, j), (j, k), (i, k), (absent, absent)]
    return excess[i, j, k], np.array(pairs, dtype=np.intp).transpose(2, 0, 1).reshape(-1, 4, 2)


def _ferrers(arcs: Array) -> tuple[Array, Indices]:
    """Return the worst row x[a, b] + x[c, d] - x[a, d] - x[c, b] <= 1 for each a < c."""
    more = arcs[:, None, :] - arcs
    b = more.argmax(axis=2)
    gain = more.max(axis=2)
    excess = gain + gain.T - 1.0
    a, c = np.nonzero(np.triu(excess > _TOLERANCE, 1))
    pairs = [(a, b[a, c]), (c, b[c, a]), (a, b[c, a]), (c, b[a, c])]
    return excess[a, c], np.array(pairs, dtype=np.intp).transpose(2, 0, 1)


def _semi(arcs: Array) -> tuple[Array, Indices]:
    """Return the worst row x[a, b] + x[b, c] - x[a, d] - x[d, c] <= 1 for each a, c."""
    along = arcs[:, :, None] + arcs
    b, d = along.argmax(axis=1), along.argmin(axis=1)
    excess = along.max(axis=1) - along.min(axis=1) - 1.0
    a, c = np.nonzero(excess > _TOLERANCE)
    b, d = b[a, c], d[a, c]
    return excess[a, c], np.array([(a, b), (b, c), (a, d), (d, c)]).transpose(2, 0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramLayout:
    """Variables of a program: an arc is ``offset + sign * variable``.

    Attributes
    ----------
    family : RelationFamily
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
        leads = self.offset + self.sign * values[self.column]
        np.fill_diagonal(leads, 0.0 if self.family.strict else 1.0)
        return leads

    def states(self, arcs: Array) -> States:
        """Return the states (n, n) of whole arcs."""
        there = arcs > 0.5
        both = UNDECIDED if self.family.strict else EQUIVALENT
        neither = EQUIVALENT if self.family.strict else UNDECIDED
        states = np.where(there, np.where(there.T, both, FIRST), np.where(there.T, SECOND, neither))
        np.fill_diagonal(states, -1)
        return states.astype(np.int8)

    def system(self, rows: Indices) -> tuple[csr_array, Array]:
        """Return matrix and right-hand side: transitivity rows first, then those within pairs."""
        n = len(rows)
        at, column, value, right = [], [], [], np.ones(n)
        for sign, row, i, j in _terms(rows):
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


def lay_out(costs: Costs, family: RelationFamily) -> ProgramLayout:
    """Return the variables of the program: one per pair if that suffices, else two."""
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


@dataclass(frozen=True, slots=True, eq=False)
class ConsensusProblem:
    """Costs of a consensus, with a bound.

    Attributes
    ----------
    costs : (4, n, n)
    family : RelationFamily
    rows : (R, 4, 2)
        The transitivity rows that gave the bound.
    prices : (R,)
        What a row costs beyond the bound for each unit by which it is not tight.
    bound : float
        No relation of the family costs less.
    reduced : (4, n, n)
        What a state costs beyond `bound`, never negative.
    """

    costs: Costs
    family: RelationFamily
    rows: Indices
    prices: Array
    bound: float
    reduced: Array

    @classmethod
    def of(
        cls,
        costs: Costs,
        family: RelationFamily,
        rows: Indices = _NO_ROWS,
        prices: Array = np.zeros(0),  # noqa: B008 (never changed)
    ) -> ConsensusProblem:
        """Return the problem with the Lagrangian bound that prices (R,) of rows give."""
        n = costs.shape[1]
        extra = np.zeros((n, n))
        for sign, row, i, j in _terms(rows):
            np.add.at(extra, (i, j), sign * prices[row])
        modified = np.full((4, n, n), np.inf)
        for s in family.states:
            modified[s] = costs[s]
        modified[FIRST] += extra
        modified[SECOND] += extra.T
        if not family.strict:
            modified[EQUIVALENT] += extra + extra.T
        least = modified.min(axis=0)
        bound = float(least[np.triu_indices(n, 1)].sum() - prices.sum())
        reduced = modified - least
        reduced[:, np.arange(n), np.arange(n)] = 0.0
        return cls(costs, family, rows, prices, bound, reduced)

    @property
    def slack(self) -> float:
        """Largest rounding error of the bound."""
        size = float(np.abs(self.costs).max(initial=0.0))
        return max(tolerance(self.costs), 1e-7 * max(1.0, size))


def relax(
    costs: Costs, family: RelationFamily, effort: Effort
) -> tuple[ConsensusProblem, Array, States | None]:
    """Solve the linear relaxation, adding violated rows until there is none or effort is over.

    Also return the fractional arcs (n, n), and a cheapest relation where these are one.
    """
    layout, rows, prices = lay_out(costs, family), _NO_ROWS, np.zeros(0)
    leads = arcs(cheapest_states(costs, family.states), family).astype(np.float64)
    np.fill_diagonal(leads, 0.0 if family.strict else 1.0)
    integral = True
    while len(new := violated(leads, family)) and not effort.over:
        rows = np.concatenate([rows, new])
        effort.spend(len(leads) ** 3)
        minimum = _minimum(layout.objective, *layout.system(rows), effort)
        if minimum is None:
            break
        values, marginals = minimum
        prices = np.maximum(-marginals[: len(rows)], 0.0)
        leads = layout.arcs(values)
        integral = bool(np.abs(values - np.round(values)).max(initial=0.0) < _WHOLE)
    prices = np.concatenate([prices, np.zeros(len(rows) - len(prices))])
    states = layout.states(leads) if integral and not len(new) else None
    return ConsensusProblem.of(costs, family, rows, prices), leads, states


def _minimum(
    objective: Array, matrix: csr_array, right: Array, effort: Effort
) -> tuple[Array, Array] | None:
    """Return the solution of a linear program and the marginals of its rows, or None."""
    from scipy.optimize import linprog

    size = sum(matrix.shape)
    done = linprog(  # pyright: ignore[reportCallIssue] (sparse is fine)
        objective,
        A_ub=matrix,  # pyright: ignore[reportArgumentType] (sparse is fine)
        b_ub=right,
        bounds=(0, 1),
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


def branch(problem: ConsensusProblem, effort: Effort) -> tuple[float, States | None]:
    """Solve the integer program; return a bound, and a cheapest relation if the effort sufficed."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    family, rows, bound = problem.family, problem.rows, problem.bound
    layout = lay_out(problem.costs, family)
    while not effort.over:
        matrix, right = layout.system(rows)
        node = _of_node(sum(matrix.shape), problem)
        nodes = effort.times(node)
        if nodes == 0:
            break
        done = milp(
            layout.objective,
            integrality=np.ones(len(layout.objective), dtype=np.int64),
            bounds=Bounds(0, 1),
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
        leads = layout.arcs(np.round(done.x))
        new = violated(leads, family)
        if not len(new):
            return bound, layout.states(leads)
        rows = np.concatenate([rows, new])
    return bound, None


def _of_node(size: int, problem: ConsensusProblem) -> float:
    """Return the operations at a node of an integer program, given its rows and columns together.

    Measured: nothing stops the solver within a node, nor says how long it took. Relaxations of
    linear orders are tight; others take the longer the more of their rows have a price.
    """
    if problem.family.name == "linear":
        return 2.0 * size**2
    priced = max(np.count_nonzero(problem.prices), 1)
    return float(min(40.0 * size**2, max(4e4 * priced**3 / size, size)))


def unknown_relation(cost: float, states: list[States], count: int, domains: Domains) -> Solution:
    """Return a solution of some relations, where others may be as cheap within the domains."""
    above, below = (domains == 1 << SECOND).sum(axis=1), (domains == 1 << FIRST).sum(axis=1)
    return Solution(cost, -np.inf, count, exact=False, states=states, possible=domains,
                    above=above, below=below)  # fmt: skip


def start(family: RelationFamily, n: int) -> Domains:
    """Return the domains (n, n) of pairs about which nothing is known."""
    domains = np.full((n, n), family.mask, dtype=np.uint8)
    np.fill_diagonal(domains, 0)
    return domains


def _restrict(
    problem: ConsensusProblem,
    table: Array,
    domains: Domains,
    gap: float,
    changed: tuple[int, int] | None = None,
) -> bool:
    """Prune inconsistent or too costly states from the domains; return False if no order remains.

    `table` (16, n, n) is the least reduced cost of each set of states of each pair. Domains in
    which only one pair has `changed` since they were consistent are followed up from that pair.
    """
    composed, n = composition(problem.family), len(domains)
    dirty = np.full((n, n), changed is None)
    if changed is not None:
        dirty[changed] = dirty[changed[::-1]] = True
    rows, columns = np.indices((n, n))
    while True:
        least = table[domains, rows, columns]
        room = gap - least.sum() / 2
        if room < 0 or (domains == 0).sum() > n or room < _loose(problem, domains):
            return False
        allowed = domains.copy()
        if problem.family.strict:
            # The states that the conditions on four objects leave.
            first = np.uint8(1 << FIRST)
            must, cannot = forced_by_four(domains == first, domains & first == 0, problem.family)
            left = np.where(must, first, np.uint8(15)) & np.where(cannot, ~first, np.uint8(15))
            allowed &= left & MIRROR[left.T & 15]
        for s in range(4):
            allowed &= np.where(problem.reduced[s] - least > room, ~np.uint8(1 << s), np.uint8(15))
        dirty |= allowed != domains
        if not dirty.any():
            return True
        domains[:] = allowed
        _propagate(domains, dirty, composed)


def _loose(problem: ConsensusProblem, domains: Domains) -> float:
    """Return the cost in the bound of the rows that cannot be tight."""
    with_arc = np.uint8(1 << FIRST if problem.family.strict else 1 << FIRST | 1 << EQUIVALENT)
    may, must = domains & with_arc > 0, (domains & ~with_arc == 0) & (domains > 0)
    p, q, r, s = np.moveaxis(problem.rows, 1, 0)
    most = may[*p.T].astype(np.int64) + may[*q.T] - must[*r.T] - (must[*s.T] & (s[:, 0] >= 0))
    return float(problem.prices @ np.maximum(1 - most, 0))


def _propagate(domains: Domains, dirty: Flags, composed: Domains) -> None:
    """Narrow pairs (i, k) by pairs (i, j), (j, k) until nothing changes."""
    np.fill_diagonal(dirty, val=False)
    n = len(domains)
    while dirty.any():
        j = int(dirty.sum(axis=0).argmax())
        changed = np.flatnonzero(dirty[:, j])
        dirty[:, j] = False
        # Pairs (i, k) for changed (i, j); the mirrored ones follow.
        new = composed[domains[changed, j][:, None], domains[j]] & domains[changed]
        new[:, j] = domains[changed, j]
        new[np.arange(len(changed)), changed] = 0
        rows, k = np.nonzero(new != domains[changed])
        if not len(rows):
            continue
        i = changed[rows]
        domains[i, k] &= new[rows, k]
        domains[k, i] = MIRROR[domains[i, k]]
        dirty[i, k] = dirty[k, i] = True
        if (domains == 0).sum() > n:
            dirty[:] = False


def search(
    problem: ConsensusProblem, states: States, *, limit: int, max_nodes: int, effort: Effort
) -> Solution:
    """Return the cheapest relations, given a relation of states (n, n).

    `limit` of them are listed. It gives up after `max_nodes`, or where the effort is over.
    """
    n, same, best = len(states), tolerance(problem.costs), total(problem.costs, states)
    table = np.full((16, n, n), np.inf)
    for mask in range(1, 16):
        table[mask] = problem.reduced[[s for s in range(4) if mask >> s & 1]].min(axis=0)
    table[:, np.arange(n), np.arange(n)] = 0.0
    root, beyond = start(problem.family, n), problem.slack - problem.bound
    stack = [root] if _restrict(problem, table, root, best + beyond) else []
    met: list[States] = []
    count, nodes = 0, 0
    possible = np.zeros((n, n), dtype=np.uint8)
    above = below = np.full(n, n)
    while stack and nodes < max_nodes and not effort.over:
        domains = stack.pop()
        nodes += 1
        effort.spend(_NODE + n**2 * _PAIR)
        pair = _branching_pair(problem, domains)
        if pair is not None:
            stack.extend(_children(problem, table, domains, pair, best + beyond))
            continue
        relation = ONLY[domains]
        cost = total(problem.costs, relation)
        if cost > best + same:
            continue
        if cost < best - same:
            best, met, count, possible = cost, [], 0, np.zeros_like(possible)
            above = below = np.full(n, n)
        count += 1
        if len(met) < limit:
            met.append(relation)
        possible |= domains
        above = np.minimum(above, (relation == SECOND).sum(axis=1))
        below = np.minimum(below, (relation == FIRST).sum(axis=1))
    if stack or not count:
        return unknown_relation(best, met or [states], max(count, 1), root)
    return Solution(best, best, count, True, met, possible, above, below)  # noqa: FBT003


def _children(
    problem: ConsensusProblem, table: Array, domains: Domains, pair: tuple[int, int], gap: float
) -> list[Domains]:
    """Return the consistent domains with each state of a pair, the cheapest last."""
    i, j = pair
    children: list[Domains] = []
    states = [s for s in range(4) if domains[i, j] >> s & 1]
    for s in sorted(states, key=lambda s: -float(problem.reduced[s, i, j])):
        child = domains.copy()
        child[i, j], child[j, i] = 1 << s, MIRROR[1 << s]
        if _restrict(problem, table, child, gap, pair):
            children.append(child)
    return children


def _branching_pair(problem: ConsensusProblem, domains: Domains) -> tuple[int, int] | None:
    """Return the undecided pair whose decision costs most, or None where all are decided."""
    free = np.triu(ONLY[domains] < 0, 1)
    i, j = np.nonzero(free)
    if not len(i):
        return None
    member = (domains[i, j][None, :] >> np.arange(4)[:, None]) & 1 > 0
    spread = np.sort(np.where(member, problem.reduced[:, i, j], np.inf), axis=0)[1]
    at = int(spread.argmax())
    return int(i[at]), int(j[at])

"""Choice of a solver, and regrets.

If all objects of one part are strictly cheapest above all of another, every best relation has the
two parts apart, so they are solved one by one [1]_. The same holds for parts that are strictly
cheapest incomparable.

Solvers of a part, in this order: a linear program with lazy transitivity [2]_; integers where its
solution is fractional; then a search for all optima by the costs of states beyond the bound. Linear
orders and small weak orders have dynamic programming over sets.

References
----------
.. [1] Truchon, M. (1998). An extension of the Condorcet criterion and Kemeny orders. Cahier 98-15,
   CREFA, Universite Laval.

.. [2] Hornik, K. and Meyer, D. (2007). Deriving consensus rankings from benchmarking experiments.
   In: Advances in Data Analysis. Springer, 163-170. doi:10.1007/978-3-540-70981-7_19
"""

from dataclasses import dataclass, replace
from itertools import islice, product
from math import ceil, prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, States
from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics import search as numerics_search
from benchinfer.relations.consensus.numerics.costs import (
    FAMILIES,
    FIRST,
    ONLY,
    SECOND,
    UNDECIDED,
    Costs,
    RelationFamily,
    tolerance,
    total,
    unit,
)
from benchinfer.relations.consensus.numerics.dynamic import OrderGraph, cheapest_within
from benchinfer.relations.consensus.numerics.effort import Effort
from benchinfer.relations.consensus.numerics.program import (
    LARGEST,
    branch,
    lagrangian,
    probe,
    relax,
)
from benchinfer.relations.consensus.numerics.search import (
    CheapestRelations,
    ConsensusProblem,
    TriangleRows,
    restrict,
    search,
    start,
    table_of,
)

type Part = NDArray[np.intp]


def cheapest_alone(
    costs: Costs, family: RelationFamily, state: int, slack: float
) -> NDArray[np.bool_]:
    """Return (n, n): whether a state is cheaper than every other allowed one of the pair."""
    others = costs[[s for s in family.states if s != state]].min(axis=0)
    return costs[state] + slack < others


def decompose(
    costs: Costs, family: RelationFamily, slack: float
) -> tuple[list[Part], NDArray[np.int8]]:
    """Return the parts to solve one by one, and the states (n, n) of pairs between parts.

    Pairs within a part have the state -1.
    """
    fixed = np.full(costs.shape[1:], -1, dtype=np.int8)
    parts: list[Part] = []
    waiting: list[Part] = [np.arange(len(fixed))]
    while waiting:
        part = waiting.pop()
        pieces, above = _pieces(costs[:, part[:, None], part], family, slack)
        if len(pieces) == 1:
            parts.append(part)
            continue
        for k, piece in enumerate(pieces):
            later = part[np.concatenate([*pieces[k + 1 :], np.array([], dtype=np.intp)])]
            fixed[part[piece][:, None], later] = FIRST if above else UNDECIDED
            fixed[later[:, None], part[piece]] = SECOND if above else UNDECIDED
        waiting.extend(part[piece] for piece in reversed(pieces))
    return parts, fixed


def _pieces(costs: Costs, family: RelationFamily, slack: float) -> tuple[list[Part], bool]:
    """Return pieces, and whether they are above each other, not side by side."""
    if family.ordered and len(pieces := _series(costs, family, slack)) > 1:
        return pieces, True
    if family.parallel:
        return _beside(costs, family, slack), False
    return [np.arange(costs.shape[1])], True


def _series(costs: Costs, family: RelationFamily, slack: float) -> list[Part]:
    """Return the parts of an order, best first."""
    arc = ~cheapest_alone(costs, family, SECOND, slack)
    np.fill_diagonal(arc, val=False)
    labels = components(arc, strong=True)
    outside = (arc & (labels[:, None] != labels)).sum(axis=1)
    pieces = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    return sorted(pieces, key=lambda piece: -int(outside[piece[0]]))


def _beside(costs: Costs, family: RelationFamily, slack: float) -> list[Part]:
    """Return the parts that no pair ties to each other."""
    arc = ~cheapest_alone(costs, family, UNDECIDED, slack)
    np.fill_diagonal(arc, val=False)
    labels = components(arc, strong=False)
    return [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]


def components(arc: NDArray[np.bool_], *, strong: bool) -> NDArray[np.int32]:
    """Return the component (n,) of each node of a graph of arcs (n, n)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    kind = "strong" if strong else "weak"
    return connected_components(csr_array(arc.astype(np.int8)), directed=True, connection=kind)[1]


# Up to so many objects the tables of all sets are cheap.
_REGRETS_TABLED = 20


def linear_regrets(
    costs: Costs, cost: float, effort: Effort | None = None
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the regret of each ordered pair.

    Regrets (n, n) are the cost of the cheapest order with object i above object j, less `cost`,
    that of a cheapest one: 0 both ways where the cheapest orders leave the pair open. The second
    result says where they are that, or a number that it is not below. Bounds are sharpened until
    the deadline, a reading of ``time.monotonic``.
    """
    n, above = costs.shape[1], costs[FIRST]
    if n <= _REGRETS_TABLED:
        return dynamic.regrets(above).astype(np.float64), np.ones((n, n), dtype=np.bool_)
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
        if len(part) <= _REGRETS_TABLED:
            exact[rows, part] = True
            found[rows, part] = dynamic.regrets(inner[FIRST])
            gap -= dynamic.best_costs(inner[FIRST])[-1].item()
        else:
            bound, reduced = _bound(inner, effort or Effort())
            found[rows, part], rough[rows, part] = reduced[FIRST], True
            gap -= bound
    gap -= float(np.triu(np.where(between, costs[[FIRST, SECOND]].min(axis=0), 0)).sum())
    return np.where(rough, np.maximum(found - max(gap, 0.0), 0.0), found), exact


def _bound(costs: Costs, effort: Effort) -> tuple[float, Array]:
    """Return what no linear order undercuts, and what states cost beyond it."""
    linear = FAMILIES["linear"]
    if costs.shape[1] > LARGEST:
        return lagrangian(costs, linear, TriangleRows.none(), np.zeros(0))
    relaxed = relax(costs, linear, effort)
    return relaxed.bound, relaxed.reduced


# Parts so small are searched without a program.
_SMALL = 4
# Linear and weak orders of parts so small are found by dynamic programming at once.
_TABLED, _CLASSED = 16, 12
# How many nodes a search may have that shall find; how many, times pairs, one that shall list all.
_SHORT = 200
_WORK, _NODES = 3_200_000, 2000
# Free pairs beyond which a program narrows the search.
_FEW = 8
# How many steps a layer of sets may have.
_SETS = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The cheapest relations of a family.

    Attributes
    ----------
    cost, bound : float
        Of the best relation found; no relation costs less than the bound.
    optimal : bool
        Whether the relation is proved to be cheapest.
    count : int
        How many relations have that cost, or at least have it.
    exact : bool
        Whether `count` is their number.
    states : list of (n, n)
        Some of them: states of pairs, -1 on the diagonal.
    possible : (n, n)
        Bit masks: which states each pair has in a cheapest relation, or may have.
    above, below : (n,)
        How many objects are strictly above (below) each at least, in all of them.
    shares : (position, above) or None
        For linear orders, averaged over all optima: how often object i is at place k, and how
        often object i is above object j; both (n, n).
    """

    cost: float
    bound: float
    optimal: bool
    count: int
    exact: bool
    states: list[States]
    possible: NDArray[np.uint8]
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    shares: tuple[Array, Array] | None = None


def solve(
    costs: Costs, family: RelationFamily, *, limit: int = 100, effort: Effort | None = None
) -> Solution:
    """Return the cheapest relations of a family.

    `costs` are those of `of_votes`. Of the cheapest relations `limit` are kept, and all counted
    where that is feasible; once the effort is over, by default never, the best found is returned.
    """
    size = unit(costs)
    small = costs // size if costs.dtype.kind == "i" else costs / size
    found = _solve(cast("Costs", small), family, limit, effort or Effort())
    return replace(found, cost=found.cost * size, bound=float(found.bound) * size)


def _solve(costs: Costs, family: RelationFamily, limit: int, effort: Effort) -> Solution:
    """Split the problem, solve its parts and put them together."""
    parts, fixed = decompose(costs, family, tolerance(costs))
    solved = [solve_part(costs[:, part[:, None], part], family, limit, effort) for part in parts]
    possible = np.where(fixed >= 0, 1 << np.maximum(fixed, 0), 0).astype(np.uint8)
    above, below = (fixed == SECOND).sum(axis=1), (fixed == FIRST).sum(axis=1)
    for part, one in zip(parts, solved, strict=True):
        possible[part[:, None], part] = one.possible
        above[part] += one.above
        below[part] += one.below
    between = np.triu(fixed >= 0, 1)
    i, j = np.nonzero(between)
    apart = costs[fixed[i, j], i, j].sum().item()
    return Solution(
        cost=apart + sum(one.cost for one in solved),
        bound=apart + sum(one.bound for one in solved),
        optimal=all(one.optimal for one in solved),
        count=prod(one.count for one in solved),
        exact=all(one.exact for one in solved),
        states=_joined(fixed, parts, [one.states for one in solved], limit),
        possible=possible,
        above=above,
        below=below,
        shares=_shares(fixed, parts, solved),
    )


def _shares(
    fixed: States, parts: list[NDArray[np.intp]], solved: list[Solution]
) -> tuple[Array, Array] | None:
    """Return averages over all linear orders, where there are those of each part."""
    position, above = np.zeros(fixed.shape), (fixed == FIRST).astype(np.float64)
    done = 0
    for part, one in zip(parts, solved, strict=True):
        if one.shares is None:
            return None
        places = np.arange(done, done + len(part))
        position[part[:, None], places], above[part[:, None], part] = one.shares
        done += len(part)
    return position, above


def _joined(
    fixed: States, parts: list[NDArray[np.intp]], choices: list[list[States]], limit: int
) -> list[States]:
    """Return the relations that choices of each part make, at most so many."""
    found: list[States] = []
    for choice in islice(product(*choices), limit):
        whole = fixed.copy()
        for part, states in zip(parts, choice, strict=True):
            whole[part[:, None], part] = states
        found.append(whole)
    return found


def solve_part(  # noqa: PLR0911 (one return for each rung of the ladder)
    costs: Costs, family: RelationFamily, limit: int, effort: Effort
) -> Solution:
    """Solve a part that does not split."""
    n, linear = costs.shape[1], family.name == "linear"
    if n == 1:
        single = _from_found(CheapestRelations.of_one(), 0.0)
        return replace(single, shares=(np.ones((1, 1)), np.zeros((1, 1)))) if linear else single
    if linear and n <= _TABLED:
        return _from_paths(*dynamic.cheapest_linear_order(costs[FIRST], tolerance(costs)), limit)
    if family.name == "weak" and n <= _CLASSED:
        found = dynamic.cheapest_weak_order(costs, tolerance(costs), limit)
        return _from_found(found, found.cost)
    problem, states, proved = _relaxed(costs, family, effort)
    if linear and not proved and n <= dynamic.MOST:
        return _from_paths(*dynamic.cheapest_linear_order(costs[FIRST], tolerance(costs)), limit)
    if n > LARGEST:
        return _unfinished(problem, states, start(family, n), None, proved=proved)
    if not proved:
        problem, states, proved = _branched(problem, states, effort)
    best = total(costs, states)
    ways = _orders(problem, best) if linear and proved else None
    if ways is not None:
        return _from_paths(*ways, limit)
    domains = _narrowed(problem, states, effort)
    # Conditions on four objects take their time at each node.
    work = _WORK // 4 if family.strict else _WORK
    nodes = max(min(work // n**2, _NODES), 2 * limit)
    found = search(problem, domains, best, limit=limit, max_nodes=nodes, effort=effort)
    if found is not None and found.complete:
        return _from_found(found, found.cost)
    return _unfinished(problem, states, domains, found, proved=proved)


def _orders(problem: ConsensusProblem, best: float) -> tuple[float, OrderGraph] | None:
    """Return all cheapest linear orders where their sets can be held."""
    above, reduced = problem.costs[FIRST], problem.reduced[FIRST]
    gap, slack = best - problem.bound + problem.slack, tolerance(problem.costs)
    ways = cheapest_within(above, reduced, gap, slack, _SETS)
    if ways is None and len(above) <= dynamic.MOST:
        return dynamic.cheapest_linear_order(above, slack)
    return ways


def _narrowed(problem: ConsensusProblem, states: States, effort: Effort) -> NDArray[np.uint8]:
    """Return the states (n, n) that pairs may have in relations as cheap as this one."""
    domains = start(problem.family, len(states))
    gap = total(problem.costs, states) - problem.bound + problem.slack
    restrict(problem, table_of(problem), domains, gap)
    if len(states) > _SMALL and np.triu(ONLY[domains] < 0, 1).sum() > _FEW:
        domains = probe(problem, states, domains, effort)
    return domains


def _whole_bound(problem: ConsensusProblem) -> float:
    """Return the bound, rounded up where costs are whole."""
    if problem.costs.dtype.kind == "i":
        return ceil(problem.bound - problem.slack)
    return problem.bound


def _relaxed(
    costs: Costs, family: RelationFamily, effort: Effort
) -> tuple[ConsensusProblem, States, bool]:
    """Return the problem with its bound, a relation, and whether that is proved cheapest."""
    n = costs.shape[1]
    rough = numerics_search.guess(costs, family)
    if n <= _SMALL or n > LARGEST:
        bound, reduced = lagrangian(costs, family, TriangleRows.none(), np.zeros(0))
        problem = ConsensusProblem(costs, reduced, bound, family)
        return problem, rough, False
    relaxed = relax(costs, family, effort)
    problem = ConsensusProblem(
        costs, relaxed.reduced, relaxed.bound, family, relaxed.rows, relaxed.prices
    )
    better = relaxed.states
    if better is None and family.ordered:
        better = numerics_search.guess(costs, family, relaxed.arcs - relaxed.arcs.T)
    if better is not None and total(costs, better) < total(costs, rough):
        rough = better
    slack = max(problem.slack, tolerance(costs))
    return problem, rough, total(costs, rough) <= _whole_bound(problem) + slack


def _branched(
    problem: ConsensusProblem, states: States, effort: Effort
) -> tuple[ConsensusProblem, States, bool]:
    """Close the gap: by a short search, then in whole numbers."""
    costs, family = problem.costs, problem.family
    best = total(costs, states)
    domains = start(family, len(states))
    found = search(problem, domains, best, limit=1, max_nodes=_SHORT, effort=effort)
    if found is not None:
        states, best = found.states[0], found.cost
        if found.complete:
            return problem, states, True
    bound, better = branch(problem, domains, effort)
    if better is not None:
        return problem, better, True
    return replace(problem, proved=bound), states, False


def _from_paths(cost: float, paths: OrderGraph, limit: int) -> Solution:
    """Return the solution that paths through sets are."""
    position, above = paths.shares()
    # Shares are sums of products of positive numbers: zero only where there is no path.
    possible = np.where(above > 0, 1 << FIRST, 0) | np.where(above.T > 0, 1 << SECOND, 0)
    return Solution(
        cost=cost,
        bound=cost,
        optimal=True,
        count=paths.count(),
        exact=True,
        states=[numerics_search.of_order(np.array(order)) for order in paths.orders(limit)],
        possible=possible.astype(np.uint8),
        above=(position > 0).argmax(axis=1),
        below=(position > 0)[:, ::-1].argmax(axis=1),
        shares=(position, above),
    )


def _from_found(found: CheapestRelations, bound: float) -> Solution:
    """Return the solution that a search is, given what no relation undercuts."""
    return Solution(
        cost=found.cost,
        bound=bound,
        optimal=found.cost <= bound,
        count=found.count,
        exact=found.complete,
        states=found.states,
        possible=found.possible,
        above=found.above,
        below=found.below,
    )


def _unfinished(
    problem: ConsensusProblem,
    states: States,
    domains: NDArray[np.uint8],
    found: CheapestRelations | None,
    *,
    proved: bool,
) -> Solution:
    """Return what is known where not all relations could be gone through."""
    if found is None:
        found = CheapestRelations.of_some(total(problem.costs, states), [states], 1, domains)
    bound = found.cost if proved else min(max(_whole_bound(problem), problem.proved), found.cost)
    return _from_found(found, bound)

"""Choice of a solver of consensus problems.

If all objects of one part are strictly cheapest above all of another, every best relation has the
two parts apart, so they are solved one by one [1]_. The same holds for parts that are strictly
cheapest incomparable.

Linear orders and small weak orders have dynamic programming over sets. Other parts are bounded by a
linear program with lazy transitivity [2]_, solved in whole numbers where its solution is
fractional, and searched for all optima by the costs of states beyond the bound.

References
----------
.. [1] Truchon, M. (1998). An extension of the Condorcet criterion and Kemeny orders. Cahier 98-15,
   CREFA, Universite Laval.

.. [2] Hornik, K. and Meyer, D. (2007). Deriving consensus rankings from benchmarking experiments.
   In: Advances in Data Analysis. Springer, 163-170. doi:10.1007/978-3-540-70981-7_19
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product
from math import ceil, prod
from typing import Literal, cast

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FAMILIES,
    FIRST,
    SECOND,
    UNDECIDED,
    Costs,
    Effort,
    Indices,
    RelationFamily,
    Solution,
    of_classes,
    of_order,
    tolerance,
    total,
    unit,
)
from benchinfer.relations.consensus.numerics.dynamic import OrderGraph
from benchinfer.relations.consensus.numerics.search import (
    ConsensusProblem,
    branch,
    relax,
    search,
    start,
    unknown_relation,
)

# Parts so small are searched without a program.
_SMALL = 4
# Larger parts get no program: it would not fit into memory.
_LARGEST = 200
# Linear and weak orders of parts so small are found by dynamic programming at once.
_TABLED, _CLASSED = 16, 12
# Up to so many objects the tables of all sets are cheap.
_REGRETS_TABLED = 20
# How many nodes a search may have, times pairs, and at most.
_WORK, _NODES = 3_200_000, 2000
# How many steps a layer of sets may have.
_SETS = 200_000
_NOTHING = np.zeros(1, dtype=np.int64)
_SINGLE = Solution(
    cost=0,
    bound=0,
    count=1,
    exact=True,
    states=[np.full((1, 1), -1, dtype=np.int8)],
    possible=np.zeros((1, 1), dtype=np.uint8),
    above=_NOTHING,
    below=_NOTHING,
    shares=(np.ones((1, 1)), np.zeros((1, 1))),
)


def decompose(costs: Costs, family: RelationFamily, slack: float) -> tuple[list[Indices], States]:
    """Return the parts to solve one by one, and the states (n, n) of pairs between parts.

    Pairs within a part have the state -1.
    """
    fixed = np.full(costs.shape[1:], -1, dtype=np.int8)
    parts: list[Indices] = []
    waiting: list[Indices] = [np.arange(len(fixed))]
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


def _pieces(costs: Costs, family: RelationFamily, slack: float) -> tuple[list[Indices], bool]:
    """Return the pieces of a part, best first, and whether each is above the next ones."""

    def cheaper(state: int) -> Flags:
        """Return (n, n): whether a state is cheaper than every other allowed one of the pair."""
        return costs[state] + slack < costs[[s for s in family.states if s != state]].min(axis=0)

    labels = classes(cheaper(FIRST)) if family.ordered else np.zeros(costs.shape[1], np.int64)
    above = bool(labels.any())
    if family.parallel and not above:
        arc = ~cheaper(UNDECIDED)
        np.fill_diagonal(arc, val=False)
        labels = _components(arc, "weak")
    return [np.flatnonzero(labels == k) for k in range(labels.max() + 1)], above


def classes(above: Flags) -> Codes:
    """Return the class (n,) of each object, 0 the best, given the arcs (n, n) from better to worse.

    Every object of a class is above every one of later classes, and no class can be split so.
    """
    arc = ~above.T
    np.fill_diagonal(arc, val=False)
    labels = _components(arc, "strong")
    outside = (arc & (labels[:, None] != labels)).sum(axis=1)
    return np.unique(-outside, return_inverse=True)[1]


def _components(arc: Flags, connection: Literal["strong", "weak"]) -> Codes:
    """Return the component (n,) of each node of a graph of arcs (n, n)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array(arc.astype(np.int8))
    return connected_components(graph, directed=True, connection=connection)[1].astype(np.int64)


def linear_regrets(costs: Costs, cost: float, effort: Effort | None = None) -> tuple[Array, Flags]:
    """Return the regret of each ordered pair.

    Regrets (n, n) are the cost of the cheapest order with object i above object j, less `cost`,
    that of a cheapest one: 0 both ways where the cheapest orders leave the pair open. The second
    result says where they are that, or a number that it is not below.
    """
    n, above = costs.shape[1], costs[FIRST]
    if n <= _REGRETS_TABLED:
        return dynamic.regrets(above).astype(np.float64), np.ones((n, n), dtype=np.bool_)
    linear = FAMILIES["linear"]
    parts, _ = decompose(costs, linear, tolerance(costs))
    # To turn a pair of different parts costs at least its own difference; by how much a bound on
    # all orders is too low is taken from what states cost beyond it.
    regret = np.maximum(above - costs[SECOND], 0).astype(np.float64)
    exact = np.eye(n, dtype=np.bool_)
    between = np.ones((n, n), dtype=np.bool_)
    gap, rough = cost, np.zeros((n, n), dtype=np.bool_)
    for part in parts:
        rows, inner = part[:, None], costs[:, part[:, None], part]
        between[rows, part] = False
        if len(part) <= _REGRETS_TABLED:
            exact[rows, part] = True
            regret[rows, part] = dynamic.regrets(inner[FIRST])
            gap -= dynamic.best_costs(inner[FIRST])[-1].item()
        else:
            problem, _, _ = _bounded(inner, linear, effort or Effort())
            regret[rows, part], rough[rows, part] = problem.reduced[FIRST], True
            gap -= problem.bound
    gap -= float(np.triu(np.where(between, costs[[FIRST, SECOND]].min(axis=0), 0)).sum())
    return np.where(rough, np.maximum(regret - max(gap, 0.0), 0.0), regret), exact


def _bounded(
    costs: Costs, family: RelationFamily, effort: Effort
) -> tuple[ConsensusProblem, Array | None, States | None]:
    """Return the problem with its bound, and the solution of `relax` if the size permits it."""
    if _SMALL < costs.shape[1] <= _LARGEST:
        return relax(costs, family, effort)
    return ConsensusProblem.of(costs, family), None, None


def solve(
    costs: Costs, family: RelationFamily, *, limit: int = 100, effort: Effort | None = None
) -> Solution:
    """Return the cheapest relations of a family.

    `costs` are those of `of_votes`. Of the cheapest relations `limit` are listed, and all counted
    where that is feasible; once the effort is over, by default never, the best found is returned.
    """
    size = unit(costs)
    small = cast("Costs", costs // size if costs.dtype.kind == "i" else costs / size)
    parts, fixed = decompose(small, family, tolerance(small))
    effort = effort or Effort()
    solved = [_solve_part(small[:, part[:, None], part], family, limit, effort) for part in parts]
    possible = np.where(fixed >= 0, 1 << np.maximum(fixed, 0), 0).astype(np.uint8)
    above, below = (fixed == SECOND).sum(axis=1), (fixed == FIRST).sum(axis=1)
    for part, solution in zip(parts, solved, strict=True):
        possible[part[:, None], part] = solution.possible
        above[part] += solution.above
        below[part] += solution.below
    i, j = np.nonzero(np.triu(fixed >= 0, 1))
    apart = small[fixed[i, j], i, j].sum().item()
    cost = (apart + sum(solution.cost for solution in solved)) * size
    optimal = all(solution.optimal for solution in solved)
    bound = cost if optimal else (apart + sum(solution.bound for solution in solved)) * size
    return Solution(
        cost=cost,
        bound=float(bound),
        count=prod(solution.count for solution in solved),
        exact=all(solution.exact for solution in solved),
        states=_joined(fixed, parts, [solution.states for solution in solved], limit),
        possible=possible,
        above=above,
        below=below,
        shares=_shares(fixed, parts, solved) if family.name == "linear" else None,
    )


def _shares(
    fixed: States, parts: list[Indices], solved: list[Solution]
) -> tuple[Array, Array] | None:
    """Return averages over all linear orders, if there are averages of each part."""
    position, above = np.zeros(fixed.shape), (fixed == FIRST).astype(np.float64)
    done = 0
    for part, solution in zip(parts, solved, strict=True):
        if solution.shares is None:
            return None
        places = np.arange(done, done + len(part))
        position[part[:, None], places], above[part[:, None], part] = solution.shares
        done += len(part)
    return position, above


def _joined(
    fixed: States, parts: list[Indices], choices: list[list[States]], limit: int
) -> list[States]:
    """Return the relations composed of solutions of the parts, up to a limit."""
    relations: list[States] = []
    for choice in islice(product(*choices), limit):
        relation = fixed.copy()
        for part, states in zip(parts, choice, strict=True):
            relation[part[:, None], part] = states
        relations.append(relation)
    return relations


def _solve_part(costs: Costs, family: RelationFamily, limit: int, effort: Effort) -> Solution:
    """Solve a part that does not split."""
    n = costs.shape[1]
    if n == 1:
        return _SINGLE
    if family.name == "linear" and n <= _TABLED:
        return _of_graph(*dynamic.cheapest_linear_order(costs[FIRST], tolerance(costs)), limit)
    if family.name == "weak" and n <= _CLASSED:
        return dynamic.cheapest_weak_order(costs, tolerance(costs), limit)
    problem, states = _relaxed(costs, family, effort)
    # Whole costs are at least the bound rounded up.
    integral = costs.dtype.kind == "i"
    bound = ceil(problem.bound - problem.slack) if integral else problem.bound
    proved = total(costs, states) <= bound + problem.slack
    tabled = family.name == "linear" and n <= dynamic.MOST
    if not proved and not tabled and _SMALL < n <= _LARGEST:
        least, cheapest = branch(problem, effort)
        bound, proved = max(bound, least), cheapest is not None
        states = states if cheapest is None else cheapest
    solution = _all_cheapest(problem, states, limit, effort, proved=proved)
    if solution.exact:
        return solution
    return replace(solution, bound=solution.cost if proved else min(bound, solution.cost))


def _all_cheapest(
    problem: ConsensusProblem, states: States, limit: int, effort: Effort, *, proved: bool
) -> Solution:
    """Return the relations that cost least, or some, given a cheap one and whether it is proved."""
    family, n, best = problem.family, len(states), total(problem.costs, states)
    if n > _LARGEST:
        return unknown_relation(best, [states], 1, start(family, n))
    if family.name == "linear":
        above, slack = problem.costs[FIRST], tolerance(problem.costs)
        gap = best - problem.bound + problem.slack
        orders = (
            dynamic.cheapest_within(above, problem.reduced[FIRST], gap, slack, _SETS)
            if proved
            else None
        )
        if orders is None and n <= dynamic.MOST:
            orders = dynamic.cheapest_linear_order(above, slack)
        if orders is not None:
            return _of_graph(*orders, limit)
    # Conditions on four objects take their time at each node.
    work = _WORK // 4 if family.strict else _WORK
    nodes = max(min(work // n**2, _NODES), 2 * limit)
    return search(problem, states, limit=limit, max_nodes=nodes, effort=effort)


def _relaxed(
    costs: Costs, family: RelationFamily, effort: Effort
) -> tuple[ConsensusProblem, States]:
    """Return the problem with its bound, and the cheapest relation of several heuristics."""
    problem, arcs, states = _bounded(costs, family, effort)
    relations = [guess(costs, family)]
    if states is None and arcs is not None and family.ordered:
        states = guess(costs, family, arcs - arcs.T)
    if states is not None:
        relations.append(states)
    return problem, min(relations, key=lambda states: total(costs, states))


def _of_graph(cost: float, graph: OrderGraph, limit: int) -> Solution:
    """Return the solution of the orders that are paths through sets."""
    position, above = graph.shares()
    # Shares are sums of products of positive numbers: zero only where there is no path.
    possible = np.where(above > 0, 1 << FIRST, 0) | np.where(above.T > 0, 1 << SECOND, 0)
    return Solution(
        cost=cost,
        bound=cost,
        count=graph.count(),
        exact=True,
        states=[of_order(np.array(order)) for order in graph.orders(limit)],
        possible=possible.astype(np.uint8),
        above=(position > 0).argmax(axis=1),
        below=(position > 0)[:, ::-1].argmax(axis=1),
        shares=(position, above),
    )


def guess(costs: Costs, family: RelationFamily, start: Array | None = None) -> States:
    """Return a cheap relation (n, n) of the family by a heuristic.

    `start` (n, n) is how much speaks for each object to be above another, by default from the
    costs.
    """
    if not family.ordered:
        return of_classes(_clusters(costs), UNDECIDED)
    lead = costs[SECOND] - costs[FIRST] if start is None else start
    order = _improve(np.argsort(-lead.sum(axis=1), kind="stable"), costs)
    if EQUIVALENT not in family.states:
        return of_order(order)
    levels = np.empty(len(order), dtype=np.intp)
    levels[order] = _cut(order, costs)
    return of_classes(levels, FIRST)


def _improve(order: Indices, costs: Costs) -> Indices:
    """Move single objects while an order gets cheaper."""
    gain = costs[SECOND] - costs[FIRST]
    better = True
    while better:
        better = False
        for item in order.copy():
            place = int(np.flatnonzero(order == item)[0])
            rest = np.delete(order, place)
            # The cost of standing before the k-th of the others, less that of standing first.
            steps = np.concatenate([[0], np.cumsum(gain[item, rest])])
            k = int(steps.argmin())
            if steps[k] < steps[place] - 1e-9 * (1 + abs(steps[place])):
                order = np.insert(rest, k, item)
                better = True
    return order


def _cut(order: Indices, costs: Costs) -> Indices:
    """Return the level of each place where runs of an order are tied at least cost."""
    n = len(order)
    save = np.triu((costs[EQUIVALENT] - costs[FIRST])[order[:, None], order], 1)
    # run[a, b]: what it costs to tie places a..b.
    run = np.cumsum(np.cumsum(save, axis=1)[::-1], axis=0)[::-1]
    best = np.zeros(n + 1, dtype=run.dtype)
    since = np.zeros(n + 1, dtype=np.intp)
    for b in range(n):
        options = best[: b + 1] + run[: b + 1, b]
        # Ties only where they pay: the shortest of the cheapest runs.
        since[b + 1] = b - int(options[::-1].argmin())
        best[b + 1] = options[since[b + 1]]
    levels = np.zeros(n, dtype=np.intp)
    end = n
    while end:
        levels[since[end] : end] = since[end]
        end = int(since[end])
    return levels


def _clusters(costs: Costs) -> Indices:
    """Return a class of each object, by joining the two classes that gain most."""
    n = costs.shape[1]
    labels = np.arange(n)
    gain = (costs[UNDECIDED] - costs[EQUIVALENT]).astype(np.float64)
    np.fill_diagonal(gain, -np.inf)
    while True:
        a, b = divmod(int(gain.argmax()), n)
        if gain[a, b] <= 0:
            return labels
        labels[labels == labels[b]] = labels[a]
        gain[a] += gain[b]
        gain[:, a] = gain[a]
        gain[a, a] = -np.inf
        gain[b] = gain[:, b] = -np.inf

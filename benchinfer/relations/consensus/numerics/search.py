"""Branch and bound.

Each pair has a domain, the set of states that it may still take. A composition table of the family
carries what is decided to other pairs (path consistency); what the remaining states cost beyond a
Lagrangian bound cuts the search.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, States
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FIRST,
    MIRROR,
    ONLY,
    SECOND,
    UNDECIDED,
    Costs,
    RelationFamily,
    composition,
    forced_by_four,
    tolerance,
    total,
)
from benchinfer.relations.consensus.numerics.effort import Effort

type Order = NDArray[np.intp]


type Indices = NDArray[np.intp]


type Domains = NDArray[np.uint8]


def guess(costs: Costs, family: RelationFamily, start: NDArray[np.float64] | None = None) -> States:
    """Return a relation (n, n) of the family.

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


def of_order(order: Order) -> States:
    """Return the states (n, n) of an order, best first."""
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    return of_classes(position, FIRST)


def of_classes(levels: Order, apart: int) -> States:
    """Return the states (n, n) where objects of a level are equivalent.

    Levels are one above the other, or incomparable, as `apart` says.
    """
    above = (FIRST, SECOND) if apart == FIRST else (apart, apart)
    difference = np.sign(levels - levels[:, None])
    found = np.array([EQUIVALENT, above[0], above[1]], dtype=np.int8)[difference]
    np.fill_diagonal(found, -1)
    return found


def _improve(order: Order, costs: Costs) -> Order:
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


def _cut(order: Order, costs: Costs) -> Order:
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


def _clusters(costs: Costs) -> Order:
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


_SIGNS = (1.0, 1.0, -1.0, -1.0)
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class TriangleRows:
    """Rows ``x[p] + x[q] - x[r] - x[s] <= 1``, where each of p .. s is a pair of objects.

    ``pairs`` (R, 4, 2) holds them; a term that is absent is -1.
    """

    pairs: Indices

    @staticmethod
    def none() -> "TriangleRows":
        """Return no rows."""
        return TriangleRows(np.zeros((0, 4, 2), dtype=np.intp))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.pairs)

    def plus(self, other: "TriangleRows") -> "TriangleRows":
        """Return these rows, then the others."""
        return TriangleRows(np.concatenate([self.pairs, other.pairs]))

    def terms(self) -> Iterator[tuple[float, Indices, Indices, Indices]]:
        """Yield sign, rows and both objects of each of the four terms, less those that are 0.

        No object has a strict arc to itself.
        """
        for sign, pair in zip(_SIGNS, np.moveaxis(self.pairs, 1, 0), strict=True):
            at = np.flatnonzero(pair[:, 0] != pair[:, 1])
            yield sign, at, pair[at, 0], pair[at, 1]


def violated(arcs: Array, family: RelationFamily, most: int) -> TriangleRows:
    """Return rows that arcs (n, n) violate, the worst first, at most so many."""
    found = [_ferrers(arcs), *([_semi(arcs)] if family.semi else [])]
    excess, pairs = (
        (np.concatenate(parts) for parts in zip(*found, strict=True))
        if family.strict
        else _transitive(arcs, family)
    )
    order = np.argsort(-np.round(excess, 9), kind="stable")[:most]
    return TriangleRows(pairs[order])


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
class ConsensusProblem:
    """Reduced costs of a consensus, with a bound.

    Attributes
    ----------
    costs : (4, n, n)
    reduced : (4, n, n)
        What a state costs beyond `bound`, never negative.
    bound : float
        No relation of the family costs less.
    family : Family
    rows : Rows
        The transitivity rows that gave the bound.
    prices : (R,)
        What a row costs beyond the bound for each unit by which it is not tight.
    proved : float
        A better bound, without reduced costs, where there is one.
    """

    costs: Costs
    reduced: Array
    bound: float
    family: RelationFamily
    rows: TriangleRows = field(default_factory=TriangleRows.none)
    prices: Array = field(default_factory=lambda: np.zeros(0))
    proved: float = -np.inf

    @property
    def slack(self) -> float:
        """Largest rounding error of the bound."""
        size = float(np.abs(self.costs).max(initial=0.0))
        return max(tolerance(self.costs), 1e-7 * max(1.0, size))


@dataclass(frozen=True, slots=True, eq=False)
class CheapestRelations:
    """The cheapest relations that a search has met.

    Attributes
    ----------
    cost : float
    states : list of (n, n)
        Some of them.
    count : int
        How many were met.
    complete : bool
        Whether the search went through all relations.
    possible : (n, n)
        Bit masks: states of each pair in relations met, or that cannot be excluded.
    above, below : (n,)
        How many objects are strictly above (below) an object at least, over these relations.
    """

    cost: float
    states: list[NDArray[np.int8]]
    count: int
    possible: Domains
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    complete: bool

    @staticmethod
    def of_one() -> "CheapestRelations":
        """Return the only relation on one object."""
        one = np.full((1, 1), -1, dtype=np.int8)
        zero = np.zeros(1, dtype=np.int64)
        none = np.zeros((1, 1), dtype=np.uint8)
        return CheapestRelations(0, [one], 1, none, zero, zero, complete=True)

    @staticmethod
    def of_some(
        cost: float, states: list[NDArray[np.int8]], count: int, domains: Domains
    ) -> "CheapestRelations":
        """Return some relations, where others may be as cheap within the domains."""
        above, below = (domains == 1 << SECOND).sum(axis=1), (domains == 1 << FIRST).sum(axis=1)
        return CheapestRelations(cost, states, count, domains, above, below, complete=False)


def table_of(problem: ConsensusProblem) -> Array:
    """Return (16, n, n): the least reduced cost of each set of states of each pair."""
    table = np.full((16, *problem.reduced.shape[1:]), np.inf)
    for mask in range(1, 16):
        table[mask] = problem.reduced[[s for s in range(4) if mask >> s & 1]].min(axis=0)
    return table


def start(family: RelationFamily, n: int) -> Domains:
    """Return the domains (n, n) of pairs about which nothing is known."""
    domains = np.full((n, n), family.mask, dtype=np.uint8)
    np.fill_diagonal(domains, 0)
    return domains


def restrict(
    problem: ConsensusProblem,
    table: Array,
    domains: Domains,
    gap: float,
    changed: tuple[int, int] | None = None,
) -> bool:
    """Take from the domains what is inconsistent, or beyond the gap; whether anything is left.

    Domains in which only one pair has `changed` since they were consistent are followed up from
    that pair.
    """
    composed, n = composition(problem.family), len(domains)
    diagonal = np.arange(n)
    table = table.copy()
    table[:, diagonal, diagonal] = 0.0
    dirty = np.full((n, n), changed is None)
    if changed is not None:
        dirty[changed] = dirty[changed[::-1]] = True
    rows, columns = np.indices((n, n))
    while True:
        least = table[domains, rows, columns]
        room = gap - least.sum() / 2
        if room < 0 or (domains == 0).sum() > n or room < _loose(problem, domains):
            return False
        kept = domains.copy()
        if problem.family.strict:
            kept &= _by_four(domains, problem.family)
        for s in range(4):
            kept &= np.where(problem.reduced[s] - least > room, ~np.uint8(1 << s), np.uint8(15))
        dirty |= kept != domains
        if not dirty.any():
            return True
        domains[:] = kept
        _propagate(domains, dirty, composed)


def _loose(problem: ConsensusProblem, domains: Domains) -> float:
    """Return what rows cost that cannot be tight."""
    with_arc = np.uint8(1 << FIRST if problem.family.strict else 1 << FIRST | 1 << EQUIVALENT)
    may, must = domains & with_arc > 0, (domains & ~with_arc == 0) & (domains > 0)
    p, q, r, s = np.moveaxis(problem.rows.pairs, 1, 0)
    most = may[*p.T].astype(np.int64) + may[*q.T] - must[*r.T] - (must[*s.T] & (s[:, 0] >= 0))
    return float(problem.prices @ np.maximum(1 - most, 0))


def _by_four(domains: Domains, family: RelationFamily) -> Domains:
    """Return the states (n, n) that the conditions on four objects leave."""
    first = np.uint8(1 << FIRST)
    must, cannot = forced_by_four(domains == first, domains & first == 0, family)
    kept = np.where(must, first, np.uint8(15)) & np.where(cannot, ~first, np.uint8(15))
    return kept & MIRROR[kept.T & 15]


def _propagate(domains: Domains, dirty: NDArray[np.bool_], composed: Domains) -> None:
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


# Operations of a node, at least and for each pair.
_NODE, _PAIR = 40_000, 60


def search(
    problem: ConsensusProblem,
    root: Domains,
    best: float,
    *,
    limit: int,
    max_nodes: int,
    effort: Effort,
) -> CheapestRelations | None:
    """Return the cheapest relations, or None where none was met.

    Domains begin with `root` and are narrowed, `best` is the cost of a known relation, and `limit`
    relations are kept. It gives up after `max_nodes`, or where the effort is over.
    """
    n = problem.costs.shape[1]
    table, slack = table_of(problem), problem.slack
    same = tolerance(problem.costs)
    stack = [root] if restrict(problem, table, root, best - problem.bound + slack) else []
    met: list[NDArray[np.int8]] = []
    count, nodes = 0, 0
    possible = np.zeros((n, n), dtype=np.uint8)
    above = below = np.full(n, n)
    while stack and nodes < max_nodes and not effort.over:
        domains = stack.pop()
        nodes += 1
        effort.spend(_NODE + n**2 * _PAIR)
        pair = _branch(problem, domains)
        if pair is None:
            states = ONLY[domains]
            cost = total(problem.costs, states)
            if cost > best + same:
                continue
            if cost < best - same:
                best, met, count, possible = cost, [], 0, np.zeros_like(possible)
                above = below = np.full(n, n)
            count += 1
            if len(met) < limit:
                met.append(states)
            possible |= domains
            above = np.minimum(above, (states == SECOND).sum(axis=1))
            below = np.minimum(below, (states == FIRST).sum(axis=1))
            continue
        stack.extend(_children(problem, table, domains, pair, best - problem.bound + slack))
    if not count:
        return None
    if stack:
        return CheapestRelations.of_some(best, met, count, root)
    return CheapestRelations(best, met, count, possible, above, below, complete=True)


def _children(
    problem: ConsensusProblem, table: Array, domains: Domains, pair: tuple[int, int], gap: float
) -> list[Domains]:
    """Return the consistent domains with each state of a pair, the cheapest last."""
    i, j = pair
    found: list[Domains] = []
    states = [s for s in range(4) if domains[i, j] >> s & 1]
    for s in sorted(states, key=lambda s: -float(problem.reduced[s, i, j])):
        child = domains.copy()
        child[i, j], child[j, i] = 1 << s, MIRROR[1 << s]
        if restrict(problem, table, child, gap, pair):
            found.append(child)
    return found


def _branch(problem: ConsensusProblem, domains: Domains) -> tuple[int, int] | None:
    """Return the undecided pair whose decision costs most, or None where all are decided."""
    free = np.triu(ONLY[domains] < 0, 1)
    i, j = np.nonzero(free)
    if not len(i):
        return None
    member = (domains[i, j][None, :] >> np.arange(4)[:, None]) & 1 > 0
    spread = np.sort(np.where(member, problem.reduced[:, i, j], np.inf), axis=0)[1]
    at = int(spread.argmax())
    return int(i[at]), int(j[at])

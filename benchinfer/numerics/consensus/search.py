"""All cheapest relations of a family, by branch and bound on the states of pairs.

Each pair has a domain, the set of states that it may still take. A composition table of the family
carries what is decided to other pairs (path consistency); what the remaining states cost beyond a
Lagrangian bound cuts the search.
"""

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, Costs, tolerance, total
from benchinfer.numerics.consensus.families import (
    MIRROR,
    ONLY,
    Family,
    composition,
    forced_by_four,
)
from benchinfer.numerics.consensus.violated import Rows

type Domains = NDArray[np.uint8]
type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is minimised.

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
    family: Family
    rows: Rows = field(default_factory=Rows.none)
    prices: Array = field(default_factory=lambda: np.zeros(0))
    proved: float = -np.inf

    @property
    def slack(self) -> float:
        """How far rounding may have moved the bound."""
        size = float(np.abs(self.costs).max(initial=0.0))
        return max(tolerance(self.costs), 1e-7 * max(1.0, size))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
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
    def of_one() -> "Found":
        """Return the only relation on one object."""
        one = np.full((1, 1), -1, dtype=np.int8)
        zero = np.zeros(1, dtype=np.int64)
        none = np.zeros((1, 1), dtype=np.uint8)
        return Found(0, [one], 1, none, zero, zero, complete=True)

    @staticmethod
    def of_some(
        cost: float, states: list[NDArray[np.int8]], count: int, domains: Domains
    ) -> "Found":
        """Return some relations, where others may be as cheap within the domains."""
        above, below = (domains == 1 << SECOND).sum(axis=1), (domains == 1 << FIRST).sum(axis=1)
        return Found(cost, states, count, domains, above, below, complete=False)


def table_of(problem: Problem) -> Array:
    """Return (16, n, n): the least reduced cost of each set of states of each pair."""
    table = np.full((16, *problem.reduced.shape[1:]), np.inf)
    for mask in range(1, 16):
        table[mask] = problem.reduced[[s for s in range(4) if mask >> s & 1]].min(axis=0)
    return table


def start(family: Family, n: int) -> Domains:
    """Return the domains (n, n) of pairs about which nothing is known."""
    domains = np.full((n, n), family.mask, dtype=np.uint8)
    np.fill_diagonal(domains, 0)
    return domains


def restrict(problem: Problem, table: Array, domains: Domains, gap: float) -> bool:
    """Take from the domains what is inconsistent, or beyond the gap; whether anything is left."""
    composed, n = composition(problem.family), len(domains)
    diagonal = np.arange(n)
    table = table.copy()
    table[:, diagonal, diagonal] = 0.0
    dirty = np.ones((n, n), dtype=np.bool_)
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


def _loose(problem: Problem, domains: Domains) -> float:
    """Return what rows cost that cannot be tight."""
    with_arc = np.uint8(1 << FIRST if problem.family.strict else 1 << FIRST | 1 << EQUIVALENT)
    may, must = domains & with_arc > 0, (domains & ~with_arc == 0) & (domains > 0)
    p, q, r, s = np.moveaxis(problem.rows.pairs, 1, 0)
    most = may[*p.T].astype(np.int64) + may[*q.T] - must[*r.T] - (must[*s.T] & (s[:, 0] >= 0))
    return float(problem.prices @ np.maximum(1 - most, 0))


def _by_four(domains: Domains, family: Family) -> Domains:
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


def search(
    problem: Problem, root: Domains, best: float, *, limit: int, max_nodes: int, deadline: float
) -> Found | None:
    """Return the cheapest relations, or None where none was met.

    Parameters
    ----------
    root
        The domains to begin with; they are narrowed.
    best
        The cost of a known relation.
    limit
        How many relations to keep.
    max_nodes
        When to give up.
    deadline
        The same, as a reading of ``time.monotonic``.
    """
    n = problem.costs.shape[1]
    table, slack = table_of(problem), problem.slack
    same = tolerance(problem.costs)
    stack = [root] if restrict(problem, table, root, best - problem.bound + slack) else []
    met: list[NDArray[np.int8]] = []
    count, nodes = 0, 0
    possible = np.zeros((n, n), dtype=np.uint8)
    above = below = np.full(n, n)
    while stack and nodes < max_nodes and (nodes % 32 or time.monotonic() < deadline):
        domains = stack.pop()
        nodes += 1
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
        return Found.of_some(best, met, count, root)
    return Found(best, met, count, possible, above, below, complete=True)


def _children(
    problem: Problem, table: Array, domains: Domains, pair: tuple[int, int], gap: float
) -> list[Domains]:
    """Return the consistent domains with each state of a pair, the cheapest last."""
    i, j = pair
    found: list[Domains] = []
    states = [s for s in range(4) if domains[i, j] >> s & 1]
    for s in sorted(states, key=lambda s: -float(problem.reduced[s, i, j])):
        child = domains.copy()
        child[i, j], child[j, i] = 1 << s, MIRROR[1 << s]
        if restrict(problem, table, child, gap):
            found.append(child)
    return found


def _branch(problem: Problem, domains: Domains) -> tuple[int, int] | None:
    """Return the undecided pair whose decision costs most, or None where all are decided."""
    free = np.triu(ONLY[domains] < 0, 1)
    i, j = np.nonzero(free)
    if not len(i):
        return None
    member = (domains[i, j][None, :] >> np.arange(4)[:, None]) & 1 > 0
    spread = np.sort(np.where(member, problem.reduced[:, i, j], np.inf), axis=0)[1]
    at = int(spread.argmax())
    return int(i[at]), int(j[at])

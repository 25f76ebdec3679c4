"""Terms of a consensus problem: families of relations, costs of their pairs, work, solutions.

States of a pair (i, j) in a consensus are numbered ``FIRST`` (i above j), ``SECOND``,
``EQUIVALENT`` and ``UNDECIDED`` (incomparable); a set of states is a bit mask.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import inf, lcm

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations.numerics.distances import PAIRWISE

type Costs = Codes | Array
type Domains = NDArray[np.uint8]  # sets of states, as bit masks
type Indices = NDArray[np.intp]
FIRST, SECOND, EQUIVALENT, UNDECIDED = range(4)
METHODS = tuple(PAIRWISE)
# The verdicts that the states stand for; the last is that of -1, an algorithm with itself.
VERDICTS = np.array([3, 4, 2, 1, 2], dtype=np.int8)
# Weights whose common denominator is larger are not whole numbers in any useful sense.
_LARGEST = 1_000_000


def scaled(weights: Array) -> tuple[Costs, int]:
    """Return weights as whole numbers where they are fractions of such, and the divisor.

    Whole costs are added without rounding, so that ties between orders are seen for certain.
    """
    parts = [Fraction(w).limit_denominator(1000) for w in weights.tolist()]
    below = lcm(*(part.denominator for part in parts))
    exact = all(float(p) == w for p, w in zip(parts, weights.tolist(), strict=True))
    if not exact or below > _LARGEST or max(parts, default=Fraction(0)) * below > _LARGEST**2:
        return weights, 1
    return np.array([int(part * below) for part in parts], dtype=np.int64), below


def tally(verdicts: States, weights: Costs) -> Costs:
    """Return the weight (5, n, n) with which each verdict is given to each pair, 0 to itself.

    `verdicts` (B, n, n), row versus column, are 0 missing, 1 undecided, 2 equivalent, 3 first, 4
    second; `weights` (B,) are not negative.
    """
    off = ~np.eye(verdicts.shape[1], dtype=np.bool_)
    return np.stack([np.tensordot(weights, (verdicts == code) & off, axes=1) for code in range(5)])


def of_votes(votes: Costs, method: str, *, missing_as_undecided: bool) -> tuple[Costs, int]:
    """Return the cost of each state of each pair, given the weight (5, n, n) of each verdict.

    `method` is one of `METHODS`. A missing pair costs nothing, unless it counts as undecided. Costs
    (4, n, n) are ``costs[s, i, j]``, times the divisor, which is the second result; whole numbers
    where the votes are.
    """
    table, scale = PAIRWISE[method]
    discrepancies = table[:, VERDICTS[:4]]
    if missing_as_undecided:
        discrepancies[0] = discrepancies[1]
    return np.tensordot(discrepancies.T, votes, axes=1), scale


def cheapest_states(costs: Costs, allowed: tuple[int, ...]) -> States:
    """Return the cheapest allowed state of each pair on its own (n, n), -1 on the diagonal."""
    n = costs.shape[1]
    best = np.array(allowed, dtype=np.int8)[costs[list(allowed)].argmin(axis=0)]
    upper = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    mirrored = np.array([SECOND, FIRST, EQUIVALENT, UNDECIDED], dtype=np.int8)[best.T]
    states = np.where(upper, best, mirrored)
    np.fill_diagonal(states, -1)
    return states


def of_order(order: Indices) -> States:
    """Return the states (n, n) of an order, best first."""
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    return of_classes(position, FIRST)


def of_classes(levels: Indices, apart: int) -> States:
    """Return the states (n, n) where objects of a level are equivalent.

    Levels are one above the other, or incomparable, as `apart` says.
    """
    above = (FIRST, SECOND) if apart == FIRST else (apart, apart)
    difference = np.sign(levels - levels[:, None])
    states = np.array([EQUIVALENT, above[0], above[1]], dtype=np.int8)[difference]
    np.fill_diagonal(states, -1)
    return states


def total(costs: Costs, states: States) -> float:
    """Return the cost of a relation (n, n) of states."""
    i, j = np.triu_indices(len(states), 1)
    return costs[states[i, j], i, j].sum().item()


def tolerance(costs: Costs) -> float:
    """Return the difference below which two costs are the same."""
    if costs.dtype.kind == "i":
        return 0.0
    return 1e-9 * float(np.abs(costs).max(initial=0.0)) * costs.shape[1]


def unit(costs: Costs) -> float:
    """Return a divisor that makes costs small without rounding them.

    Solvers have tolerances of their own, which are meant for numbers near 1.
    """
    if costs.dtype.kind == "i":
        return max(np.gcd.reduce(costs, axis=None).item(), 1)
    return 2.0 ** np.frexp(costs.max(initial=0.0))[1].item()


# Bit mask of the mirrored states: first and second change places.
MIRROR = np.array([(m & 12) | ((m & 1) << 1) | ((m & 2) >> 1) for m in range(16)], dtype=np.uint8)
# The only state of a mask that holds one, otherwise -1.
ONLY = np.array(
    [m.bit_length() - 1 if m.bit_count() == 1 else -1 for m in range(16)], dtype=np.int8
)


@dataclass(frozen=True, slots=True)
class RelationFamily:
    """Relations among which a consensus is sought.

    ``states`` are those that a pair may take. An arc i -> j stands for "at least as good as"
    (first or equivalent) and must be transitive, or where `strict` for "better" (first only), with
    the conditions of interval orders (and of semiorders, if `semi`) on four objects.
    """

    name: str
    states: tuple[int, ...]
    strict: bool = False
    semi: bool = False

    @property
    def mask(self) -> int:
        """The allowed states as a bit mask."""
        return sum(1 << s for s in self.states)

    @property
    def ordered(self) -> bool:
        """True if putting one relation above another gives one of the family again."""
        return FIRST in self.states

    @property
    def parallel(self) -> bool:
        """True if incomparable relations together give one of the family again."""
        return UNDECIDED in self.states


_order = (FIRST, SECOND)
FAMILIES = {
    family.name: family
    for family in (
        RelationFamily("linear", _order),
        RelationFamily("weak", (*_order, EQUIVALENT)),
        RelationFamily("partial", (*_order, UNDECIDED)),
        RelationFamily("preorder", (*_order, EQUIVALENT, UNDECIDED)),
        RelationFamily("equivalence", (EQUIVALENT, UNDECIDED)),
        RelationFamily("semiorder", (*_order, EQUIVALENT), strict=True, semi=True),
        RelationFamily("interval", (*_order, EQUIVALENT), strict=True),
    )
}


def arcs(states: States, family: RelationFamily) -> Flags:
    """Return the arcs (n, n) of a relation of states, without the diagonal."""
    leads = states == FIRST
    if not family.strict:
        leads |= states == EQUIVALENT
    np.fill_diagonal(leads, val=False)
    return leads


@cache
def composition(family: RelationFamily) -> Domains:
    """Return (16, 16): states that (i, k) may take, given sets of states of (i, j) and (j, k)."""
    kinds = np.array([[True, False], [False, True], [True, True], [False, False]])
    if family.strict:
        kinds[EQUIVALENT] = False
    single = np.zeros((4, 4), dtype=np.uint8)
    for a, b, c in product(family.states, repeat=3):
        r = np.zeros((3, 3), dtype=np.bool_)
        for (i, j), s in zip(((0, 1), (1, 2), (0, 2)), (a, b, c), strict=True):
            r[i, j], r[j, i] = kinds[s]
        if all(r[i, k] or not (r[i, j] and r[j, k]) for i, j, k in permutations(range(3))):
            single[a, b] |= 1 << c
    table = np.zeros((16, 16), dtype=np.uint8)
    for a, b in product(range(4), repeat=2):
        holds = np.array([[(p >> a) & (q >> b) & 1 for q in range(16)] for p in range(16)])
        table |= (holds * single[a, b]).astype(np.uint8)
    return table


def forced_by_four(yes: Flags, no: Flags, family: RelationFamily) -> tuple[Flags, Flags]:
    """Return the strict arcs that are implied and excluded by known present and absent arcs."""
    p, q = yes.astype(np.float32), no.astype(np.float32)
    # differ[a, c]: something is below a and not below c.
    differ = (p @ q.T > 0).astype(np.float32)
    must, cannot = differ @ p > 0, differ.T @ q > 0
    if family.semi:
        two, apart = (p @ p > 0).astype(np.float32), (q @ q > 0).astype(np.float32)
        must |= (q.T @ two > 0) | (two @ q.T > 0)
        cannot |= (apart @ p.T > 0) | (p.T @ apart > 0)
    return must, cannot


# About five seconds of a processor of 2024.
_USUAL = 3e8
# Seconds of one program, where work is counted: nothing else stops the solver within a node.
_LONGEST = 60.0


class Effort:
    """Limit of the operations of a computation, or of its time.

    Work is counted, not timed: what is found is then the same on every machine and at every load.

    Attributes
    ----------
    left : float
        Operations; one takes about 15 ns.
    deadline : float
        A reading of ``time.monotonic``.
    """

    def __init__(self, left: float = inf, deadline: float = inf) -> None:
        self.left, self.deadline = left, deadline

    @classmethod
    def of(cls, seconds: float | None) -> Effort:
        """Return a limit of seconds, or the usual limit of operations."""
        if seconds is None:
            return cls(left=_USUAL)
        return cls(deadline=time.monotonic() + seconds)

    def spend(self, operations: float) -> None:
        """Subtract operations that were done."""
        self.left -= operations

    def times(self, operations: float) -> int | None:
        """Return how many times the operations fit into the limit; None without a limit."""
        return None if self.left == inf else max(int(self.left / operations), 0)

    @property
    def seconds(self) -> float | None:
        """Seconds that a program may take, None where neither they nor work are limited."""
        if self.deadline < inf:
            return max(self.deadline - time.monotonic(), 0.0)
        return None if self.left == inf else _LONGEST

    @property
    def over(self) -> bool:
        """Whether the limit is reached."""
        return self.left <= 0 or self.seconds == 0


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The cheapest relations of a family.

    Attributes
    ----------
    cost, bound : float
        Of the best relation found; no relation costs less than the bound.
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
    count: int
    exact: bool
    states: list[States]
    possible: Domains
    above: Codes
    below: Codes
    shares: tuple[Array, Array] | None = None

    @property
    def optimal(self) -> bool:
        """Whether the relations are proved to be cheapest."""
        return float(self.cost) <= self.bound

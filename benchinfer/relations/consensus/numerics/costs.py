"""Costs of pairs in families of relations.

States of a pair (i, j) in a consensus are numbered ``FIRST`` (i above j), ``SECOND``,
``EQUIVALENT`` and ``UNDECIDED`` (incomparable); a set of states is a bit mask.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from benchinfer.relations.numerics.distances import PAIRWISE

type Costs = NDArray[np.int64] | NDArray[np.float64]
type Verdicts = NDArray[np.int8]
FIRST, SECOND, EQUIVALENT, UNDECIDED = range(4)
METHODS = tuple(PAIRWISE)
# The verdicts that the states stand for.
_VERDICTS = [3, 4, 2, 1]
# Weights whose common denominator is larger are not whole numbers in any useful sense.
_LARGEST = 1_000_000


def scaled(weights: NDArray[np.float64]) -> tuple[Costs, int]:
    """Return weights as whole numbers where they are fractions of such, and the divisor.

    Whole costs are added without rounding, so that ties between orders are seen for certain.
    """
    parts = [Fraction(w).limit_denominator(1000) for w in weights.tolist()]
    below = lcm(*(part.denominator for part in parts))
    exact = all(float(p) == w for p, w in zip(parts, weights.tolist(), strict=True))
    if not exact or below > _LARGEST or max(parts, default=Fraction(0)) * below > _LARGEST**2:
        return weights, 1
    return np.array([int(part * below) for part in parts], dtype=np.int64), below


def tally(verdicts: Verdicts, weights: Costs) -> Costs:
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
    given = table[:, _VERDICTS]
    if missing_as_undecided:
        given[0] = given[1]
    return np.tensordot(given.T, votes, axes=1), scale


def cheapest_states(costs: Costs, allowed: tuple[int, ...]) -> NDArray[np.int8]:
    """Return the cheapest allowed state of each pair on its own (n, n), -1 on the diagonal."""
    n = costs.shape[1]
    best = np.array(allowed, dtype=np.int8)[costs[list(allowed)].argmin(axis=0)]
    upper = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    mirrored = np.array([SECOND, FIRST, EQUIVALENT, UNDECIDED], dtype=np.int8)[best.T]
    found = np.where(upper, best, mirrored)
    np.fill_diagonal(found, -1)
    return found


def total(costs: Costs, states: NDArray[np.int8]) -> float:
    """Return the cost of a relation (n, n) of states."""
    i, j = np.triu_indices(len(states), 1)
    return costs[states[i, j], i, j].sum().item()


def tolerance(costs: Costs) -> float:
    """Return the difference below which two costs are the same."""
    if costs.dtype.kind == "i":
        return 0.0
    return 1e-9 * float(np.abs(costs).max(initial=0.0)) * costs.shape[1]


def unit(costs: Costs) -> float:
    """Return what divides costs without rounding and makes them small, whatever weights are in.

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


def arcs(states: NDArray[np.int8], family: RelationFamily) -> NDArray[np.bool_]:
    """Return the arcs (n, n) of a relation of states, without the diagonal."""
    found = states == FIRST
    if not family.strict:
        found |= states == EQUIVALENT
    np.fill_diagonal(found, val=False)
    return found


@cache
def composition(family: RelationFamily) -> NDArray[np.uint8]:
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


def forced_by_four(
    yes: NDArray[np.bool_], no: NDArray[np.bool_], family: RelationFamily
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the strict arcs that must be there, and that cannot, given some of each."""
    p, q = yes.astype(np.float32), no.astype(np.float32)
    # differ[a, c]: something is below a and not below c.
    differ = (p @ q.T > 0).astype(np.float32)
    must, cannot = differ @ p > 0, differ.T @ q > 0
    if family.semi:
        two, apart = (p @ p > 0).astype(np.float32), (q @ q > 0).astype(np.float32)
        must |= (q.T @ two > 0) | (two @ q.T > 0)
        cannot |= (apart @ p.T > 0) | (p.T @ apart > 0)
    return must, cannot

"""Families of relations: which states a pair may take, and which triples go together."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, UNDECIDED

# Bit mask of the mirrored states: first and second change places.
MIRROR = np.array([(m & 12) | ((m & 1) << 1) | ((m & 2) >> 1) for m in range(16)], dtype=np.uint8)
# The only state of a mask that holds one, otherwise -1.
ONLY = np.array(
    [m.bit_length() - 1 if m.bit_count() == 1 else -1 for m in range(16)], dtype=np.int8
)


@dataclass(frozen=True, slots=True)
class Family:
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
        """Whether putting one relation above another gives one of the family again."""
        return FIRST in self.states

    @property
    def parallel(self) -> bool:
        """Whether putting relations side by side, incomparable, gives one of the family again."""
        return UNDECIDED in self.states


_order = (FIRST, SECOND)
FAMILIES = {
    family.name: family
    for family in (
        Family("linear", _order),
        Family("weak", (*_order, EQUIVALENT)),
        Family("partial", (*_order, UNDECIDED)),
        Family("preorder", (*_order, EQUIVALENT, UNDECIDED)),
        Family("equivalence", (EQUIVALENT, UNDECIDED)),
        Family("semiorder", (*_order, EQUIVALENT), strict=True, semi=True),
        Family("interval", (*_order, EQUIVALENT), strict=True),
    )
}


def arcs(states: NDArray[np.int8], family: Family) -> NDArray[np.bool_]:
    """Return the arcs (n, n) of a relation of states, without the diagonal."""
    found = states == FIRST
    if not family.strict:
        found |= states == EQUIVALENT
    np.fill_diagonal(found, val=False)
    return found


@cache
def composition(family: Family) -> NDArray[np.uint8]:
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


def is_member(states: NDArray[np.int8], family: Family) -> bool:
    """Whether a relation of states (n, n) is one of the family."""
    n = len(states)
    off = ~np.eye(n, dtype=np.bool_)
    x = arcs(states, family).astype(np.int64)
    if not np.isin(states[off], family.states).all():
        return False
    if family.strict:
        return not breaks_four(x > 0, (x == 0), family)
    closed = x + np.eye(n, dtype=np.int64)
    return not ((closed @ closed > 0) & (closed == 0)).any()


def breaks_four(yes: NDArray[np.bool_], no: NDArray[np.bool_], family: Family) -> bool:
    """Whether strict arcs that are there, and that are not, contradict an interval order.

    Ferrers: a > b and c > d imply a > d or c > b. Semitransitive: a > b > c implies a > d or d > c.
    The diagonal belongs to `no`.
    """
    must, cannot = forced_by_four(yes, no, family)
    return bool((must & no).any() or (cannot & yes).any())


def forced_by_four(
    yes: NDArray[np.bool_], no: NDArray[np.bool_], family: Family
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

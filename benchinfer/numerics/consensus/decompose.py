"""Splitting a problem where every best relation must split.

Where all objects of one part are strictly cheapest above all of another, moving the parts apart
makes any relation cheaper, so every best one has them apart [1]_. The same holds for parts that are
strictly cheapest incomparable.

References
----------
.. [1] Truchon, M. (1998). An extension of the Condorcet criterion and Kemeny orders. Cahier 98-15,
   CREFA, Universite Laval.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchinfer.numerics.consensus.costs import FIRST, SECOND, UNDECIDED, Costs
from benchinfer.numerics.consensus.families import Family

type Part = NDArray[np.intp]


def cheapest_alone(costs: Costs, family: Family, state: int, slack: float) -> NDArray[np.bool_]:
    """Return (n, n): whether a state is cheaper than every other allowed one of the pair."""
    others = costs[[s for s in family.states if s != state]].min(axis=0)
    return costs[state] + slack < others


def decompose(costs: Costs, family: Family, slack: float) -> tuple[list[Part], NDArray[np.int8]]:
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


def _pieces(costs: Costs, family: Family, slack: float) -> tuple[list[Part], bool]:
    """Return pieces, and whether they stand above each other rather than side by side."""
    if family.ordered and len(pieces := _series(costs, family, slack)) > 1:
        return pieces, True
    if family.parallel:
        return _beside(costs, family, slack), False
    return [np.arange(costs.shape[1])], True


def _series(costs: Costs, family: Family, slack: float) -> list[Part]:
    """Return the parts of an order, best first."""
    arc = ~cheapest_alone(costs, family, SECOND, slack)
    np.fill_diagonal(arc, val=False)
    labels = components(arc, strong=True)
    outside = (arc & (labels[:, None] != labels)).sum(axis=1)
    pieces = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    return sorted(pieces, key=lambda piece: -int(outside[piece[0]]))


def _beside(costs: Costs, family: Family, slack: float) -> list[Part]:
    """Return the parts that no pair ties to each other."""
    arc = ~cheapest_alone(costs, family, UNDECIDED, slack)
    np.fill_diagonal(arc, val=False)
    labels = components(arc, strong=False)
    return [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]


def components(arc: NDArray[np.bool_], *, strong: bool) -> NDArray[np.int32]:
    """Return the component (n,) of each node of a graph of arcs (n, n)."""
    kind = "strong" if strong else "weak"
    return connected_components(csr_array(arc.astype(np.int8)), directed=True, connection=kind)[1]

"""Rows that keep arcs transitive, or an interval order, and those that a solution violates."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST
from benchinfer.numerics.consensus.families import Family

type Array = NDArray[np.float64]
type Indices = NDArray[np.intp]

_SIGNS = (1.0, 1.0, -1.0, -1.0)
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows ``x[p] + x[q] - x[r] - x[s] <= 1``, where each of p .. s is a pair of objects.

    ``pairs`` (R, 4, 2) holds them; a term that is absent is -1.
    """

    pairs: Indices

    @staticmethod
    def none() -> "Rows":
        """Return no rows."""
        return Rows(np.zeros((0, 4, 2), dtype=np.intp))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.pairs)

    def plus(self, other: "Rows") -> "Rows":
        """Return these rows, then the others."""
        return Rows(np.concatenate([self.pairs, other.pairs]))

    def terms(self) -> Iterator[tuple[float, Indices, Indices, Indices]]:
        """Yield sign, rows and both objects of each of the four terms, less those that are 0.

        No object has a strict arc to itself.
        """
        for sign, pair in zip(_SIGNS, np.moveaxis(self.pairs, 1, 0), strict=True):
            at = np.flatnonzero(pair[:, 0] != pair[:, 1])
            yield sign, at, pair[at, 0], pair[at, 1]


def violated(arcs: Array, family: Family, most: int) -> Rows:
    """Return rows that arcs (n, n) violate, the worst first, at most so many."""
    found = [_ferrers(arcs), *([_semi(arcs)] if family.semi else [])]
    excess, pairs = (
        (np.concatenate(parts) for parts in zip(*found, strict=True))
        if family.strict
        else _transitive(arcs, family)
    )
    order = np.argsort(-np.round(excess, 9), kind="stable")[:most]
    return Rows(pairs[order])


def _transitive(arcs: Array, family: Family) -> tuple[Array, Indices]:
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

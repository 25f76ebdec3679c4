"""How the arcs of a relation become the variables of a linear program."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, UNDECIDED, Costs
from benchinfer.numerics.consensus.families import Family, arcs
from benchinfer.numerics.consensus.violated import Rows

type Array = NDArray[np.float64]
type Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Variables of a program: an arc is ``offset + sign * variable``.

    Attributes
    ----------
    family : Family
    column, sign, offset : (n, n)
    objective : (V,)
    constant : float
        The cost where all variables are 0.
    pair_rows, pair_right : (Q, V), (Q,)
        Rows within pairs, ``pair_rows @ v <= pair_right``.
    """

    family: Family
    column: Indices
    sign: Array
    offset: Array
    objective: Array
    constant: float
    pair_rows: csr_array
    pair_right: Array

    def arcs(self, values: Array) -> Array:
        """Return the arcs (n, n); of each object to itself where arcs mean "as good as"."""
        found = self.offset + self.sign * values[self.column]
        np.fill_diagonal(found, 0.0 if self.family.strict else 1.0)
        return found

    def whole(self, states: NDArray[np.int8]) -> Array:
        """Return the arcs (n, n) of a relation of states."""
        there = arcs(states, self.family).astype(np.float64)
        np.fill_diagonal(there, 0.0 if self.family.strict else 1.0)
        return there

    def states(self, arcs: Array) -> NDArray[np.int8]:
        """Return the states (n, n) of whole arcs."""
        there = arcs > 0.5
        both = UNDECIDED if self.family.strict else EQUIVALENT
        neither = EQUIVALENT if self.family.strict else UNDECIDED
        found = np.where(there, np.where(there.T, both, FIRST), np.where(there.T, SECOND, neither))
        np.fill_diagonal(found, -1)
        return found.astype(np.int8)

    def shares(self, values: Array) -> Array:
        """Return how much of each state (4, n, n) each pair i < j has."""
        n = len(self.column)
        i, j = np.triu_indices(n, 1)
        x, y = (
            self.offset[p, q] + self.sign[p, q] * values[self.column[p, q]]
            for p, q in ((i, j), (j, i))
        )
        found = np.zeros((4, n, n))
        if self.family.name == "equivalence":
            found[EQUIVALENT, i, j], found[UNDECIDED, i, j] = x, 1 - x
        elif self.family.name == "preorder":
            both = values[2 * len(i) :]
            shares = (x - both, y - both, both, 1 - x - y + both)
            found[:, i, j] = shares
        elif self.family.name == "weak":
            found[:3, i, j] = (1 - y, 1 - x, x + y - 1)
        else:
            neither = EQUIVALENT if self.family.strict else UNDECIDED
            found[FIRST, i, j], found[SECOND, i, j], found[neither, i, j] = x, y, 1 - x - y
        return found

    def system(self, rows: Rows) -> tuple[csr_array, Array]:
        """Return matrix and right-hand side: transitivity rows first, then those within pairs."""
        n = len(rows)
        at, column, value, right = [], [], [], np.ones(n)
        for sign, row, i, j in rows.terms():
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

    def limits(self, domains: NDArray[np.uint8]) -> tuple[Array, Array]:
        """Return bounds (V,) of the variables where pairs may take these states only."""
        both = 0 if self.family.strict else 1 << EQUIVALENT
        with_arc = (1 << FIRST) | both
        i, j = np.nonzero((self.sign > 0) & ~np.eye(len(domains), dtype=np.bool_))
        low, high = np.zeros(len(self.objective)), np.ones(len(self.objective))
        low[self.column[i, j]] = (domains[i, j] & ~np.uint8(with_arc)) == 0
        high[self.column[i, j]] = (domains[i, j] & with_arc) > 0
        return low, high


def lay_out(costs: Costs, family: Family) -> Layout:
    """Choose the variables: one per pair where one says all, else one per direction."""
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
        return Layout(family, column, sign, offset, first - second, second.sum(), *none)
    if family.states == (EQUIVALENT, UNDECIDED):
        return Layout(family, column, sign, offset, equal - apart, apart.sum(), *none)
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
    return Layout(family, column, sign, offset, objective, base.sum(), rows, right)


def _both(m: int) -> tuple[csr_array, Array]:
    """Return rows by which the last m variables are the products of the first two m."""
    pair = np.arange(m)
    at = np.concatenate([np.tile(pair, 3), np.tile(pair + m, 2), np.tile(pair + 2 * m, 2)])
    columns = [pair, pair + m, pair + 2 * m, pair + 2 * m, pair, pair + 2 * m, pair + m]
    signs = np.repeat([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0], m)
    rows = csr_array((signs, (at, np.concatenate(columns))), shape=(3 * m, 3 * m))
    return rows, np.concatenate([np.ones(m), np.zeros(2 * m)])

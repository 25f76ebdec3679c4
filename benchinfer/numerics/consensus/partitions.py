"""Cheapest weak orders by dynamic programming over all sets of objects.

A weak order is a sequence of classes. ``best[S]`` is the least cost of one of the objects in S, so
that ``best[S] = min over classes T within S of best[S - T] + tied(T) + cross(S - T, T)``, T being
the last class: 3**n steps. It says more than a search where ties between objects are many, for it
counts weak orders without going through them.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, Costs
from benchinfer.numerics.consensus.heuristics import of_classes
from benchinfer.numerics.consensus.linear_dp import Masks, Tables, subset_sums
from benchinfer.numerics.consensus.search import Found


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """What the classes of weak orders cost.

    Attributes
    ----------
    above : (n, n)
        The cost of i above j.
    inner : (2**n,)
        What a class costs beyond its members standing above each other, both ways.
    best, ways : (2**n,)
        Least costs, and in how many ways they are reached.
    slack : float
    """

    above: Tables
    inner: Tables
    best: Tables
    ways: Masks
    slack: float

    @property
    def bits(self) -> Masks:
        """The masks (n,) of single objects."""
        return np.int64(1) << np.arange(len(self.above))

    def options(self, layer: Masks) -> tuple[Masks, Tables]:
        """Return last classes (C, m) of sets of one size (m,), and what orders with them cost."""
        member = (layer[:, None] & self.bits) > 0
        items = np.nonzero(member)[1].reshape(len(layer), -1)
        # What all of the set cost above each member; within a class that is taken back.
        everything = cast("Tables", member.astype(self.above.dtype) @ self.above)
        column = np.take_along_axis(everything, items, axis=1)
        classes = subset_sums(self.bits[items].T)[1:].astype(np.int64)
        cost = subset_sums(column.T)[1:] + self.inner[classes] + self.best[layer ^ classes]
        return classes, cast("Tables", cost)

    def tight(self, layer: Masks) -> tuple[Masks, Masks]:
        """Return sets, and last classes with which they cost least."""
        classes, cost = self.options(layer)
        which, at = np.nonzero(cost <= self.best[layer] + self.slack)
        return layer[at], classes[which, at]


def _tables(costs: Costs, slack: float) -> _Tables:
    above, size = costs[FIRST], 1 << costs.shape[1]
    inner = _pair_sums(costs[EQUIVALENT] - above - above.T)
    best, ways = np.zeros(size, dtype=above.dtype), np.ones(size, dtype=np.int64)
    tables = _Tables(above, inner, best, ways, slack)
    for layer in _layers(len(above)):
        classes, cost = tables.options(layer)
        best[layer] = cost.min(axis=0)
        tight = cost <= best[layer] + slack
        ways[layer] = np.where(tight, ways[layer ^ classes], 0).sum(axis=0)
    return tables


def _layers(n: int) -> list[Masks]:
    """Return the sets of 1, 2, .. n objects."""
    masks = np.arange(1 << n)
    size = np.bitwise_count(masks)
    return [masks[size == k] for k in range(1, n + 1)]


def _pair_sums(values: Tables) -> Tables:
    """Return for each set of bits the sum of values (n, n), symmetric, over its pairs (2**n,)."""
    sums: Tables = np.zeros(1, dtype=values.dtype)
    for b in range(len(values)):
        sums = cast("Tables", np.concatenate([sums, sums + subset_sums(values[:b, b])]))
    return sums


def cheapest(costs: Costs, slack: float, limit: int) -> Found:
    """Return the least cost of a weak order and what all that have it say, with some of them.

    Parameters
    ----------
    costs
        (4, n, n): see `cost_tensor`.
    slack
        How much dearer an order may be to count as cheapest.
    limit
        How many to list.
    """
    tables, n = _tables(costs, slack), costs.shape[1]
    first, tied = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
    above, below = np.full(n, n), np.full(n, n)
    alive = np.zeros(1 << n, dtype=np.bool_)
    alive[-1] = True
    for layer in reversed(_layers(n)):
        if not alive[layer].any():
            continue
        sets, classes = tables.tight(layer[alive[layer]])
        before = sets ^ classes
        alive[before] = True
        inside, higher = ((masks[:, None] & tables.bits > 0) for masks in (classes, before))
        first |= higher.astype(np.float32).T @ inside.astype(np.float32) > 0
        tied |= inside.astype(np.float32).T @ inside.astype(np.float32) > 0
        ahead, after = np.bitwise_count(before)[:, None], n - int(layer[0]).bit_count()
        above = np.minimum(above, np.where(inside, ahead, n).min(axis=0))
        below = np.minimum(below, np.where(inside, after, n).min(axis=0))
    possible = (first << FIRST) | (first.T << SECOND) | (tied << EQUIVALENT)
    np.fill_diagonal(possible, 0)
    return Found(
        cost=tables.best[-1].item(),
        states=_listed(tables, limit),
        count=int(tables.ways[-1]),
        possible=possible.astype(np.uint8),
        above=above,
        below=below,
        complete=True,
    )


def _listed(tables: _Tables, limit: int) -> list[NDArray[np.int8]]:
    """Return cheapest weak orders (n, n), at most so many."""
    n = len(tables.above)
    found: list[NDArray[np.int8]] = []
    stack: list[tuple[int, NDArray[np.intp]]] = [((1 << n) - 1, np.zeros(n, dtype=np.intp))]
    while stack and len(found) < limit:
        left, levels = stack.pop()
        if not left:
            found.append(of_classes(levels, FIRST))
            continue
        # Classes are numbered from the last one upwards.
        stack.extend(
            (left ^ chosen, np.where(tables.bits & chosen, left.bit_count(), levels))
            for chosen in tables.tight(np.array([left]))[1].tolist()
        )
    return found

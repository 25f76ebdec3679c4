"""Dynamic programming over sets of objects.

With ``best[S]`` the least cost of an order of the objects in S alone,
``best[S] = min over i in S of best[S - i] + sum over j in S - i of cost(j above i)``. Orders that
begin with S cost ``best[S] + cross[S] + best[not S]``: one table serves both directions [1]_. Weak
orders are sequences of classes: the minimum is over the last class T within S, with the cost
``tied(T) + cross(S - T, T)``, in 3**n steps. All optima are counted without listing them.

With many objects, only sets that are reached within the gap between bound and optimum can begin a
cheapest order, and these are few if most pairs are forced. The k-th layer of their graph holds the
sets of k objects that come first in some cheapest order.

References
----------
.. [1] Held, M. and Karp, R. M. (1962). A dynamic programming approach to sequencing problems.
   Journal of the Society for Industrial and Applied Mathematics 10, 196-210.
   doi:10.1137/0110015
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FIRST,
    SECOND,
    Costs,
    Indices,
    Solution,
    of_classes,
)

type Above = NDArray[np.int64 | np.float64]
type Tables = NDArray[np.int64 | np.float64]
type Masks = Codes


@dataclass(frozen=True, slots=True, eq=False)
class OrderGraph:
    """Graph whose paths from the empty set to the set of all objects are the cheapest orders.

    Attributes
    ----------
    n : int
        Number of objects.
    layers : tuple of (source, target, item)
        The k-th leads from sets of k to sets of k + 1 objects, by their numbers in their layers,
        adding an object. Every source lies on a path from the empty set.
    """

    n: int
    layers: tuple[tuple[Indices, Indices, Indices], ...]

    def sizes(self) -> list[int]:
        """Return how many sets each layer has."""
        return [1, *(int(target.max()) + 1 for _, target, _ in self.layers)]

    def count(self) -> int:
        """Return the number of cheapest orders, without rounding."""
        # 20! is the largest factorial below 2**63.
        kind = np.int64 if self.n <= 20 else object
        ways = np.ones(1, dtype=kind)
        for (source, target, _), size in zip(self.layers, self.sizes()[1:], strict=True):
            longer = np.zeros(size, dtype=kind)
            np.add.at(longer, target, ways[source])
            ways = longer
        return int(ways[0])

    def shares(self) -> tuple[Array, Array]:
        """Return averages over all cheapest orders.

        The first is (n, n) how often object i is at place k, the second how often it is above
        object j.
        """
        position, above = np.zeros((self.n, self.n)), np.zeros((self.n, self.n))
        sizes = self.sizes()
        forward = [np.ones(1)]
        for (source, target, _), size in zip(self.layers, sizes[1:], strict=True):
            forward.append(np.bincount(target, forward[-1][source], size))
        inside: list[Flags] = [np.zeros((1, self.n), dtype=np.bool_)]
        for (source, target, item), size in zip(self.layers, sizes[1:], strict=True):
            member = np.zeros((size, self.n), dtype=np.bool_)
            member[target] = inside[-1][source]
            member[target, item] = True
            inside.append(member)
        share = np.ones(1)
        for k in reversed(range(self.n)):
            source, target, item = self.layers[k]
            flow = share[target] * forward[k][source] / forward[k + 1][target]
            position[:, k] = np.bincount(item, flow, self.n)
            by_item = np.zeros((self.n, sizes[k]))
            by_item[item, source] = flow
            above += (by_item @ inside[k]).T
            share = np.bincount(source, flow, sizes[k])
        return position, above

    def orders(self, limit: int) -> Iterator[list[int]]:
        """Yield cheapest orders, up to a limit."""
        if limit < 1:
            return
        steps: list[list[list[tuple[int, int]]]] = []
        for layer, size in zip(self.layers, self.sizes(), strict=False):
            steps.append([[] for _ in range(size)])
            rows = zip(*(part.tolist() for part in layer), strict=True)
            for s, t, i in sorted(rows, key=lambda row: row[2]):
                steps[-1][s].append((t, i))
        stack: list[tuple[int, list[int]]] = [(0, [])]
        while stack:
            node, order = stack.pop()
            if len(order) == self.n:
                yield order
                limit -= 1
                if not limit:
                    return
                continue
            stack.extend((t, [*order, i]) for t, i in reversed(steps[len(order)][node]))


def extended(members: Flags, source: Indices, item: Indices) -> tuple[Flags, Indices]:
    """Return the distinct sets (m, n) that adding items to sets gives, and which one each is."""
    sets = members[source]
    sets[np.arange(len(item)), item] = True
    packed = np.ascontiguousarray(np.packbits(sets, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, target = np.unique(keys, return_index=True, return_inverse=True)
    return sets[first], target


def trimmed(n: int, layers: list[tuple[Indices, Indices, Indices, Flags]]) -> OrderGraph:
    """Return the graph of the tight steps on paths that reach the end, with sets renumbered."""
    steps: list[tuple[Indices, Indices, Indices]] = []
    alive = np.array([0])
    for source, target, item, tight in reversed(layers):
        here = tight & np.isin(target, alive)
        before = np.unique(source[here])
        renumbered = np.searchsorted(before, source[here]), np.searchsorted(alive, target[here])
        steps.append((*renumbered, item[here]))
        alive = before
    return OrderGraph(n, tuple(reversed(steps)))


def cheapest_within(
    above: Array, reduced: Array, gap: float, slack: float, most: int
) -> tuple[float, OrderGraph] | None:
    """Return the least cost and all orders that have it, or None where there are too many sets.

    `above` (n, n) is the cost of i above j, `reduced` (n, n) what that costs beyond a bound on all
    orders. A cheapest order is at most `gap` above the bound, orders dearer by at most `slack`
    count as cheapest, and a layer may have `most` sets.
    """
    n = len(above)
    members = np.zeros((1, n), dtype=np.bool_)
    cost, excess = np.zeros(1, dtype=above.dtype), np.zeros(1)
    layers: list[tuple[Indices, Indices, Indices, Flags]] = []
    for _ in range(n):
        beyond = excess[:, None] + (~members) @ reduced.T
        source, item = np.nonzero(~members & (beyond <= gap))
        if not len(source) or len(source) > most:
            return None
        new = cost[source] + (members.astype(above.dtype) @ above)[source, item]
        members, target = extended(members, source, item)
        cost, excess = (_least(target, v, len(members)) for v in (new, beyond[source, item]))
        layers.append((source, target, item, new <= cost[target] + slack))
    return cost[0].item(), trimmed(n, layers)


def _least(group: Indices, values: Array, size: int) -> Array:
    """Return the least value of each group."""
    order = np.lexsort((values, group))
    return values[order[np.searchsorted(group[order], np.arange(size))]]


MOST = 20
# Up to this size all sets are done at once.
_AT_ONCE = 12


def subset_sums(values: Above) -> Tables:
    """Return for each set of bits the sum of its values (2**n,), along the first axis."""
    sums = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def best_costs(above: Above) -> Tables:
    """Return the least cost of an order of each set (2**n,), given ``above[i, j]`` (n, n)."""
    n = len(above)
    if n > _AT_ONCE:
        return _best_in_halves(above)
    best = np.zeros(1 << n, dtype=above.dtype)
    sums = subset_sums(above)
    for masks, before, items in _steps(n):
        best[masks] = (best[before] + sums[before, items]).min(axis=1)
    return best


@cache
def _steps(n: int) -> list[tuple[Masks, Masks, Masks]]:
    """Return for each size the sets, and (sets, size): the sets without, and each member."""
    steps: list[tuple[Masks, Masks, Masks]] = []
    bits = 1 << np.arange(n)
    for k, layer in enumerate(_layers(n), 1):
        items = np.nonzero(layer[:, None] & bits)[1].reshape(-1, k)
        steps.append((layer, layer[:, None] ^ bits[items], items))
    return steps


def _layers(n: int) -> list[Masks]:
    """Return the sets of 1, 2, .. n objects."""
    masks = np.arange(1 << n)
    size = np.bitwise_count(masks)
    return [masks[size == k] for k in range(1, n + 1)]


def _best_in_halves(above: Above) -> Tables:
    """Compute `best_costs` in blocks: rows are sets of the last objects, columns of the first.

    Whole rows follow from rows, so that little needs to be gathered from a large table.
    """
    n, low = len(above), len(above) // 2
    # What the sets of either half cost above each object of either half.
    first, last = subset_sums(above[:low]), subset_sums(above[low:])
    best = np.zeros((1 << (n - low), 1 << low), dtype=above.dtype)
    _along(best, np.array([0]), first, last)
    for rows, before, items in _steps(n - low):
        options = (
            best[b] + (last[b, low + i][:, None] + first.T[low + i])
            for b, i in zip(before.T, items.T, strict=True)
        )
        best[rows] = reduce(np.minimum, options)
        _along(best, rows, first, last)
    return best.ravel()


def _along(best: Tables, rows: Masks, first: Tables, last: Tables) -> None:
    """Lower the costs in `rows` of `best` by orders that end with one of the first objects."""
    block = best[rows]
    empty = rows[0] == 0
    for masks, before, items in _steps(best.shape[1].bit_length() - 1):
        options = (
            block[:, b] + (first[b, i] + last[rows][:, i])
            for b, i in zip(before.T, items.T, strict=True)
        )
        cheapest_so = reduce(np.minimum, options)
        block[:, masks] = cheapest_so if empty else np.minimum(block[:, masks], cheapest_so)
    best[rows] = block


def cross_costs(above: Above) -> Tables:
    """Return for each set the cost of its members being above all other objects (2**n,)."""
    cross = np.zeros(1, dtype=above.dtype)
    for b, gain in enumerate(above.sum(axis=1)):
        between = subset_sums(above[b, :b] + above[:b, b])  # pyright: ignore[reportArgumentType]
        cross = np.concatenate([cross, cross + gain - between])
    return cross


def cheapest_linear_order(above: Above, slack: float) -> tuple[float, OrderGraph]:
    """Return the least cost and all orders that have it.

    `above` (n, n) is the cost of i above j; orders dearer by at most `slack` count as cheapest.
    """
    n = len(above)
    best = best_costs(above)
    through = best + cross_costs(above) + best[::-1]
    optimum = best[-1]
    good = through <= optimum + slack
    layers: list[tuple[Indices, Indices, Indices]] = []
    sets = np.zeros(1, dtype=np.int64)
    bits = np.int64(1) << np.arange(n)
    for _ in range(n):
        source, item = np.nonzero((sets[:, None] & bits) == 0)
        to = sets[source] | bits[item]
        step = good[to]
        source, item, to = source[step], item[step], to[step]
        members = (sets[:, None] & bits != 0).astype(above.dtype)
        added = (members @ above)[source, item]
        tight = best[sets[source]] + added <= best[to] + slack
        source, item, to = source[tight], item[tight], to[tight]
        sets, target = np.unique(to, return_inverse=True)
        layers.append((source, target, item))
    return optimum.item(), OrderGraph(n, tuple(layers))


def regrets(above: Above) -> Tables:
    """Return the excess cost of the cheapest order with i above j over the cheapest one (n, n).

    Orders in which i follows the set S have i above j for every j that is not in S.
    """
    n = len(above)
    best = best_costs(above)
    rest = cross_costs(above) + best[::-1]
    regret = np.zeros((n, n), dtype=above.dtype)
    for i in range(n):
        added = subset_sums(np.delete(above[:, i], i))
        cost = _without(best, i) + added + _without(rest, i, of=1) - best[-1]  # pyright: ignore[reportArgumentType]
        for j in range(n):
            if j != i:
                regret[i, j] = _without(cost, j - (j > i)).min()
    return regret


def _without(table: Tables, i: int, of: int = 0) -> Tables:
    """Return the entries of sets without i, or with it where `of` is 1."""
    return table.reshape(-1, 2, 1 << i)[:, of].ravel()


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """Costs of the classes of weak orders.

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
        """Return last classes (C, m) of sets of one size (m,), and the costs of their orders."""
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


def _pair_sums(values: Tables) -> Tables:
    """Return for each set of bits the sum of values (n, n), symmetric, over its pairs (2**n,)."""
    sums: Tables = np.zeros(1, dtype=values.dtype)
    for b in range(len(values)):
        sums = cast("Tables", np.concatenate([sums, sums + subset_sums(values[:b, b])]))
    return sums


def cheapest_weak_order(costs: Costs, slack: float, limit: int) -> Solution:
    """Return the least cost of a weak order, the verdicts common to all optima, and some optima.

    `costs` are those of `of_votes`; orders dearer by at most `slack` count as cheapest, of which
    `limit` are listed.
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
    cost = tables.best[-1].item()
    return Solution(
        cost=cost,
        bound=cost,
        exact=True,
        states=_listed(tables, limit),
        count=int(tables.ways[-1]),
        possible=possible.astype(np.uint8),
        above=above,
        below=below,
    )


def _listed(tables: _Tables, limit: int) -> list[States]:
    """Return cheapest weak orders (n, n), up to a limit."""
    n = len(tables.above)
    orders: list[States] = []
    stack: list[tuple[int, Indices]] = [((1 << n) - 1, np.zeros(n, dtype=np.intp))]
    while stack and len(orders) < limit:
        left, levels = stack.pop()
        if not left:
            orders.append(of_classes(levels, FIRST))
            continue
        # Classes are numbered from the last one upwards.
        stack.extend(
            (left ^ chosen, np.where(tables.bits & chosen, left.bit_count(), levels))
            for chosen in tables.tight(np.array([left]))[1].tolist()
        )
    return orders

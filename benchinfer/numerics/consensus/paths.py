"""All cheapest orders as the paths of a layered graph whose nodes are sets of objects.

The k-th layer holds the sets of k objects that come first in some cheapest order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Indices = NDArray[np.intp]
type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The graph.

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
        found = np.ones(1, dtype=kind)
        for (source, target, _), size in zip(self.layers, self.sizes()[1:], strict=True):
            here = np.zeros(size, dtype=kind)
            np.add.at(here, target, found[source])
            found = here
        return int(found[0])

    def shares(self) -> tuple[Array, Array]:
        """Return averages over all cheapest orders.

        Returns
        -------
        position : (n, n)
            How often object i stands at place k.
        above : (n, n)
            How often object i stands above object j.
        """
        position, above = np.zeros((self.n, self.n)), np.zeros((self.n, self.n))
        sizes = self.sizes()
        forward = [np.ones(1)]
        for (source, target, _), size in zip(self.layers, sizes[1:], strict=True):
            forward.append(np.bincount(target, forward[-1][source], size))
        inside: list[NDArray[np.bool_]] = [np.zeros((1, self.n), dtype=np.bool_)]
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
        """Yield cheapest orders, at most so many."""
        if limit < 1:
            return
        steps = [
            _by_source(layer, size) for layer, size in zip(self.layers, self.sizes(), strict=False)
        ]
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


def _by_source(layer: tuple[Indices, Indices, Indices], size: int) -> list[list[tuple[int, int]]]:
    steps: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for s, t, i in zip(*(part.tolist() for part in layer), strict=True):
        steps[s].append((t, i))
    return [sorted(step, key=lambda pair: pair[1]) for step in steps]


def distinct(rows: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return where each distinct row stands first, and which one each row is."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    whole = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return first, which


def trimmed(n: int, layers: list[tuple[Indices, Indices, Indices, NDArray[np.bool_]]]) -> Paths:
    """Keep the steps that are tight on paths that reach the end, and number the sets anew."""
    kept: list[tuple[Indices, Indices, Indices]] = []
    alive = np.array([0])
    for source, target, item, tight in reversed(layers):
        here = tight & np.isin(target, alive)
        before = np.unique(source[here])
        kept.append(
            (
                np.searchsorted(before, source[here]),
                np.searchsorted(alive, target[here]),
                item[here],
            )
        )
        alive = before
    return Paths(n, tuple(reversed(kept)))

"""A good relation of a family, fast: a start for exact search, and what is left without it."""

import time

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import EQUIVALENT, FIRST, SECOND, UNDECIDED, Costs
from benchinfer.numerics.consensus.families import Family

type States = NDArray[np.int8]
type Order = NDArray[np.intp]


def guess(
    costs: Costs, family: Family, deadline: float, start: NDArray[np.float64] | None = None
) -> States:
    """Return a relation (n, n) of the family.

    Parameters
    ----------
    costs, family
        What is minimised.
    deadline
        When to stop improving, as a reading of ``time.monotonic``.
    start
        (n, n): how much speaks for each object to be above another; by default from the costs.
    """
    if not family.ordered:
        return of_classes(_clusters(costs), UNDECIDED)
    lead = costs[SECOND] - costs[FIRST] if start is None else start
    order = _improve(np.argsort(-lead.sum(axis=1), kind="stable"), costs, deadline)
    if EQUIVALENT not in family.states:
        return of_order(order)
    levels = np.empty(len(order), dtype=np.intp)
    levels[order] = _cut(order, costs)
    return of_classes(levels, FIRST)


def of_order(order: Order) -> States:
    """Return the states (n, n) of an order, best first."""
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    return of_classes(position, FIRST)


def of_classes(levels: Order, apart: int) -> States:
    """Return the states (n, n) where objects of a level are equivalent.

    Levels are one above the other, or incomparable, as `apart` says.
    """
    above = (FIRST, SECOND) if apart == FIRST else (apart, apart)
    difference = np.sign(levels - levels[:, None])
    found = np.array([EQUIVALENT, above[0], above[1]], dtype=np.int8)[difference]
    np.fill_diagonal(found, -1)
    return found


def _improve(order: Order, costs: Costs, deadline: float) -> Order:
    """Move single objects while an order gets cheaper."""
    gain = costs[SECOND] - costs[FIRST]
    better = True
    while better and time.monotonic() < deadline:
        better = False
        for item in order.copy():
            place = int(np.flatnonzero(order == item)[0])
            rest = np.delete(order, place)
            # The cost of standing before the k-th of the others, less that of standing first.
            steps = np.concatenate([[0], np.cumsum(gain[item, rest])])
            k = int(steps.argmin())
            if steps[k] < steps[place] - 1e-9 * (1 + abs(steps[place])):
                order = np.insert(rest, k, item)
                better = True
    return order


def _cut(order: Order, costs: Costs) -> Order:
    """Return the level of each place where runs of an order are tied at least cost."""
    n = len(order)
    save = np.triu((costs[EQUIVALENT] - costs[FIRST])[order[:, None], order], 1)
    # run[a, b]: what it costs to tie places a..b.
    run = np.cumsum(np.cumsum(save, axis=1)[::-1], axis=0)[::-1]
    best = np.zeros(n + 1, dtype=run.dtype)
    since = np.zeros(n + 1, dtype=np.intp)
    for b in range(n):
        options = best[: b + 1] + run[: b + 1, b]
        # Ties only where they pay: the shortest of the cheapest runs.
        since[b + 1] = b - int(options[::-1].argmin())
        best[b + 1] = options[since[b + 1]]
    levels = np.zeros(n, dtype=np.intp)
    end = n
    while end:
        levels[since[end] : end] = since[end]
        end = int(since[end])
    return levels


def _clusters(costs: Costs) -> Order:
    """Return a class of each object, by joining the two classes that gain most."""
    n = costs.shape[1]
    labels = np.arange(n)
    gain = (costs[UNDECIDED] - costs[EQUIVALENT]).astype(np.float64)
    np.fill_diagonal(gain, -np.inf)
    while True:
        a, b = divmod(int(gain.argmax()), n)
        if gain[a, b] <= 0:
            return labels
        labels[labels == labels[b]] = labels[a]
        gain[a] += gain[b]
        gain[:, a] = gain[a]
        gain[a, a] = -np.inf
        gain[b] = gain[:, b] = -np.inf

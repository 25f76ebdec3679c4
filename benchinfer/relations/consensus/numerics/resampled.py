"""Consensus of bootstrap resamples."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.types import Array, Counts, States
from benchinfer.relations.consensus.numerics.costs import (
    EQUIVALENT,
    FIRST,
    SECOND,
    Costs,
    RelationFamily,
)
from benchinfer.relations.consensus.numerics.solve import solve

# How many relations are averaged over where they have to be listed.
_LISTED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class ConsensusAverages:
    """Averages over all cheapest relations with equal weights, so that no tie is broken by chance.

    Attributes
    ----------
    cost : float
    count : int
        How many there are.
    complete : bool
        Whether they are proved to be cheapest and the averages are over all of them.
    position : (n, n)
        The share of them in which k objects are strictly above object i.
    above, tied : (n, n)
        The share in which object i is strictly above object j, and in which both are equivalent.
    states : (n, n) or None
        The relation itself where it is the only one.
    """

    cost: float
    count: int
    complete: bool
    position: Array
    above: Array
    tied: Array
    states: States | None


def summarise(costs: Costs, family: RelationFamily) -> ConsensusAverages:
    """Return the averages over the cheapest relations of a family.

    `costs` are those of `of_votes`.

    Notes
    -----
    Linear orders are averaged over by their sets. Where these are too many to be held, and in other
    families, relations are listed, and of very many the averages are over the first of them.
    """
    linear = family.name == "linear"
    solution = solve(costs, family, limit=1 if linear else _LISTED)
    if linear and solution.shares is None:
        solution = solve(costs, family, limit=_LISTED)
    counted = solution.exact and solution.optimal
    only = solution.states[0] if counted and solution.count == 1 else None
    cost, count = solution.cost, solution.count
    if solution.shares is not None:
        position, above = solution.shares
        return ConsensusAverages(cost, count, counted, position, above, np.zeros_like(above), only)
    states = np.array(solution.states)
    rank = (states == SECOND).sum(axis=2)
    return ConsensusAverages(
        cost=cost,
        count=count,
        complete=counted and len(states) == count,
        position=(rank[:, :, None] == np.arange(states.shape[1])).mean(axis=0),
        above=(states == FIRST).mean(axis=0),
        tied=(states == EQUIVALENT).mean(axis=0),
        states=only,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Averages over N resamples, each of which is the average over its cheapest relations.

    Attributes
    ----------
    n : int
        N.
    unique, complete : int
        In how many there was one cheapest relation, and in how many averages are over all.
    position, above, tied : (n, n)
        As in `ConsensusAverages`.
    position_error, above_error, tied_error : (n, n)
        Their standard errors by Monte Carlo.
    orders : list of ((n, n), int)
        Relations that were the only cheapest one, with how often, the most frequent first.
    """

    n: int
    unique: int
    complete: int
    position: Array
    above: Array
    tied: Array
    position_error: Array
    above_error: Array
    tied_error: Array
    orders: list[tuple[States, int]]


def drawn(size: int, resamples: int, seed: int) -> Counts:
    """Return how often each of `size` units is drawn (resamples, size), with replacement.

    The first resamples are the same whatever their number.
    """
    rng = np.random.default_rng(seed)
    return rng.multinomial(size, np.full(size, 1 / size), resamples)


def without_each(size: int) -> Counts:
    """Return the weights (size, size) that leave out one unit each."""
    return 1 - np.eye(size, dtype=np.int64)


def reweighted(
    tensors: Costs,
    weights: Counts,
    family: RelationFamily,
    report: Callable[[int], None] | None = None,
    n_jobs: int | None = None,
) -> Iterator[ConsensusAverages]:
    """Yield the summary of each reweighted ensemble.

    `tensors` (B, 4, n, n) are the costs of each relation by itself, `weights` (N, B) how often each
    counts; `report` is called with the number of ensembles done, `n_jobs` is a number of processes.
    """
    work = partial(_summed, tensors, family)
    for one in in_order(work, weights, workers(n_jobs), processes=True):
        yield one
        if report is not None:
            report(1)


def _summed(tensors: Costs, family: RelationFamily, weights: Counts) -> ConsensusAverages:
    return summarise(np.tensordot(weights, tensors, axes=1), family)


def averaged(summaries: Iterable[ConsensusAverages]) -> Resampled:
    """Return the averages of summaries, of which there is at least one."""
    n = unique = complete = 0
    sums = squares = np.zeros(())
    seen: Counter[bytes] = Counter()
    first: dict[bytes, States] = {}
    for one in summaries:
        values = np.stack([one.position, one.above, one.tied])
        sums, squares = sums + values, squares + values**2
        n, complete = n + 1, complete + one.complete
        if one.states is not None:
            unique += 1
            key = one.states.tobytes()
            seen[key] += 1
            first.setdefault(key, one.states)
    mean = sums / n
    error = np.sqrt(np.maximum(squares / n - mean**2, 0) / max(n - 1, 1))
    return Resampled(
        n=n,
        unique=unique,
        complete=complete,
        position=mean[0],
        above=mean[1],
        tied=mean[2],
        position_error=error[0],
        above_error=error[1],
        tied_error=error[2],
        orders=[(first[key], k) for key, k in seen.most_common()],
    )

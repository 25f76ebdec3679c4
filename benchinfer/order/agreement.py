"""The methods of a consensus, from votes to what its record holds."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus import assignment, scores
from benchinfer.numerics.consensus.costs import METHODS, Costs, of_votes, whole_weights
from benchinfer.numerics.consensus.families import FAMILIES, ONLY
from benchinfer.numerics.consensus.heuristics import of_order
from benchinfer.numerics.consensus.solve import solve
from benchinfer.numerics.distances import twice_ranks
from benchinfer.order.relation import Verdict

type States = NDArray[np.int8]
type Array = NDArray[np.float64]

PAIRWISE = METHODS
SCORES = ("borda", "copeland", "condorcet")
ASSIGNED = "cook-seiford"

# Verdicts of the states first, second, equivalent, undecided; the last is the diagonal.
_VERDICTS = np.array(
    [
        Verdict.FIRST,
        Verdict.SECOND,
        Verdict.EQUIVALENT,
        Verdict.UNDECIDED,
        Verdict.EQUIVALENT,
    ],
    dtype=np.int8,
)
_SETS = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Agreed:
    """What a method finds.

    Attributes
    ----------
    cost, bound : float or None
        Of the optima, and what no relation undercuts; None for scores.
    count : int
    orders : list of (K, K)
        Verdicts of some optima.
    common : (K, K)
        Verdicts that hold in all optima, undecided elsewhere.
    certain : (K, K)
        Which do.
    ranks : (K, 2)
        Best and worst place in any optimum.
    scores : (K,) or None
    optimal, exact : bool
        Whether the optima are proved to be such, and `count` is their number.
    """

    cost: float | None
    bound: float | None
    count: int
    orders: list[States]
    common: States
    certain: NDArray[np.bool_]
    ranks: NDArray[np.int64]
    scores: Array | None = None
    optimal: bool = True
    exact: bool = True


def scaled(weights: Array) -> tuple[Costs, int]:
    """Return weights as whole numbers where they are fractions of such, and the divisor."""
    whole = whole_weights(weights)
    return (weights, 1) if whole is None else whole


def whole_votes(votes: Array) -> tuple[Costs, int]:
    """Return the votes (5, K, K) as whole numbers where they are fractions of such."""
    whole, divisor = scaled(np.unique(votes))
    if whole.dtype.kind == "f":
        return votes, 1
    return np.round(votes * divisor).astype(np.int64), divisor


def pairwise(
    votes: Costs,
    asked: tuple[str, str],
    divisor: int,
    *,
    missing_as_undecided: bool,
    limit: int,
    seconds: float,
) -> Agreed:
    """Minimise the sum of distances to the relations within a family.

    Parameters
    ----------
    votes
        (5, K, K): the weight of each verdict, times the divisor.
    asked
        Method and family.
    divisor
        What makes votes whole.
    missing_as_undecided, limit, seconds
        As asked for.
    """
    method, family = asked
    costs, scale = of_votes(votes, method, missing_as_undecided=missing_as_undecided)
    divisor *= scale
    found = solve(costs, FAMILIES[family], limit=limit, deadline=time.monotonic() + seconds)
    only = ONLY[found.possible]
    certain = only >= 0
    n = len(only)
    return Agreed(
        found.cost / divisor,
        found.bound / divisor,
        found.count,
        [_VERDICTS[states] for states in found.states],
        _on_diagonal(np.where(certain, _VERDICTS[only], Verdict.UNDECIDED)),
        certain | np.eye(n, dtype=np.bool_),
        np.column_stack([1 + found.above, n - found.below]),
        optimal=found.optimal,
        # Rounding may part, or join, orders of the same cost.
        exact=found.exact and (costs.dtype.kind == "i" or found.count == 1),
    )


def scored(votes: Costs, method: str, *, missing_as_undecided: bool) -> Agreed:
    """Rank algorithms by points, as means per compared pair where pairs are missing."""
    whole = votes.astype(np.float64)
    if missing_as_undecided:
        whole[Verdict.UNDECIDED] += whole[Verdict.MISSING]
        whole[Verdict.MISSING] = 0
    if method == "condorcet":
        classes = scores.condorcet(whole)
        points = None
        tied = Verdict.UNDECIDED
    else:
        points = scores.borda(whole) if method == "borda" else scores.copeland(whole)
        if whole[Verdict.MISSING].any():
            points = scores.per_pair(points, whole)
        # Points that rounding alone parts are the same.
        classes = np.unique(-np.round(points, 9), return_inverse=True)[1]
        tied = Verdict.EQUIVALENT
    above = np.sign(classes - classes[:, None])
    order = np.array([tied, Verdict.FIRST, Verdict.SECOND], dtype=np.int8)[above]
    order = _on_diagonal(order)
    ranks = np.column_stack([1 + (above < 0).sum(axis=1), len(classes) - (above > 0).sum(axis=1)])
    certain = np.ones(order.shape, dtype=np.bool_)
    return Agreed(None, None, 1, [order], order, certain, ranks, points)


def placed(verdicts: States, weights: Array, limit: int) -> Agreed:
    """Choose the places that differ least from the ranks in the relations."""
    whole, divisor = scaled(weights)
    costs = assignment.place_costs(twice_ranks(verdicts), whole)
    slack = 0.0 if costs.dtype.kind == "i" else 1e-9 * float(costs.max())
    twice, paths, first = assignment.cheapest(costs, slack, _SETS)
    cost = twice / (2 * divisor)
    if paths is None:
        n = len(first)
        open_ = _on_diagonal(np.full((n, n), Verdict.UNDECIDED, dtype=np.int8))
        ranks = np.column_stack([np.ones(n, dtype=np.int64), np.full(n, n)])
        orders = [_VERDICTS[of_order(first)]]
        certain = np.eye(n, dtype=np.bool_)
        return Agreed(cost, cost, 1, orders, open_, certain, ranks, exact=False)
    position, above = paths.shares()
    count = paths.count()
    sure = (above > 0) ^ (above.T > 0)
    common = np.where(sure, np.where(above > 0, Verdict.FIRST, Verdict.SECOND), Verdict.UNDECIDED)
    some = position > 0
    return Agreed(
        cost,
        cost,
        count,
        [_VERDICTS[of_order(np.array(order))] for order in paths.orders(limit)],
        _on_diagonal(common),
        sure | np.eye(len(sure), dtype=np.bool_),
        np.column_stack([1 + some.argmax(axis=1), len(some) - some[:, ::-1].argmax(axis=1)]),
        exact=slack == 0 or count == 1,
    )


def _on_diagonal(states: NDArray[np.integer]) -> States:
    found = states.astype(np.int8)
    np.fill_diagonal(found, Verdict.EQUIVALENT)
    return found

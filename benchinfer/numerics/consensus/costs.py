"""What each state of each pair costs: one tensor for every pairwise distance.

States of a pair (i, j) in a consensus are numbered ``FIRST`` (i above j), ``SECOND``,
``EQUIVALENT`` and ``UNDECIDED`` (incomparable); a set of states is a bit mask.
"""

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.distances import PAIRWISE

type Costs = NDArray[np.int64] | NDArray[np.float64]
type Verdicts = NDArray[np.int8]

FIRST, SECOND, EQUIVALENT, UNDECIDED = range(4)

METHODS = tuple(PAIRWISE)

# The verdicts that the states stand for.
_VERDICTS = [3, 4, 2, 1]

# Weights whose common denominator is larger are not whole numbers in any useful sense.
_LARGEST = 1_000_000


def whole_weights(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], int] | None:
    """Return weights as whole numbers and their denominator, or None where there is none.

    Whole costs are added without rounding, so that ties between orders are seen for certain.
    """
    parts = [Fraction(w).limit_denominator(1000) for w in weights.tolist()]
    below = lcm(*(part.denominator for part in parts))
    exact = all(float(p) == w for p, w in zip(parts, weights.tolist(), strict=True))
    if not exact or below > _LARGEST or max(parts, default=Fraction(0)) * below > _LARGEST**2:
        return None
    return np.array([int(part * below) for part in parts], dtype=np.int64), below


def tally(verdicts: Verdicts, weights: Costs) -> Costs:
    """Return the weight (5, n, n) with which each verdict is given to each pair, 0 to itself."""
    off = ~np.eye(verdicts.shape[1], dtype=np.bool_)
    return np.stack([np.tensordot(weights, (verdicts == code) & off, axes=1) for code in range(5)])


def of_votes(votes: Costs, method: str, *, missing_as_undecided: bool) -> tuple[Costs, int]:
    """Return the cost of each state of each pair, given the weight (5, n, n) of each verdict.

    Returns
    -------
    costs : (4, n, n)
        ``costs[s, i, j]``, times the divisor; whole numbers where the votes are.
    divisor : int
    """
    table, scale = PAIRWISE[method]
    given = table[:, _VERDICTS]
    if missing_as_undecided:
        given[0] = given[1]
    return np.tensordot(given.T, votes, axes=1), scale


def cost_tensor(
    verdicts: Verdicts, weights: NDArray[np.float64], method: str, *, missing_as_undecided: bool
) -> tuple[Costs, int]:
    """Return the cost of each state of each pair.

    Parameters
    ----------
    verdicts
        (B, n, n): 0 missing, 1 undecided, 2 equivalent, 3 first, 4 second; row versus column.
    weights
        (B,), not negative.
    method
        One of `METHODS`.
    missing_as_undecided
        Whether a missing pair counts as undecided; otherwise it costs nothing.

    Returns
    -------
    costs : (4, n, n)
        ``costs[s, i, j]``, times the divisor; whole numbers where the weights allow it.
    divisor : int
    """
    whole = whole_weights(weights)
    w, below = whole if whole is not None else (weights, 1)
    costs, scale = of_votes(tally(verdicts, w), method, missing_as_undecided=missing_as_undecided)
    return costs, scale * below


def cheapest_states(costs: Costs, allowed: tuple[int, ...]) -> NDArray[np.int8]:
    """Return the cheapest allowed state of each pair on its own (n, n), -1 on the diagonal."""
    n = costs.shape[1]
    best = np.array(allowed, dtype=np.int8)[costs[list(allowed)].argmin(axis=0)]
    upper = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    mirrored = np.array([SECOND, FIRST, EQUIVALENT, UNDECIDED], dtype=np.int8)[best.T]
    found = np.where(upper, best, mirrored)
    np.fill_diagonal(found, -1)
    return found


def total(costs: Costs, states: NDArray[np.int8]) -> float:
    """Return the cost of a relation (n, n) of states."""
    i, j = np.triu_indices(len(states), 1)
    return costs[states[i, j], i, j].sum().item()


def tolerance(costs: Costs) -> float:
    """Return the difference below which two costs are the same."""
    if costs.dtype.kind == "i":
        return 0.0
    return 1e-9 * float(np.abs(costs).max(initial=0.0)) * costs.shape[1]


def unit(costs: Costs) -> float:
    """Return what divides costs without rounding and makes them small, whatever weights are in.

    Solvers have tolerances of their own, which are meant for numbers near 1.
    """
    if costs.dtype.kind == "i":
        return max(np.gcd.reduce(costs, axis=None).item(), 1)
    return 2.0 ** np.frexp(costs.max(initial=0.0))[1].item()

"""Bradley-Terry models of many subsets of data sets at once."""

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.wins.numerics.likelihood import information_of, probabilities, score_of
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.errors import FitError
from benchinfer.numerics.types import Array

_STEPS, _TOLERANCE, _SHORTEST = 100, 1e-10, 1e-6
# A common shift of the worths, or a worth without contests, has no information.
_RIDGE = 1e-9


@dataclass(frozen=True, slots=True)
class Worths:
    """Suprema of the likelihoods of U sets of contests."""

    # (U, K) log worths; they sum to 0. Where some algorithm always wins they have no finite
    # estimate, and are those at which the likelihood no longer grows
    log_worth: Array
    tie: Array | None  # (U, 1) log of Davidson's nu, or None without ties
    log_likelihood: Array  # (U,) largest log likelihoods


def worths(tally: Tally) -> Worths:
    """Fit a Bradley-Terry model, or Davidson's where there are ties, to each cluster of a tally."""
    units, k = len(tally.wins), tally.n_algorithms
    ties = bool(tally.ties.any())
    point = np.zeros((units, k + ties))
    reached = _log_likelihood(tally, point)
    going = np.ones(units, dtype=np.bool_)
    for _ in range(_STEPS):
        part = Tally(tally.pairs, tally.wins[going], tally.ties[going], tally.losses[going])
        step = _newton(part, point[going])
        before = reached[going]
        point[going], reached[going] = _climbed(part, point[going], step, before)
        # The likelihood may grow for ever, by less each time.
        going[going] = reached[going] - before > _TOLERANCE * (1 + np.abs(before))
        if not going.any():
            break
    else:
        raise FitError("the likelihood of the worths has no maximum that was reached.")
    worth = point[:, :k]
    return Worths(
        worth - worth.mean(axis=1, keepdims=True), point[:, k:] if ties else None, reached
    )


def _split(tally: Tally, point: Array) -> tuple[Array, Array | None]:
    k = tally.n_algorithms
    return point[:, :k], point[:, k:] if point.shape[1] > k else None


def _log_likelihood(tally: Tally, point: Array) -> Array:
    worth, tie = _split(tally, point)
    i, j = tally.pairs.T
    outcomes = probabilities(worth[:, i] - worth[:, j], tie)
    first, even, second = (np.log(np.maximum(p, 1e-300)) for p in outcomes)
    return (tally.wins * first + tally.ties * even + tally.losses * second).sum(axis=1)


def _newton(tally: Tally, point: Array) -> Array:
    """Return Newton's steps."""
    worth, tie = _split(tally, point)
    score = score_of(tally, worth, tie)
    information = information_of(tally.pairs, tally.n, worth, tie)
    diagonal = np.einsum("uqq->uq", information)
    # Relative to each parameter: where nearly all is decided the information is small.
    diagonal *= 1 + _RIDGE
    k = worth.shape[1]
    information[:, :k, :k] += np.maximum(diagonal[:, :k].mean(axis=1), 1e-300)[:, None, None] / k
    diagonal += 1e-300
    return np.linalg.solve(information, score[..., None])[..., 0]


def _climbed(tally: Tally, point: Array, step: Array, before: Array) -> tuple[Array, Array]:
    """Go along the steps as far as the likelihoods grow."""
    share = np.ones((len(point), 1))
    while True:
        tried = point + share * step
        reached = _log_likelihood(tally, tried)
        short = reached < before - 1e-9 * (1 + np.abs(before))
        if not short.any():
            return tried, np.maximum(reached, before)
        share[short] /= 2
        share[share < _SHORTEST] = 0.0

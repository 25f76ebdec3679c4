"""Scores that add up votes: Borda, Copeland and the Condorcet classes."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.decompose import components

type Array = NDArray[np.float64]

_EQUIVALENT, _FIRST, _SECOND = 2, 3, 4


def borda(votes: Array) -> Array:
    """Return (n,): the weight of pairs in which an object is at least as good as the other."""
    return (votes[_FIRST] + votes[_EQUIVALENT]).sum(axis=1)


def copeland(votes: Array) -> Array:
    """Return (n,): the weight of pairs in which it is better less that in which it is worse."""
    return (votes[_FIRST] - votes[_SECOND]).sum(axis=1)


def per_pair(scores: Array, votes: Array) -> Array:
    """Return scores as means per compared pair, 0 where an object was compared with none."""
    compared = votes[1:].sum(axis=(0, 2))
    return np.divide(scores, compared, out=np.zeros_like(scores), where=compared > 0)


def majority(votes: Array) -> NDArray[np.bool_]:
    """Return (n, n): row is better by more than half of the weight that compared the pair."""
    return 2 * votes[_FIRST] > votes[1:].sum(axis=0)


def classes(above: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the class (n,) of each object, 0 the best, given who is above whom (n, n).

    Every object of a class is above every one of later classes, and no class can be split so.
    """
    arc = ~above.T
    np.fill_diagonal(arc, val=False)
    labels = components(arc, strong=True)
    outside = (arc & (labels[:, None] != labels)).sum(axis=1)
    return np.unique(-outside, return_inverse=True)[1]


def condorcet(votes: Array) -> NDArray[np.int64]:
    """Return the class (n,) of each object by majorities, 0 is the Smith set [1]_.

    References
    ----------
    .. [1] Smith, J. H. (1973). Aggregation of preferences with variable electorate. Econometrica
       41, 1027-1041. doi:10.2307/1914033
    """
    return classes(majority(votes))

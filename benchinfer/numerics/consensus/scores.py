"""Scores that add up votes: Borda, Copeland and the Condorcet classes."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

type Verdicts = NDArray[np.int8]
type Array = NDArray[np.float64]

_EQUIVALENT, _FIRST, _SECOND = 2, 3, 4


def tally(verdicts: Verdicts, weights: Array) -> Array:
    """Return the weight (5, n, n) with which each verdict is given to each pair, no diagonal."""
    off = ~np.eye(verdicts.shape[1], dtype=np.bool_)
    return np.stack([np.tensordot(weights, (verdicts == code) & off, axes=1) for code in range(5)])


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


def condorcet(votes: Array) -> NDArray[np.int64]:
    """Return the class (n,) of each object, 0 the best: the Smith set, then that of the rest [1]_.

    Every object of a class beats every one of later classes by majority, and no class can be split
    so.

    References
    ----------
    .. [1] Smith, J. H. (1973). Aggregation of preferences with variable electorate. Econometrica
       41, 1027-1041. doi:10.2307/1914033
    """
    arc = ~majority(votes).T
    np.fill_diagonal(arc, val=False)
    labels = connected_components(csr_array(arc), directed=True, connection="strong")[1]
    outside = (arc & (labels[:, None] != labels)).sum(axis=1)
    return np.unique(-outside, return_inverse=True)[1]

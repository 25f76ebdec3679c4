"""Binary relations on a small finite set, as boolean matrices.

A relation ``r`` is a boolean array (K, K); ``r[i, j]`` reads "i stands in the relation to j".
"""

import numpy as np
from numpy.typing import NDArray

type Matrix = NDArray[np.bool_]


def compose(r: Matrix, s: Matrix) -> Matrix:
    """Return the relational product: ``i -> j`` when ``i r k`` and ``k s j`` for some k."""
    # Counts below 2^24 are exact, and float products are much faster than integer ones.
    return (r.astype(np.float32) @ s.astype(np.float32)) > 0


def transitive_closure(r: Matrix) -> Matrix:
    """Return the smallest transitive relation that contains `r` (Warshall)."""
    closed = r.copy()
    for k in range(len(r)):
        closed |= np.outer(closed[:, k], closed[k])
    return closed


def transitive_reduction(r: Matrix) -> Matrix:
    """Return the cover pairs of a strict partial order (its Hasse diagram)."""
    return r & ~compose(r, r)


def dual(r: Matrix) -> Matrix:
    """Return the dual: ``i -> j`` unless ``j r i``."""
    return ~r.T


def is_irreflexive(r: Matrix) -> bool:
    """No element stands in relation to itself."""
    return not r.diagonal().any()


def is_symmetric(r: Matrix) -> bool:
    """``i r j`` implies ``j r i``."""
    return bool((r == r.T).all())


def is_asymmetric(r: Matrix) -> bool:
    """``i r j`` excludes ``j r i``."""
    return not (r & r.T).any()


def is_transitive(r: Matrix) -> bool:
    """``i r j`` and ``j r k`` imply ``i r k``."""
    return not (compose(r, r) & ~r).any()


def is_negatively_transitive(r: Matrix) -> bool:
    """``i r k`` implies ``i r j`` or ``j r k`` for every j: a strict weak order's second half."""
    return is_transitive(~r)


def is_acyclic(r: Matrix) -> bool:
    """No chain leads back to where it began."""
    ends, left = r.sum(axis=1), np.ones(len(r), np.bool_)
    # What leads nowhere is on no such chain; then what led to nothing else, and so on.
    while (last := left & (ends == 0)).any():
        left &= ~last
        ends -= r[:, last].sum(axis=1)
    return not left.any()


def classes(r: Matrix) -> list[list[int]]:
    """Return the sets whose members lead to each other along `r`, those that lead to more first.

    What a set leads to comes after it; sets that lead to as many stand in the order of their first
    members.
    """
    closed = transitive_closure(r | np.eye(len(r), dtype=np.bool_))
    mutual = closed & closed.T
    first = np.flatnonzero(mutual.argmax(axis=1) == np.arange(len(r)))
    order = first[np.argsort(-closed[first].sum(axis=1), kind="stable")]
    return [np.flatnonzero(mutual[i]).tolist() for i in order]


def positions(strict: Matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best and the worst position of each element in the orders that keep `strict`.

    Parameters
    ----------
    strict
        (K, K), acyclic.

    Returns
    -------
    tuple of numpy.ndarray
        (K,) each; 1 is best. One more than those that must stand before, and K less those that
        must stand behind.
    """
    closed = transitive_closure(strict)
    return 1 + closed.sum(axis=0), len(strict) - closed.sum(axis=1)


def levels(strict: Matrix) -> list[list[int]]:
    """Return the indifference classes of a strict weak order, best first.

    Elements of a weak order are ordered by how many others stand above them.
    """
    above = strict.sum(axis=0)
    return [np.flatnonzero(above == count).tolist() for count in np.unique(above)]


def depths(strict: Matrix) -> NDArray[np.int64]:
    """Return each element's layer in a strict partial order: the longest chain above it."""
    depth = np.zeros(len(strict), dtype=np.int64)
    for _ in range(len(strict)):
        above = np.where(strict, depth[:, None] + 1, 0).max(axis=0, initial=0)
        if (above == depth).all():
            break
        depth = above
    return depth

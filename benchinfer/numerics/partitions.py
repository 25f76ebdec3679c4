"""Which equalities of algorithms can be true together: partitions of graphs into cliques.

Equalities are transitive: a set of pairs can be true together only if it holds all pairs inside
the blocks of a partition of the algorithms. When some pairs are known to differ, the blocks are
cliques of the graph of the remaining pairs. The functions here count the most pairs that can still
be true together; sets of algorithms are integers whose bits are the members.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

type Integers = NDArray[np.int64]
type Counts = NDArray[np.int16]


@cache
def possible_counts(k: int) -> tuple[int, ...]:
    """Return, ascending, how many of the pairs of k algorithms can be equal together.

    Examples
    --------
    >>> possible_counts(4)
    (0, 1, 2, 3, 6)

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    # As bits of an integer: the counts of n algorithms whose first block has j members.
    sets = [1]
    for n in range(1, k + 1):
        reached = 0
        for j in range(1, n + 1):
            reached |= sets[n - j] << (j * (j - 1) // 2)
        sets.append(reached)
    return tuple(i for i in range(sets[k].bit_length()) if sets[k] >> i & 1)


def most_together(equal: NDArray[np.bool_]) -> Counts:
    """Return, for each pair, the most pairs that can be true together with it, itself counted.

    Parameters
    ----------
    equal
        (k, k) symmetric: which pairs are not known to differ.

    Returns
    -------
    numpy.ndarray
        (k, k); 0 where `equal` is False or on the diagonal.

    Notes
    -----
    With ``f(S)`` the most pairs inside the cliques of a partition of S, the answer for a pair is
    the largest ``|T| (|T| - 1) / 2 + f(V - T)`` over the cliques T that hold it. A member of a
    smaller block that fits into a larger one belongs there, so the largest block of an optimal
    partition of S is a maximal clique of S, hence the part in S of a maximal clique of the graph:
    ``f(S) = max over maximal cliques C of |C & S| (|C & S| - 1) / 2 + f(S - C)``. There are 2^k
    sets and few maximal cliques.
    """
    k = len(equal)
    neighbours = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in _off_diagonal(equal)]
    inside = _most_inside(k, tuple(_maximal_cliques(neighbours)))
    sizes = _sizes(k)
    # The value of each clique as a block, -1 for other sets; f of the complement of S is the
    # reversed array.
    value = np.where(_is_clique(neighbours), _pairs_of(sizes) + inside[::-1], np.int16(-1))
    for bit in range(k):
        # Each set takes the largest value among the sets that hold it.
        parts = value.reshape(-1, 2, 1 << bit)
        np.maximum(parts[:, 0], parts[:, 1], out=parts[:, 0])
    bits = 1 << np.arange(k)
    result = np.maximum(value[bits[:, None] | bits], 0)
    np.fill_diagonal(result, 0)
    return result


def _off_diagonal(equal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return equal & ~np.eye(len(equal), dtype=np.bool_)


@cache
def _sizes(k: int) -> Counts:
    """Return the number of members of each of the 2^k sets."""
    return np.bitwise_count(np.arange(1 << k)).astype(np.int16)


@cache
def _by_size(k: int) -> tuple[Integers, ...]:
    return tuple(np.flatnonzero(_sizes(k) == size) for size in range(k + 1))


def _pairs_of(sizes: Counts) -> Counts:
    return sizes * (sizes - 1) // 2


def _most_inside(k: int, cliques: tuple[int, ...]) -> Counts:
    """Return, for each set, the most pairs inside the cliques of a partition of it."""
    sizes, most = _sizes(k), np.zeros(1 << k, dtype=np.int16)
    pairs = _pairs_of(np.arange(k + 1, dtype=np.int16))
    for sets in _by_size(k)[2:]:
        best = most[sets]
        for clique in cliques:
            np.maximum(best, pairs[sizes[sets & clique]] + most[sets & ~clique], out=best)
        most[sets] = best
    return most


def _is_clique(neighbours: list[int]) -> NDArray[np.bool_]:
    """Return which of the sets are cliques."""
    known = np.ones(1, dtype=np.bool_)
    for vertex, joined in enumerate(neighbours):
        below = np.arange(1 << vertex)
        known = np.r_[known, known & ((below & ~joined) == 0)]
    return known


def _maximal_cliques(neighbours: list[int]) -> list[int]:
    """Return the maximal cliques (Bron and Kerbosch, with pivots)."""
    found: list[int] = []

    def grow(clique: int, candidates: int, excluded: int) -> None:
        if not candidates and not excluded:
            found.append(clique)
            return
        pivot = max(
            _members(candidates | excluded), key=lambda v: (candidates & neighbours[v]).bit_count()
        )
        for vertex in _members(candidates & ~neighbours[pivot]):
            joined = neighbours[vertex]
            grow(clique | 1 << vertex, candidates & joined, excluded & joined)
            candidates &= ~(1 << vertex)
            excluded |= 1 << vertex

    grow(0, (1 << len(neighbours)) - 1, 0)
    return found


def _members(bits: int) -> list[int]:
    return [i for i in range(bits.bit_length()) if bits >> i & 1]

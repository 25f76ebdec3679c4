"""Compact letter display: two items share a letter if and only if they are not different.

References
----------
Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise comparisons.
Journal of Computational and Graphical Statistics 13, 456-466. https://doi.org/10.1198/1061860043515
"""

import numpy as np
from numpy.typing import NDArray

# Insert and absorb can need 2^(K / 2) groups on the way to few; beyond this many, groups are grown.
_MOST = 500


def letters(different: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return groups of items of which no two are different, covering each pair that is not.

    Insert and absorb: starting with one group of all, each different pair splits the groups that
    hold both, and a group inside another one is dropped; a sweep then drops groups whose pairs are
    all in others. Where that takes too many groups, each pair not yet covered grows one instead.

    Parameters
    ----------
    different
        Symmetric boolean (K, K); the diagonal is not read.

    Returns
    -------
    list of tuple
        Members of each group in increasing order, groups in the order of their members. Each item
        is in some group. There may be more groups than needed.

    Examples
    --------
    >>> different = np.zeros((4, 4), bool)
    >>> different[0, 2] = different[0, 3] = different[1, 3] = True
    >>> letters(different | different.T)
    [(0, 1), (1, 2), (2, 3)]
    """
    k = len(different)
    groups = [(1 << k) - 1] if k else []  # members as bits
    for i in range(k):
        later = sum(1 << j for j in np.flatnonzero(different[i, i + 1 :]).tolist()) << (i + 1)
        groups = _split(groups, 1 << i, later)
        if len(groups) > _MOST:
            return _swept(_grown(different))
    return _swept([_members(group) for group in groups])


def _split(groups: list[int], one: int, others: int) -> list[int]:
    """Part one member from all that it differs from, and absorb groups that lie inside others."""
    apart = [g for g in groups if g & one and g & others]
    kept = [g for g in groups if not (g & one and g & others)]
    halves = {g & ~part for g in apart for part in (one, others)}
    # Halves can lie inside each other or inside a group that was not split, never around one.
    return kept + [h for h in halves if not any(h & ~g == 0 for g in (*kept, *(halves - {h})))]


def _members(group: int) -> tuple[int, ...]:
    return tuple(m for m in range(group.bit_length()) if group >> m & 1)


def _grown(different: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Grow a group from each pair not yet covered, by the items in their order."""
    k = len(different)
    left = ~different | np.eye(k, dtype=np.bool_)
    found: list[tuple[int, ...]] = []
    for i, j in zip(*np.nonzero(np.triu(left)), strict=True):
        if not left[i, j]:
            continue
        group = [int(m) for m in dict.fromkeys((i, j))]
        for m in range(k):
            if m not in group and not different[m, group].any():
                group.append(m)
        left[np.ix_(group, group)] = False
        found.append(tuple(sorted(group)))
    return found


def _swept(groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop groups, small ones first, whose pairs are all in the others."""
    k = 1 + max((m for group in groups for m in group), default=-1)
    times = np.zeros((k, k), np.int64)
    for group in groups:
        times[np.ix_(group, group)] += 1
    kept: list[tuple[int, ...]] = []
    for group in sorted(groups, key=lambda group: (len(group), group)):
        own = np.ix_(group, group)
        if (times[own] > 1).all():
            times[own] -= 1
        else:
            kept.append(group)
    return sorted(kept)

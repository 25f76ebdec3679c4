"""Compact letter displays: groups whose members share a letter where they do not differ."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def letters(different: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the groups of a compact letter display by insert-and-absorb.

    Parameters
    ----------
    different
        (K, K) symmetric: the pairs that may not share a letter. The diagonal is not looked at.

    Returns
    -------
    list of tuple of int
        Members of each group, ascending; the groups in lexicographic order. Each pair that does
        not differ is together in some group, no pair that differs is in any, and no group can be
        left out.

    Notes
    -----
    One group of all is split at the pairs that differ, and a group inside another is absorbed;
    then groups whose pairs all stand elsewhere too are swept out, small ones first. Relations that
    are nearly rankings have few groups; the worst relations of K have about 3^(K / 3).

    References
    ----------
    Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise
    comparisons. Journal of Computational and Graphical Statistics 13, 456-466.
    https://doi.org/10.1198/1061860043515

    Examples
    --------
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 1), (1, 2)]
    """
    k = len(different)
    groups = [(1 << k) - 1] if k else []  # members as bits
    for i in range(k):
        later = sum(1 << j for j in np.flatnonzero(different[i, i + 1 :]).tolist()) << (i + 1)
        groups = _split(groups, 1 << i, later)
    return sorted(tuple(m for m in range(k) if group >> m & 1) for group in _swept(groups))


def _split(groups: list[int], one: int, others: int) -> list[int]:
    """Part one member from all that it differs from, and absorb groups that lie inside others."""
    apart = [g for g in groups if g & one and g & others]
    kept = [g for g in groups if not (g & one and g & others)]
    halves = {g & ~part for g in apart for part in (one, others)}
    # Halves can lie inside each other or inside a group that was not split, never around one.
    return kept + [h for h in halves if not any(h & ~g == 0 for g in (*kept, *(halves - {h})))]


def _swept(groups: list[int]) -> list[int]:
    """Leave out groups whose pairs, or whose only member, stand in other groups too."""
    kept = sorted(groups, key=lambda g: (g.bit_count(), g))
    for group in list(kept):
        others = [g for g in kept if g != group]
        # Together with m in the other groups: all of this group, for each of its members.
        shared = (
            group & ~_union(g for g in others if g >> m & 1) == 0
            for m in range(group.bit_length())
            if group >> m & 1
        )
        if all(shared):
            kept = others
    return kept


def _union(groups: Iterable[int]) -> int:
    found = 0
    for group in groups:
        found |= group
    return found

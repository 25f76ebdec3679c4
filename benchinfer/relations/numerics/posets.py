"""Partial orders: closure, properties, letters.

A relation ``r`` is a boolean array (K, K); ``r[i, j]`` reads "i is in the relation to j".

References
----------
Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise comparisons.
Journal of Computational and Graphical Statistics 13, 456-466. https://doi.org/10.1198/1061860043515

Fishburn, P. C. (1970). Intransitive indifference in preference theory: a survey. Operations
Research 18, 207-228. https://doi.org/10.1287/opre.18.2.207
"""

from collections.abc import Callable

import numpy as np

from benchinfer.numerics.types import Codes, Flags

type Tuples = list[tuple[int, ...]]


# Insert and absorb can need 2^(K / 2) groups on the way to few; beyond this many, groups are grown.
_MOST = 500


def letters(different: Flags) -> list[tuple[int, ...]]:
    """Return groups of items of which no two are different, covering each pair that is not.

    Insert and absorb: starting with one group of all, each different pair splits the groups that
    hold both, and a group inside another one is dropped; a sweep then drops groups whose pairs are
    all in others. Where that takes too many groups, each pair not yet covered grows one instead.

    `different` (K, K) is symmetric; its diagonal is not read. Members of a group have increasing
    order, groups that of their members. Each item is in some group, and there may be more groups
    than needed.

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
    return _swept(
        [tuple(m for m in range(group.bit_length()) if group >> m & 1) for group in groups]
    )


def _split(groups: list[int], one: int, others: int) -> list[int]:
    """Split the groups in which one member differs from others; drop groups inside other groups."""
    apart = [g for g in groups if g & one and g & others]
    unsplit = [g for g in groups if not (g & one and g & others)]
    halves = {g & ~part for g in apart for part in (one, others)}
    # Halves can lie inside each other or inside a group that was not split, never around one.
    return unsplit + [
        h for h in halves if not any(h & ~g == 0 for g in (*unsplit, *(halves - {h})))
    ]


def _grown(different: Flags) -> list[tuple[int, ...]]:
    """Grow a group from each pair not yet covered, by the items in their order."""
    k = len(different)
    left = ~different | np.eye(k, dtype=np.bool_)
    groups: list[tuple[int, ...]] = []
    for i, j in zip(*np.nonzero(np.triu(left)), strict=True):
        if not left[i, j]:
            continue
        group = [int(m) for m in dict.fromkeys((i, j))]
        for m in range(k):
            if m not in group and not different[m, group].any():
                group.append(m)
        left[np.ix_(group, group)] = False
        groups.append(tuple(sorted(group)))
    return groups


def _swept(groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop groups, small ones first, whose pairs are all in the others."""
    k = 1 + max((m for group in groups for m in group), default=-1)
    times = np.zeros((k, k), np.int64)
    for group in groups:
        times[np.ix_(group, group)] += 1
    needed: list[tuple[int, ...]] = []
    for group in sorted(groups, key=lambda group: (len(group), group)):
        block = np.ix_(group, group)
        if (times[block] > 1).all():
            times[block] -= 1
        else:
            needed.append(group)
    return sorted(needed)


def compose(r: Flags, s: Flags) -> Flags:
    """Return the relational product: ``i -> j`` when ``i r k`` and ``k s j`` for some k."""
    # Counts below 2^24 are exact, and float products are much faster than integer ones.
    return (r.astype(np.float32) @ s.astype(np.float32)) > 0


def transitive_closure(r: Flags) -> Flags:
    """Return the smallest transitive relation that contains `r` (Warshall)."""
    closed = r.copy()
    for k in range(len(r)):
        closed |= np.outer(closed[:, k], closed[k])
    return closed


def transitive_reduction(r: Flags) -> Flags:
    """Return the cover pairs of a strict partial order (its Hasse diagram)."""
    return r & ~compose(r, r)


def is_irreflexive(r: Flags) -> bool:
    """No element is in relation to itself."""
    return not r.diagonal().any()


def is_asymmetric(r: Flags) -> bool:
    """``i r j`` excludes ``j r i``."""
    return not (r & r.T).any()


def is_transitive(r: Flags) -> bool:
    """``i r j`` and ``j r k`` imply ``i r k``."""
    return not (compose(r, r) & ~r).any()


def is_acyclic(r: Flags) -> bool:
    """No chain leads back to where it began."""
    ends, left = r.sum(axis=1), np.ones(len(r), np.bool_)
    # What leads nowhere is on no such chain; then what led to nothing else, and so on.
    while (last := left & (ends == 0)).any():
        left &= ~last
        ends -= r[:, last].sum(axis=1)
    return not left.any()


def classes(r: Flags) -> list[list[int]]:
    """Return the sets whose members lead to each other along `r`, those that lead to more first.

    What a set leads to comes after it; sets that lead to as many are in the order of their first
    members.
    """
    closed = transitive_closure(r | np.eye(len(r), dtype=np.bool_))
    mutual = closed & closed.T
    first = np.flatnonzero(mutual.argmax(axis=1) == np.arange(len(r)))
    order = first[np.argsort(-closed[first].sum(axis=1), kind="stable")]
    return [np.flatnonzero(mutual[i]).tolist() for i in order]


def positions(strict: Flags) -> tuple[Codes, Codes]:
    """Return the best and the worst position of each element in the orders that keep `strict`.

    `strict` (K, K) is acyclic; position 1 is best. They are one more than those that must come
    before, and K less those that must come after.
    """
    closed = transitive_closure(strict)
    return 1 + closed.sum(axis=0), len(strict) - closed.sum(axis=1)


def levels(strict: Flags) -> list[list[int]]:
    """Return the indifference classes of a strict weak order, best first.

    Elements of a weak order are ordered by how many others are above them.
    """
    above = strict.sum(axis=0)
    return [np.flatnonzero(above == count).tolist() for count in np.unique(above)]


def depths(strict: Flags) -> Codes:
    """Return each element's layer in a strict partial order: the longest chain above it."""
    depth = np.zeros(len(strict), dtype=np.int64)
    for _ in range(len(strict)):
        above = np.where(strict, depth[:, None] + 1, 0).max(axis=0, initial=0)
        if (above == depth).all():
            break
        depth = above
    return depth


def is_ferrers(r: Flags) -> bool:
    """``i r j`` and ``k r l`` imply ``i r l`` or ``k r j``: rows are nested."""
    beyond = compose(r, ~r.T)  # i stands to something that k does not stand to
    return not (beyond & beyond.T).any()


def is_semitransitive(r: Flags) -> bool:
    """``i r j`` and ``j r k`` imply ``i r l`` or ``l r k`` for each l."""
    return not (compose(r, r) & compose(~r, ~r)).any()


def properties(r: Flags) -> dict[str, bool]:
    """Return every property of a relation by name.

    ``complete`` leaves out the diagonal and ``strongly complete`` counts it. ``acyclic`` is about
    the pairs of different elements, ``strictly acyclic`` about those that hold one way alone. Kinds
    of orders that begin with ``strict`` are irreflexive; the others are reflexive, but for interval
    orders and semiorders, which only have to be complete.
    """
    off = ~np.eye(len(r), dtype=np.bool_)
    either, strict = r | r.T, r & ~r.T
    p = {
        "reflexive": bool(r.diagonal().all()),
        "irreflexive": is_irreflexive(r),
        "symmetric": bool((r == r.T).all()),
        "asymmetric": is_asymmetric(r),
        "antisymmetric": is_asymmetric(r & off),
        "transitive": is_transitive(r),
        "negatively transitive": is_transitive(~r),
        "complete": bool(either[off].all()),
        "strongly complete": bool(either.all()),
        "quasi-transitive": is_transitive(strict),
        "Ferrers": is_ferrers(r),
        "semitransitive": is_semitransitive(r),
        "acyclic": is_acyclic(r & off),
        "strictly acyclic": is_acyclic(strict),
    }
    return p | _kinds(p)


def _kinds(p: dict[str, bool]) -> dict[str, bool]:
    """Return which kinds of orders the properties make."""
    preorder = p["reflexive"] and p["transitive"]
    partial = p["asymmetric"] and p["transitive"]
    interval = p["complete"] and p["Ferrers"]
    strict_interval = p["irreflexive"] and p["Ferrers"]
    return {
        "preorder": preorder,
        "equivalence": preorder and p["symmetric"],
        "weak order": preorder and p["complete"],
        "partial order": preorder and p["antisymmetric"],
        "linear order": preorder and p["complete"] and p["antisymmetric"],
        "interval order": interval,
        "semiorder": interval and p["semitransitive"],
        "strict partial order": partial,
        "strict interval order": strict_interval,
        "strict semiorder": strict_interval and p["semitransitive"],
        "strict weak order": p["asymmetric"] and p["negatively transitive"],
        "strict linear order": partial and p["complete"],
        "tournament": p["asymmetric"] and p["complete"],
    }


def kind(strict: Flags) -> str:
    """Return the strongest kind of order that an asymmetric relation is.

    One of ``"linear order"``, ``"weak order"``, ``"semiorder"``, ``"interval order"``,
    ``"partial order"``, ``"acyclic"`` and ``"cyclic"``: each but the last is also what comes
    after it.
    """
    p = properties(strict)
    for name in ("linear order", "weak order", "semiorder", "interval order", "partial order"):
        if p[f"strict {name}"]:
            return name
    return "acyclic" if p["acyclic"] else "cyclic"


def _chains(r: Flags, broken: Flags) -> Tuples:
    """Return (i, j, k) with ``i r j`` and ``j r k`` where (i, k) is broken, row by row."""
    return [
        (i, int(j), int(k))
        for i in range(len(r))
        for j, k in np.argwhere(r[i][:, None] & r & broken[i])
    ]


def _pairs(r: Flags) -> Tuples:
    return [(int(i), int(j)) for i, j in np.argwhere(r)]


def intransitive(r: Flags) -> Tuples:
    """Return (i, j, k) with ``i r j`` and ``j r k`` but not ``i r k``."""
    return _chains(r, ~r)


def circles(r: Flags) -> Tuples:
    """Return the cycles of three elements in the asymmetric part, each from its smallest one on."""
    strict = r & ~r.T
    return [t for t in _chains(strict, strict.T) if t[0] < min(t[1:])]


def intransitive_ties(r: Flags) -> Tuples:
    """Return (i, j, k), i < k: neither i and j nor j and k are distinguished, but i and k are."""
    strict = r & ~r.T
    apart = strict | strict.T
    return [t for t in _chains(~apart, apart) if t[0] < t[2]]


# Pairs or triples of elements that break a property.
VIOLATIONS: dict[str, Callable[[Flags], Tuples]] = {
    "transitive": intransitive,
    # neither i r j nor j r k, but i r k
    "negatively transitive": lambda r: _chains(~r, r),
    "symmetric": lambda r: _pairs(r & ~r.T),
    "antisymmetric": lambda r: _pairs(np.triu(r & r.T, 1)),
    "complete": lambda r: _pairs(np.triu(~(r | r.T), 1)),
    "circles of three": circles,
    "transitive ties": intransitive_ties,
}
